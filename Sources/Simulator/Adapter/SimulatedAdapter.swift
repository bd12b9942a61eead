public import OBDCore

/// A simulated ELM327-class adapter with a simulated vehicle, as a pure state machine.
///
/// The adapter receives the time with every byte, keeps its output until its time, and has no clock. The
/// caller writes the bytes of ``due(at:)`` and calls that method again at ``nextDeadline``.
public struct SimulatedAdapter: Sendable {
    /// A request that reached the vehicle's bus, recorded for tests.
    public struct ReceivedRequest: Hashable, Sendable {
        /// The time at which the request was sent.
        public var at: Instant
        /// The header of the request: `7DF`, `18DB33F1`, `686AF1`.
        public var header: String
        /// Service and data.
        public var payload: [UInt8]
        /// The data of the request's frames on the bus, with length and address byte on CAN; empty if the
        /// adapter does not use text lines.
        public var frames: [[UInt8]] = []
        /// The answers of the ECUs, whether shown or not.
        public var answers: [SimulatedVehicle.Answer] = []
    }

    /// The current activity of the adapter.
    enum Activity: Sendable {
        /// Waiting for a command.
        case ready
        /// Running a command until this time; a character interrupts it or waits.
        case busy(until: Instant, interruptible: Bool)
        /// Interrupted, and discarding characters until its prompt was sent.
        case flushing(until: Instant)
        /// Printing the bus traffic.
        case monitoring(BusMonitor)
        /// Waiting for a carriage return at a new line rate.
        case confirmingRate(before: Int?, until: Instant)
        /// Waiting for the data of a long request.
        case takingData(STNRequest)
        /// Asleep until a character arrives.
        case asleep
        case hung
    }

    /// The number of requests that are kept; older ones are dropped.
    public static let keptRequests = 10_000

    /// The vehicle.
    public internal(set) var vehicle: SimulatedVehicle
    /// The latest requests that reached the vehicle, oldest first.
    public internal(set) var requests: [ReceivedRequest] = []
    /// Flow control frames that the adapter sent for long answers, oldest first.
    ///
    /// The header is the identifier. An ECU accepts any content.
    public internal(set) var flowControls: [ReceivedRequest] = []
    /// The number of all requests that reached the vehicle.
    public internal(set) var requestCount = 0
    /// The current line rate; unit: bit/s.
    ///
    /// Nil if the link has none.
    public internal(set) var lineRate: Int?

    let options: SimulatorOptions
    let personality: Personality
    let begin: Instant
    var settings = AdapterSettings()
    var parameters = ProgrammableParameters()
    var output = OutputQueue()
    var activity = Activity.ready
    /// The open protocol; nil if none is.
    var connected: VehicleProtocol?
    /// The protocol after a reset (from the adapter's own memory).
    var remembered: VehicleProtocol?
    /// The user's byte of ATSD.
    var savedByte: UInt8 = 0xFF
    /// The handshake time of ATBRT.
    var rateTimeout: Duration = .milliseconds(75)
    /// Filters of STFPA: pattern and mask.
    var passFilters: [(pattern: [UInt8], mask: [UInt8])] = []
    /// The last message on the bus, for ATBD.
    var lastMessage: [UInt8] = []
    /// The end of a running protocol search, and the protocol that was open before it.
    var search: (ends: Instant, before: VehicleProtocol?)?
    /// The typed text without the carriage return.
    var line: [UInt8] = []
    /// The command that a single carriage return repeats.
    var lastCommand: String?
    private var lineClock: Instant
    private var lastByte: Instant

    /// An adapter that is plugged in and switched on at `now`.
    public init(_ options: SimulatorOptions, at now: Instant) throws(SimulatorError) {
        guard let personality = Personality.all.first(where: { $0.name == options.personality })
        else { throw .unknownPersonality(options.personality) }
        self.options = options
        self.personality = personality
        vehicle = try SimulatedVehicle(options)
        begin = now
        lineClock = now
        lastByte = now
        if let baud = options.baud { setRate(baud) }
    }

    /// Takes bytes from the host that all arrive at `now`.
    public mutating func receive(_ bytes: some Sequence<UInt8>, at now: Instant) {
        for byte in bytes {
            lineClock = max(lineClock, now) + output.characterTime
            advance(to: lineClock)
            accept(byte, at: lineClock)
        }
    }

    /// All output that is due at `now`.
    public mutating func due(at now: Instant) -> [UInt8] {
        advance(to: now)
        var bytes: [UInt8] = []
        output.take(until: now, into: &bytes)
        return bytes
    }

    /// The next time to call ``due(at:)`` if no byte arrives before; nil for never.
    public var nextDeadline: Instant? {
        var deadlines: [Instant] = []
        if let due = output.nextDue { deadlines.append(due) }
        switch activity {
        case .monitoring(let monitor): if let next = monitor.nextFrame { deadlines.append(next) }
        case .confirmingRate(_, let until): deadlines.append(until)
        case .ready: if !line.isEmpty { deadlines.append(lastByte + Self.lineTimeout) }
        case .busy, .flushing, .takingData, .asleep, .hung: break
        }
        return deadlines.min()
    }

    /// The name of the adapter in lists: `genuine ELM327 v2.2`.
    public var title: String { personality.title }

    /// The time after which a line without an end is discarded.
    private static let lineTimeout: Duration = .seconds(20)

    /// Carries out the actions that are due at `now`, without a byte from the host.
    private mutating func advance(to now: Instant) {
        switch activity {
        case .monitoring(var monitor):
            listen(&monitor, until: now)
        case .confirmingRate(let before, let until) where until <= now:
            setRate(before)
            prompt(at: until)
        case .ready where !line.isEmpty && lastByte + Self.lineTimeout <= now:
            line = []
            reply(["?"], at: lastByte + Self.lineTimeout)
        case .ready, .busy, .flushing, .confirmingRate, .takingData, .asleep, .hung: break
        }
    }

    private mutating func accept(_ byte: UInt8, at arrival: Instant) {
        // The adapter ignores NUL and line feed; they do not even interrupt it.
        if byte == 0x00 || byte == 0x0A || output.isFull { return }
        var now = arrival
        switch activity {
        case .hung: return
        case .asleep:
            restart(at: now, after: .milliseconds(50))
            return
        case .monitoring:
            stop(at: now)
            return
        case .busy(let until, let interruptible) where now < until:
            if interruptible {
                interrupt(at: now)
                return
            }
            // The character waits in the UART until the command has ended.
            now = until
            lineClock = until
        case .flushing(let until) where now < until: return
        case .confirmingRate:
            if byte == 0x0D { reply(["OK"], at: now) }
            return
        case .takingData(let request):
            take(byte, of: request, at: now)
            return
        case .ready, .busy, .flushing: break
        }
        activity = .ready
        search = nil
        lastByte = now
        if byte == 0x0D {
            if settings.echo { output.append(lineEnd, at: now) }
            run(at: now)
        } else if byte == 0x08 {
            if line.popLast() != nil, settings.echo { output.append([byte], at: now) }
        } else {
            if settings.echo { output.append([byte], at: now) }
            if line.count < longestLine { line.append(byte) }
        }
    }

    private var longestLine: Int { personality.obdLink == nil ? 255 : 8400 }

    private mutating func run(at now: Instant) {
        let typed = line.filter { $0 != 0x20 && $0 != 0x09 }
        line = []
        var command = String(decoding: typed, as: UTF8.self).uppercased()
        if command.isEmpty {
            guard let last = lastCommand else {
                prompt(at: now)
                return
            }
            command = last
        } else {
            lastCommand = command
        }
        if command.hasPrefix("AT") {
            runAT(String(command.dropFirst(2)), at: now)
        } else if command.hasPrefix("ST"), personality.obdLink != nil {
            runST(String(command.dropFirst(2)), at: now)
        } else {
            request(Array(command.utf8), at: now)
        }
    }

    /// Handles a character during a request or a search.
    private mutating func interrupt(at now: Instant) {
        output.cut(after: now)
        forgetRequests(after: now)
        if let search, now < search.ends {
            connected = search.before
            output.append(lineEnd, at: now)
        }
        search = nil
        stop(at: now)
    }

    /// Removes the requests that were not sent yet.
    private mutating func forgetRequests(after now: Instant) {
        while let last = requests.last, last.at > now {
            requests.removeLast()
            requestCount -= 1
        }
    }

    /// Stops the current activity with `STOPPED`; characters are lost until the prompt was sent.
    private mutating func stop(at now: Instant) {
        reply(["STOPPED"], at: now, takes: .zero)
        activity = .flushing(until: output.free)
    }
}

// The text output for all commands.
extension SimulatedAdapter {
    var lineEnd: [UInt8] { settings.linefeeds ? [0x0D, 0x0A] : [0x0D] }

    /// The time that a command for the adapter itself takes.
    var commandTime: Duration {
        options.commandLatency ?? (options.latency == .zero ? .zero : .milliseconds(2))
    }

    /// Prints `lines` and the prompt.
    mutating func reply(_ lines: [String], at now: Instant, takes time: Duration? = nil) {
        let ready = now + (time ?? commandTime)
        for line in lines { write(Array(line.utf8), at: ready) }
        prompt(at: ready)
    }

    mutating func write(_ text: [UInt8], at ready: Instant) {
        let nul: [UInt8] = personality.faults.contains(.nuls) ? [0] : []
        output.append(nul + text + lineEnd, at: ready)
    }

    /// Prints an empty line and the prompt.
    mutating func prompt(at ready: Instant) {
        let glued = personality.faults.contains(.gluedPrompt)
        output.append((glued ? [] : lineEnd) + [0x3E], at: ready)
        activity = .busy(until: output.free, interruptible: false)
    }

    /// Restarts with all settings at their defaults and prints the banner.
    mutating func restart(at now: Instant, after time: Duration) {
        restart(at: now + (options.latency == .zero ? .zero : time), saying: personality.identity)
    }

    private mutating func restart(at ready: Instant, saying words: String) {
        resetSettings()
        lastCommand = nil
        passFilters = []
        // The banner is printed with the new settings after two empty lines.
        output.append(lineEnd + lineEnd, at: ready)
        write(Array(words.utf8), at: ready)
        prompt(at: ready)
    }

    /// Loses its supply for a moment and with it its activity and all settings.
    ///
    /// The adapter restarts as if it was just plugged in, or reports a low voltage.
    public mutating func loseSupply(at now: Instant, noticesVoltage: Bool) {
        if case .hung = activity { return }
        let time = output.characterTime
        output = OutputQueue()
        output.characterTime = time
        forgetRequests(after: now)
        search = nil
        line = []
        restart(
            at: now + .milliseconds(50),
            saying: noticesVoltage ? "LV RESET" : personality.identity)
    }

    /// Resets all settings to their defaults, or to the values in the adapter's own memory.
    mutating func resetSettings() {
        settings = AdapterSettings()
        settings.chosen = remembered
        settings.echo = parameters.active(0x09) != 0xFF
        settings.headers = parameters.active(0x01) == 0x00
        settings.longMessages = parameters.active(0x02) == 0x00
        settings.timeout = parameters.active(0x03) ?? settings.timeout
        settings.adaptive = min(2, parameters.active(0x04) ?? settings.adaptive)
        settings.formatting = parameters.active(0x24) != 0xFF
        settings.flowControl = parameters.active(0x25) != 0xFF
        settings.dlcDigit = parameters.active(0x29) == 0x00
        connected = nil
    }

    /// Changes the line rate; nil if there is none.
    mutating func setRate(_ rate: Int?) {
        lineRate = rate
        // Ten bits per character: start, eight data, stop.
        output.characterTime = rate.map { .nanoseconds(10_000_000_000 / Int64($0)) } ?? .zero
    }
}
