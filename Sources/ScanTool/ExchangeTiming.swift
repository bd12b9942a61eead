public import OBDCore

/// When the bytes of one exchange travelled, and what that shows about where its time went.
///
/// A value without a clock. An adapter says nothing of what it waits for, but its bytes do: a line
/// leaves it as soon as an ECU's frame has come, its prompt only when it waits no longer. So the time
/// between the last line and a prompt that comes alone is the adapter's waiting.
public struct ExchangeTiming: Hashable, Sendable {
    /// Where the time of an exchange went.
    public struct Split: Hashable, Sendable {
        /// From the request to the last line of its answer, without the line's own time.
        public var bus = Duration.zero
        /// The adapter's waiting for more answers that did not come.
        public var adapterWait = Duration.zero
        /// Bytes on a line whose rate is known.
        public var link = Duration.zero
        /// Commands to the adapter itself, settings between requests among them.
        public var commands = Duration.zero
        /// Between a prompt and what was written next: pauses before the request was repeated.
        public var pauses = Duration.zero

        /// All of it.
        public var total: Duration { bus + adapterWait + link + commands + pauses }
    }

    private let begun: Instant
    /// When what is under way was written.
    private var written: Instant
    private var isCommand = false
    private var isUnderWay = false
    private var bytes = 0
    /// When the latest piece came that held more than line ends and a prompt.
    private var lastData: Instant?
    /// Whether that piece ended with its line.
    private var lastDataIsWhole = false
    /// When the latest piece came, once the prompt has come.
    private var ended: Instant?
    private var trailingBytes = 0
    private var done = Split()
    private var doneBytes = 0

    /// An exchange that begins at `instant`.
    public init(at instant: Instant) {
        begun = instant
        written = instant
    }

    /// Takes note of bytes that were written.
    public mutating func wrote(_ sent: [UInt8], at instant: Instant) {
        if isUnderWay {
            // A blank that stops the adapter belongs to what it stops.
            guard let ended else {
                bytes += sent.count
                return
            }
            close(at: ended)
            done.pauses += max(.zero, instant - ended)
        }
        isUnderWay = true
        written = instant
        isCommand = Self.isCommand(sent)
        bytes = sent.count
        lastData = nil
        lastDataIsWhole = false
        ended = nil
        trailingBytes = 0
    }

    /// Takes note of bytes that came.
    public mutating func received(_ piece: [UInt8], at instant: Instant) {
        bytes += piece.count
        var hasData = false
        var hasPrompt = ended != nil
        for byte in piece {
            switch byte {
            case 0x3E: hasPrompt = true
            case 0x0D, 0x0A, 0x20, 0x00: break
            default: hasData = true
            }
        }
        if hasPrompt { ended = instant }
        if hasData {
            lastData = instant
            trailingBytes = 0
            lastDataIsWhole = piece.last == 0x0D || piece.last == 0x0A
        } else {
            trailingBytes += piece.count
        }
    }

    /// What the exchange that ended at `instant` was spent on.
    ///
    /// - Parameters:
    ///   - instant: when the prompt was there.
    ///   - rate: the rate of a line whose bytes take time; unit: bit/s, nil = unknown.
    ///   - isSilent: whether no ECU answered, so that all of it was waiting.
    public consuming func split(at instant: Instant, rate: Int?, isSilent: Bool) -> Split {
        if isUnderWay { close(at: instant, rate: rate, isSilent: isSilent) }
        var split = done
        // What was sent before the request: settings.
        if let rate, doneBytes > 0 {
            let link = min(split.commands, Self.time(doneBytes, rate))
            split.commands = split.commands - link
            split.link += link
        }
        return split
    }

    /// Whether this many bytes cannot have passed a line of `rate` in the time that they took: a USB
    /// device or a pty, whose rate is a number without meaning.
    public func disproves(rate: Int, by instant: Instant) -> Bool {
        instant - begun < Self.time(doneBytes + bytes, rate) * 0.9
    }

    /// Ends what was under way with a prompt before something else was written.
    private mutating func close(at instant: Instant) {
        let time = max(.zero, instant - written)
        if isCommand {
            done.commands += time
        } else {
            done.bus += time
        }
        doneBytes += isCommand ? bytes : 0
        isUnderWay = false
    }

    private mutating func close(at instant: Instant, rate: Int?, isSilent: Bool) {
        let time = max(.zero, instant - written)
        isUnderWay = false
        let link = rate.map { min(time, Self.time(bytes, $0)) } ?? .zero
        done.link += link
        if isCommand {
            done.commands += time - link
            return
        }
        var wait = Duration.zero
        if isSilent {
            wait = time - link
        } else if let lastData, lastDataIsWhole {
            let trailing = rate.map { Self.time(trailingBytes, $0) } ?? .zero
            wait = max(.zero, min(time - link, instant - lastData - trailing))
        }
        done.adapterWait += wait
        done.bus += time - link - wait
    }

    /// Eight data bits, a start and a stop bit.
    static func time(_ bytes: Int, _ rate: Int) -> Duration {
        // In attoseconds: what is listened to without end is too much for nanoseconds in 64 bits.
        rate > 0 ? .seconds(10) * bytes / rate : .zero
    }

    /// Adapters tell their own commands from requests by these letters.
    private static func isCommand(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 1 else { return false }
        let first = bytes[0] & 0xDF
        let second = bytes[1] & 0xDF
        return second == 0x54 && (first == 0x41 || first == 0x53)
    }
}
