import Accessory
import Diagnostics
import Glibc
import OBDCore
import Synchronization
import SystemIO
import TripStore

/// Reads a receiver on its own thread, reconnects after a loss, and passes fresh positions on.
public final class PositionReceiver: Sendable {
    /// Counts of received data.
    public struct Counts: Hashable, Sendable {
        /// Positions that were stored.
        public var fixes = 0
        /// Positions that were too old.
        public var stale = 0
        /// Positions that were left out, because they are private.
        public var hidden = 0
        /// Lines that were dropped: a wrong checksum, or not a sentence.
        public var damaged = 0
    }

    /// A message for the user about a receiver.
    public enum News: Hashable, Sendable {
        /// The first position arrived.
        case works(PositionSource)
        /// There is no connection; obdscan keeps trying.
        case failed(AccessoryError)
        /// gpsd has no receiver.
        case noReceiver
        /// gpsd refuses, with this message.
        case refused(String)
    }

    private let source: PositionSource
    private let privacy: PositionPrivacy
    private let tell: @Sendable (News) -> Void
    private let end: EventDescriptor
    private let thread = Mutex<SystemThread?>(nil)
    private let counted = Mutex(Counts())

    /// A receiver that is not running yet; `tell` is called with messages for the user.
    public convenience init(
        _ source: PositionSource, tell: @escaping @Sendable (News) -> Void
    ) throws(SystemError) {
        try self.init(source, privacy: PositionPrivacy(), tell: tell)
    }

    /// A receiver that passes on only the positions that `privacy` does not hide.
    package init(
        _ source: PositionSource, privacy: PositionPrivacy,
        tell: @escaping @Sendable (News) -> Void
    ) throws(SystemError) {
        self.source = source
        self.privacy = privacy
        self.tell = tell
        end = try EventDescriptor()
    }

    /// The counts until now.
    public var counts: Counts { counted.withLock { $0 } }

    /// Starts to read.
    ///
    /// `keep` takes each fresh fix and returns false if the queue was full. `lost` is called with the length
    /// in seconds and the start of periods without a fix. `keep` and `lost` are called on the receiver's
    /// thread.
    public func start(
        _ keep: @escaping @Sendable (Fix) -> Bool,
        lost: @escaping @Sendable (Double, Instant) -> Void
    ) throws(SystemError) {
        end.take()
        let run = Run(
            source: source, privacy: privacy, tell: tell, end: end, keep: keep, lost: lost
        ) { [self] change in
            counted.withLock { change(&$0) }
        }
        let started = try SystemThread {
            var run = run
            run.run()
        }
        thread.withLock { $0 = started }
    }

    /// Ends the thread; no function is called afterwards.
    public func stop() {
        end.signal()
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        running?.join()
    }
}

/// The work of the thread.
private struct Run: Sendable {
    /// Longer periods without a position are recorded.
    static let longestPause = Duration.seconds(10)
    /// The usual rates of receivers, the standard's first; unit: bit/s.
    static let rates = [4800, 9600, 38_400, 115_200, 57_600]
    /// The longest track in a file: a day; unit: microseconds.
    static let longestFile: Int64 = 86_400_000_000
    /// If there is no sentence for this long, the next rate is tried.
    static let patience = Duration.milliseconds(2500)

    let source: PositionSource
    let privacy: PositionPrivacy
    let tell: @Sendable (PositionReceiver.News) -> Void
    let end: EventDescriptor
    let keep: @Sendable (Fix) -> Bool
    let lost: @Sendable (Double, Instant) -> Void
    let count: @Sendable (@Sendable (inout PositionReceiver.Counts) -> Void) -> Void

    private var freshness = FreshFixes()
    private var lastFix: Instant?
    private var hasTold = false

    init(
        source: PositionSource, privacy: PositionPrivacy,
        tell: @escaping @Sendable (PositionReceiver.News) -> Void,
        end: EventDescriptor,
        keep: @escaping @Sendable (Fix) -> Bool,
        lost: @escaping @Sendable (Double, Instant) -> Void,
        count: @escaping @Sendable (@Sendable (inout PositionReceiver.Counts) -> Void) -> Void
    ) {
        self.source = source
        self.privacy = privacy
        self.tell = tell
        self.end = end
        self.keep = keep
        self.lost = lost
        self.count = count
    }

    mutating func run() {
        var pause = Duration.seconds(1)
        while true {
            do {
                let before = lastFix
                defer { if lastFix != before { pause = .seconds(1) } }
                guard try listen() else { return }
            } catch {
                if !hasTold {
                    tell(.failed(error))
                    hasTold = true
                }
            }
            var waiting = PollSet()
            let ending = waiting.add(end.descriptor)
            guard (try? waiting.wait(until: SystemClock.now() + pause)) != nil,
                !waiting.isReadable(ending)
            else { return }
            pause = min(pause * 2, .seconds(30))
        }
    }

    /// Reads until the receiver is lost; false = the receiver was stopped.
    private mutating func listen() throws(AccessoryError) -> Bool {
        let (connector, isFile) = place()
        guard var session = try connector.open(cancelledBy: end.descriptor) else { return false }
        var reader: Reader
        var rates: [Int] = []
        switch source {
        case .gpsd:
            reader = .gpsd(GPSDReader())
            try session.write(GPSDReader.watch)
        case .nmea(_, let rate):
            reader = .nmea(NMEAReader())
            if rate == nil, session.lineRate != nil { rates = Self.rates }
        }
        var patience: Instant?
        var start: FileStart?
        var set = PollSet()
        while true {
            if patience == nil, !rates.isEmpty, reader.sentences == 0 {
                rates.append(rates.removeFirst())
                try session.setLineRate(rates[rates.count - 1])
                session.discardInput()
                patience = SystemClock.now() + Self.patience
            }
            set.removeAll()
            let ending = set.add(end.descriptor)
            let line = set.add(session.descriptor, writing: session.wantsToWrite)
            do {
                try set.wait(until: patience)
            } catch {
                throw .system(call: error.call, address: source.description, errno: error.errno)
            }
            if set.isReadable(ending) { return false }
            let now = SystemClock.now()
            if session.wantsToWrite, set.isWritable(line) { try session.flush() }
            if set.isReadable(line) {
                let bytes: [UInt8]
                do {
                    bytes = try session.receive()
                } catch {
                    let fixes = reader.finish()
                    if isFile {
                        _ = try play(fixes, from: &start)
                        return false
                    }
                    for fix in fixes { take(fix) }
                    throw error
                }
                let damaged = reader.damaged
                let fixes = reader.take(bytes, at: now, tell)
                if isFile {
                    guard try play(fixes, from: &start) else { return false }
                } else {
                    for fix in fixes { take(fix) }
                }
                // Bytes received at a wrong rate do not count as damage.
                if reader.sentences > 0 {
                    let more = reader.damaged - damaged
                    if more > 0 { count { $0.damaged += more } }
                }
            }
            if reader.sentences > 0 {
                patience = nil
                rates = []
            } else if let due = patience, due <= now {
                patience = nil
            }
        }
    }

    /// When the first fix of a file was taken, and its own time.
    private typealias FileStart = (taken: Instant, time: UTC)

    /// Takes the fixes of a file at the pace of their own times; false = the receiver was stopped.
    ///
    /// A file arrives all at once.
    private mutating func play(
        _ fixes: [Fix], from start: inout FileStart?
    ) throws(AccessoryError) -> Bool {
        for var fix in fixes {
            fix.arrived = SystemClock.now()
            if let time = fix.position.fixTime {
                let passed = start.map {
                    time.microseconds.subtractingReportingOverflow($0.time.microseconds)
                }
                if let start, let passed, !passed.overflow,
                    (0...Self.longestFile).contains(passed.partialValue)
                {
                    let due = start.taken + .microseconds(passed.partialValue)
                    fix.arrived = max(fix.arrived, due)
                } else {
                    // The first fix, or one after a step of the receiver's clock.
                    start = (fix.arrived, time)
                }
            }
            if try !wait(until: fix.arrived) { return false }
            take(fix)
        }
        return true
    }

    /// Waits for `time`; false = the receiver was stopped.
    private func wait(until time: Instant) throws(AccessoryError) -> Bool {
        var set = PollSet()
        let ending = set.add(end.descriptor)
        while SystemClock.now() < time {
            do {
                try set.wait(until: time)
            } catch {
                throw .system(call: error.call, address: source.description, errno: error.errno)
            }
            if set.isReadable(ending) { return false }
        }
        return true
    }

    /// The connector; regular files have an end, while devices and pipes have none.
    private func place() -> (Connector, isFile: Bool) {
        switch source {
        case .gpsd(let host, let port): return (.tcp(host: host, port: port), false)
        case .nmea(let path, let rate):
            var status = stat()
            let type = stat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
            guard type == S_IFREG || type == S_IFIFO else {
                return (.serial(path: path, rate: rate), false)
            }
            let connector = Connector.descriptor(name: path) { () throws(AccessoryError) in
                let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
                guard descriptor >= 0 else {
                    throw .system(call: "open", address: path, errno: errno)
                }
                return descriptor
            }
            return (connector, type == S_IFREG)
        }
    }

    private mutating func take(_ fix: Fix) {
        switch freshness.judge(fix) {
        case .repeated: return
        case .stale: count { $0.stale += 1 }
        case .fresh:
            if let last = lastFix, fix.arrived - last > Self.longestPause {
                lost((fix.arrived - last).seconds, last)
            }
            if lastFix == nil { tell(.works(source)) }
            lastFix = fix.arrived
            hasTold = false
            if privacy.hides(fix.position, minute: minute(of: fix.position)) {
                count { $0.hidden += 1 }
            } else if keep(fix) {
                count { $0.fixes += 1 }
            }
        }
    }

    /// The minute of the local day; nil if neither the receiver nor this machine knows the time.
    private func minute(of position: Position) -> Int? {
        position.fixTime.map(localMinute) ?? currentMinute()
    }
}

/// The minute of the local day; nil if this machine does not know the time.
func currentMinute() -> Int? {
    let clock = SystemClock.reading()
    return clock.isSet ? localMinute(clock.utc) : nil
}

private func localMinute(_ time: UTC) -> Int {
    let second = (time.microseconds / 1_000_000 + localShift(time)) % 86_400
    return Int((second + 86_400) % 86_400 / 60)
}

/// The reader of either protocol.
private enum Reader {
    case gpsd(GPSDReader)
    case nmea(NMEAReader)

    var sentences: Int {
        switch self {
        case .gpsd(let reader): reader.objects
        case .nmea(let reader): reader.sentences
        }
    }

    var damaged: Int {
        switch self {
        case .gpsd(let reader): reader.damaged
        case .nmea(let reader): reader.damaged
        }
    }

    mutating func take(
        _ bytes: [UInt8], at instant: Instant, _ tell: (PositionReceiver.News) -> Void
    ) -> [Fix] {
        var fixes: [Fix] = []
        switch self {
        case .gpsd(var reader):
            var news: [GPSDReader.News] = []
            reader.take(bytes, at: instant, &news)
            self = .gpsd(reader)
            for one in news {
                switch one {
                case .fix(let fix): fixes.append(fix)
                case .noReceiver:
                    tell(.noReceiver)
                case .refused(let words): tell(.refused(words))
                }
            }
        case .nmea(var reader):
            reader.take(bytes, at: instant, &fixes)
            self = .nmea(reader)
        }
        return fixes
    }

    /// The last fix at the end of input.
    mutating func finish() -> [Fix] {
        guard case .nmea(var reader) = self else { return [] }
        var fixes: [Fix] = []
        reader.finish(&fixes)
        self = .nmea(reader)
        return fixes
    }
}
