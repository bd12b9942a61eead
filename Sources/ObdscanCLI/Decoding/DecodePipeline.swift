import Adapters
import Diagnostics
import OBDCore
import PIDTables
import TripExport

/// From bytes to printed lines: what `obdscan decode` does, without files.
struct DecodePipeline {
    /// How a text is told apart: a recording of obdscan's begins with its magic line.
    private enum Input {
        case unknown([UInt8])
        case text
        case transcript([UInt8])
    }

    private let options: ConversationReader.Options
    private let messagesOnly: Bool
    private(set) var tables: DecodeTables
    private var run: DecodeRun
    private var lines = TextLines()
    private var printer: DecodePrinter
    private var input = Input.unknown([])

    /// A pipeline for the command's options.
    init(_ command: DecodeCommand) throws {
        options = ConversationReader.Options(
            request: command.request, vehicleProtocol: VehicleProtocol(command.protocolName))
        messagesOnly = command.messages
        tables = try DecodeTables(command)
        run = DecodeRun(
            reader: ConversationReader(options), decoder: tables.decoder,
            messagesOnly: messagesOnly)
        printer = DecodePrinter(
            format: command.output.format, units: command.output.units, table: tables.table,
            codeTexts: try loadCodeTexts())
    }

    /// Loads what of the tables `chunk` may ask for; call it before that is read.
    mutating func prepare(for chunk: ArraySlice<UInt8>) throws(Failure) {
        // Reassembly needs the lengths of records, too, where several answers stand in one line.
        guard try tables.grow(for: chunk) else { return }
        run.use(table: tables.table, monitors: tables.monitors)
        printer.use(tables.table)
    }

    /// Begins with the input of that name, where there are several.
    mutating func begin(_ name: String, into printed: inout [UInt8]) {
        printer.begin(name, to: &printed)
    }

    /// Reads a chunk; whatever it completes is appended to `printed`.
    mutating func read(_ chunk: ArraySlice<UInt8>, into printed: inout [UInt8]) {
        switch input {
        case .text: readText(chunk, into: &printed)
        case .transcript(var all):
            input = .text
            all.append(contentsOf: chunk)
            input = .transcript(all)
        case .unknown(var start):
            start.append(contentsOf: chunk)
            let magic = Array(Transcript.magic.utf8.dropLast())
            if Transcript.isTranscript(start) {
                input = .transcript(start)
            } else if start.count > magic.count || !magic.starts(with: start) {
                input = .text
                readText(start[...], into: &printed)
            } else {
                input = .unknown(start)
            }
        }
    }

    /// Ends this text and gets ready for another; tells whether an error was in it.
    mutating func finish(into printed: inout [UInt8]) -> Bool {
        switch input {
        case .text: break
        case .unknown(let rest): readText(rest[...], into: &printed)
        case .transcript(let bytes): readTranscript(bytes, into: &printed)
        }
        lines.finish { line, number in
            run.read(line, number: number) { printer.append($0, to: &printed) }
        }
        run.finish { printer.append($0, to: &printed) }
        run = DecodeRun(
            reader: ConversationReader(options), decoder: tables.decoder,
            messagesOnly: messagesOnly)
        lines = TextLines()
        input = .unknown([])
        return printer.takeError()
    }

    private mutating func readText(_ chunk: ArraySlice<UInt8>, into printed: inout [UInt8]) {
        lines.receive(chunk) { line, number in
            run.read(line, number: number) { printer.append($0, to: &printed) }
        }
    }

    private mutating func readTranscript(_ bytes: [UInt8], into printed: inout [UInt8]) {
        do {
            let (transcript, numbers) = try Transcript.parse(bytes)
            TranscriptLines.forEach(in: transcript, numbers: numbers) { line, direction, number in
                switch direction {
                case .toAdapter:
                    run.readRequest(line, number: number) { printer.append($0, to: &printed) }
                case .fromAdapter:
                    run.read(line, number: number) { printer.append($0, to: &printed) }
                }
            }
        } catch {
            printer.appendUnreadable(reason: error.reason, line: error.line, to: &printed)
        }
    }
}
