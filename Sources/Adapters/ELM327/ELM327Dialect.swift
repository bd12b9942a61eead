public import OBDCore
import VehicleLink

/// The ELM327 and all adapters with its command language, including STN chips.
///
/// `FrameReader` reads the adapter's text. This type does the rest for a live adapter: synchronising, the
/// set-up, timeouts, and the end of each exchange.
public struct ELM327Dialect: AdapterDialect {
    /// The settings of the user and the results of earlier sessions.
    public struct Options: Hashable, Sendable {
        /// The only protocol to use; nil means to find it.
        public var vehicleProtocol: VehicleProtocol?
        /// The protocol that worked last time, which is tried before a search.
        public var rememberedProtocol: VehicleProtocol?
        /// The adapter's identity of last time, which is valid if its banner is the same.
        public var rememberedIdentity: AdapterIdentity?
        /// Whether the set-up requires a vehicle.
        public var vehicle: VehicleNeed
        /// Whether to ask if the chip is an STN.
        public var probesSTN: Bool
        /// Whether to only listen: nothing is sent to the vehicle, not even to find its protocol.
        public var onlyListens = false

        /// Sets the options; by default everything is detected.
        public init(
            vehicleProtocol: VehicleProtocol? = nil, rememberedProtocol: VehicleProtocol? = nil,
            rememberedIdentity: AdapterIdentity? = nil, vehicle: VehicleNeed = .needed,
            probesSTN: Bool = true
        ) {
            self.vehicleProtocol = vehicleProtocol
            self.rememberedProtocol = rememberedProtocol
            self.rememberedIdentity = rememberedIdentity
            self.vehicle = vehicle
            self.probesSTN = probesSTN
        }
    }

    enum Phase: Hashable, Sendable {
        /// Nothing was sent yet, or the adapter is out of step.
        case outOfStep
        /// A first command was sent; `settling` means that its prompt arrived and quiet is awaited.
        case gettingInStep(attempt: Int, settling: Bool)
        /// Waiting for the prompt after a step of the set-up.
        case settingUp(SetupScript.Step, rest: [SetupScript.Step])
        /// A step got an unrelated answer; it is repeated after a quiet time.
        case settling(SetupScript.Step, rest: [SetupScript.Step])
        /// Set up and idle.
        case atPrompt
        /// Waiting for the prompt after a request, or after a command before or after it.
        case exchanging
        /// A blank was sent to stop the current activity.
        case interrupting(duringSetup: Bool)
    }

    /// The protocol string of this dialect.
    public static let protocolString = "org.obdscan.elm327"

    /// The most bytes of one exchange; more than this is a flood.
    public static let longestReply = 256 * 1024

    /// The most unexpected prompts and lines; more than this is a flood.
    ///
    /// Each unsolicited line restarts the quiet time, so without a limit an adapter that does not stop would
    /// be waited for forever.
    public static let mostUnasked = 64

    /// The capabilities of the link, as far as they are known.
    public internal(set) var capabilities = LinkCapabilities(
        itemsPerRequest: 1, frameCountHelps: true)
    /// The identity of the adapter.
    public internal(set) var identity = AdapterIdentity()

    /// The settings of the user and the results of earlier sessions.
    public let options: Options
    /// Whether a vehicle is required from now on.
    var vehicle: VehicleNeed
    /// The protocol that is set without a search: the user's choice or an assumed one.
    var fixedProtocol: VehicleProtocol?

    var phase = Phase.outOfStep
    /// The current exchange; meaningless in other phases.
    var running = RunningExchange.none
    var lexer = ReplyLexer()
    var reader = FrameReader()
    var items: [ReplyEvent] = []
    private var tokens: [ReplyLexer.Token] = []
    /// Lines of the current reply, if they are needed as text.
    var lines: [[UInt8]] = []
    /// The number of bytes in the current reply.
    var received = 0
    /// Prompts since the last write, and lines during a quiet time; one prompt is expected.
    var unasked = 0
    /// Whether the adapter may still send a prompt for an abandoned command.
    var mayOweAnswer = false
    /// Whether lines arrived since the reply timer was armed; each restarts it.
    var heardLines = false
    /// Whether the timeout was extended for the current search.
    var searching = false
    /// Whether a command that the user typed may have changed the form of lines.
    var hasTypedSettings = false
    /// Whether such a command may let through lines that do not answer the request.
    var hearsOthers = false
    /// Whether the partial line began before the last write, so that it cannot answer it.
    var lineIsStale = false
    /// The effect of typed commands on requests; nil if they had none.
    var typed: TypedSettings?
    /// Whether a typed command may have changed the settings that requests changed, in an unknown way.
    var hasLostSettings = false
    /// Whether a typed command made the protocol of the set-up unknown.
    var hasLostProtocol = false
    /// The results of the set-up so far.
    var setup = SetupNotes()
    /// The volatile settings that requests change.
    var wire = WireSettings()

    /// A dialect before any communication.
    public init(_ options: Options = Options()) {
        self.options = options
        vehicle = options.vehicle
        fixedProtocol = options.vehicleProtocol
    }

    /// The results of the set-up so far.
    struct SetupNotes: Hashable, Sendable {
        /// Whether any answer was typical of this kind of adapter, including a refusal.
        var sawConfirmation = false
        /// Whether any answer was something other than `?`.
        var sawAcceptance = false
        /// Whether `AT D` was confirmed.
        var hasDefaults = false
        /// Whether the adapter also ends lines with line feeds.
        var sawLineFeeds = false
        var bytes = 0
        var searchStatus: AdapterStatus?
        var heardVehicle = false
        /// Whether any received data could not be read.
        var sawDamage = false
        var restarts = 0
        /// How often the current step was repeated.
        var repeats = 0
        /// Whether the listening of the current step was ended.
        var hasStoppedHearing = false
        /// Whether headers were set again because the vehicle's lines had none.
        var hasVerifiedHeaders = false
    }

    // MARK: AdapterDialect

    /// The protocol string of this dialect.
    public var protocolString: String { Self.protocolString }

    /// Synchronises with the adapter and sets it up.
    public mutating func initialise(_ out: inout [DialectOutput]) {
        mayOweAnswer = mayOweAnswer || phase != .outOfStep
        setup = SetupNotes()
        hasTypedSettings = false
        hasLostSettings = false
        hasLostProtocol = false
        hearsOthers = false
        lineIsStale = false
        typed?.reset()
        if typed == TypedSettings() { typed = nil }
        identity = AdapterIdentity()
        wire = WireSettings()
        capabilities = LinkCapabilities(itemsPerRequest: 1, frameCountHelps: true)
        reader = FrameReader()
        lexer = ReplyLexer()
        // An ELM327 has no number for DoIP.
        if options.vehicleProtocol == .doip {
            phase = .outOfStep
            out.append(.initialisationFailed(.noVehicle(.unableToConnect)))
            return
        }
        sayFirstWord(attempt: 0, &out)
    }

    /// Takes received bytes.
    public mutating func receive(_ bytes: Span<UInt8>, _ out: inout [DialectOutput]) {
        received += bytes.count
        if received > Self.longestReply {
            flood(Self.longestReply, &out)
            return
        }
        heardLines = false
        if case .gettingInStep = phase, !setup.sawLineFeeds {
            for index in bytes.indices where bytes[index] == 0x0A { setup.sawLineFeeds = true }
        }
        var found: [ReplyLexer.Token] = []
        swap(&found, &tokens)
        lexer.receive(bytes, &found)
        if isSettingUp, found.contains(where: Self.isOfWebServer) {
            failSetup(.webServer, &out)
            return
        }
        // Whether something was written after these bytes arrived.
        var isStale = false
        for (place, token) in found.enumerated() {
            switch token {
            case .line(let line):
                if isStale || lineIsStale { takeStale(line, &out) } else { take(line, &out) }
                lineIsStale = false
            // The prompt ends the text from before the request.
            case .prompt where isStale: break
            case .prompt:
                if case .exchanging = phase, running.part == .preparation {
                    // A restart that is already visible must prevent the request from being sent.
                    for case .line(let line) in found[(place + 1)...]
                    where Self.tellsOfRestart(line) { running.restarted = true }
                }
                let end = out.count
                takePrompt(&out)
                isStale = out[end...].contains(where: \.isWrite)
            case .overlongLine:
                lineIsStale = false
                if case .exchanging = phase { out.append(.linkError(LinkError(.notAFrame))) }
            }
        }
        if isStale { lineIsStale = lexer.partialLine.contains { $0 > 0x20 } }
        found.removeAll(keepingCapacity: true)
        swap(&found, &tokens)
        if heardLines { goOnWaiting(&out) }
        noticeSearch(&out)
    }

    /// Reports that a timer has expired.
    public mutating func expired(_ timer: DialectTimer, _ out: inout [DialectOutput]) {
        switch (phase, timer) {
        case (.gettingInStep(let attempt, let settling), .reply):
            if settling {
                beginSetup(afterDefaults: attempt == 0 && setup.hasDefaults, &out)
            } else {
                mayOweAnswer = true
                sayFirstWord(attempt: attempt + 1, &out)
            }
        case (.settingUp(let step, _), .reply):
            if step.isHearing, !setup.hasStoppedHearing {
                stopHearing(&out)
                return
            }
            failSetup(.timedOut(command: step.command), &out)
        case (.settling(let step, let rest), .reply): next([step] + rest, &out)
        case (.exchanging, .pause): finishSettling(&out)
        case (.exchanging, .reply):
            if running.restarted, !isSent {
                abandonAfterRestart(&out)
                return
            }
            out.append(.disarmAll)
            phase = .outOfStep
            mayOweAnswer = true
            out.append(.end(running.restarted ? .adapterRestarted : .timedOut))
        case (.exchanging, .listen): stopListening(&out)
        case (.interrupting(let duringSetup), .prompt):
            mayOweAnswer = true
            phase = .outOfStep
            out.append(duringSetup ? .initialisationFailed(.interrupted) : .end(.timedOut))
        case (.outOfStep, _), (.atPrompt, _), (.gettingInStep, _), (.settingUp, _),
            (.settling, _), (.exchanging, _), (.interrupting, _):
            break
        }
    }

    /// Stops the current activity.
    public mutating func interrupt(_ out: inout [DialectOutput]) {
        switch phase {
        case .outOfStep, .atPrompt, .interrupting: break
        case .gettingInStep, .settingUp, .settling: startInterruption(duringSetup: true, &out)
        case .exchanging: startInterruption(duringSetup: false, &out)
        }
    }

    /// A blank stops the adapter and, unlike a CR, does not repeat the last command if the adapter has
    /// already finished.
    private mutating func startInterruption(duringSetup: Bool, _ out: inout [DialectOutput]) {
        out.append(.disarmAll)
        phase = .interrupting(duringSetup: duringSetup)
        put([0x20], &out)
        out.append(.arm(.prompt, after: .milliseconds(1_500)))
    }

    // MARK: Lines and prompts

    private mutating func take(_ line: [UInt8], _ out: inout [DialectOutput]) {
        switch phase {
        case .gettingInStep(_, let settling):
            setup.bytes += line.count
            noteConfirmation(line)
            // More data arrived after the prompt, so the quiet time starts again.
            if settling, !isFlooded(&out) {
                out.append(.arm(.reply, after: SetupScript.settlingTime))
            }
        case .settingUp(let step, _):
            setup.bytes += line.count
            noteConfirmation(line)
            keep(line)
            // A busy bus is full of frames, of which one is enough.
            if setup.hasStoppedHearing, items.contains(where: \.isFrame) { return }
            reader.read(line.span, &items)
            if step.isHearing, items.last?.isFrame == true { stopHearing(&out) }
        case .settling:
            if !isFlooded(&out) { out.append(.arm(.reply, after: SetupScript.settlingTime)) }
        case .exchanging: takeLine(line, &out)
        case .interrupting(let duringSetup):
            if !duringSetup, Self.tellsOfRestart(line) { running.restarted = true }
        case .outOfStep, .atPrompt: takeUnasked(line, &out)
        }
    }

    private var isSettingUp: Bool {
        switch phase {
        case .gettingInStep, .settingUp, .settling: true
        case .outOfStep, .atPrompt, .exchanging, .interrupting: false
        }
    }

    /// Whether a line is the first one of an HTTP answer (RFC 9112): `HTTP/1.1 400 Bad Request`.
    private static func isOfWebServer(_ token: ReplyLexer.Token) -> Bool {
        guard case .line(let line) = token else { return false }
        return line.starts(with: "HTTP/".utf8)
    }

    /// Handles a line from before the last write, which is not an answer but may report a restart.
    private mutating func takeStale(_ line: [UInt8], _ out: inout [DialectOutput]) {
        if Self.tellsOfRestart(line) {
            take(line, &out)
        } else {
            out.append(.notice(.unexpected(String(decoding: line, as: UTF8.self))))
        }
    }

    private mutating func takePrompt(_ out: inout [DialectOutput]) {
        received = 0
        if isFlooded(&out) { return }
        switch phase {
        case .gettingInStep(let attempt, _):
            if attempt == 0 && !mayOweAnswer {
                beginSetup(afterDefaults: setup.hasDefaults, &out)
            } else {
                phase = .gettingInStep(attempt: attempt, settling: true)
                out.append(.arm(.reply, after: SetupScript.settlingTime))
            }
        case .settingUp(let step, let rest): finish(step, rest, &out)
        case .settling: out.append(.arm(.reply, after: SetupScript.settlingTime))
        case .exchanging: finishPart(&out)
        case .interrupting(duringSetup: false) where running.restarted:
            out.append(.disarmAll)
            if isSent {
                end(&out)
            } else {
                abandonAfterRestart(&out)
            }
        case .interrupting(let duringSetup):
            out.append(.disarmAll)
            phase = duringSetup ? .outOfStep : .atPrompt
            // The pending settings may not have been applied.
            if running.part == .preparation || !running.preparations.isEmpty {
                wire.isUncertain = true
            }
            endReading()
            out.append(duringSetup ? .initialisationFailed(.interrupted) : .end(.interrupted))
        case .outOfStep, .atPrompt: break
        }
    }

    private mutating func takeUnasked(_ line: [UInt8], _ out: inout [DialectOutput]) {
        let text = String(decoding: line, as: UTF8.self)
        if Self.tellsOfRestart(line) {
            if phase == .atPrompt { phase = .outOfStep }
            out.append(.notice(.adapterRestarted(banner: text)))
        } else if Self.contains(line, "LP ALERT") || Self.contains(line, "ACT ALERT")
            || Self.contains(line, "LOW POWER ALERT")
        {
            out.append(.notice(.aboutToSleep))
        } else {
            out.append(.notice(.unexpected(text)))
        }
        received = 0
    }

    private mutating func noticeSearch(_ out: inout [DialectOutput]) {
        guard !searching, lexer.hasPartialLine else { return }
        // The text is at the start of the line, so a long line does not have to be searched.
        let partial = lexer.partialLine.prefix(64)
        guard Self.contains(partial, "SEARCHING") || Self.contains(partial, "BUS INIT") else {
            return
        }
        switch phase {
        case .settingUp(let step, _)
        where step.purpose == .search || step.purpose == .secondSearch:
            break
        case .exchanging where running.part == .request: break
        case .outOfStep, .atPrompt, .gettingInStep, .settingUp, .settling, .exchanging,
            .interrupting:
            return
        }
        searching = true
        out.append(.notice(.searching))
        out.append(.arm(.reply, after: SetupScript.searchPatience))
    }

    /// Counts unexpected output; true if the limit is exceeded, which ends the current activity.
    private mutating func isFlooded(_ out: inout [DialectOutput]) -> Bool {
        unasked &+= 1
        guard unasked == Self.mostUnasked + 1 else { return false }
        flood(unasked, &out)
        return true
    }

    /// Writes to the adapter, which then has to send a prompt.
    mutating func put(_ bytes: [UInt8], _ out: inout [DialectOutput]) {
        unasked = 0
        out.append(.write(bytes))
    }

    /// Ends the current activity, because at least this many bytes arrived that belong to nothing.
    private mutating func flood(_ count: Int, _ out: inout [DialectOutput]) {
        received = 0
        lexer = ReplyLexer()
        mayOweAnswer = true
        out.append(.disarmAll)
        switch phase {
        case .outOfStep, .atPrompt: out.append(.notice(.unexpected("endless bytes")))
        case .gettingInStep, .settingUp, .settling:
            phase = .outOfStep
            out.append(.initialisationFailed(.notUnderstood(received: count)))
        case .exchanging:
            phase = .outOfStep
            endReading()
            out.append(.end(.flooded))
        case .interrupting(let duringSetup):
            phase = .outOfStep
            endReading()
            out.append(duringSetup ? .initialisationFailed(.interrupted) : .end(.flooded))
        }
    }

    // MARK: Pieces

    mutating func keep(_ line: [UInt8]) {
        if lines.count < 4_096 { lines.append(line) }
    }

    /// Discards the reply that was read so far.
    mutating func endReading() {
        if !items.isEmpty { items.removeAll(keepingCapacity: true) }
        if !lines.isEmpty { lines.removeAll(keepingCapacity: true) }
        searching = false
    }

    /// Begins to read the answers to a command.
    mutating func beginReading(_ command: some Sequence<UInt8>) {
        reader.begin(AdapterCommand.compact(command), &items)
        if !items.isEmpty { items.removeAll(keepingCapacity: true) }
    }

    private mutating func noteConfirmation(_ line: [UInt8]) {
        // Echoes are on at first, and some adapters print them directly before the answer.
        if line.suffix(2).elementsEqual("OK".utf8) || Self.isBanner(line) {
            setup.sawAcceptance = true
        }
        if line.elementsEqual("OK".utf8) { setup.hasDefaults = true }
        if line.elementsEqual("OK".utf8) || line.elementsEqual("?".utf8) || Self.isBanner(line) {
            setup.sawConfirmation = true
        }
    }

    /// Whether a line identifies the chip, which means that the adapter restarted.
    static func isBanner(_ line: [UInt8]) -> Bool {
        // Data have no letter after F, and most lines are data.
        guard line.contains(where: { $0 > UInt8(ascii: "F") }) else { return false }
        // The start of a damaged banner: 'ELM3227 v2.2'.
        return contains(line, "ELM32") || contains(line, "OBDII")
    }

    /// Whether a line reports a restart, or a fault that likewise loses the adapter's settings.
    static func tellsOfRestart(_ line: [UInt8]) -> Bool {
        isBanner(line) || AdapterWords.find(in: line.span)?.meaning.status?.recovery == .initialise
    }

    static func contains(_ line: some Collection<UInt8>, _ word: String) -> Bool {
        var rest = line[...]
        let wanted = word.utf8
        while rest.count >= wanted.count {
            if rest.starts(with: wanted) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}

extension DialectOutput {
    /// Whether this writes bytes to the adapter.
    fileprivate var isWrite: Bool {
        if case .write = self { true } else { false }
    }
}
