import Adapters
import Diagnostics
import Formats
import OBDCore
import ScanSession
import Synchronization
import SystemIO
import TripStore
import VehicleScan

/// A trip that is being recorded; `log`, `live` and `serve` share these rules.
public struct TripRecording: Sendable {
    /// The properties of a trip.
    public struct Plan: Sendable {
        /// The database.
        public let store: TripStore
        /// Tags for searching.
        public var tags: [String] = []
        /// The user's name for the trip.
        public var name: String?
        /// The polling interval of each signal; nil = as fast as the link allows.
        public var every: Duration?
        /// Limits of memory and time for storing.
        public var limits = TripWriter.Limits()
        /// The source of positions; nil if there is none, or if there are several vehicles.
        public var receiver: PositionReceiver?
        /// Which positions of the vehicle itself are left out; the receiver has its own rules.
        package var privacy = PositionPrivacy()

        /// A trip without name and tags.
        public init(
            store: TripStore, every: Duration? = nil, limits: TripWriter.Limits = .init(),
            receiver: PositionReceiver? = nil
        ) {
            self.store = store
            self.every = every
            self.limits = limits
            self.receiver = receiver
        }
    }

    /// A mark that the user has set.
    public struct Mark: Hashable, Sendable {
        /// The number of the mark in the trip, from 1.
        public let number: Int
        /// The time since the trip began.
        public let time: Duration
        /// The trip's number.
        public let trip: Int64
    }

    private let trip: TripWriter
    private let marks: TripMarks
    private let sink: TripSink
    private let receiver: PositionReceiver?
    private var outage = Outage()

    /// The trip's number.
    public var number: Int64 { trip.trip }
    /// Answers from this time on belong to the trip.
    public var start: Instant { trip.anchor.monotonic }
    /// The start by the wall clock.
    var begun: UTC { trip.anchor.utc }

    /// Runs `body` while the batches for `sink` are stored as a trip, and closes the trip on every
    /// path.
    ///
    /// Call this function when adapter and vehicle are set up and the supported records are known, because a
    /// trip begins when its first reading could arrive. `tell` is called on the writer's thread.
    public static func run(
        _ plan: Plan, on connection: Vehicle, from sink: TripSink,
        tell: @escaping @Sendable (TripWriter.Notice) -> Void,
        body: (TripRecording) throws -> PollLoop.End
    ) throws -> (end: PollLoop.End, trip: Int64) {
        let recording = try TripRecording(plan, on: connection, from: sink, tell: tell)
        let end: PollLoop.End
        do {
            end = try body(recording)
        } catch {
            try? recording.finish(EndReason(of: error))
            throw error
        }
        try recording.finish(end.reason, at: end.instant)
        return (end, recording.number)
    }

    /// Begins a trip, which ``finish(_:at:)`` has to close.
    init(
        _ plan: Plan, on connection: Vehicle, from sink: TripSink,
        tell: @escaping @Sendable (TripWriter.Notice) -> Void
    ) throws {
        let start = TripStart(
            anchor: connection.anchor(at: sink.first ?? SystemClock.now()),
            accessory: connection.key,
            tags: plan.tags,
            name: plan.name)
        trip = try plan.store.startTrip(
            start, table: connection.table, limits: plan.limits
        ) { notice in
            if case .space = notice { sink.announceSpace() } else { tell(notice) }
        }
        marks = TripMarks(of: trip)
        self.sink = sink
        receiver = plan.receiver
        sink.begin(
            trip, at: start.anchor.monotonic, asked: plan.every,
            hiding: VehiclePositions(plan.privacy, connection.table), while: connection.doubt)
        do {
            try receiver?.start(into: sink)
        } catch {
            try? finish(.failed)
            throw error
        }
    }

    /// Closes the trip; nil = it ends now.
    func finish(_ reason: EndReason, at instant: Instant? = nil) throws {
        receiver?.stop()
        // The session goes on without a trip. This also breaks the reference cycle between writer and sink.
        sink.end()
        try trip.end(reason, at: instant ?? SystemClock.now())
    }

    /// Stores the VIN.
    public func take(_ vin: VIN) {
        _ = trip.offer(.vehicle(vin), at: SystemClock.now())
    }

    /// Stores that an ECU's list of codes was read; the codes themselves arrive by the session's sink.
    public func take(_ list: CodeScan.List) { trip.offer([], lists: [list]) }

    /// Stores the part of an event that a trip needs.
    public mutating func take(_ event: ScanEvent, at time: Instant) {
        if let entry = event.entry(&outage, at: time) {
            sink.take(.event(entry), at: time)
        }
    }

    /// Notes what happens at this moment.
    package func note(_ text: String) { _ = trip.offer(.note(text), at: SystemClock.now()) }

    /// Marks this moment with a note; nil = there was no room.
    public func mark() -> Mark? {
        let now = SystemClock.now()
        return marks.add(at: now).map { Mark(number: $0, time: now - start, trip: number) }
    }
}

/// Counts a trip's marks, which any thread may set.
private final class TripMarks: Sendable {
    private let trip: TripWriter
    private let count = Mutex(0)

    init(of trip: TripWriter) { self.trip = trip }

    /// The new mark's number; nil = there was no room.
    func add(at instant: Instant) -> Int? {
        count.withLock { count in
            guard trip.offer(.note("mark \(count + 1)"), at: instant) else { return nil }
            count += 1
            return count
        }
    }
}

extension PositionReceiver {
    /// Starts to read; positions belong to the trip of `sink`.
    fileprivate func start(into sink: TripSink) throws {
        try start { fix in
            sink.take(.position(fix.position), at: fix.arrived)
        } lost: { seconds, since in
            let gap = TripEvent(
                .gap, text: "no position for \(durationText(seconds))", duration: .seconds(seconds))
            sink.take(.event(gap), at: since)
        }
    }
}

extension EndReason {
    /// The reason of a trip during which an error was thrown.
    init(of error: any Error) {
        // A reader like `head` closed the output; that is a normal end.
        self = (error as? OutputError) == .readerGone ? .stopped : .failed
    }
}

extension PollLoop.End {
    var reason: EndReason {
        switch self {
        case .stopped: .stopped
        case .duration, .finished: .duration
        case .vehicleOff, .vehicleRests, .vehicleStaysSilent, .vehicleIsOn: .vehicleOff
        case .otherVehicle, .linkStaysLost, .failed(.linkLost): .linkLost
        case .failed: .failed
        }
    }

    /// When the trip ended; nil = just now.
    var instant: Instant? {
        switch self {
        case .vehicleOff(let end): end.instant
        case .vehicleRests(let rest):
            rest.cause == .silence ? rest.lastAnswer ?? rest.since : rest.since
        case .otherVehicle(_, let lost), .linkStaysLost(let lost), .vehicleStaysSilent(let lost):
            lost
        case .vehicleIsOn(let time, _): time
        case .stopped, .duration, .finished, .failed: nil
        }
    }
}

/// Whether the link is lost, and since when.
private struct Outage {
    var since: Instant?
}

extension ScanEvent {
    /// The row for the event; nil = none, or the exchange's batch contains it.
    fileprivate func entry(
        _ outage: inout Outage, at time: Instant
    ) -> TripEvent? {
        switch self {
        case .toolDidDisconnect(let error?):
            outage.since = outage.since ?? time
            return TripEvent(.linkLost, text: error.explanation.message)
        case .toolDidInitialize(let link):
            guard let since = outage.since else { return nil }
            outage.since = nil
            return TripEvent(.reconnected, text: link.title, duration: time - since)
        case .toolDidFailToInitialize(let failure):
            if case .noVehicle(let status) = failure {
                return TripEvent(.adapterStatus, text: status.text, code: status.rawValue)
            }
            return TripEvent(.linkError, text: failure.explanation(at: "the adapter").message)
        case .didReceiveError(let report):
            return report.reason == .unresponsive
                ? TripEvent(.linkError, text: "the adapter gave no prompt, even interrupted") : nil
        case .toolWillSleep: return TripEvent(.adapterStatus, text: "about to sleep")
        case .scanDidRest(let rest):
            return TripEvent(.gap, text: "polling is paused: \(rest.reason)")
        case .scanDidWake(let rest):
            let length = time - rest.since
            return TripEvent(
                .gap,
                text: "polling continues after \(durationText(length.seconds)): \(rest.wakeReason)",
                duration: length)
        case .didLoseFrames(let count):
            return TripEvent(
                .gap, text: "\(counted(count, "frame")) came faster than they were read")
        case .scanDidStart, .scanDidPause, .scanDidCancel, .toolDidConnect, .toolDidDisconnect(nil),
            .didSendCommand, .didReceiveUnasked, .didReceiveResponses, .didReceiveVoltage,
            .didTimeOut, .didNotSend, .toolDidReport,
            .pollDidFinish, .didChangeState, .recordingFailed, .didProgress, .didLoseEvents,
            .sessionDidEnd:
            return nil
        }
    }
}
