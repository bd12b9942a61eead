import Adapters
public import Diagnostics
import OBDCore
import ScanTool
public import Simulator

/// A scan tool, a plan, a bad link, an adapter and a vehicle on one manual clock.
///
/// The result is compared with the vehicle's own record.
public struct FaultRun {
    /// The results of a run; the same seed gives the same results.
    public struct Findings: Hashable, Sendable {
        /// Finished exchanges.
        public var exchanges = 0
        /// Exchanges with requests for several records.
        public var batches = 0
        /// Readings that were decoded.
        public var readings = 0
        /// Reported errors: damaged or incomplete answers, and failures.
        public var errors = 0
        /// Reconnections.
        public var reconnects = 0
        /// Faults that occurred, by kind.
        public var faults: [LinkFault: Int] = [:]
        /// Readings that no ECU sent in their exchange.
        public var wrong: [String] = []
        /// Such readings on CAN from lines with two or more damaged characters.
        ///
        /// Two errors can give a valid line, and an adapter's text has no checksum there.
        public var undetectable = 0
        /// Answers that were lost without a report in lines like those.
        public var undetectableLosses = 0
        /// Answers that were lost without a report.
        public var invisible: [String] = []
        /// Exchanges that took longer than any deadline, or ended without a next step.
        public var hangs: [String] = []
        /// Requests that went to other ECUs than intended.
        public var astray: [String] = []
        /// How often the scan tool wrote the request to clear codes.
        public var clearsWritten = 0
        /// How often the request reached the vehicle.
        public var clearsReceived = 0

        /// No results.
        public init() {}
    }

    private var machine: ScanTool<ELM327Dialect>
    private var link: FaultyLink<SimulatedAdapter>
    private var plan: PollPlan
    private var decoder: ResponseDecoder
    private let tables: (PIDTable, MonitorTables)
    /// The only ECU whose codes are cleared; nil = all ECUs.
    private let engine: ECUAddress?
    private var now = Instant.zero
    private var deadlines: [Deadline: Instant] = [:]
    private var effects: [Effect] = []
    private var followUps: [Event] = []
    private var isOpen = false
    private var wasOpen = false
    private var hasBegun = false
    private var hasCleared = false
    /// A request to send before the planned ones.
    private var urgent: VehicleRequest?
    private var current: (request: VehicleRequest, asked: Instant, before: Int, heard: Int)?
    private var typed: [UInt8] = []
    /// The results until now.
    public private(set) var findings = Findings()

    /// The longest exchange: the whole reply, an interrupt, and the greatest number of pending
    /// answers.
    private static let longestExchange: Duration = .seconds(75)

    /// - Parameters:
    ///   - address: vehicle and adapter, as after `sim:`.
    ///   - wants: the records to poll; nil = speed, temperature, voltage and long answers of
    ///     service 09.
    ///   - asksOneECU: whether only the engine gets the request to clear, while the transmission is
    ///     polled.
    /// - Throws: An error if the vehicle or adapter does not exist.
    public init(
        _ address: String, faults: LinkFaults, seed: UInt64, table: PIDTable,
        monitors: MonitorTables, wants: [PollPlan.Want]? = nil, asksOneECU: Bool = false
    ) throws(SimulatorError) {
        var policy = Policy()
        policy.sessionTries = nil
        machine = ScanTool(dialect: ELM327Dialect(), policy: policy)
        link = FaultyLink(
            try SimulatedAdapter(SimulatorOptions(address), at: .zero), faults: faults, seed: seed)
        plan = PollPlan(
            wants: wants ?? [
                PollPlan.Want(DataID(.currentData, 0x0C), length: 2),
                PollPlan.Want(DataID(.currentData, 0x0D), length: 1),
                PollPlan.Want(DataID(.currentData, 0x05), length: 1, period: .milliseconds(300)),
                PollPlan.Want(DataID(.currentData, 0x42), length: 2, period: .milliseconds(500)),
                PollPlan.Want(DataID(.vehicleInformation, 0x02), length: nil, period: .seconds(1)),
                PollPlan.Want(DataID(.vehicleInformation, 0x04), length: nil, period: .seconds(2)),
            ])
        // The writing request goes to the engine, while the transmission is polled.
        if asksOneECU, link.device.vehicle.vehicleProtocol.addressForm == .can11 {
            engine = ECUAddress(0x7E0, .can11)
            plan = PollPlan(wants: [
                PollPlan.Want(
                    DataID(.currentData, 0x0C), length: 2, target: ECUAddress(0x7E0, .can11)),
                PollPlan.Want(
                    DataID(.currentData, 0x0D), length: 1, target: ECUAddress(0x7E1, .can11)),
                PollPlan.Want(DataID(.currentData, 0x05), length: 1, period: .milliseconds(300)),
            ])
        } else {
            engine = nil
        }
        tables = (table, monitors)
        decoder = ResponseDecoder(table: table, monitors: monitors)
    }

    /// Lets this time pass and returns the results since the first call.
    ///
    /// The request to clear codes is sent once, after a third of the first call's time.
    public mutating func run(for time: Duration) -> Findings {
        let end = now + time
        let clearing = Instant.zero + time / 3
        if !hasBegun {
            hasBegun = true
            handle(.retry)
        }
        var steps = 0
        // Ten thousand steps per second, some hundred times the usual number.
        let mostSteps = 10_000 * Int(time.components.seconds)
        while now < end {
            steps += 1
            guard steps < mostSteps else {
                findings.hangs.append("no progress at \(now)")
                break
            }
            if !hasCleared, now > clearing, current == nil {
                hasCleared = true
                urgent = VehicleRequest(
                    id: plan.nextID(), target: engine, payload: [0x04], consent: Consent())
            }
            let waits = submit()
            let next = [link.nextDeadline, deadlines.values.min(), waits].compactMap(\.self).min()
            guard let next else {
                findings.hangs.append("nothing to wait for in \(machine.state.kind) at \(now)")
                break
            }
            now = max(now, next)
            if let current, now - current.asked > Self.longestExchange {
                findings.hangs.append("\(Hex.string(current.request.payload)) at \(now)")
                break
            }
            transfer()
            for (deadline, time) in deadlines where time <= now {
                // An earlier deadline may have disarmed it.
                guard deadlines[deadline] == time else { continue }
                deadlines[deadline] = nil
                handle(.deadlineExpired(deadline))
            }
        }
        findings.faults = link.counts
        findings.clearsReceived = link.requests.count { $0.payload == [0x04] }
        return findings
    }

    /// Submits the next request if the scan tool is free; returns when to check again.
    private mutating func submit() -> Instant? {
        guard case .idle = machine.state else { return nil }
        let step =
            urgent.map { PollPlan.Step.ask($0) }
            ?? plan.next(at: now, link: machine.dialect.capabilities)
        urgent = nil
        switch step {
        case .ask(let request):
            current = (request, now, link.requestCount, link.heardFaults)
            link.forgetWorstLine()
            handle(.submitted(.vehicle(request)))
            return now
        case .readVoltage, .done: return nil
        case .wait(let until): return until
        }
    }

    private mutating func transfer() {
        let bytes = link.due(at: now)
        let left = link.takeEnd()
        guard isOpen else { return }
        if !bytes.isEmpty { handle(.received(bytes)) }
        if left != nil, isOpen {
            isOpen = false
            handle(.closed)
        }
    }

    // MARK: The machine

    private mutating func handle(_ event: Event) {
        followUps.append(event)
        while !followUps.isEmpty {
            machine.handle(followUps.removeFirst(), &effects)
            let orders = effects
            effects = []
            for order in orders { carryOut(order) }
        }
    }

    private mutating func carryOut(_ effect: Effect) {
        switch effect {
        case .open:
            if wasOpen { findings.reconnects += 1 }
            isOpen = true
            wasOpen = true
            // Output from before the connection is lost.
            _ = link.due(at: now)
            _ = link.takeEnd()
            typed = []
            followUps.append(.opened)
        case .write(let bytes):
            guard isOpen else { return }
            note(bytes)
            link.receive(bytes, at: now)
        case .arm(let deadline, let time): deadlines[deadline] = now + time
        case .disarm(let deadline): deadlines[deadline] = nil
        case .setLineRate(let rate): followUps.append(.lineRateSet(rate))
        case .setFilter: break
        case .deliver(let id, let outcome):
            deliver(outcome)
            followUps.append(.replyProcessed(id))
        case .refuse(let id, _):
            plan.answered(id, .failed, at: now)
            current = nil
        case .notice(.damaged(_, let faults, _)): findings.errors += faults
        case .notice: break
        case .report: findings.errors += 1
        case .close:
            isOpen = false
            followUps.append(.closed)
        }
    }

    /// Counts the clearing requests that the scan tool typed, including repeats by a single
    /// carriage return.
    private mutating func note(_ bytes: [UInt8]) {
        for byte in bytes where byte == 0x0D || byte > 0x20 {
            guard byte == 0x0D else {
                typed.append(byte)
                continue
            }
            if typed.starts(with: Array("04".utf8)), typed.count <= 3 {
                findings.clearsWritten += 1
            }
            if typed.isEmpty { findings.hangs.append("a lone carriage return was written") }
            typed = []
        }
    }

    // MARK: Comparison

    private mutating func deliver(_ outcome: Outcome) {
        guard let (request, _, before, heard) = current else { return }
        current = nil
        findings.exchanges += 1
        if request.payload.count > 2, request.payload[0] == 0x01 { findings.batches += 1 }
        let reply = outcome.reply
        let vehicleProtocol = link.device.vehicle.vehicleProtocol
        let exchange = Exchange(
            request: request.payload,
            vehicleProtocol: machine.dialect.capabilities.vehicleProtocol)
        let new = link.requestCount - before
        let record = link.requests.suffix(max(0, new))
        if let engine {
            let header = request.target?.digits ?? "7DF"
            for entry in record where entry.header != header {
                findings.astray.append(
                    "\(Hex.string(entry.payload)) at \(entry.header) instead of \(header), "
                        + "\(engine) is the one to write to")
            }
        }
        var truth: Set<Reading> = []
        for entry in record {
            let asked = Exchange(request: entry.payload, vehicleProtocol: vehicleProtocol)
            truth.formUnion(
                items(
                    entry.answers.map { ECUMessage(ecu: $0.ecu, payload: $0.payload) }, asked
                ).readings)
        }
        let found = items(reply.messages, exchange)
        findings.readings += found.readings.count
        for reading in found.readings where !truth.contains(reading) {
            // If only a part of a batch arrived, compare with the records of one ECU.
            let isPart = record.contains { entry in
                entry.answers.contains { answer in
                    items(
                        [ECUMessage(ecu: answer.ecu, payload: answer.payload)],
                        Exchange(request: entry.payload, vehicleProtocol: vehicleProtocol)
                    ).readings.contains(reading)
                }
            }
            if isPart { continue }
            if vehicleProtocol.family == .can, link.worstLine > 1 {
                findings.undetectable += 1
                continue
            }
            findings.wrong.append(
                "\(Hex.string(request.payload)): \(reading) from "
                    + String(decoding: reply.raw, as: UTF8.self))
        }
        // The session counts errors in the same way.
        var isTold =
            !reply.errors.isEmpty || !reply.statuses.isEmpty || found.errors + found.unasked > 0
        if case .failed = outcome { isTold = true }
        // The session counts text that answers no request as an error.
        if reply.messages.isEmpty, !reply.texts.isEmpty { isTold = true }
        if isTold { findings.errors += 1 }
        let asked = record.last { $0.payload == request.payload }
        let missing = asked?.answers.filter { answer in
            !reply.messages.contains { $0.ecu == answer.ecu && $0.payload == answer.payload }
        }
        // The adapter obeys damaged bytes: a damaged count digit ends the waiting early.
        if let missing, !missing.isEmpty, !isTold, link.heardFaults == heard {
            if vehicleProtocol.family == .can, link.worstLine > 1 {
                findings.undetectableLosses += 1
            } else {
                findings.invisible.append(
                    "\(Hex.string(request.payload)) without "
                        + "\(missing.map { Hex.string($0.payload) }) in "
                        + String(decoding: reply.raw, as: UTF8.self) + " at \(now): \(reply)")
            }
        }
        plan.answered(request.id, outcome.forPlan, at: now)
    }

    private mutating func items(
        _ messages: [ECUMessage], _ exchange: Exchange
    ) -> (readings: [Reading], errors: Int, unasked: Int) {
        var items: [DiagnosticItem] = []
        for message in messages {
            var whole = message
            whole.line = 0
            whole.frames = 0
            decoder.decode(whole, in: exchange, &items)
        }
        decoder.endExchange(exchange, &items)
        var errors = 0
        var unasked = 0
        let readings = items.compactMap { item -> Reading? in
            if case .error = item { errors += 1 }
            if case .message(let message) = item, decoder.isUnasked(message, in: exchange) {
                unasked += 1
            }
            guard case .reading(let reading) = item else { return nil }
            return reading
        }
        return (readings, errors, unasked)
    }
}

extension Outcome {
    /// The outcome in the form for a plan, as the session reports it.
    fileprivate var forPlan: PollPlan.Outcome {
        guard case .answered(let reply) = self else { return .failed }
        guard reply.messages.isEmpty else {
            return .answered(
                reply.messages, intact: reply.errors.isEmpty && reply.statuses.isEmpty,
                pending: reply.wasPending)
        }
        if reply.statuses.last == .bufferFull { return .refused }
        guard reply.errors.isEmpty, reply.texts.isEmpty else { return .failed }
        switch reply.statuses.last {
        case .noData, nil: return .silent
        case .unknownCommand: return .refused
        default: return .failed
        }
    }
}
