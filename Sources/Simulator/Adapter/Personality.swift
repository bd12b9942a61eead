/// How an adapter behaves: what it calls itself, which commands it has, what is wrong with it.
///
/// Clones are data: the same machine with other values.
struct Personality: Hashable, Sendable {
    /// What an OBDLink shows about itself.
    struct OBDLink: Hashable, Sendable {
        /// Answer to STI.
        var firmware: String
        /// Answer to STDI.
        var device: String
        /// Answer to STMFR.
        var maker: String
        /// Answer to STSN.
        var serialNumber: String
    }

    /// Faults of the text it writes.
    enum Fault: Hashable, Sendable {
        /// A NUL before every line.
        case nuls
        /// The prompt follows the last line without an empty line.
        case gluedPrompt
        /// Never a space, whatever ATS says.
        case noSpaces
        /// Never a header, whatever ATH says.
        case noHeaders
        /// The last frame of a long answer is missing.
        case lastFrameLost
        /// Requests for more than one PID get no answer.
        case noBatches
        /// An odd digit at a request's end is not a count but an error.
        case noCountDigit
    }

    /// What happens to an answer that is too long.
    enum Overflow: Hashable, Sendable {
        /// Cut off in mid-line.
        case cut
        /// Cut off with `BUFFER FULL`.
        case bufferFull
        /// Silence forever, not even a prompt.
        case hang
    }

    /// As options name it.
    var name: String
    /// One line for people.
    var title: String
    /// Answer to ATI, printed by ATZ too.
    var identity: String
    /// Answer to AT@1.
    var description: String? = "OBDII to RS232 Interpreter"
    /// Firmware whose commands it has: 142 = v1.4b, 220 = v2.2.
    var version: Int
    /// The ST command set.
    var obdLink: OBDLink?
    /// Commands, as spelt after AT, answered with `?` though the version would have them.
    var refused: Set<String> = []
    /// Commands answered OK and forgotten.
    var ignored: Set<String> = []
    /// What is wrong with its text.
    var faults: Set<Fault> = []
    /// The most bytes that a request may have, more are dropped in silence; nil = as documented.
    var requestBytes: Int?
    /// Characters of one answer that it can hold; nil = any number.
    var answerCharacters: Int?
    /// What happens beyond `answerCharacters`.
    var overflow = Overflow.cut
    /// The number of requests after which it no longer says anything.
    var hangsAfter: Int?
    /// The number of requests after which it restarts by itself.
    var restartsAfter: Int?

    /// All personalities; the first one is the default.
    static var all: [Personality] { genuine + clones }

    private static var genuine: [Personality] {
        [
            Personality(
                name: "elm327", title: "genuine ELM327 v2.2", identity: "ELM327 v2.2", version: 220),
            Personality(
                name: "elm327-1.4b", title: "genuine ELM327 v1.4b", identity: "ELM327 v1.4b",
                version: 142),
            Personality(
                name: "elm327-1.0", title: "the first ELM327: no ATS, no ATAT, no count digit",
                identity: "ELM327 v1.0", version: 100, faults: [.noCountDigit]),
            Personality(
                name: "stn", title: "OBDLink MX+ (STN2255): the ST command set",
                identity: "ELM327 v1.4b", version: 220,
                obdLink: OBDLink(
                    firmware: "STN2255 v5.7.1", device: "OBDLink MX+ r3.1",
                    maker: "OBD Solutions LLC", serialNumber: "225500012345")),
        ]
    }

    /// What the cheapest adapters refuse.
    private static var commonlyMissing: Set<String> {
        [
            "AMC", "AMT", "BD", "BRD", "BRT", "CEA", "CRA", "CSM", "CTM", "FCSD", "FCSH",
            "FCSM", "FE", "IGN", "LP", "PP", "PPS", "RD", "SD", "@2",
        ]
    }

    private static var clones: [Personality] {
        [
            Personality(
                name: "clone-1.5", title: "the most common clone: half the set answers ?",
                identity: "ELM327 v1.5", version: 142, refused: commonlyMissing,
                ignored: ["AT"]),
            Personality(
                name: "clone-2.1", title: "a clone that fails at requests for several PIDs",
                identity: "ELM327 v2.1", description: nil, version: 142,
                refused: commonlyMissing.union(["WS", "AL"]),
                ignored: ["AT", "ST"], faults: [.noBatches]),
            Personality(
                name: "clone-nospaces", title: "a clone that never prints spaces",
                identity: "ELM327 v1.5", version: 142, faults: [.noSpaces]),
            Personality(
                name: "clone-noheaders", title: "a clone that ignores ATH1",
                identity: "ELM327 v1.5", version: 142, faults: [.noHeaders]),
            Personality(
                name: "clone-nodigit", title: "a clone that answers ? to the count digit",
                identity: "ELM327 v1.5", version: 142, faults: [.noCountDigit]),
            Personality(
                name: "clone-twobytes", title: "a clone that cuts requests after two bytes",
                identity: "ELM327 v2.1", version: 142, refused: commonlyMissing, requestBytes: 2),
            Personality(
                name: "clone-truncate", title: "a clone that cuts long answers in mid-line",
                identity: "ELM327 v2.1", version: 142, answerCharacters: 64),
            Personality(
                name: "clone-lastframe", title: "a clone that loses the last frame of long answers",
                identity: "ELM327 v2.1", version: 142, faults: [.lastFrameLost]),
            Personality(
                name: "clone-glued", title: "a clone whose prompt follows the last line at once",
                identity: "ELM327 v1.5", version: 142, faults: [.gluedPrompt]),
            Personality(
                name: "clone-bufferfull", title: "a clone whose buffer holds 96 characters",
                identity: "ELM327 v2.1", version: 142, answerCharacters: 96, overflow: .bufferFull),
            Personality(
                name: "clone-hang", title: "a clone that falls silent after 40 requests",
                identity: "ELM327 v2.1", version: 142, hangsAfter: 40),
            Personality(
                name: "clone-hanglong", title: "a clone that hangs at answers over 96 characters",
                identity: "ELM327 v2.1", version: 142, answerCharacters: 96, overflow: .hang),
            Personality(
                name: "clone-restart", title: "a clone that restarts every 40 requests",
                identity: "ELM327 v2.1", version: 142, restartsAfter: 40),
            Personality(
                name: "clone-nul", title: "a clone that sprinkles NUL bytes",
                identity: "ELM327 v1.5", version: 142, faults: [.nuls]),
        ]
    }
}
