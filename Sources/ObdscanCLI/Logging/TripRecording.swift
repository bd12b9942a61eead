import Diagnostics
import OBDCore
import ScanSession
import Synchronization
import SystemIO
import TripExport
import TripStore
import VehicleScan

/// A trip under way: `log` and `live --log` record by the same rules.
struct TripRecording: Sendable {
    /// What a trip is to be.
    struct Plan: Sendable {
        /// Where it is stored.
        let store: TripStore
        var tags: [String] = []
        var name: String?
        /// How often each signal is asked for; nil = as often as the link allows.
        var every: Duration?
        var limits = TripWriter.Limits()
        /// Tells where the vehicle is; nil where nobody does, or there are several vehicles.
        var receiver: PositionReceiver?
    }

    /// What a user should know of storing.
    struct News: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            /// It does not work, until it is mended.
            case trouble
            case mended
            case other
        }

        var text: String
        var kind = Kind.other
        /// What the trip lacks by it.
        var losses = Losses()
    }

    /// What could not be stored.
    struct Losses: Hashable, Sendable {
        /// Readings for which there was no room any more.
        var dropped = 0
        /// Entries that the database did not take.
        var rejected = 0
        /// Why it did not take the last of them.
        var reason = ""

        /// Adds what is lost besides.
        mutating func add(_ more: Losses) {
            dropped += more.dropped
            rejected += more.rejected
            if more.rejected > 0 { reason = more.reason }
        }

        /// What to say of it; nothing where nothing is lost.
        var lines: [String] {
            (dropped > 0 ? ["\(dropped) readings had to be dropped"] : [])
                + (rejected > 0 ? ["\(rejected) entries were left out: \(reason)"] : [])
        }
    }

    private let trip: TripWriter
    private let marks: TripMarks
    private var outage = Outage()

    /// The trip's number.
    var number: Int64 { trip.trip }
    /// What is answered from then on belongs to it.
    var start: Instant { trip.anchor.monotonic }

    /// Runs `body` while what `sink` is offered becomes a trip, which is closed on every path.
    ///
    /// Adapter and vehicle are set up and what is there to ask is known: a trip begins when its
    /// first reading could. `tell` is called on the writer's thread.
    static func run(
        _ plan: Plan, on connection: Vehicle, from sink: TripSink,
        tell: @escaping @Sendable (News) -> Void,
        body: (TripRecording) throws -> PollLoop.End
    ) throws -> (end: PollLoop.End, trip: Int64) {
        let start = TripStart(
            anchor: connection.anchor(at: SystemClock.now()), accessory: connection.key,
            tags: plan.tags,
            name: plan.name)
        let trip = try mapped { () throws(StoreError) in
            try plan.store.startTrip(start, table: connection.table, limits: plan.limits) {
                notice in
                if case .space = notice { sink.announceSpace() }
                if let news = News(notice) { tell(news) }
            }
        }
        sink.begin(trip, at: start.anchor.monotonic, asked: plan.every)
        // The writer tells the sink, and the sink has the writer: neither would ever go.
        defer { sink.end() }
        let end: PollLoop.End
        do {
            try plan.receiver?.start(into: trip)
            end = try body(TripRecording(trip: trip, marks: TripMarks(of: trip)))
        } catch {
            plan.receiver?.stop()
            // Whoever prints to `head` and the like wants no more.
            let isStopped = (error as? OutputError) == .readerGone
            try? trip.end(isStopped ? .stopped : .failed, at: SystemClock.now())
            throw error
        }
        plan.receiver?.stop()
        let last = end.instant ?? SystemClock.now()
        try mapped { () throws(StoreError) in try trip.end(end.reason, at: last) }
        return (end, trip.trip)
    }

    /// The vehicle has told its name.
    func take(_ vin: VIN) {
        _ = trip.offer(.vehicle(vin), at: SystemClock.now())
    }

    /// Keeps what a trip should hold of an event.
    mutating func take(_ event: ScanEvent, at time: Instant) {
        if let entry = event.entry(&outage, at: time) {
            _ = trip.offer(.event(entry), at: time)
        }
    }

    /// Marks this moment by a note; tells what to say of it.
    func mark() -> String {
        let now = SystemClock.now()
        guard let mark = marks.add(at: now) else {
            return "no mark was set: the disk is behind; try it again"
        }
        return "mark \(mark) is set, \(clockText((now - start).seconds)) into trip \(number)"
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

extension TripRecording.News {
    /// What to say of a notice; nil = nothing.
    init?(_ notice: TripWriter.Notice) {
        switch notice {
        case .space: return nil
        case .holding(let error, let items):
            text = "\(Failure(error).message); \(items) readings are held in memory"
            kind = .trouble
        case .dropped(let items):
            losses = .init(dropped: items)
            text = losses.lines.joined()
            kind = .trouble
        case .recovered:
            text = "storing works again"
            kind = .mended
        case .rejected(let items, let message):
            losses = .init(rejected: items, reason: message)
            text = losses.lines.joined()
        case .relocated(.folded):
            text = "the write-ahead log was removed; what it held was saved"
        case .relocated(.restored(let path)):
            text = "\(path) was removed; it was made again with all that it held"
        case .relocated(.elsewhere(let path, let instead)):
            text = "\(instead) was replaced by another file; the recording goes on in \(path)"
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
                .gap, text: "no position for \(clockText(seconds))", duration: .seconds(seconds))
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
    /// What a trip should hold of the event; nil = nothing, or what the exchange's batch tells.
    fileprivate func entry(_ outage: inout Outage, at time: Instant) -> TripEvent? {
        switch self {
        case .toolDidDisconnect(let error?):
            outage.since = outage.since ?? time
            return TripEvent(.linkLost, text: Failure(error).message)
        case .toolDidInitialize(let link):
            guard let since = outage.since else { return nil }
            outage.since = nil
            return TripEvent(.reconnected, text: link.title, duration: time - since)
        case .toolDidFailToInitialize(let failure):
            if case .noVehicle(let status) = failure {
                return TripEvent(.adapterStatus, text: status.text, code: status.rawValue)
            }
            return TripEvent(.linkError, text: Failure(failure, accessory: "the adapter").message)
        case .didReceiveError(let report):
            return report.reason == .unresponsive
                ? TripEvent(.linkError, text: "the adapter gave no prompt, even interrupted") : nil
        case .toolWillSleep: return TripEvent(.adapterStatus, text: "about to sleep")
        case .scanDidRest(let rest):
            return TripEvent(.gap, text: "asking is paused: \(rest.reason)")
        case .scanDidWake(let rest):
            let length = time - rest.since
            return TripEvent(
                .gap, text: "asking goes on after \(clockText(length.seconds)): \(rest.wakeReason)",
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
