public import OBDCore

/// A simulated ELM327-class adapter before a simulated vehicle, as a pure machine.
///
/// It is told the time with every byte, keeps what it has to say until the time has come, and never
/// looks at a clock: whoever serves it writes what ``due(at:)`` gives and wakes it at
/// ``nextDeadline``.
public struct SimulatedAdapter: Sendable {
    /// A request that reached the vehicle's bus; kept so that tests can prove what was sent.
    public struct ReceivedRequest: Hashable, Sendable {
        /// When it was sent.
        public var at: Instant
        /// The header under which it was sent: `7DF`, `18DB33F1`, `686AF1`.
        public var header: String
        /// Service and data.
        public var payload: [UInt8]
        /// The first frame's data as they are on the bus, with length and address byte on CAN;
        /// empty where the adapter is none of lines.
        public var frame: [UInt8] = []
        /// What ECUs answered to it, shown or not.
        public var answers: [SimulatedVehicle.Answer] = []
    }

    /// What the adapter is doing.
    enum Activity: Sendable {
        /// Waits for a command.
        case ready
        /// Works on a command until then; a character interrupts it or waits.
        case busy(until: Instant, interruptible: Bool)
        /// Was interrupted and throws away characters until its prompt is out.
        case flushing(until: Instant)
        /// Prints what it hears.
        case monitoring(BusMonitor)
        /// Has changed its line rate and waits for a carriage return at the new one.
        case confirmingRate(before: Int?, until: Instant)
        /// Waits for this many bytes of a long request.
        case takingData(STNRequest)
        /// Sleeps until a character comes.
        case asleep
        /// Will not say anything any more.
        case hung
    }

    /// The number of requests that are kept; older ones are forgotten.
    public static let keptRequests = 10_000

    /// The vehicle after it.
    public internal(set) var vehicle: SimulatedVehicle
    /// The latest requests that reached the vehicle, oldest first.
    public internal(set) var requests: [ReceivedRequest] = []
    /// Flow control frames that the adapter sent to ECUs for long answers, oldest first; the header
    /// is the identifier, and an ECU takes whatever they hold.
    public internal(set) var flowControls: [ReceivedRequest] = []
    /// The number of all requests that reached the vehicle.
    public internal(set) var requestCount = 0
    /// The line rate in use; nil where the link has none; unit: bit/s.
    public internal(set) var lineRate: Int?

    let options: SimulatorOptions
    let personality: Personality
    let begin: Instant
    var settings = AdapterSettings()
    var parameters = ProgrammableParameters()
    var output = OutputQueue()
    var activity = Activity.ready
    /// The open vehicle protocol; nil = none.
    var connected: VehicleProtocol?
    /// Where a reset finds its protocol (the adapter's own memory).
    var remembered: VehicleProtocol?
    /// The user's byte of ATSD.
    var savedByte: UInt8 = 0xFF
    /// The handshake time of ATBRT.
    var rateTimeout: Duration = .milliseconds(75)
    /// Filters of STFPA: pattern and mask.
    var passFilters: [(pattern: [UInt8], mask: [UInt8])] = []
    /// The last message on the bus, for ATBD.
    var lastMessage: [UInt8] = []
    /// Until when a search for the protocol runs, and what was open before it.
    var search: (ends: Instant, before: VehicleProtocol?)?
    /// What was typed, without the carriage return.
    var line: [UInt8] = []
    /// What a lone carriage return repeats.
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

    /// Takes bytes from the host, all of which arrive at `now`.
    public mutating func receive(_ bytes: some Sequence<UInt8>, at now: Instant) {
        for byte in bytes {
            lineClock = max(lineClock, now) + output.characterTime
            advance(to: lineClock)
            accept(byte, at: lineClock)
        }
    }

    /// What is to be written at `now`: everything whose time has come.
    public mutating func due(at now: Instant) -> [UInt8] {
        advance(to: now)
        var bytes: [UInt8] = []
        output.take(until: now, into: &bytes)
        return bytes
    }

    /// When ``due(at:)`` has to be called again if no byte arrives before; nil = never.
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

    /// The name under which the adapter serves: `genuine ELM327 v2.2`.
    public var title: String { personality.title }

    /// A line without an end is thrown away after this time.
    private static let lineTimeout: Duration = .seconds(20)

    /// Does what has to be done by `now` without a byte from the host.
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
        // NUL and line feed mean nothing to the adapter, not even an interruption.
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
            // The character waits in the UART until the command is done.
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

    /// A character came while a request or a search was under way.
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

    /// Forgets what was not sent yet.
    private mutating func forgetRequests(after now: Instant) {
        while let last = requests.last, last.at > now {
            requests.removeLast()
            requestCount -= 1
        }
    }

    /// Ends whatever it does with `STOPPED`; characters are lost until its prompt is out.
    private mutating func stop(at now: Instant) {
        reply(["STOPPED"], at: now, takes: .zero)
        activity = .flushing(until: output.free)
    }
}

// How text is written; used by all commands.
extension SimulatedAdapter {
    /// What ends a line.
    var lineEnd: [UInt8] { settings.linefeeds ? [0x0D, 0x0A] : [0x0D] }

    /// The time that a command of the adapter's own takes.
    var commandTime: Duration {
        options.commandLatency ?? (options.latency == .zero ? .zero : .milliseconds(2))
    }

    /// Prints `lines` and the prompt.
    mutating func reply(_ lines: [String], at now: Instant, takes time: Duration? = nil) {
        let ready = now + (time ?? commandTime)
        for line in lines { write(Array(line.utf8), at: ready) }
        prompt(at: ready)
    }

    /// Prints one line.
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

    /// Starts again with all settings at their defaults and prints the banner.
    mutating func restart(at now: Instant, after time: Duration) {
        restart(at: now + (options.latency == .zero ? .zero : time), saying: personality.identity)
    }

    private mutating func restart(at ready: Instant, saying words: String) {
        resetSettings()
        lastCommand = nil
        passFilters = []
        // The banner is written with the new settings, after two empty lines.
        output.append(lineEnd + lineEnd, at: ready)
        write(Array(words.utf8), at: ready)
        prompt(at: ready)
    }

    /// Loses its supply for a moment: what it was at and all settings are gone.
    ///
    /// It comes back like one that was just plugged in, or says that the voltage was low.
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

    /// All settings to their defaults, as far as the adapter's own memory does not say otherwise.
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

    /// Changes the line rate; nil = none.
    mutating func setRate(_ rate: Int?) {
        lineRate = rate
        // Ten bits a character: start, eight data, stop.
        output.characterTime = rate.map { .nanoseconds(10_000_000_000 / Int64($0)) } ?? .zero
    }
}
