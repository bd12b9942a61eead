import Adapters
import Conversation
import OBDCore
import PIDTables
import Reports

/// Decodes bytes to printed lines, as `obdscan decode` does, without files.
struct PrintedDecoding {
    private(set) var pipeline: DecodePipeline
    private var printer: DecodePrinter

    /// A pipeline and a printer for the command's options.
    init(_ command: DecodeCommand) throws {
        let options = ConversationReader.Options(
            request: command.request, vehicleProtocol: VehicleProtocol(command.protocolName))
        pipeline = try DecodePipeline(
            options, messagesOnly: command.messages,
            ownTables: try command.tables.files(adding: command.table))
        printer = DecodePrinter(
            command.output.form, table: pipeline.tables.table,
            knowledge: CodeKnowledge(texts: try loadCodeTexts()))
    }

    /// Loads the tables that `chunk` may need; call it before reading the chunk.
    mutating func prepare(for chunk: ArraySlice<UInt8>) throws {
        if try pipeline.prepare(for: chunk) { printer.use(pipeline.tables.table) }
    }

    /// Begins the input with this name, if there are several.
    mutating func begin(_ name: String, into printed: inout [UInt8]) {
        printer.begin(name, to: &printed)
    }

    /// Reads a chunk and appends the output for all complete lines to `printed`.
    mutating func read(_ chunk: ArraySlice<UInt8>, into printed: inout [UInt8]) {
        pipeline.read(chunk) { printer.append($0, at: $1, to: &printed) }
    }

    /// Ends this text and prepares for another; returns whether there was an error.
    mutating func finish(into printed: inout [UInt8]) -> Bool {
        pipeline.finish { printer.append($0, at: $1, to: &printed) }
        return printer.takeError()
    }
}
