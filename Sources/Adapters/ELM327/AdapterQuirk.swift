/// A difference between a kind of adapter and the ELM327's data sheet.
///
/// The code uses these rows and never an adapter's name: an adapter can report any name, but its answers show
/// its behaviour. Each row has its evidence. `docs/adapters.md` is generated from ``all``, and a test checks
/// that each recording exists.
public struct AdapterQuirk: Hashable, Sendable {
    /// Where the behaviour was observed.
    public enum Evidence: Hashable, Sendable {
        /// The name of a recording in `Tests/Transcripts`.
        case recording(String)
        /// A document.
        case source(String)
    }

    /// How the code deals with the behaviour.
    public enum Effect: Hashable, Sendable {
        /// A text that means a status, ignoring blanks and case; `alone` means that it is the whole line.
        case word(String, AdapterStatus, alone: Bool)
        /// The beginning of a line that identifies the chip.
        case banner(String)
        /// The beginning of a command that is answered with `?`, and the reaction.
        case refuses(String, Remedy)
        /// A command that may hang the adapter, so it is never used as a probe.
        case hangs(String)
        /// The code that reads all adapters handles the quirk, as described here.
        case handled(String)
    }

    /// The remedy if the adapter refuses a command that prepares a request.
    public enum Remedy: Hashable, Sendable {
        /// Send commands with the same effect: `AT CF` and `AT CM`.
        case filterAndMask
        /// Send the request anyway: a late or incomplete answer is detected.
        case goOn
        /// Continue: an address byte does not need to be removed if it was never set.
        case neverSet
    }

    /// The adapters.
    public let adapters: String
    /// The adapters' behaviour.
    public let behaviour: String
    /// The effect of the quirk on the code.
    public let effect: Effect
    /// The place where the quirk was observed.
    public let evidence: [Evidence]

    private init(
        _ adapters: String, _ behaviour: String, _ effect: Effect, _ evidence: Evidence...
    ) {
        self.adapters = adapters
        self.behaviour = behaviour
        self.effect = effect
        self.evidence = evidence
    }

    private static let manual = Evidence.source("OBDLink reference manual rev E")
    private static let stnSet = Evidence.source("reference of the ST command set, on chips")
    private static let dataSheet = Evidence.source("ELM327 data sheet, version history")
    private static let clones = Evidence.source("lists of clones (FORScan, ELMduino)")

    /// Every quirk with a recording or a document as evidence.
    public static let all: [AdapterQuirk] = [
        AdapterQuirk(
            "clones", "`NOT CONNECTED` instead of `NO DATA`",
            .word("NOTCONNECTED", .noData, alone: false), clones),
        AdapterQuirk(
            "clones", "`CAN TIMEOUT` instead of `NO DATA`",
            .word("CANTIMEOUT", .noData, alone: false), clones),
        AdapterQuirk(
            "clones", "`UNKNOWN` instead of `NO DATA`", .word("UNKNOWN", .noData, alone: true),
            clones),
        AdapterQuirk(
            "clones", "`CONNECT` instead of `NO DATA`", .word("CONNECT", .noData, alone: true),
            clones),
        AdapterQuirk(
            "OBDLink and other STN", "`OUT OF MEMORY` where a buffer overran",
            .word("OUTOFMEMORY", .bufferFull, alone: false), manual),
        AdapterQuirk(
            "OBDLink and other STN", "`UART RX OVERFLOW` where a buffer overran",
            .word("UARTRXOVERFLOW", .bufferFull, alone: false), manual),
        AdapterQuirk(
            "OBDLink and other STN", "`FC RX TIMEOUT` where no flow control came",
            .word("FCRXTIMEOUT", .flowControlTimeout, alone: false), manual),
        AdapterQuirk(
            "Wi-Fi clones", "the banner is `OBDII  v1.5`, after a byte FC", .banner("OBDII"),
            .recording("adapter-wifi-clone-odd-outputs")),
        AdapterQuirk(
            "OBDLink", "the banner is its own name", .banner("OBDLINK"), manual),
        AdapterQuirk("STN11xx", "the banner names the chip", .banner("STN1"), manual),
        AdapterQuirk("STN2xxx", "the banner names the chip", .banner("STN2"), manual),
        AdapterQuirk(
            "ELM327 before v1.4b, clones that say v2.1", "`AT CRA` is unknown",
            .refuses("ATCRA", .filterAndMask), dataSheet,
            .recording("adapter-clone-v21-misses-can-commands")),
        AdapterQuirk(
            "clones", "`AT ST` is unknown or ignored", .refuses("ATST", .goOn), clones,
            .recording("faults-clone-refuses-every-setting")),
        AdapterQuirk(
            "ELM327 before v1.1, the cheapest clones", "`AT FC` commands are unknown",
            .refuses("ATFC", .goOn), dataSheet, clones),
        AdapterQuirk(
            "ELM327 before v1.4, clones", "`AT CEA` is unknown", .refuses("ATCEA", .neverSet),
            dataSheet),
        AdapterQuirk("clones", "`AT TP` locks some up", .hangs("ATTP"), clones),
        AdapterQuirk("clones", "`AT BRD` locks some up", .hangs("ATBRD"), clones),
        AdapterQuirk(
            "clones that say v1.5", "every setting is refused, and the echo stays on",
            .handled("learns the form of lines from the first answer"),
            .recording("faults-clone-refuses-every-setting")),
        AdapterQuirk(
            "clones", "it sends no blanks, although it was not told to leave them out",
            .handled("learns the form of lines from the first answer"),
            .recording("faults-kwp-without-checksum")),
        AdapterQuirk(
            "clones", "KWP frames come without a checksum",
            .handled(
                "expects checksums after the first checksum; after `AT H1` a single frame is not trusted"
            ),
            .recording("faults-kwp-without-checksum")),
        AdapterQuirk(
            "clones", "answers without header are filled up to eight bytes",
            .handled("decoding drops padding that no record explains"),
            .recording("can11-headers-off-padded-clone-elmduino")),
        AdapterQuirk(
            "clones", "no line end between the echo and the answer", .handled("cuts the echo off"),
            .recording("faults-echo-glued-to-reply-kotlin")),
        AdapterQuirk(
            "Bluetooth modules", "words of the module come before the adapter's",
            .handled("waits for quiet and asks again"),
            .recording("faults-bluetooth-module-chatter")),
        AdapterQuirk(
            "WiCAN", "a reply comes one command late", .handled("waits for quiet and asks again"),
            .recording("faults-one-reply-late-wican")),
        AdapterQuirk(
            "ELM327 class", "the answer to an earlier request comes as the answer to a setting",
            .handled("does the setting again"), .recording("faults-late-answer-to-a-command")),
        AdapterQuirk(
            "adapters that explain themselves", "`?` is followed by a reason",
            .handled("reads it as `unknownCommand`"),
            .recording("adapter-wrong-hexchar-count")),
        AdapterQuirk(
            "STN1170", "half a byte at the end of monitored frames",
            .handled("reports the frame as damaged"),
            .recording("faults-monitor-half-bytes-stn1170")),
        AdapterQuirk(
            "vLinker and other STN-compatible ones",
            "they answer `STI` with their own text, and lack commands of the set",
            .handled("sends no STN command except `STI`, and treats the adapter as an ELM327"),
            stnSet),
    ]

    /// Status texts of clones and other chips; `alone` selects texts that fill a whole line.
    static func words(alone: Bool) -> [(text: String, status: AdapterStatus)] {
        all.compactMap { quirk in
            guard case .word(let text, let status, alone) = quirk.effect else { return nil }
            return (text, status)
        }
    }

    /// Beginnings of lines that identify a chip, in addition to the ELM327's own.
    static let banners: [String] = all.compactMap { quirk in
        if case .banner(let text) = quirk.effect { text } else { nil }
    }

    /// The reaction if `command` is refused; nil if the request cannot be sent.
    static func remedy(forRefused command: String) -> Remedy? {
        for quirk in all {
            if case .refuses(let begin, let remedy) = quirk.effect, command.hasPrefix(begin) {
                return remedy
            }
        }
        return nil
    }
}
