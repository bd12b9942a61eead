import Adapters
import ArgumentParser
import Conversation
import Diagnostics
import Formats
import Glibc
import OBDCore
import PIDTables
import SystemIO

/// `obdscan decode`: decodes recorded adapter output.
struct DecodeCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Decode recorded adapter output, offline.",
        discussion: """
            Reads the output of an ELM327-class adapter, with or without spaces, headers, echoes \
            and prompts. The input is one reply, or a whole conversation in which requests begin \
            with >. AT commands in it are followed, because they change how the next lines are \
            read. Some recordings lost their line ends; such lines are split where lengths, \
            identifiers or an echo prove the place. Logs of a CAN bus are read, too: candump, GVRET, \
            ASC, TRC, CRTD and tables. Each item of a log has the time of its last frame. Without \
            FILE or HEX it reads standard input. Each file is read on its own, and the output names \
            the file if there are several.

            With a table or a DBC file, frames that ECUs send by themselves get their values. A bus \
            speaks SAE J1939 if frames of two known parameter groups show it; then every known \
            group gets its values.

            Bad input gives error objects, and exit code 65 after all good input was printed. \
            Nothing is guessed: a short reply, a frame out of sequence, a wrong checksum and \
            bytes left over after the last record are errors.

            EXAMPLES
              obdscan decode --request 010C 7E8 04 41 0C 1A F8
              obdscan decode --format json conversation.txt
              obdscan decode --messages --protocol 6 < capture.txt
              obdscan decode --table car.dbc candump.log
            """)

    @Argument(
        help: ArgumentHelp("Files, or the answer itself in hexadecimal.", valueName: "file-or-hex"),
        completion: .file())
    var inputs: [String] = []

    @Option(
        help: ArgumentHelp(
            "Set the request that is answered: 010C or ATRV.",
            discussion:
                "Use it if the text does not contain the request. The input is then one reply.",
            valueName: "request"))
    var request: String?

    @Option(
        name: .customLong("protocol"),
        help: ArgumentHelp(
            "Read headers of this protocol (default: auto).",
            discussion: "It is 1 to 9, A to C, or a name such as iso15765-11-500.",
            valueName: "protocol"))
    var protocolName = "auto"

    @Flag(help: "Print reassembled messages instead of values.")
    var messages = false

    @Option(
        help: ArgumentHelp(
            "Add a PID table or a DBC file; may be repeated.", valueName: "file"),
        completion: .file())
    var table: [String] = []

    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if protocolName != "auto" && protocolName != "0" && VehicleProtocol(protocolName) == nil {
            throw ValidationError(
                "'\(printable(protocolName))' is not a vehicle protocol: use auto, 1 to 9, A to C, or a name such as iso15765-11-500"
            )
        }
        if let request, !ConversationReader.isRequest(request) {
            throw ValidationError(
                "'\(printable(request))' is not a request: use hexadecimal digits, such as 010C, or an AT or ST command"
            )
        }
    }

    func run() throws {
        try tables.checkThatPacksAreNamed()
        var writer = TextOutput.standard
        var pipeline = try PrintedDecoding(self)
        let sources = try DecodeSource.all(inputs, answering: request)
        var damaged: [String] = []
        var unread: [(name: String, failure: Failure)] = []
        for source in sources {
            var (sawError, isEmpty, hasBegun) = (false, true, sources.count == 1)
            do {
                try source.forEachChunk { chunk in
                    if !hasBegun { try writer.append { pipeline.begin(source.name, into: &$0) } }
                    hasBegun = true
                    isEmpty = isEmpty && chunk.allSatisfy { $0 <= 0x20 }
                    try pipeline.prepare(for: chunk)
                    try writer.append { pipeline.read(chunk, into: &$0) }
                    // A pipe gets every answer as soon as it is complete.
                    try writer.flush()
                }
                if isEmpty {
                    throw Failure(
                        "\(source.name): nothing to decode",
                        hint: "give a file, or an answer such as 7E8 04 41 0C 1A F8",
                        status: .badData)
                }
            } catch let failure as Failure where sources.count > 1 {
                unread.append((source.name, failure))
                output.note(failure.message)
            }
            try writer.append { sawError = pipeline.finish(into: &$0) }
            try writer.flush()
            if sawError { damaged.append(source.name) }
        }
        if damaged.isEmpty, unread.isEmpty { return }
        guard sources.count > 1 else { throw Failure.silent(.badData) }
        var parts: [String] = []
        if !damaged.isEmpty { parts.append("errors in \(damaged.joined(separator: ", "))") }
        if !unread.isEmpty {
            parts.append("not decoded: \(unread.map(\.name).joined(separator: ", "))")
        }
        throw Failure(
            parts.joined(separator: "; "),
            hint: damaged.isEmpty
                ? "the other files were decoded"
                : "the messages above name each line; the rest of the files was decoded",
            status: unread.map(\.failure.status).first { $0 != .badData } ?? .badData)
    }
}
