public import OBDCore
import VehicleLink

/// The ELM327 and everything that speaks its language, STN chips included.
///
/// What the adapter prints is read by ``FrameReader``; here is what a live adapter needs besides:
/// getting in step, the set-up, patience, and the end of each exchange.
public struct ELM327Dialect: AdapterDialect {
    /// What the user or an earlier session says.
    public struct Options: Hashable, Sendable {
        /// The protocol to use, nothing else; nil = find it.
        public var vehicleProtocol: VehicleProtocol?
        /// The protocol that worked last time: tried first, then searched for.
        public var rememberedProtocol: VehicleProtocol?
        /// What the adapter said of itself last time; counts once its banner is the same.
        public var rememberedIdentity: AdapterIdentity?
        /// What is needed of the vehicle.
        public var vehicle: VehicleNeed
        /// Whether to ask if the chip is an STN.
        public var probesSTN: Bool

        /// Options; the defaults find everything.
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

    /// What is under way.
    enum Phase: Hashable, Sendable {
        /// Nothing was said yet, or the adapter is out of step.
        case outOfStep
        /// A first word was sent; `settling` = its prompt came, quiet is awaited.
        case gettingInStep(attempt: Int, settling: Bool)
        /// A step of the set-up waits for its prompt.
        case settingUp(SetupScript.Step, rest: [SetupScript.Step])
        /// A step was answered by something else: quiet is awaited, then it is done again.
        case settling(SetupScript.Step, rest: [SetupScript.Step])
        /// Set up, nothing under way.
        case atPrompt
        /// A request, or a command that goes before or after it, waits for its prompt.
        case exchanging
        /// A space was sent to stop what was under way.
        case interrupting(duringSetup: Bool)
    }

    /// The protocol string of this dialect.
    public static let protocolString = "org.obdscan.elm327"

    /// Bytes that one exchange may bring at most; more is a flood.
    public static let longestReply = 256 * 1024

    /// Prompts and lines that may come without being asked for; more is a flood.
    ///
    /// Each begins the wait for quiet again, so that an adapter that does not stop would be waited
    /// for without end.
    public static let mostUnasked = 64

    /// What the link can do, as far as it is known now.
    public internal(set) var capabilities = LinkCapabilities(
        itemsPerRequest: 1, frameCountHelps: true)
    /// What is known of the adapter.
    public internal(set) var identity = AdapterIdentity()

    /// What the user or an earlier session says.
    public let options: Options
    /// What is needed of the vehicle from here on.
    var vehicle: VehicleNeed
    /// The protocol that is set without asking the vehicle: the user's, or an assumed one.
    var fixedProtocol: VehicleProtocol?

    var phase = Phase.outOfStep
    /// The exchange under way; of no meaning in other phases.
    var running = RunningExchange.none
    var lexer = ReplyLexer()
    var reader = FrameReader()
    var items: [ReplyEvent] = []
    private var tokens: [ReplyLexer.Token] = []
    /// Lines of the reply at hand, where they are wanted as text.
    var lines: [[UInt8]] = []
    /// Bytes of the reply at hand.
    var received = 0
    /// Prompts, and lines while quiet is awaited, since something was written; one prompt is its due.
    var unasked = 0
    /// Whether the adapter may still owe a prompt of something that was given up.
    var mayOweAnswer = false
    /// Whether lines came since the time for the reply was set; each begins it again.
    var heardLines = false
    /// Whether patience was extended for the search that is under way.
    var searching = false
    /// Whether a command that a user typed may have changed how lines look.
    var hasTypedSettings = false
    /// Whether such a command may let lines pass that answer nothing that was asked.
    var hearsOthers = false
    /// Whether the line that has begun came before what was written last: it cannot answer that.
    var lineIsStale = false
    /// What the commands that a user typed make of requests; nil = none of them changed anything.
    var typed: TypedSettings?
    /// What the set-up heard so far.
    var setup = SetupNotes()
    /// Volatile settings that requests change on the way.
    var wire = WireSettings()

    /// A dialect that has not spoken yet.
    public init(_ options: Options = Options()) {
        self.options = options
        vehicle = options.vehicle
        fixedProtocol = options.vehicleProtocol
    }

    /// What the set-up heard so far.
    struct SetupNotes: Hashable, Sendable {
        /// Whether any answer was one that this kind of adapter gives, a refusal included.
        var sawConfirmation = false
        /// Whether any answer was something else than `?`.
        var sawAcceptance = false
        /// Whether `AT D` was confirmed.
        var hasDefaults = false
        /// Whether the adapter ends lines with line feeds, too.
        var sawLineFeeds = false
        var bytes = 0
        var searchStatus: AdapterStatus?
        var heardVehicle = false
        /// Whether anything came that could not be read.
        var sawDamage = false
        var restarts = 0
        /// How often the step under way was done again.
        var repeats = 0
        /// Whether headers were set once more because the vehicle's lines had none.
        var hasVerifiedHeaders = false
    }

    // MARK: AdapterDialect

    /// The protocol string of this dialect.
    public var protocolString: String { Self.protocolString }

    /// Brings the adapter in step and sets it up.
    public mutating func initialise(_ out: inout [DialectOutput]) {
        mayOweAnswer = mayOweAnswer || phase != .outOfStep
        setup = SetupNotes()
        hasTypedSettings = false
        hearsOthers = false
        lineIsStale = false
        typed?.reset()
        if typed == TypedSettings() { typed = nil }
        identity = AdapterIdentity()
        wire = WireSettings()
        capabilities = LinkCapabilities(itemsPerRequest: 1, frameCountHelps: true)
        reader = FrameReader()
        lexer = ReplyLexer()
        // No ELM327 has a number for it.
        if options.vehicleProtocol == .doip {
            phase = .outOfStep
            out.append(.initialisationFailed(.noVehicle(.unableToConnect)))
            return
        }
        sayFirstWord(attempt: 0, &out)
    }

    /// Takes bytes as they came.
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
        // Whether something was written since these bytes came.
        var isStale = false
        for (place, token) in found.enumerated() {
            switch token {
            case .line(let line):
                if isStale || lineIsStale { takeStale(line, &out) } else { take(line, &out) }
                lineIsStale = false
            // It ends what was written before.
            case .prompt where isStale: break
            case .prompt:
                if case .exchanging = phase, running.part == .preparation {
                    // What is known by now must keep the request from being sent.
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

    /// Takes note that a timer's time has passed.
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
            failSetup(.timedOut(command: step.command), &out)
        case (.settling(let step, let rest), .reply): next([step] + rest, &out)
        case (.exchanging, .pause): finishSettling(&out)
        case (.exchanging, .reply):
            if running.restarted, !isSent {
                abandonAfterRestart(&out)
                return
            }
            disarmAll(&out)
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

    /// Stops what is under way.
    public mutating func interrupt(_ out: inout [DialectOutput]) {
        switch phase {
        case .outOfStep, .atPrompt, .interrupting: break
        case .gettingInStep, .settingUp, .settling: startInterruption(duringSetup: true, &out)
        case .exchanging: startInterruption(duringSetup: false, &out)
        }
    }

    /// A blank stops whatever the adapter does and, unlike a CR, repeats nothing if it has already
    /// finished.
    private mutating func startInterruption(duringSetup: Bool, _ out: inout [DialectOutput]) {
        disarmAll(&out)
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
            // More came after the prompt: the quiet begins again.
            if settling, !isFlooded(&out) {
                out.append(.arm(.reply, after: SetupScript.settlingTime))
            }
        case .settingUp:
            setup.bytes += line.count
            noteConfirmation(line)
            keep(line)
            reader.read(line.span, &items)
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

    /// A line that came before what was written last: no answer, but perhaps word of a restart.
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
            disarmAll(&out)
            if isSent {
                end(&out)
            } else {
                abandonAfterRestart(&out)
            }
        case .interrupting(let duringSetup):
            disarmAll(&out)
            phase = duringSetup ? .outOfStep : .atPrompt
            // Settings that were to be made may not have been.
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
        // The word begins the line: however long that grows, its begin is all that is looked at.
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

    /// Counts what came unasked; true when that was one too many, which ends what is under way.
    private mutating func isFlooded(_ out: inout [DialectOutput]) -> Bool {
        unasked &+= 1
        guard unasked == Self.mostUnasked + 1 else { return false }
        flood(unasked, &out)
        return true
    }

    /// Writes to the adapter, which owes a prompt from then on.
    mutating func put(_ bytes: [UInt8], _ out: inout [DialectOutput]) {
        unasked = 0
        out.append(.write(bytes))
    }

    /// Gives up what is under way: at least this many bytes came that belong to nothing.
    private mutating func flood(_ count: Int, _ out: inout [DialectOutput]) {
        received = 0
        lexer = ReplyLexer()
        mayOweAnswer = true
        disarmAll(&out)
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

    func disarmAll(_ out: inout [DialectOutput]) {
        for timer in DialectTimer.allCases { out.append(.disarm(timer)) }
    }

    mutating func keep(_ line: [UInt8]) {
        if lines.count < 4_096 { lines.append(line) }
    }

    /// Forgets what was read of a reply.
    mutating func endReading() {
        if !items.isEmpty { items.removeAll(keepingCapacity: true) }
        if !lines.isEmpty { lines.removeAll(keepingCapacity: true) }
        searching = false
    }

    /// Begins the answers to what is sent.
    mutating func beginReading(_ command: some Sequence<UInt8>) {
        reader.begin(AdapterCommand.compact(command), &items)
        if !items.isEmpty { items.removeAll(keepingCapacity: true) }
    }

    private mutating func noteConfirmation(_ line: [UInt8]) {
        // Echoes are on at first, and some glue them to what follows.
        if line.suffix(2).elementsEqual("OK".utf8) || Self.isBanner(line) {
            setup.sawAcceptance = true
        }
        if line.elementsEqual("OK".utf8) { setup.hasDefaults = true }
        if line.elementsEqual("OK".utf8) || line.elementsEqual("?".utf8) || Self.isBanner(line) {
            setup.sawConfirmation = true
        }
    }

    /// Whether a line names the chip: the adapter has restarted.
    static func isBanner(_ line: [UInt8]) -> Bool {
        // Data has no letter after F; most lines are data.
        guard line.contains(where: { $0 > UInt8(ascii: "F") }) else { return false }
        // Of a damaged one the begin: 'ELM3227 v2.2'.
        return contains(line, "ELM32") || contains(line, "OBDII")
    }

    /// Whether a line says that the adapter has restarted, or might as well have: its settings are
    /// lost.
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
    /// Whether bytes go to the adapter.
    fileprivate var isWrite: Bool {
        if case .write = self { true } else { false }
    }
}
