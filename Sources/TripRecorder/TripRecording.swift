import Adapters
import Diagnostics
import Formats
import OBDCore
import ScanSession
import Synchronization
import SystemIO
import TripStore
import VehicleScan

/// A trip under way: `log` and `live --log` record by the same rules.
public struct TripRecording: Sendable {
    /// What a trip is to be.
    public struct Plan: Sendable {
        /// Where it is stored.
        public let store: TripStore
        /// Words to find it by.
        public var tags: [String] = []
        /// What its user calls it.
        public var name: String?
        /// How often each signal is asked for; nil = as often as the link allows.
        public var every: Duration?
        /// How much is held in memory, and how often it is stored.
        public var limits = TripWriter.Limits()
        /// Tells where the vehicle is; nil where there is none, or there are several vehicles.
        public var receiver: PositionReceiver?
        /// What the trip's row says of a set-up that failed.
        public let setupFault: @Sendable (InitialisationFailure) -> String

        /// A trip without name and tags.
        public init(
            store: TripStore, every: Duration? = nil, limits: TripWriter.Limits = .init(),
            receiver: PositionReceiver? = nil,
            setupFault: @escaping @Sendable (InitialisationFailure) -> String = { "\($0)" }
        ) {
            self.store = store
            self.every = every
            self.limits = limits
            self.receiver = receiver
            self.setupFault = setupFault
        }
    }

    /// A moment that a person has marked.
    public struct Mark: Hashable, Sendable {
        /// Counts the marks of the trip, from 1.
        public let number: Int
        /// Since the trip began.
        public let time: Duration
        /// The trip's number.
        public let trip: Int64
    }

    private let trip: TripWriter
    private let marks: TripMarks
    private let setupFault: @Sendable (InitialisationFailure) -> String
    private var outage = Outage()

    /// The trip's number.
    public var number: Int64 { trip.trip }
    /// What is answered from then on belongs to it.
    public var start: Instant { trip.anchor.monotonic }

    /// Runs `body` while what `sink` is offered becomes a trip, which is closed on every path.
    ///
    /// Adapter and vehicle are set up and what is there to ask is known: a trip begins when its
    /// first reading could. `tell` is called on the writer's thread.
    public static func run(
        _ plan: Plan, on connection: Vehicle, from sink: TripSink,
        tell: @escaping @Sendable (TripWriter.Notice) -> Void,
        body: (TripRecording) throws -> PollLoop.End
    ) throws -> (end: PollLoop.End, trip: Int64) {
        let start = TripStart(
            anchor: connection.anchor(at: SystemClock.now()), accessory: connection.key,
            tags: plan.tags,
            name: plan.name)
        let trip = try plan.store.startTrip(
            start, table: connection.table, limits: plan.limits
        ) { notice in
            if case .space = notice { sink.announceSpace() } else { tell(notice) }
        }
        sink.begin(trip, at: start.anchor.monotonic, asked: plan.every)
        // The writer tells the sink, and the sink has the writer: neither would ever go.
        defer { sink.end() }
        let end: PollLoop.End
        do {
            try plan.receiver?.start(into: trip)
            end = try body(
                TripRecording(trip: trip, marks: TripMarks(of: trip), setupFault: plan.setupFault))
        } catch {
            plan.receiver?.stop()
            // Whoever prints to `head` and the like wants no more.
            let isStopped = (error as? OutputError) == .readerGone
            try? trip.end(isStopped ? .stopped : .failed, at: SystemClock.now())
            throw error
        }
        plan.receiver?.stop()
        let last = end.instant ?? SystemClock.now()
        try trip.end(end.reason, at: last)
        return (end, trip.trip)
    }

    /// The vehicle has told its name.
    public func take(_ vin: VIN) {
        _ = trip.offer(.vehicle(vin), at: SystemClock.now())
    }

    /// Keeps what a trip should hold of an event.
    public mutating func take(_ event: ScanEvent, at time: Instant) {
        if let entry = event.entry(&outage, at: time, setupFault) {
            _ = trip.offer(.event(entry), at: time)
        }
    }

    /// Marks this moment by a note; nil = there was no room.
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
    /// Begins to listen; what comes belongs to `trip`.
    fileprivate func start(into trip: TripWriter) throws {
        try start { fix in
            trip.offer(.position(fix.position), at: fix.arrived)
        } lost: { seconds, since in
            let gap = TripEvent(
                .gap, text: "no position for \(durationText(seconds))", duration: .seconds(seconds))
            _ = trip.offer(.event(gap), at: since)
        }
    }
}

extension PollLoop.End {
    /// What the database calls it.
    fileprivate var reason: EndReason {
        switch self {
        case .stopped: .stopped
        case .duration, .finished: .duration
        case .vehicleOff: .vehicleOff
        case .failed(.linkLost): .linkLost
        case .failed: .failed
        }
    }

    /// When the trip ended, where that was not just now.
    fileprivate var instant: Instant? {
        if case .vehicleOff(let end) = self { end.instant } else { nil }
    }
}

/// Whether the link is lost, and since when.
private struct Outage {
    var since: Instant?
}

extension ScanEvent {
    /// What a trip should hold of the event; nil = nothing, or what the exchange's batch shows.
    fileprivate func entry(
        _ outage: inout Outage, at time: Instant,
        _ setupFault: (InitialisationFailure) -> String
    ) -> TripEvent? {
        switch self {
        case .toolDidDisconnect(let error?):
            outage.since = outage.since ?? time
            return TripEvent(.linkLost, text: error.words.what)
        case .toolDidInitialize(let link):
            guard let since = outage.since else { return nil }
            outage.since = nil
            return TripEvent(.reconnected, text: link.title, duration: time - since)
        case .toolDidFailToInitialize(let failure):
            if case .noVehicle(let status) = failure {
                return TripEvent(.adapterStatus, text: status.text, code: status.rawValue)
            }
            return TripEvent(.linkError, text: setupFault(failure))
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
        case .scanDidStart, .scanDidPause, .scanDidCancel, .toolDidConnect, .toolDidDisconnect(nil),
            .didSendCommand, .didReceiveUnasked, .didReceiveResponses, .didReceiveVoltage,
            .didTimeOut, .didNotSend,
            .pollDidFinish, .didChangeState, .recordingFailed, .didProgress, .didLoseEvents,
            .sessionDidEnd:
            return nil
        }
    }
}
