import Accessory
import Adapters
import Diagnostics
import Glibc
import OBDCore
import ScanSession

/// One question and what became of it.
struct Asked: Sendable {
    /// What came, complete or not.
    var answer: Answer
    /// Why it is not complete; nil when it is.
    var problem: Failure?
    /// Whether it was written to the adapter; false = the vehicle never got it.
    var wasSent = true

    /// The messages that answer the question, refusals included.
    var answers: [ECUMessage] {
        guard let request = answer.exchange.request else { return answer.reply.messages }
        return answer.reply.messages.filter { $0.answers(request) }
    }

    /// Whether an ECU brought what was asked for.
    var isPositive: Bool {
        let request = answer.exchange.request ?? []
        return answers.contains { message in
            !message.payload.isEmpty
                && (request.isEmpty ? !message.isRefusal : message.isPositiveAnswer(to: request))
        }
    }

    /// Whether everything that came answers another question: nothing is known of this one.
    var isOutOfStep: Bool { answers.isEmpty && !answer.reply.messages.isEmpty }

    /// Whether an ECU's only message answers another question beside those that answer this one; its
    /// own answer may be late.
    ///
    /// In SAE J1939 every ECU tells of itself now and then.
    fileprivate var missesAnECU: Bool {
        let answers = answers
        guard problem == nil, !answers.isEmpty, answers.count < answer.reply.messages.count else {
            return false
        }
        return answer.reply.messages.contains { message in
            guard message.parameterGroup == nil, !answers.contains(message) else { return false }
            return message.ecu == nil || !answers.contains { $0.ecu == message.ecu }
        }
    }

    /// The adapter's word where no ECU answered.
    var status: AdapterStatus? { answer.reply.messages.isEmpty ? answer.reply.statuses.last : nil }
}

/// A command's link to one vehicle.
struct Connection {
    /// The scan tool at work.
    let scan: ScanSession
    /// What decodes its answers.
    let table: PIDTable
    /// The accessory as messages name it.
    let accessory: String
    /// Under which the accessory is remembered; nil for what is none.
    let key: String?
    /// The one ECU asked.
    let ecu: ECUAddress?
    /// The vehicle protocol that the user wants; nil = whatever is found.
    let vehicleProtocol: VehicleProtocol?
    /// The signals that ask the command to end.
    let inbox: SignalInbox

    /// Becomes readable when the user wants to stop.
    var interrupt: Int32 { inbox.descriptor }

    /// Asks the vehicle: all ECUs, or the one of `--ecu`.
    ///
    /// An answer that is missing or incomplete is an answer too; what is thrown ends the command.
    func ask(
        _ payload: [UInt8], target: ECUAddress? = nil
    ) throws(ScanError) -> Asked {
        try ask(.vehicle(request(payload, target: target)))
    }

    /// A request to all ECUs, or to the one of `--ecu`; what only reads may be repeated.
    func request(
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
    var asksSingleECUs: Bool { scan.link?.capabilities.asksSingleECUs ?? true }

    /// Whether a request can go to one ECU alone; before KWP OBD knows none, so that all are asked
    /// and one is listened to.
    var hasPhysicalRequests: Bool {
        guard asksSingleECUs else { return false }
        return switch scan.link?.capabilities.vehicleProtocol?.family {
        case .iso9141, .j1850: false
        case .iso14230, .can, .j1939, nil: true
        }
    }

    /// A request for a record, to the ECU that its table names.
    func request(for record: PIDTable.Record) -> VehicleRequest {
        let (target, responder) = record.route(to: asksSingleECUs ? ecu : nil)
        var request = VehicleRequest(
            id: RequestID(rawValue: 0), target: target, payload: record.dataID.requestPayload)
        if let responder { request.responders = .one(responder) }
        return request
    }

    /// Asks the adapter itself.
    func command(_ text: String) throws(ScanError) -> Asked {
        try ask(
            .command(
                id: RequestID(rawValue: 0), text: text,
                mayRepeat: AdapterRequest.isReadOnlyCommand(text)))
    }

    /// Asks all ECUs and counts each one's answer, whatever `--ecu` says.
    func askEveryECU(_ payload: [UInt8]) throws(ScanError) -> Asked {
        try ask(
            .vehicle(VehicleRequest(id: RequestID(rawValue: 0), payload: payload)),
            filtered: { $0 })
    }

    /// Sends a request as it is; once more where an ECU answered another one and it only reads.
    func ask(_ request: AdapterRequest) throws(ScanError) -> Asked {
        let asked = try ask(request, filtered: filtered)
        guard asked.missesAnECU, request.isForVehicle, request.mayRepeat else { return asked }
        return try ask(request, filtered: filtered)
    }

    private func ask(
        _ request: AdapterRequest, filtered: (Answer) -> Answer
    ) throws(ScanError) -> Asked {
        do {
            return Asked(answer: filtered(try scan.ask(request, interruptedBy: interrupt)))
        } catch .requestFailed(let reason, let soFar) {
            let failure = Failure(
                ScanError.requestFailed(reason, soFar: soFar), accessory: accessory)
            let wasSent: Bool
            switch reason {
            case .linkLost: throw .requestFailed(reason, soFar: soFar)
            case .notSent, .restartedBeforeSending: wasSent = false
            case .timedOut, .stopped, .adapterRestarted, .flooded, .outOfStep: wasSent = true
            }
            return Asked(answer: filtered(soFar), problem: failure, wasSent: wasSent)
        }
    }

    /// With `--ecu` an answer of another ECU does not count.
    func filtered(_ answer: Answer) -> Answer {
        guard let ecu else { return answer }
        var answer = answer
        answer.reply.messages.removeAll { $0.ecu != nil && $0.ecu != ecu }
        answer.items.removeAll { item in item.ecu.map { $0 != ecu } ?? false }
        return answer
    }

    /// The two clocks at the session's beginning.
    var anchor: TimeAnchor { scan.anchor }

    /// Both clocks at `instant`, as if the civil clock had never been set since.
    ///
    /// Whole microseconds before it: times that are told by either anchor are then the same.
    func anchor(at instant: Instant) -> TimeAnchor {
        let gap = (instant - anchor.monotonic).nanoseconds / 1_000 * 1_000
        let monotonic = anchor.monotonic + .nanoseconds(gap)
        return TimeAnchor(monotonic: monotonic, utc: utc(monotonic))
    }

    /// Civil time of `instant`.
    func utc(_ instant: Instant) -> UTC { anchor.utc(at: instant) }
}

extension Connection {
    /// The vehicle's identification number; nil where it does not tell a whole one.
    func vin(by profiles: [DiagnosticProfile]) throws(ScanError) -> VIN? {
        try ask(.information(0x02), by: profiles).flatMap(\.answer.items).vin
    }
}

extension Connection {
    /// Makes sure that records can be asked for on this link, and that they are of this vehicle.
    ///
    /// - Throws: a ``Failure`` that names the record, for what a table says of one vehicle is wrong
    ///   for another.
    func check(_ records: [PIDTable.Record]) throws {
        if !asksSingleECUs, let record = records.first(where: { $0.target != nil }),
            let target = record.target
        {
            throw Failure(
                "\(record.dataID) (\(record.name)) is asked at \(target), and this adapter can "
                    + "only ask all ECUs at once",
                hint: "an ELM327 or an OBDLink can ask one", status: .unavailable)
        }
        if asksSingleECUs, let spoken = scan.link?.capabilities.vehicleProtocol {
            for record in records {
                guard let target = record.route(to: ecu).target, target.form != spoken.requestForm
                else { continue }
                let hint: String? =
                    switch target.form {
                    case .can29: "--protocol 7 asks on 29-bit CAN"
                    case .can11: "--protocol 6 asks on 11-bit CAN"
                    case .byte: nil
                    }
                throw Failure(
                    "\(record.dataID) (\(record.name)) is asked at \(target), and this vehicle "
                        + "speaks \(spoken.title)", hint: hint, status: .usage)
            }
        }
        guard let choosy = records.first(where: { !$0.vehicles.isEmpty }) else { return }
        let wanted = choosy.vehicles.map(\.text).joined(separator: ", ")
        guard let vin = try vin(by: [.classicCAN, .onUDS]) else {
            throw Failure(
                "\(choosy.dataID) (\(choosy.name)) is for vehicles \(wanted), and this one does not "
                    + "tell its number",
                hint: "without a `vehicle` line the table is for any vehicle", status: .unavailable)
        }
        for record in records where !record.vehicles.isEmpty {
            guard !record.vehicles.contains(where: { $0.matches(vin) }) else { continue }
            throw Failure(
                "\(record.dataID) (\(record.name)) is for vehicles "
                    + record.vehicles.map(\.text).joined(separator: ", ") + ", this is \(vin.text)",
                hint: "leave its signals out, or use the table of this vehicle", status: .usage)
        }
    }
}
