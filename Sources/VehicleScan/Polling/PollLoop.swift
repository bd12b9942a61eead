import Diagnostics
import Glibc
import OBDCore
import ScanSession
import SystemIO

/// Where printed lines wait for their reader.
public protocol LineOutlet: Sendable {
    /// Whether lines wait: more should be printed when they are gone.
    var isBehind: Bool { get }
    /// Tells when the reader takes more, or has gone.
    var descriptor: Int32 { get }
    /// Writes as much as is taken at once.
    func flush() throws(OutputError)
}

/// The main thread's loop while a session polls: signals, events, batches and deadlines.
public struct PollLoop {
    /// Why polling ended.
    public enum End: Hashable, Sendable {
        /// Its user wants it: Ctrl-C, SIGTERM, SIGHUP.
        case stopped
        /// Its time is up.
        case duration
        /// The session is over.
        case failed(ScanError)
        /// Nothing is left to ask.
        case finished
        /// The drive is over; its last moment.
        case vehicleOff(TripEndRule.End)
    }

    /// The session.
    public let connection: Vehicle
    /// What has to be printed or watched; nil = nothing.
    public let queue: BatchQueue?
    /// Takes what is printed; nil = nothing is.
    ///
    /// While it is behind, nothing is taken from the queue: no line is lost, the vehicle is asked more
    /// slowly.
    public let printer: (any LineOutlet)?
    /// When the time is up.
    public let until: Instant?
    /// Knows when the drive is over; nil = it does not matter.
    public let watch: TripEndDetector?
    /// Something else that is waited for, and what then is done; nil = nothing.
    public var other: (descriptor: Int32, take: () -> Void)?
    /// Finds out which vehicle it is; nil = that is known, or does not matter.
    private var identity: VINQuery?

    private var batches: [ReadingBatch] = []
    private var events: [(time: Instant, event: ScanEvent)] = []

    /// A loop over the session of `connection`, until `until`; see the properties.
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

    /// Runs until the end, then ends the session in order and takes what came meanwhile.
    ///
    /// `tick` is called once a `period`, nil = never; `vehicle` when it is known which one it is.
    /// A second signal that asks the command to end ends the process at once. What the printer's reader has not taken then still waits there.
    public mutating func run(
        every period: Duration? = nil, tick: () throws -> Void = {},
        vehicle: (VIN) -> Void = { _ in },
        event: (Instant, ScanEvent) throws -> Void, batch: (ReadingBatch) throws -> Void
    ) throws -> End {
        let end: End
        do {
            // A session that waits for room would wait until it gives the batch up.
            defer { queue?.openWide() }
            end = try wait(
                every: period, tick: tick, vehicle: vehicle, event: event, batch: batch)
        }
        connection.inbox?.letMoreThrough()
        connection.scan.stop()
        try drain(batch)
        return end
    }

    private mutating func wait(
        every period: Duration?, tick: () throws -> Void, vehicle: (VIN) -> Void,
        event: (Instant, ScanEvent) throws -> Void, batch: (ReadingBatch) throws -> Void
    ) throws -> End {
        var nextTick = period.map { SystemClock.now() + $0 }
        while true {
            var waiting = WaitList()
            let signals = waiting.add(connection.interrupt)
            let news = waiting.add(connection.scan.eventDescriptor)
            let isBehind = printer?.isBehind ?? false
            let output = isBehind ? nil : queue.map { waiting.add($0.descriptor) }
            // Whatever is asked for, it also comes that the reader of a pipe has gone.
            let reader = printer.map { waiting.add(reader: $0.descriptor, forRoom: isBehind) }
            let name = identity?.descriptor.map { waiting.add($0) }
            let another = other.map { waiting.add($0.descriptor) }
            waiting.add(deadline: until)
            // What is answered meanwhile only puts it off: a look at the old deadline is enough.
            waiting.add(deadline: watch?.deadline(from: SystemClock.now()))
            waiting.add(deadline: nextTick)
            waiting.wait()

            if waiting.isReady(signals), connection.inbox?.next() != nil { return .stopped }
            if let another, waiting.isReady(another) { other?.take() }
            if let output, waiting.isReady(output) { try drain(batch) }
            if let reader, waiting.isReady(reader) { throw OutputError.readerGone }
            if let reader, waiting.hasRoom(reader) { try printer?.flush() }
            if let name, waiting.isReady(name), let vin = identity?.take() { vehicle(vin) }
            if waiting.isReady(news), let end = try takeEvents(event) { return end }
            let now = SystemClock.now()
            if let until, now >= until { return .duration }
            if let end = watch?.end(by: now) { return .vehicleOff(end) }
            if let due = nextTick, now >= due, let period {
                try tick()
                nextTick = now + period
            }
        }
    }

    private mutating func takeEvents(
        _ body: (Instant, ScanEvent) throws -> Void
    ) throws -> End? {
        events.removeAll(keepingCapacity: true)
        connection.scan.nextEvents(&events)
        var end: End?
        for (time, event) in events {
            try body(time, event)
            identity?.note(event)
            switch event {
            case .pollDidFinish: end = end ?? .finished
            case .sessionDidEnd(let error): end = .failed(error ?? .stopped)
            case .scanDidStart, .scanDidPause, .scanDidCancel, .scanDidRest, .scanDidWake,
                .toolDidConnect, .toolDidDisconnect, .toolDidInitialize, .toolDidFailToInitialize,
                .toolWillSleep, .didSendCommand, .didReceiveUnasked,
                .didReceiveResponses, .didReceiveVoltage, .didTimeOut, .didNotSend,
                .didReceiveError, .didChangeState, .recordingFailed, .didProgress,
                .didLoseEvents:
                continue
            }
        }
        return end
    }

    private mutating func drain(_ body: (ReadingBatch) throws -> Void) throws {
        guard let queue else { return }
        batches.removeAll(keepingCapacity: true)
        _ = queue.take(&batches)
        for batch in batches { try body(batch) }
        try printer?.flush()
    }
}

extension PollLoop.End {
    /// How long to wait for a reader that takes nothing of what is still to be printed; nil = as long
    /// as it likes.
    public var patience: Duration? { self == .stopped ? .seconds(2) : nil }
}
