import Dashboard
import Diagnostics
import Glibc
import OBDCore
import ScanSession
import Synchronization
import SystemIO
import TripRecorder
import VehicleScan

/// The session that browsers look at: opened, polled, and opened again when it was lost for good.
///
/// It runs on its own thread, until its inbox says that it is enough.
struct LiveFeed: Sendable {
    /// The vehicle while there is a session with it; for questions besides the poll.
    final class CurrentVehicle: Sendable {
        private struct Question {
            var inbox: SignalInbox?
            var isOver = false
        }

        private let connection = Mutex<Vehicle?>(nil)
        private let question = Mutex(Question())

        /// The session; nil while there is none.
        var current: Vehicle? {
            get { connection.withLock { $0 } }
            set { connection.withLock { $0 = newValue } }
        }

        /// A question begins, which `inbox` breaks off; false = none is asked any more.
        func begin(_ inbox: SignalInbox) -> Bool {
            question.withLock { question in
                if question.isOver { return false }
                question.inbox = inbox
                return true
            }
        }

        /// The question has its answer, or none.
        func finish() { question.withLock { $0.inbox = nil } }

        /// Breaks off the question that is under way.
        func breakOff() { question.withLock { $0.inbox?.pass(SIGTERM) } }

        /// Breaks off the question that is under way, and lets no other begin.
        func end() {
            question.withLock { question in
                question.isOver = true
                question.inbox?.pass(SIGTERM)
            }
        }
    }

    let board: VehicleBoard
    let vehicle: CurrentVehicle
    let options: VehicleOptions
    let output: OutputOptions
    let table: PIDTable
    /// The signals that were named; none = all that the vehicle has.
    let wanted: [SelectedSignal]
    let packs: [PIDTable.Record]
    let period: Duration?
    /// When a vehicle that is off is left alone; nil = never.
    let rest: BatteryGuard.Limits?
    /// The accessory as it was named.
    let accessory: String

    /// The pauses between sessions that failed; the longest are for vehicles that do not answer,
    /// whose battery each try would cost.
    private static let pauses: [Duration] = [2, 5, 10, 30, 60, 120, 300, 600].map { .seconds($0) }
    private static let shortPauses = 4

    /// Runs until `inbox` is told to stop.
    func run(_ inbox: SignalInbox) {
        var failures = 0
        var lastWords: String?
        while true {
            board.update {
                $0.link = .connecting
                $0.accessory = accessory
            }
            let failure: Failure
            do {
                try session(inbox) { failures = 0 }
                return
            } catch is Interrupted {
                return
            } catch {
                failure =
                    Failure(known: error) ?? Failure("unexpected: \(error)", status: .bug)
                if failure.message.isEmpty { return }
            }
            let words = failure.message + (failure.hint.map { "\nhint: \($0)" } ?? "")
            if words != lastWords { output.remark(words.replacing("\n", with: "; ")) }
            lastWords = words
            // A recording has one beginning: another session would write over it.
            let isLast = options.record != nil || failure.status == .usage
            board.update {
                $0.link = .failed
                $0.note = failure.message
                $0.hint = isLast ? "start \"obdscan serve\" again" : failure.hint
            }
            if isLast { return }
            var waiting = WaitList()
            let stop = waiting.add(inbox.descriptor)
            let isSilent =
                rest != nil && (failure.isOfSilentVehicle || failure.status == .timedOut)
            let count = isSilent ? Self.pauses.count : Self.shortPauses
            waiting.add(deadline: SystemClock.now() + Self.pauses[min(failures, count - 1)])
            waiting.wait()
            if waiting.isReady(stop) { return }
            failures += 1
        }
    }

    private func session(_ inbox: SignalInbox, begun: () -> Void) throws {
        let queue = try BatchQueue(full: .dropOldest)
        var needs = SessionNeeds(sinks: [queue], reconnect: .always, inbox: inbox)
        needs.accessory = accessory
        needs.restsWhileVehicleIsOff = rest != nil
        needs.take(wanted.isEmpty ? packs : wanted.compactMap(\.record))
        try withVehicle(options, output, table, needs) { connection in
            defer { vehicle.current = nil }
            var setup = try PollSetup.make(
                wanted, packs, connection, every: period, unknown: { output.note($0.text) })
            setup.protectBattery(rest, connection)
            let vin = try connection.vin(by: setup.profiles)
            board.begin(order: setup.order(table))
            board.update {
                $0.vin = vin?.text
                $0.statistics = connection.scan.statistics
                Self.take(connection, .live, &$0)
            }
            begun()
            vehicle.current = connection
            connection.scan.poll(setup.plan)
            let end = try poll(connection, queue, setup)
            board.update { $0.statistics = connection.scan.statistics }
            if case .failed(let error) = end {
                throw Failure(error, accessory: connection.accessory)
            }
        }
    }

    private func poll(
        _ connection: Vehicle, _ queue: BatchQueue, _ setup: PollSetup
    ) throws -> PollLoop.End {
        var loop = PollLoop(connection, queue: queue, until: nil)
        var news = PollNews(accessory: connection.accessory)
        return try loop.run(every: .seconds(1)) {
            board.update {
                $0.statistics = connection.scan.statistics
                $0.state = connection.scan.state
                $0.voltage = connection.scan.link?.voltage ?? $0.voltage
            }
        } event: { _, event in
            let note = news.note(event)
            if let note { output.remark(note) }
            board.update { status in
                switch event {
                case .toolDidDisconnect(.some): status.link = .lost
                case .toolDidInitialize, .scanDidWake: Self.take(connection, .live, &status)
                case .scanDidRest: status.link = .resting
                default: break
                }
                if let note, status.link != .live { status.note = note }
            }
            // After the status: who asks looks at it once it can be broken off.
            if case .toolDidDisconnect(.some) = event { vehicle.breakOff() }
        } batch: { batch in
            take(batch, connection, setup)
        }
    }

    private func take(_ batch: ReadingBatch, _ connection: Vehicle, _ setup: PollSetup) {
        var readings = batch.items.compactMap { item -> Reading? in
            if case .reading(let reading) = item, setup.wants(reading) { reading } else { nil }
        }
        if let voltage = batch.voltage {
            board.update { $0.voltage = voltage }
            if setup.showsVoltage(table), let signal = table.adapterVoltage {
                readings.append(
                    Reading(
                        ecu: nil, dataID: nil, signal: signal, value: .number(voltage), raw: [],
                        line: 0))
            }
        }
        board.take(
            readings, at: connection.utc(batch.answered), batch.answered,
            isNamed: !setup.named.isEmpty)
    }

    private static func take(
        _ connection: Vehicle, _ link: VehicleBoard.Link, _ status: inout VehicleBoard.Status
    ) {
        status.link = link
        status.note = nil
        status.hint = nil
        status.state = connection.scan.state
        status.anchor = connection.anchor
        guard let known = connection.scan.link else { return }
        status.adapter = known.title
        status.vehicleProtocol = known.capabilities.vehicleProtocol?.title
        status.voltage = known.voltage ?? status.voltage
    }
}
