import Adapters
public import Diagnostics
import OBDCore
import ScanTool
public import Simulator

/// A scan tool, a plan, a bad link, an adapter and a vehicle on one hand-set clock, and what the
/// vehicle's own record says of the outcome.
public struct FaultRun {
    /// What a run found; the same seed finds the same.
    public struct Findings: Hashable, Sendable {
        /// Exchanges that came to an end.
        public var exchanges = 0
        /// Those that asked for several records at once.
        public var batches = 0
        /// Readings that were decoded.
        public var readings = 0
        /// Damaged or unfinished answers, failures and errors that were told.
        public var errors = 0
        /// Links opened anew.
        public var reconnects = 0
        /// Faults that hit, by kind.
        public var faults: [LinkFault: Int] = [:]
        /// Readings that no ECU gave in the exchange that they came from.
        public var wrong: [String] = []
        /// Such readings on CAN from lines in which two characters or more went wrong: together
        /// they can make a well-formed line, and an adapter's text has no check there.
        public var undetectable = 0
        /// Answers that were lost without a word in lines like those.
        public var undetectableLosses = 0
        /// Answers that were lost without a word.
        public var invisible: [String] = []
        /// Exchanges that took longer than any deadline, or ends without a next step.
        public var hangs: [String] = []
        /// Requests that went to other ECUs than they were meant for.
        public var astray: [String] = []
        /// Times that the scan tool wrote the clearing request.
        public var clearsWritten = 0
        /// Times that the request reached the vehicle.
        public var clearsReceived = 0

        /// Nothing found.
        public init() {}
    }

    private var machine: ScanTool<ELM327Dialect>
    private var link: FaultyLink<SimulatedAdapter>
    private var plan: PollPlan
    private var decoder: ResponseDecoder
    private let tables: (PIDTable, MonitorTables)
    /// The ECU whose codes alone are cleared.
    private let engine: ECUAddress?
    private var now = Instant.zero
    private var deadlines: [Deadline: Instant] = [:]
    private var effects: [Effect] = []
    private var followUps: [Event] = []
    private var isOpen = false
    private var wasOpen = false
    private var hasBegun = false
    private var hasCleared = false
    /// What is asked before anything that is planned.
    private var urgent: VehicleRequest?
    private var current: (request: VehicleRequest, asked: Instant, before: Int, heard: Int)?
    private var typed: [UInt8] = []
    /// What was found so far.
    public private(set) var findings = Findings()

    /// The longest exchange: the whole reply, an interrupt, and as many pending answers as are
    /// waited for.
    private static let longestExchange: Duration = .seconds(75)

    /// - Parameters:
    ///   - address: vehicle and adapter, as behind `sim:`.
    ///   - wants: what is polled; nil = speed, temperature, voltage and long answers of service 09.
    ///   - asksOneECU: the engine alone is told to clear, and the transmission is read in between.
    /// - Throws: when there is no such vehicle or adapter.
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
        // What writes goes to the engine, and the transmission is read in between.
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

    /// Lets so much time pass; gives what was found from the first moment on.
    ///
    /// Codes are asked to be cleared once, after a third of the first call's time.
    public mutating func run(for time: Duration) -> Findings {
        let end = now + time
        let clearing = Instant.zero + time / 3
        if !hasBegun {
            hasBegun = true
            handle(.retry)
        }
        var steps = 0
        // Ten thousand a second, some hundred times what is usual.
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
                // An earlier one may have disarmed it.
                guard deadlines[deadline] == time else { continue }
                deadlines[deadline] = nil
                handle(.deadlineExpired(deadline))
            }
        }
        findings.faults = link.counts
        findings.clearsReceived = link.requests.count { $0.payload == [0x04] }
        return findings
    }

    /// Submits the next request if the scan tool is free; gives when to look again.
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
            // What was said while nobody listened is lost.
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

    /// Counts the clearing request as the scan tool typed it, a repeat by a lone carriage return
    /// included.
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

    // MARK: Judging

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
            // A batch of which one ECU's part came: its records alone.
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
        // So does the session count them.
        var isTold =
            !reply.errors.isEmpty || !reply.statuses.isEmpty || found.errors + found.unasked > 0
        if case .failed = outcome { isTold = true }
        // Words that answer no request: the session counts them as an error.
        if reply.messages.isEmpty, !reply.texts.isEmpty { isTold = true }
        if isTold { findings.errors += 1 }
        let asked = record.last { $0.payload == request.payload }
        let missing = asked?.answers.filter { answer in
            !reply.messages.contains { $0.ecu == answer.ecu && $0.payload == answer.payload }
        }
        // The adapter does what it heard: a count digit that changed ends the waiting early.
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
    /// What a plan has to know, as the session tells it.
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
