/// The behaviour of an adapter: its name, its commands, and its faults.
///
/// A clone is the same machine with other values.
struct Personality: Hashable, Sendable {
    /// The identification of an OBDLink.
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

    /// Faults in the adapter's output.
    enum Fault: Hashable, Sendable {
        case nuls
        /// The prompt follows the last line without an empty line in between.
        case gluedPrompt
        /// The adapter never prints blanks, regardless of ATS.
        case noSpaces
        /// The adapter never prints headers, regardless of ATH.
        case noHeaders
        /// The last frame of a long answer is missing.
        case lastFrameLost
        /// Requests for more than one PID get no answer.
        case noBatches
        /// An odd digit at the end of a request is an error and not a count.
        case noCountDigit
    }

    /// The behaviour if an answer is too long.
    enum Overflow: Hashable, Sendable {
        /// The answer is cut off in the middle of a line.
        case cut
        /// The answer is cut off with `BUFFER FULL`.
        case bufferFull
        /// The adapter stays silent forever and shows no prompt.
        case hang
    }

    var name: String
    var title: String
    /// The answer to ATI, which ATZ also prints.
    var identity: String
    /// Answer to AT@1.
    var description: String? = "OBDII to RS232 Interpreter"
    /// The firmware whose commands the adapter knows: 142 = v1.4b, 220 = v2.2.
    var version: Int
    /// The ST command set.
    var obdLink: OBDLink?
    /// Commands, without AT, that are answered with `?` although the version has them.
    var refused: Set<String> = []
    /// Commands that are answered with OK but have no effect.
    var ignored: Set<String> = []
    /// The faults in the adapter's output.
    var faults: Set<Fault> = []
    /// The longest request in bytes; further bytes are dropped without notice.
    ///
    /// Nil for the documented length.
    var requestBytes: Int?
    /// The most characters of one answer; nil for any number.
    var answerCharacters: Int?
    /// The behaviour beyond `answerCharacters`.
    var overflow = Overflow.cut
    /// The number of requests after which it hangs.
    var hangsAfter: Int?
    /// The number of requests after which it restarts.
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

    /// Commands that the cheapest adapters refuse.
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
