import Diagnostics
import OBDCore
import Reports
import ScanSession
import SystemIO
import TripRecorder
import VehicleScan

/// The session for browsers: it is opened, polled, and opened again if it ends.
///
/// It runs on its own thread until its inbox receives a signal.
package struct LiveFeed: Sendable {
    /// The functions that the program provides to the feed.
    package struct Program: Sendable {
        /// Opens a session that sends its batches to a queue, and runs a body with its vehicle
        /// until an inbox receives a signal.
        package typealias Open =
            @Sendable (
                BatchQueue, SignalInbox, (Vehicle) throws -> Void
            ) throws -> Void

        let open: Open
        /// Returns the signals to poll.
        let setup: @Sendable (Vehicle) throws -> PollSetup
        /// Whether a parked vehicle is left alone.
        let protectsBattery: Bool
        /// Whether the first session is recorded, so that no other may follow: it would overwrite the file.
        let isRecorded: Bool
        /// Records trips of the sessions.
        let trips: TripSwitch?
        /// Says once what is missing of the frames that a session hears; nil = nothing.
        let heard: @Sendable () -> String?
        /// Called with messages for the user.
        let note: @Sendable (String) -> Void

        package init(
            open: @escaping Open, setup: @escaping @Sendable (Vehicle) throws -> PollSetup,
            protectsBattery: Bool, isRecorded: Bool, trips: TripSwitch? = nil,
            heard: @escaping @Sendable () -> String? = { nil },
            note: @escaping @Sendable (String) -> Void
        ) {
            self.open = open
            self.setup = setup
            self.protectsBattery = protectsBattery
            self.isRecorded = isRecorded
            self.trips = trips
            self.heard = heard
            self.note = note
        }
    }

    let board: VehicleBoard
    let vehicle: CurrentVehicle
    let table: PIDTable
    /// The device as the user named it.
    let accessory: String
    let program: Program
    let lightSignals: LightSignals

    /// A feed from the device `accessory` to `board` and `vehicle`.
    package init(
        board: VehicleBoard, vehicle: CurrentVehicle, table: PIDTable, accessory: String,
        program: Program
    ) {
        self.board = board
        self.vehicle = vehicle
        self.table = table
        self.accessory = accessory
        self.program = program
        lightSignals = LightSignals(table)
    }

    /// The pauses after failed sessions.
    ///
    /// The longest are for vehicles that do not answer, because each attempt would drain the
    /// battery.
    private static let pauses: [Duration] = [2, 5, 10, 30, 60, 120, 300, 600].map { .seconds($0) }
    private static let shortPauses = 4

    /// Runs until `inbox` receives a signal.
    package func run(_ inbox: SignalInbox) {
        var failures = 0
        var lastWords: String?
        while true {
            board.record(program.trips?.progress)
            board.update {
                $0.link = .connecting
                $0.accessory = accessory
            }
            let fault: Explanation
            do {
                guard case .otherVehicle = try session(inbox, begun: { failures = 0 }) else {
                    return
                }
                continue
            } catch {
                fault =
                    Explanation(of: error, at: accessory)
                    ?? Explanation("unexpected: \(error)", .bug)
            }
            if fault.message.isEmpty { return }
            let isFinal = program.isRecorded || fault.category == .usage
            let mayBeOff =
                program.protectsBattery && (fault.isOfSilentVehicle || fault.category == .timedOut)
            let words = [fault.message, fault.hint.map { "hint: \($0)" }].compactMap(\.self)
                .joined(separator: "; ").replacing("\n", with: "; ")
            if words != lastWords { program.note(words) }
            lastWords = words
            board.update {
                $0.link = .failed
                $0.missingSince = $0.missingSince ?? $0.now
                $0.note = fault.message
                $0.hint = isFinal ? "start \"obdscan serve\" again" : fault.hint
            }
            if isFinal { return }
            var waiting = WaitList()
            let stop = waiting.add(inbox.descriptor)
            let count = mayBeOff ? Self.pauses.count : Self.shortPauses
            waiting.add(deadline: SystemClock.now() + Self.pauses[min(failures, count - 1)])
            waiting.wait()
            if waiting.isReady(stop) { return }
            failures += 1
        }
    }

    /// A session until the user stops it, or the adapter is in another vehicle.
    private func session(_ inbox: SignalInbox, begun: () -> Void) throws -> PollLoop.End {
        var end = PollLoop.End.stopped
        let queue = try BatchQueue(full: .dropOldest)
        try program.open(queue, inbox) { connection in
            defer { vehicle.current = nil }
            let setup = try program.setup(connection)
            let vin = try connection.vin(by: setup.profiles)
            if let vin { connection.names.recall(vin) }
            board.begin(
                order: setup.order(table), driver: setup.driver(table),
                constants: DriverSignals.constants(table))
            board.update {
                $0.vin = vin?.text
                $0.statistics = connection.scan.statistics
                Self.take(connection, .live, &$0)
            }
            begun()
            vehicle.current = connection
            end = try recorded(connection) {
                setup.begin(on: connection.scan)
                return try poll(connection, queue, setup)
            }
            board.update { $0.statistics = connection.scan.statistics }
            if case .failed(let error) = end { throw error }
        }
        return end
    }

    /// Runs `body` with a session, which is recorded while the user wants that.
    private func recorded(
        _ connection: Vehicle, _ body: () throws -> PollLoop.End
    ) throws -> PollLoop.End {
        guard let trips = program.trips else { return try body() }
        defer { board.record(trips.progress) }
        let (end, ended) = try trips.session(
            on: connection,
            refused: { refuse($0) },
            body: {
                showBeginning(trips)
                return try body()
            })
        if let ended {
            program.note(
                "Trip \(ended.number) is stored"
                    + (ended.trip.map { ": \($0.words(.metric))" } ?? "") + ".")
        }
        return end
    }

    private func showBeginning(_ trips: TripSwitch) {
        board.record(trips.progress)
        if let trip = trips.progress?.trip { program.note("Trip \(trip) is being recorded.") }
    }

    /// Shows why no trip could begin; each reason is noted once.
    private func refuse(_ error: any Error) {
        let words = Explanation(of: error, at: accessory)?.message ?? "unexpected: \(error)"
        if board.status.storing != words { program.note("nothing is recorded: \(words)") }
        board.update { $0.storing = words }
    }

    /// Begins the trip that could not begin with the session.
    private func tryAgain(_ trips: TripSwitch) {
        do {
            if try trips.tryAgain() { showBeginning(trips) }
        } catch {
            refuse(error)
        }
    }

    private func poll(
        _ connection: Vehicle, _ queue: BatchQueue, _ setup: PollSetup
    ) throws -> PollLoop.End {
        var loop = PollLoop(
            connection, queue: queue, until: nil,
            identity: VINQuery(connection, by: setup.profiles))
        let trips = program.trips
        loop.codes = trips?.codes(connection, by: setup.profiles)
        loop.others += trips.map { [($0.markDescriptor, $0.takeMarks)] } ?? []
        var news = PollNews(accessory: connection.accessory)
        var answered = SystemClock.now()
        let limit = VehicleLoss.limit(setup.wants.map { $0.period ?? .zero }.min())
        return try loop.run(every: .seconds(1)) {
            if let trips { tryAgain(trips) }
            board.record(trips?.progress)
            if setup.hears, let text = program.heard() { program.note(text) }
            board.update {
                if $0.link == .live, SystemClock.now() - answered > limit {
                    Self.take(.vehicle, .silent, since: connection.utc(answered), &$0)
                }
                $0.statistics = connection.scan.statistics
                $0.state = connection.scan.state
                $0.names = connection.ecuNames
                $0.voltage = connection.scan.link?.voltage ?? $0.voltage
            }
        } vehicle: { vin in
            trips?.take(vin)
        } event: { time, event in
            trips?.take(event, at: time)
            let note = news.note(event)
            if let note { program.note(note) }
            board.update { status in
                switch event {
                case .toolDidDisconnect(let error?):
                    let loss = VehicleLoss(.accessory(error), at: connection.accessory)
                    Self.take(loss, .lost, since: connection.utc(time), &status)
                case .toolDidFailToInitialize(let failure):
                    let loss = VehicleLoss(.initialisation(failure), at: connection.accessory)
                    Self.take(loss, .lost, since: connection.utc(time), &status)
                case .toolDidInitialize, .scanDidWake:
                    answered = time
                    Self.take(connection, .live, &status)
                case .scanDidRest:
                    status.link = .resting
                    status.note = note
                default:
                    if let note, status.link != .live, status.missingSince == nil {
                        status.note = note
                    }
                }
            }
            // After the status is set: a request that is cancelled then sees the new status.
            if case .toolDidDisconnect(.some) = event { vehicle.breakOff() }
        } batch: { batch in
            // Of a vehicle that is not asked, frames are all there is.
            if !batch.messages.isEmpty || !setup.asksForSignals && !batch.items.isEmpty {
                answered = batch.answered
                board.update { if $0.link == .silent { Self.take(connection, .live, &$0) } }
            }
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
        let time = connection.utc(batch.answered)
        board.take(readings, at: time, batch.answered, isNamed: !setup.named.isEmpty)
        // The page's heading needs light and number of codes even if the user named other signals.
        let heading = batch.items.compactMap { item -> Reading? in
            guard case .reading(let reading) = item, !setup.wants(reading),
                lightSignals.has(reading.signal)
            else { return nil }
            return reading
        }
        board.take(
            heading + lightSignals.readings(ofDM1In: batch), at: time, batch.answered,
            isNamed: false, isHeading: true)
    }

    private static func take(
        _ loss: VehicleLoss, _ link: VehicleBoard.Link, since time: UTC,
        _ status: inout VehicleBoard.Status
    ) {
        status.link = link
        status.missingSince = status.missingSince ?? time
        status.note = loss.text
        status.hint = loss.remedy
    }

    private static func take(
        _ connection: Vehicle, _ link: VehicleBoard.Link, _ status: inout VehicleBoard.Status
    ) {
        status.link = link
        status.missingSince = nil
        status.note = nil
        status.hint = nil
        status.state = connection.scan.state
        status.names = connection.ecuNames
        status.anchor = connection.anchor
        guard let known = connection.scan.link else { return }
        status.adapter = known.title
        status.vehicleProtocol = known.capabilities.vehicleProtocol?.title
        status.voltage = known.voltage ?? status.voltage
    }
}
