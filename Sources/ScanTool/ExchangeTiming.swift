public import OBDCore

/// The transfer times of the bytes in one exchange, and how the exchange spent its time.
///
/// A value without a clock. An adapter does not report that it waits, but its bytes show it. An adapter sends
/// a line as soon as an ECU's frame has arrived, and the prompt only when it stops waiting. The time between
/// the last line and a separate prompt is therefore the adapter's wait.
public struct ExchangeTiming: Hashable, Sendable {
    /// How the time of an exchange was spent.
    public struct Split: Hashable, Sendable {
        /// The time from the request to the last line of its answer, without the transfer time of the line.
        public var bus = Duration.zero
        /// The adapter's wait for more answers that did not arrive.
        public var adapterWait = Duration.zero
        /// The transfer of bytes on a line with a known rate.
        public var link = Duration.zero
        /// Commands to the adapter itself, including settings between requests.
        public var commands = Duration.zero
        /// Pauses between a prompt and the next write, before a request was repeated.
        public var pauses = Duration.zero

        /// The total time.
        public var total: Duration { bus + adapterWait + link + commands + pauses }
    }

    private let begun: Instant
    /// When the current request or command was written.
    private var written: Instant
    private var isCommand = false
    private var isUnderWay = false
    private var bytes = 0
    /// When the last data were received other than line ends and a prompt.
    private var lastData: Instant?
    /// Whether those data ended with a line end.
    private var lastDataIsWhole = false
    /// When the last bytes were received, if the prompt has arrived.
    private var ended: Instant?
    private var trailingBytes = 0
    private var done = Split()
    private var doneBytes = 0

    /// An exchange that begins at `instant`.
    public init(at instant: Instant) {
        begun = instant
        written = instant
    }

    /// Records written bytes.
    public mutating func wrote(_ sent: [UInt8], at instant: Instant) {
        if isUnderWay {
            // A blank that stops the adapter belongs to the request that it stops.
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

    /// Records received bytes.
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

    /// How the exchange that ended at `instant` spent its time.
    ///
    /// - Parameters:
    ///   - instant: when the prompt arrived.
    ///   - rate: the rate of the line; unit: bit/s, nil if unknown.
    ///   - isSilent: whether no ECU answered, so that all the time was waiting.
    public consuming func split(at instant: Instant, rate: Int?, isSilent: Bool) -> Split {
        if isUnderWay { close(at: instant, rate: rate, isSilent: isSilent) }
        var split = done
        // The settings that were sent before the request.
        if let rate, doneBytes > 0 {
            let link = min(split.commands, Self.time(doneBytes, rate))
            split.commands = split.commands - link
            split.link += link
        }
        return split
    }

    /// Whether this many bytes cannot be transferred at `rate` in the time that they took.
    ///
    /// The device is then a USB device or a pty, whose rate has no meaning.
    public func disproves(rate: Int, by instant: Instant) -> Bool {
        instant - begun < Self.time(doneBytes + bytes, rate) * 0.9
    }

    /// Ends the current part with a prompt before the next bytes are written.
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

    /// Eight data bits, a start bit and a stop bit per byte.
    static func time(_ bytes: Int, _ rate: Int) -> Duration {
        // In attoseconds: an endless monitor request exceeds nanoseconds in 64 bits.
        rate > 0 ? .seconds(10) * bytes / rate : .zero
    }

    /// Whether the bytes are a command for the adapter: the adapter knows commands by the first letters, AT
    /// or ST.
    private static func isCommand(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 1 else { return false }
        let first = bytes[0] & 0xDF
        let second = bytes[1] & 0xDF
        return second == 0x54 && (first == 0x41 || first == 0x53)
    }
}
