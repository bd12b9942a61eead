import Diagnostics
import OBDCore
import ScanSession
import Synchronization
import SystemIO
import TripStore
import VehicleScan

/// Begins and ends trips while a session runs: the key of `live`, the button of `serve`.
///
/// The trips themselves follow the rules of ``TripRecording``. Any thread may begin and end one, but not the
/// thread of a trip's writer: an ending waits for that thread.
package final class TripSwitch: Sendable {
    /// A trip that has ended.
    package struct Ended: Sendable {
        /// The trip's number.
        package var number: Int64
        /// The stored trip; nil if it could not be read.
        package var trip: TripSummary?
        /// The database.
        package var path: String
        /// The counts of the position receiver; nil without one.
        package var positions: PositionReceiver.Counts?
    }

    private struct State: Sendable {
        /// Whether to record, as soon as there is a session.
        var isOn: Bool
        var session: Vehicle?
        var vin: VIN?
        var running: Running?
        /// When to try again to begin a trip that is wanted; nil = nothing failed.
        var retry: Instant?
    }

    private struct Running: Sendable {
        var plan: TripRecording.Plan
        var recording: TripRecording
    }

    /// Receives the session's answers.
    private let sink: TripSink
    /// Shows when to read codes; nil = they are not read.
    private let lights: LightChanges?
    private let marks: MarkSignals
    private let plan: @Sendable () throws -> TripRecording.Plan
    private let tell: @Sendable (TripWriter.Notice) -> Void
    private let marked: @Sendable (TripRecording.Mark?) -> Void
    /// Lets trips begin and end one after the other.
    ///
    /// A thread that has the turn may wait for the disk and for the writer's thread. So only beginnings and
    /// endings take the turn, and nothing that the writer's thread calls does.
    private let turn = Mutex(())
    /// No thread waits while it holds this lock.
    private let state: Mutex<State>

    /// A switch that is on or off.
    ///
    /// - Parameters:
    ///   - isOn: whether the first session is recorded.
    ///   - lights: nil = a trip gets no trouble codes.
    ///   - plan: opens the database of a new trip, which is closed at the trip's end.
    ///   - tell: is called on the writer's thread.
    ///   - marked: is called with each mark that a signal sets.
    package init(
        isOn: Bool, lights: LightChanges?, marks: MarkSignals,
        plan: @escaping @Sendable () throws -> TripRecording.Plan,
        tell: @escaping @Sendable (TripWriter.Notice) -> Void,
        marked: @escaping @Sendable (TripRecording.Mark?) -> Void
    ) throws(SystemError) {
        sink = try TripSink()
        self.lights = lights
        self.marks = marks
        self.plan = plan
        self.tell = tell
        self.marked = marked
        state = Mutex(State(isOn: isOn))
    }

    /// The sinks that a session needs.
    package var sinks: [any ReadingSink] { [sink] + (lights.map { [$0] } ?? []) }

    /// Becomes readable when ``takeMarks()`` has something to do.
    package var markDescriptor: Int32 { marks.descriptor }

    /// Marks the moment if a signal is pending.
    package func takeMarks() { marks.take() }

    /// Reads the codes of a session for its trips; nil if trips get none.
    package func codes(_ vehicle: Vehicle, by profiles: [DiagnosticProfile]) -> CodeWatch? {
        lights.map { lights in
            CodeWatch(vehicle, by: profiles, lights, isWanted: { [self] in isRecording }) {
                [self] list in
                state.withLock { $0.running?.recording.take(list) }
            }
        }
    }

    /// Whether a trip is being recorded.
    package var isRecording: Bool { state.withLock { $0.running != nil } }

    /// The start of the trip; nil without one.
    package var start: Instant? { state.withLock { $0.running?.recording.start } }

    /// The trip that is being recorded; nil = none.
    package var progress: VehicleBoard.Recording? {
        state.withLock { state in
            guard let recording = state.running?.recording else {
                return state.isOn ? .init() : nil
            }
            return .init(trip: recording.number, since: recording.begun, readings: sink.readings)
        }
    }

    // MARK: The session

    /// Runs `body` with a session, which is recorded while the switch is on; the trip ends with the session.
    ///
    /// `refused` gets the error of a trip that could not begin; ``tryAgain(at:)`` begins it later.
    package func session(
        on connection: Vehicle, refused: (any Error) throws -> Void = { throw $0 },
        body: () throws -> PollLoop.End
    ) throws -> (end: PollLoop.End, trip: Ended?) {
        let end: PollLoop.End
        do {
            do {
                try turn.withLock { _ in
                    let isOn = state.withLock { state in
                        (state.session, state.vin) = (connection, nil)
                        return state.isOn
                    }
                    if isOn { try startWantedTrip() }
                }
            } catch {
                try refused(error)
            }
            end = try body()
        } catch {
            _ = try? leave(EndReason(of: error))
            throw error
        }
        return (end, try leave(end.reason, at: end.instant))
    }

    private func leave(_ reason: EndReason, at instant: Instant? = nil) throws -> Ended? {
        try turn.withLock { _ in
            state.withLock { ($0.session, $0.retry) = (nil, nil) }
            return try finish(reason, at: instant)
        }
    }

    /// Begins the trip that could not begin with its session, if `now` is late enough; whether it began.
    package func tryAgain(at now: Instant = SystemClock.now()) throws -> Bool {
        func isDue() -> Bool { state.withLock { $0.retry.map { $0 <= now } ?? false } }
        // The turn may be taken for long, and this is called often.
        guard isDue() else { return false }
        return try turn.withLock { _ in
            guard isDue() else { return false }
            try startWantedTrip()
            return isRecording
        }
    }

    /// Stores the VIN.
    package func take(_ vin: VIN) {
        state.withLock { state in
            state.vin = vin
            state.running?.recording.take(vin)
        }
    }

    /// Stores the part of an event that a trip needs.
    package func take(_ event: ScanEvent, at time: Instant) {
        state.withLock { $0.running?.recording.take(event, at: time) }
    }

    // MARK: The user

    /// Begins a trip, or does so with the next session; a trip that is being recorded goes on.
    ///
    /// While it is unknown whether the vehicle is still the same, ``tryAgain(at:)`` begins it later.
    package func begin() throws {
        try turn.withLock { _ in
            try startTrip()
            state.withLock { $0.isOn = true }
        }
    }

    /// Ends the trip; nil = there was none.
    package func end() throws -> Ended? {
        try turn.withLock { _ in
            state.withLock { ($0.isOn, $0.retry) = (false, nil) }
            return try finish(.stopped)
        }
    }

    /// Marks this moment; nil = there is no trip, or no room.
    package func mark() -> TripRecording.Mark? {
        state.withLock { $0.running?.recording }?.mark()
    }

    /// The pause before a trip that could not begin is tried again, as long as that of a full disk.
    static let retryPause = Duration.seconds(30)

    /// Begins a trip that the user asked for earlier: a fault that passes does not end this wish.
    private func startWantedTrip() throws {
        do {
            try startTrip()
        } catch {
            state.withLock { $0.retry = SystemClock.now() + Self.retryPause }
            throw error
        }
    }

    /// Begins a trip if there is a session without one; the caller has the turn.
    private func startTrip() throws {
        guard let session = state.withLock({ $0.running == nil ? $0.session : nil }) else { return }
        // It is not known whose trip it is.
        if session.doubt.lost != nil {
            state.withLock { $0.retry = SystemClock.now() }
            return
        }
        let plan = try plan()
        let recording: TripRecording
        do {
            recording = try TripRecording(plan, on: session, from: sink, tell: tell)
        } catch {
            plan.store.closeFile()
            throw error
        }
        state.withLock { state in
            if let vin = state.vin { recording.take(vin) }
            state.running = Running(plan: plan, recording: recording)
            state.retry = nil
        }
        marks.begin(recording, tell: marked)
        lights?.beginAgain()
    }

    /// Ends the trip if there is one; the caller has the turn.
    private func finish(_ reason: EndReason, at instant: Instant? = nil) throws -> Ended? {
        guard let running = state.withLock({ $0.running.take() }) else { return nil }
        let (store, recording) = (running.plan.store, running.recording)
        marks.end(recording)
        defer { store.closeFile() }
        try recording.finish(reason, at: instant)
        return Ended(
            number: recording.number, trip: try? store.trip(recording.number),
            path: store.currentPath, positions: running.plan.receiver?.counts)
    }
}
