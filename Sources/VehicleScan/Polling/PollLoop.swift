import Diagnostics
import Glibc
import OBDCore
import ScanSession
import SystemIO

/// A buffer of printed lines.
public protocol LineOutlet: Sendable {
    /// Whether lines wait for their reader; the caller should print more only after they are
    /// written.
    var isBehind: Bool { get }
    /// The descriptor that shows when the reader accepts more, or has closed the output.
    var descriptor: Int32 { get }
    /// Writes as much as the reader accepts at once.
    func flush() throws(OutputError)
}

/// The main thread's loop during polling: it handles signals, events, batches and deadlines.
public struct PollLoop {
    /// Why polling ended.
    public enum End: Hashable, Sendable {
        /// The user stopped the poll: Ctrl-C, SIGTERM, SIGHUP.
        case stopped
        /// The requested duration is over.
        case duration
        /// The session failed.
        case failed(ScanError)
        /// There is nothing left to poll.
        case finished
        /// The drive is over; with its end.
        case vehicleOff(TripEndRule.End)
        /// The adapter is in another vehicle now; the link to the earlier one was lost at this time.
        case otherVehicle(VIN, lost: Instant)
        /// The vehicle is left alone, and the session goes on.
        case vehicleRests(BatteryGuard.Rest)
        /// The link has been lost since this time, and the session goes on.
        case linkStaysLost(since: Instant)
        /// The link was lost at this time, no ECU has answered since, and the session goes on.
        case vehicleStaysSilent(since: Instant)
        /// The vehicle is on again since this time, and the session goes on; after a lost link, it may be another
        /// vehicle.
        case vehicleIsOn(Instant, afterLoss: Bool)
    }

    /// The session.
    public let connection: Vehicle
    /// Batches to print or watch; nil = none.
    public let queue: BatchQueue?
    /// The buffer of printed lines; nil = nothing is printed.
    ///
    /// While lines wait in the printer, no batches are taken from the queue. No line is lost then, but the
    /// vehicle is polled more slowly.
    public let printer: (any LineOutlet)?
    /// When polling ends.
    public let until: Instant?
    /// Detects the end of the drive; nil = ignore it.
    public let watch: TripEndDetector?
    /// Further descriptors to wait for, with their actions.
    public var others: [(descriptor: Int32, take: () -> Void)] = []
    /// Whether the purpose of the poll is reached, asked after each piece of news; nil = only time ends it.
    package var isOver: (() -> Bool)?
    /// Reads trouble codes meanwhile; nil = they do not matter.
    public var codes: CodeWatch?
    /// The border of drives that ends the loop; nil = none does.
    package var border: DriveBorders.Border? {
        get { borders.border }
        set { borders.border = newValue }
    }
    /// Finds out which vehicle is connected; nil = the vehicle is known, or does not matter.
    package var identity: VINQuery?

    private var batches: [ReadingBatch] = []
    /// Events that were not handled yet.
    private var events: [(time: Instant, event: ScanEvent)] = []
    private var borders = DriveBorders()

    /// A loop over the session of `connection` until `until`; see the properties.
    public init(
        _ connection: Vehicle, queue: BatchQueue?, until: Instant?, watch: TripEndDetector? = nil,
        identity: VINQuery? = nil, printer: (any LineOutlet)? = nil
    ) {
        self.printer = printer
        self.identity = identity
        self.connection = connection
        self.queue = queue
        self.until = until
        self.watch = watch
    }

    /// Runs until the end, then ends the session in order and handles the remaining events and
    /// batches.
    ///
    /// At a ``border`` the session goes on, and the next call continues.
    /// `tick` is called once per `period`, nil = never; `vehicle` is called when the VIN is known.
    /// A second signal that asks the command to end ends the process at once. Lines that the reader
    /// has not accepted then remain in the buffer.
    public mutating func run(
        every period: Duration? = nil, tick: () throws -> Void = {},
        vehicle: (VIN) -> Void = { _ in },
        event: (Instant, ScanEvent) throws -> Void, batch: (ReadingBatch) throws -> Void
    ) throws -> End {
        let end: End
        do {
            end = try wait(
                every: period, tick: tick, vehicle: vehicle, event: event, batch: batch)
            if end.isBorder {
                try drain(batch)
                return end
            }
        } catch {
            queue?.openWide()
            throw error
        }
        // Otherwise a session that waits for room in the queue would wait until it discards the
        // batch.
        queue?.openWide()
        if end.leavesTheVehicle { try readLastCodes(event) }
        // After another vehicle the next session follows, which the user stops in the same way.
        if end.isLast { connection.inbox?.letMoreThrough() }
        connection.scan.stop()
        _ = try takeEvents(event)
        try drain(batch)
        return end
    }

    private mutating func wait(
        every period: Duration?, tick: () throws -> Void, vehicle: (VIN) -> Void,
        event: (Instant, ScanEvent) throws -> Void, batch: (ReadingBatch) throws -> Void
    ) throws -> End {
        var nextTick = period.map { SystemClock.now() + $0 }
        while true {
            // Those after a border.
            if !events.isEmpty, let end = try takeEvents(event) { return end }
            var waiting = WaitList()
            let signals = waiting.add(connection.interrupt)
            let news = waiting.add(connection.scan.eventDescriptor)
            let isBehind = printer?.isBehind ?? false
            let output = isBehind ? nil : queue.map { waiting.add($0.descriptor) }
            // In any case, also wait for the reader of a pipe to close it.
            let reader = printer.map { waiting.add(reader: $0.descriptor, forRoom: isBehind) }
            let name = identity?.descriptor.map { waiting.add($0) }
            let asked = codes?.descriptors.map { waiting.add($0) } ?? []
            let more = others.map { (waiting.add($0.descriptor), $0.take) }
            waiting.add(deadline: until)
            // Answers only move this deadline later, so the present one is early enough.
            waiting.add(deadline: watch?.deadline(from: SystemClock.now()))
            waiting.add(deadline: nextTick)
            // Until the vehicle is known to be the same, its codes belong to nobody.
            waiting.add(deadline: mayAskCodes ? codes?.deadline : nil)
            waiting.add(deadline: borders.deadline)
            waiting.wait()

            if waiting.isReady(signals), connection.inbox?.next() != nil { return .stopped }
            for (place, take) in more where waiting.isReady(place) { take() }
            if let output, waiting.isReady(output) { try drain(batch) }
            if let reader, waiting.isReady(reader) { throw OutputError.readerGone }
            if let reader, waiting.hasRoom(reader) { try printer?.flush() }
            if let name, waiting.isReady(name) {
                switch identity?.take() {
                case .vehicle(let vin): vehicle(vin)
                case .other(let vin, let lost): return .otherVehicle(vin, lost: lost)
                case .names, nil: break
                }
            }
            let mayAsk = mayAskCodes
            if asked.contains(where: waiting.isReady) { codes?.take(mayAsk: mayAsk) }
            if waiting.isReady(news), let end = try takeEvents(event) { return end }
            let now = SystemClock.now()
            if mayAskCodes { codes?.beginIfDue(now: now) }
            if let until, now >= until { return .duration }
            if isOver?() == true { return .duration }
            if let end = watch?.end(by: now) { return .vehicleOff(end) }
            if let end = borders.end(by: now) { return end }
            if let due = nextTick, now >= due, let period {
                try tick()
                nextTick = now + period
            }
        }
    }

    /// Whether the vehicle is known to be the one of the trip.
    private var mayAskCodes: Bool { identity?.isChecking != true }

    /// How long the end of a poll waits for the last codes.
    package static let longestLastRead = Duration.seconds(3)

    /// Reads the codes before the session ends; another signal ends the reading.
    private mutating func readLastCodes(
        _ event: (Instant, ScanEvent) throws -> Void
    ) throws {
        guard codes != nil, mayAskCodes else { return }
        let deadline = SystemClock.now() + Self.longestLastRead
        connection.scan.pausePoll()
        codes?.beginLast(now: SystemClock.now())
        while let codes, codes.isReading, SystemClock.now() < deadline {
            var waiting = WaitList()
            let signals = waiting.add(connection.interrupt)
            let news = waiting.add(connection.scan.eventDescriptor)
            let asked = codes.descriptors.map { waiting.add($0) }
            waiting.add(deadline: deadline)
            waiting.wait()
            if waiting.isReady(signals), connection.inbox?.next() != nil { return }
            let mayAsk = mayAskCodes
            if asked.contains(where: waiting.isReady) { self.codes?.take(mayAsk: mayAsk) }
            if waiting.isReady(news), try takeEvents(event) != nil { return }
        }
    }

    private mutating func takeEvents(
        _ body: (Instant, ScanEvent) throws -> Void
    ) throws -> End? {
        if events.isEmpty { connection.scan.nextEvents(&events) }
        var end: End?
        var count = 0
        defer { events.removeFirst(count) }
        for (time, event) in events {
            // The event stays for the next call.
            if let reached = borders.end(before: event, at: time) { return reached }
            count += 1
            // Events on the new link belong to a vehicle that is not known yet.
            identity?.note(event, at: time)
            try body(time, event)
            codes?.note(event)
            let isNameless = identity?.isChecking == true
            if let reached = borders.take(event, at: time, isNameless: isNameless) {
                return reached
            }
            switch event {
            case .pollDidFinish: end = end ?? .finished
            case .sessionDidEnd(let error): end = .failed(error ?? .stopped)
            case .scanDidStart, .scanDidPause, .scanDidCancel, .scanDidRest, .scanDidWake,
                .toolDidConnect, .toolDidDisconnect, .toolDidInitialize, .toolDidFailToInitialize,
                .toolWillSleep, .toolDidReport, .didSendCommand, .didReceiveUnasked,
                .didReceiveResponses, .didReceiveVoltage, .didTimeOut, .didNotSend,
                .didReceiveError, .didChangeState, .recordingFailed, .didProgress,
                .didLoseFrames, .didLoseEvents:
                continue
            }
        }
        return end
    }

    private mutating func drain(_ body: (ReadingBatch) throws -> Void) throws {
        guard let queue else { return }
        _ = queue.take(&batches)
        let known = batches.prefix { !connection.doubt.concerns($0.answered) }
        batches.removeFirst(known.count)
        for batch in known { try body(batch) }
        try printer?.flush()
    }
}

extension PollLoop.End {
    /// Whether the vehicle may still answer when polling ends.
    fileprivate var leavesTheVehicle: Bool {
        switch self {
        case .stopped, .duration: true
        case .vehicleOff(let end): end.rule == .standstill
        case .failed, .finished, .otherVehicle, .vehicleRests, .linkStaysLost,
            .vehicleStaysSilent, .vehicleIsOn:
            false
        }
    }

    /// Whether the session goes on.
    package var isBorder: Bool {
        switch self {
        case .vehicleRests, .linkStaysLost, .vehicleStaysSilent, .vehicleIsOn: true
        case .stopped, .duration, .failed, .finished, .vehicleOff, .otherVehicle: false
        }
    }

    /// Whether nothing follows.
    package var isLast: Bool {
        if case .otherVehicle = self { false } else { true }
    }

    /// How long to wait for a reader that does not accept the remaining output; nil = forever.
    public var patience: Duration? { self == .stopped ? .seconds(2) : nil }
}
