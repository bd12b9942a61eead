import Accessory
public import Adapters
public import Diagnostics
import Glibc
public import OBDCore
import PIDTables
public import ScanSession
public import SystemIO

/// A vehicle at the other end of a session, to ask or to poll.
public struct Vehicle: Sendable {
    /// The session's scan tool.
    public let scan: ScanSession
    /// The table that decodes answers.
    public let table: PIDTable
    /// The adapter's name in messages.
    public let accessory: String
    /// The key under which the adapter is remembered; nil if it is not remembered.
    public let key: String?
    /// The only ECU to ask.
    public let ecu: ECUAddress?
    /// The protocol that the user chose; nil means to find it.
    public let vehicleProtocol: VehicleProtocol?
    /// The signals that interrupt a waiting request; nil if none do.
    public let inbox: SignalInbox?
    /// Ends the work of a cancelled task; nil outside of tasks.
    var cancellation: EventDescriptor?
    /// The vehicle's services, once they were found.
    let known = KnownServices()
    /// The names of the vehicle's ECUs.
    public let names: KnownNames
    /// Whether it is unknown which vehicle answers.
    package let doubt = VehicleDoubt()

    /// A vehicle on an open session.
    public init(
        scan: ScanSession, table: PIDTable, accessory: String, key: String? = nil,
        ecu: ECUAddress? = nil, vehicleProtocol: VehicleProtocol? = nil, inbox: SignalInbox? = nil,
        names: KnownNames = KnownNames()
    ) {
        self.names = names
        self.scan = scan
        self.table = table
        self.accessory = accessory
        self.key = key
        self.ecu = ecu
        self.vehicleProtocol = vehicleProtocol
        self.inbox = inbox
    }

    /// Becomes readable when the user wants to stop, or the task is cancelled; -1 if nothing can stop the work.
    public var interrupt: Int32 { cancellation?.descriptor ?? inbox?.descriptor ?? -1 }

    /// Sends a request to all ECUs, or to the one of `--ecu`.
    ///
    /// A missing or incomplete answer is returned as a result; a thrown error ends the command.
    public func ask(
        _ payload: [UInt8], target: ECUAddress? = nil
    ) throws(VehicleError) -> QueryResult {
        try ask(.vehicle(request(payload, target: target)))
    }

    /// A request to all ECUs, or to the one of `--ecu`; it may be repeated if it only reads.
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

    /// Whether the adapter can address a single ECU.
    public var asksSingleECUs: Bool { scan.link?.capabilities.asksSingleECUs ?? true }

    /// Whether a request can address a single ECU.
    ///
    /// OBD on protocols before KWP has no such requests, so all ECUs are asked and the answers of one are
    /// used.
    public var hasPhysicalRequests: Bool {
        guard asksSingleECUs else { return false }
        return switch scan.link?.capabilities.vehicleProtocol?.family {
        case .iso9141, .j1850: false
        case .iso14230, .can, .j1939, nil: true
        }
    }

    /// A request for a record, to the ECU in its table.
    public func request(for record: PIDTable.Record) -> VehicleRequest {
        let (target, responder) = record.route(to: asksSingleECUs ? ecu : nil)
        var request = VehicleRequest(
            id: RequestID(rawValue: 0), target: target, payload: record.dataID.requestPayload)
        if let responder { request.responders = .one(responder) }
        return request
    }

    /// Sends a request to the adapter itself.
    public func ask(_ action: AdapterAction) throws(VehicleError) -> QueryResult {
        try ask(.action(id: RequestID(rawValue: 0), action))
    }

    /// Sends the adapter a typed command.
    public func command(_ text: String) throws(VehicleError) -> QueryResult {
        try ask(
            .command(
                id: RequestID(rawValue: 0), text: text,
                mayRepeat: AdapterRequest.isReadOnlyCommand(text)))
    }

    /// Sends a request once and keeps all answers, regardless of `--ecu`.
    func askUnfiltered(_ request: VehicleRequest) throws(VehicleError) -> QueryResult {
        try ask(.vehicle(request), filtered: { $0 })
    }

    /// Sends a request unchanged; repeats it once if it only reads and an ECU answered another request.
    public func ask(_ request: AdapterRequest) throws(VehicleError) -> QueryResult {
        let asked = try ask(request, filtered: filtered)
        guard asked.missesAnECU, request.isForVehicle, request.mayRepeat else { return asked }
        return try ask(request, filtered: filtered)
    }

    private func ask(
        _ request: AdapterRequest, filtered: (Answer) -> Answer
    ) throws(VehicleError) -> QueryResult {
        do {
            let answer = try scan.ask(request, interruptedBy: interrupt)
            names.take(answer.items, answer.reply.messages)
            return QueryResult(answer: filtered(answer))
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

    /// Throws unless the adapter accepts commands such as `text`.
    public func checkThatItTakes(_ text: String) throws(VehicleError) {
        guard scan.link?.capabilities.takesCommands ?? true else { throw .takesNoCommands(text) }
    }

    /// Removes the answers of other ECUs if `--ecu` is set.
    public func filtered(_ answer: Answer) -> Answer {
        guard let ecu else { return answer }
        var answer = answer
        answer.reply.messages.removeAll { $0.ecu != nil && $0.ecu != ecu }
        answer.items.removeAll { item in item.ecu.map { $0 != ecu } ?? false }
        return answer
    }

    /// Both clocks at the beginning of the session.
    public var anchor: TimeAnchor { scan.anchor }

    /// Both clocks at `instant`, as if the wall clock had not been set since the beginning.
    ///
    /// The difference is in whole microseconds, so both anchors give the same times.
    public func anchor(at instant: Instant) -> TimeAnchor {
        let gap = (instant - anchor.monotonic).nanoseconds / 1_000 * 1_000
        let monotonic = anchor.monotonic + .nanoseconds(gap)
        return TimeAnchor(monotonic: monotonic, utc: utc(monotonic))
    }

    /// The wall clock time of `instant`.
    public func utc(_ instant: Instant) -> UTC { anchor.utc(at: instant) }
}

extension Vehicle {
    /// The vehicle's VIN; nil if it does not report a complete one.
    public func vin(by profiles: [DiagnosticProfile]) throws(VehicleError) -> VIN? {
        try ask(.information(0x02), by: profiles).flatMap(\.answer.items).vin
    }

    /// The odometer: PID A6 if the vehicle announces it, otherwise the odometer in the packs of its VIN, or
    /// the group of SAE J1939.
    public func odometer(in services: VehicleServices) throws(VehicleError) -> Odometer? {
        try odometers(in: services, atMost: 1).first
    }

    /// The odometers of all ECUs, at most `most` of them, in the same order.
    public func odometers(
        in services: VehicleServices, atMost most: Int = .max
    ) throws(VehicleError) -> [Odometer] {
        if services.profiles == [.j1939] {
            return try odometers(
                in: table.records.filter { $0.dataID.service == DataID.parameterGroups },
                atMost: most)
        }
        let supported = try supportedIDs(in: services) { .supportedPIDs($0) }
        var found: [Odometer] = []
        if supported.all.contains(0xA6) {
            for asked in try ask(.currentData([0xA6]), in: services) {
                found += odometers(in: asked) { _ in true }
            }
            if most == 1 { return found }
        }
        return try found + packOdometers(by: services.profiles, atMost: most)
    }

    /// The odometers that answer, of the packs in the table that the VIN chooses.
    private func packOdometers(
        by profiles: [DiagnosticProfile], atMost most: Int
    ) throws(VehicleError) -> [Odometer] {
        guard hasPhysicalRequests, ecu == nil,
            let spoken = scan.link?.capabilities.vehicleProtocol, spoken.family == .can,
            table.records.contains(where: { !$0.packs.isEmpty }),
            let vin = try vin(by: profiles)
        else { return [] }
        let fitting = PIDTables.automaticPacks().filter { pack in
            pack.vehicles.contains { $0.matches(vin) }
        }.map(\.name)
        return try odometers(
            in: table.records.filter {
                !Set($0.packs).isDisjoint(with: fitting) && $0.target?.form == spoken.requestForm
            }, atMost: most)
    }

    /// The odometers that answer, of these records.
    private func odometers(
        in records: [PIDTable.Record], atMost most: Int
    ) throws(VehicleError) -> [Odometer] {
        var found: [Odometer] = []
        for record in records where found.count < most {
            let signals = record.signals.map { SignalIndex(rawValue: $0) }.filter {
                SignalRole(aliases: table[$0].aliases) == .odometer && table[$0].unit == "km"
            }
            guard !signals.isEmpty else { continue }
            let asked = try ask(.vehicle(request(for: record)))
            found += odometers(in: asked) {
                $0.dataID == record.dataID && signals.contains($0.signal)
            }
        }
        return found
    }

    private func odometers(in asked: QueryResult, _ isOne: (Reading) -> Bool) -> [Odometer] {
        asked.answer.items.compactMap { item in
            guard case .reading(let reading) = item, isOne(reading),
                case .number(let kilometres) = reading.value
            else { return nil }
            return Odometer(
                kilometres: kilometres, ecu: reading.ecu, dataID: reading.dataID, asked: asked)
        }
    }
}

/// The value of a vehicle's odometer.
public struct Odometer: Sendable {
    /// Unit: km.
    public var kilometres: Double
    /// The ECU that answered; nil if headers were off.
    public var ecu: ECUAddress?
    /// The identifier of the record.
    public var dataID: DataID?
    /// The request and its answer.
    public var asked: QueryResult
}

extension Vehicle {
    /// Checks that records can be requested on this link and are for this vehicle.
    ///
    /// - Throws: an error with the record, because a table for one vehicle is wrong for another.
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
            // An unknown model year is no reason to refuse.
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
