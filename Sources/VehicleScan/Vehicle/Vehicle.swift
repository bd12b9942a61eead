import Accessory
public import Adapters
public import Diagnostics
import Glibc
public import OBDCore
public import ScanSession
public import SystemIO

/// A vehicle at the other end of a session: ask it anything, or poll it.
public struct Vehicle: Sendable {
    /// The scan tool at work.
    public let scan: ScanSession
    /// What decodes its answers.
    public let table: PIDTable
    /// The accessory as messages name it.
    public let accessory: String
    /// Under which the accessory is remembered; nil for what is none.
    public let key: String?
    /// The one ECU asked.
    public let ecu: ECUAddress?
    /// The vehicle protocol that the user wants; nil = whatever is found.
    public let vehicleProtocol: VehicleProtocol?
    /// The signals that end a question that waits; nil = nothing does.
    public let inbox: SignalInbox?
    /// The services, once they were found.
    let known = KnownServices()

    /// A vehicle behind a session that is open.
    public init(
        scan: ScanSession, table: PIDTable, accessory: String, key: String? = nil,
        ecu: ECUAddress? = nil, vehicleProtocol: VehicleProtocol? = nil, inbox: SignalInbox? = nil
    ) {
        self.scan = scan
        self.table = table
        self.accessory = accessory
        self.key = key
        self.ecu = ecu
        self.vehicleProtocol = vehicleProtocol
        self.inbox = inbox
    }

    /// Becomes readable when the user wants to stop; -1 = never.
    public var interrupt: Int32 { inbox?.descriptor ?? -1 }

    /// Asks the vehicle: all ECUs, or the one of `--ecu`.
    ///
    /// An answer that is missing or incomplete is an answer too; what is thrown ends the command.
    public func ask(
        _ payload: [UInt8], target: ECUAddress? = nil
    ) throws(VehicleError) -> QueryResult {
        try ask(.vehicle(request(payload, target: target)))
    }

    /// A request to all ECUs, or to the one of `--ecu`; what only reads may be repeated.
    public func request(
        _ payload: [UInt8], target: ECUAddress? = nil, mayRepeat: Bool? = nil,
        consent: Consent? = nil
    ) -> VehicleRequest {
        let target = hasPhysicalRequests ? ecu?.physicalRequest ?? target : nil
        var request = VehicleRequest(
            id: RequestID(rawValue: 0), target: target, payload: payload, mayRepeat: mayRepeat,
            consent: consent)
        if let ecu, let target, !target.isUsualRequest { request.responders = .one(ecu) }
        return request
    }

    /// Whether the adapter can ask one ECU at all.
    public var asksSingleECUs: Bool { scan.link?.capabilities.asksSingleECUs ?? true }

    /// Whether a request can go to one ECU alone; before KWP OBD knows none, so that all are asked
    /// and one is listened to.
    public var hasPhysicalRequests: Bool {
        guard asksSingleECUs else { return false }
        return switch scan.link?.capabilities.vehicleProtocol?.family {
        case .iso9141, .j1850: false
        case .iso14230, .can, .j1939, nil: true
        }
    }

    /// A request for a record, to the ECU that its table names.
    public func request(for record: PIDTable.Record) -> VehicleRequest {
        let (target, responder) = record.route(to: asksSingleECUs ? ecu : nil)
        var request = VehicleRequest(
            id: RequestID(rawValue: 0), target: target, payload: record.dataID.requestPayload)
        if let responder { request.responders = .one(responder) }
        return request
    }

    /// Asks the adapter itself.
    public func ask(_ action: AdapterAction) throws(VehicleError) -> QueryResult {
        try ask(.action(id: RequestID(rawValue: 0), action))
    }

    /// Sends the adapter a command as typed.
    public func command(_ text: String) throws(VehicleError) -> QueryResult {
        try ask(
            .command(
                id: RequestID(rawValue: 0), text: text,
                mayRepeat: AdapterRequest.isReadOnlyCommand(text)))
    }

    /// Asks all ECUs and counts each one's answer, whatever `--ecu` says.
    public func askEveryECU(_ payload: [UInt8]) throws(VehicleError) -> QueryResult {
        try ask(
            .vehicle(VehicleRequest(id: RequestID(rawValue: 0), payload: payload)),
            filtered: { $0 })
    }

    /// Sends a request as it is; once more where an ECU answered another one and it only reads.
    public func ask(_ request: AdapterRequest) throws(VehicleError) -> QueryResult {
        let asked = try ask(request, filtered: filtered)
        guard asked.missesAnECU, request.isForVehicle, request.mayRepeat else { return asked }
        return try ask(request, filtered: filtered)
    }

    private func ask(
        _ request: AdapterRequest, filtered: (Answer) -> Answer
    ) throws(VehicleError) -> QueryResult {
        do {
            return QueryResult(answer: filtered(try scan.ask(request, interruptedBy: interrupt)))
        } catch .requestFailed(let reason, let soFar) {
            let wasSent: Bool
            switch reason {
            case .linkLost: throw .session(.requestFailed(reason, soFar: soFar))
            case .notSent, .restartedBeforeSending: wasSent = false
            case .timedOut, .stopped, .adapterRestarted, .flooded, .outOfStep: wasSent = true
            }
            return QueryResult(answer: filtered(soFar), problem: reason, wasSent: wasSent)
        } catch {
            throw .session(error)
        }
    }

    /// Makes sure that an adapter at the end of the link takes the command `text`.
    public func checkThatItTakes(_ text: String) throws(VehicleError) {
        guard scan.link?.capabilities.takesCommands ?? true else { throw .takesNoCommands(text) }
    }

    /// With `--ecu` an answer of another ECU does not count.
    public func filtered(_ answer: Answer) -> Answer {
        guard let ecu else { return answer }
        var answer = answer
        answer.reply.messages.removeAll { $0.ecu != nil && $0.ecu != ecu }
        answer.items.removeAll { item in item.ecu.map { $0 != ecu } ?? false }
        return answer
    }

    /// The two clocks at the session's beginning.
    public var anchor: TimeAnchor { scan.anchor }

    /// Both clocks at `instant`, as if the civil clock had never been set since.
    ///
    /// Whole microseconds before it: times that are told by either anchor are then the same.
    public func anchor(at instant: Instant) -> TimeAnchor {
        let gap = (instant - anchor.monotonic).nanoseconds / 1_000 * 1_000
        let monotonic = anchor.monotonic + .nanoseconds(gap)
        return TimeAnchor(monotonic: monotonic, utc: utc(monotonic))
    }

    /// Civil time of `instant`.
    public func utc(_ instant: Instant) -> UTC { anchor.utc(at: instant) }
}

extension Vehicle {
    /// The vehicle's identification number; nil where it does not tell a whole one.
    public func vin(by profiles: [DiagnosticProfile]) throws(VehicleError) -> VIN? {
        try ask(.information(0x02), by: profiles).flatMap(\.answer.items).vin
    }

    /// The odometer (PID A6) where the vehicle announces one; unit: km.
    public func odometer(in services: VehicleServices) throws(VehicleError) -> Double? {
        let supported = try supportedIDs(in: services) { .supportedPIDs($0) }
        guard supported.all.contains(0xA6) else { return nil }
        let asked = try ask(.currentData([0xA6]), in: services)
        for case .reading(let reading) in asked.flatMap(\.answer.items) {
            if case .number(let kilometres) = reading.value { return kilometres }
        }
        return nil
    }
}

extension Vehicle {
    /// Makes sure that records can be asked for on this link, and that they are of this vehicle.
    ///
    /// - Throws: an error that names the record: what a table says of one vehicle is wrong for another.
    public func check(_ records: [PIDTable.Record]) throws(VehicleError) {
        if !asksSingleECUs, let record = records.first(where: { $0.target != nil }),
            let target = record.target
        {
            throw .needsSingleECU(record, at: target)
        }
        if asksSingleECUs, let spoken = scan.link?.capabilities.vehicleProtocol {
            for record in records {
                guard let target = record.route(to: ecu).target, target.form != spoken.requestForm
                else { continue }
                throw .wrongAddressForm(record, at: target, on: spoken)
            }
        }
        guard
            let choosy = records.first(where: { !$0.vehicles.isEmpty })
                ?? records.first(where: { !$0.years.isEmpty })
        else { return }
        guard let vin = try vin(by: [.classicCAN, .onUDS]) else {
            // A year that nobody knows is no reason to refuse.
            if choosy.vehicles.isEmpty { return }
            throw .otherVehicle(choosy, nil)
        }
        for record in records where !record.vehicles.isEmpty {
            guard !record.vehicles.contains(where: { $0.matches(vin) }) else { continue }
            throw .otherVehicle(record, vin)
        }
        guard let year = vin.northAmericanModelYear else { return }
        for record in records where !record.years.isEmpty {
            guard !record.years.contains(where: { $0.contains(year) }) else { continue }
            throw .otherVehicle(record, vin)
        }
    }
}
