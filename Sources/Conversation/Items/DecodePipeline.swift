import Adapters
import Diagnostics
import OBDCore
import PIDTables
import TripImport
import VehicleLink

/// Decodes bytes into their meaning: the work of `obdscan decode` without files and output.
public struct DecodePipeline {
    /// The kind of input; a recording of obdscan begins with its magic line.
    private enum Input {
        case unknown([UInt8])
        case text
        case transcript([UInt8])
        /// A log of a bus.
        case bus(BusLogReader)
    }

    private let options: ConversationReader.Options
    private let messagesOnly: Bool
    /// The part of the tables that is loaded.
    public private(set) var tables: DecodeTables
    private var run: DecodeRun
    private var pieces = TextPieces()
    private var lines = TextLines()
    private var input = Input.unknown([])

    /// A pipeline that has read nothing.
    ///
    /// `messagesOnly` stops after reassembly; `ownTables` take precedence over the embedded ones.
    ///
    /// - Throws: `TableError` or `MonitorTableError`, like ``prepare(for:)``.
    public init(
        _ options: ConversationReader.Options, messagesOnly: Bool, ownTables: [TableFile]
    ) throws {
        self.options = options
        self.messagesOnly = messagesOnly
        tables = try DecodeTables(ownTables, request: options.request)
        run = DecodeRun(
            reader: ConversationReader(options), decoder: tables.decoder,
            messagesOnly: messagesOnly)
    }

    /// Loads the tables that `chunk` may need; call it before reading the chunk.
    ///
    /// Returns whether further tables were loaded.
    public mutating func prepare(for chunk: ArraySlice<UInt8>) throws -> Bool {
        // Reassembly also needs the lengths of records, if one line has several answers.
        guard try tables.grow(for: chunk, mayBeOddlySpelled: mayHaveOddBytes(chunk)) else {
            return false
        }
        run.use(table: tables.table, monitors: tables.monitors)
        return true
    }

    /// Whether bytes may be written in another way than with two hexadecimal digits.
    private func mayHaveOddBytes(_ chunk: ArraySlice<UInt8>) -> Bool {
        guard case .unknown(let start) = input, chunk.count <= DecodeTables.shortText else {
            return false
        }
        var pieces = pieces
        let text = start + pieces.read(chunk, isLast: true)
        guard case .log(let form, _) = BusLogReader.beginning(text, isWhole: true) else {
            return false
        }
        return form != .candump
    }

    /// Reads a chunk and passes on everything that it completes.
    public mutating func read(
        _ chunk: ArraySlice<UInt8>, _ body: (DecodedLine, RecordedTime?) -> Void
    ) {
        take(pieces.read(chunk, isLast: false), body)
    }

    private mutating func take(
        _ chunk: ArraySlice<UInt8>, _ body: (DecodedLine, RecordedTime?) -> Void
    ) {
        switch input {
        case .text: readText(chunk, body)
        case .bus(var reader):
            input = .text
            readBus(chunk, &reader, body)
            input = .bus(reader)
        case .transcript(var all):
            input = .text
            all.append(contentsOf: chunk)
            input = .transcript(all)
        case .unknown(var start):
            start.append(contentsOf: chunk)
            input = .unknown(start)
            // A byte order mark is not text.
            if start.starts(with: [0xEF, 0xBB, 0xBF]) { start.removeFirst(3) }
            input = .unknown(start)
            if Transcript.isTranscript(start) {
                input = .transcript(start)
            } else {
                settle(start, isWhole: false, body)
            }
        }
    }

    /// Reads the beginning of an input that is not a recording of obdscan.
    ///
    /// Waits if the format needs more bytes.
    private mutating func settle(
        _ start: [UInt8], isWhole: Bool, _ body: (DecodedLine, RecordedTime?) -> Void
    ) {
        switch BusLogReader.beginning(start, isWhole: isWhole) {
        case .undecided: break
        case .text:
            input = .text
            readText(start[...], body)
        case .log(let form, let line):
            input = .text
            var reader = BusLogReader(form, from: line, tables.table, options.vehicleProtocol)
            readBus(start[...], &reader, body)
            input = .bus(reader)
        }
    }

    /// Ends this text and prepares for another.
    public mutating func finish(_ body: (DecodedLine, RecordedTime?) -> Void) {
        take(pieces.read([], isLast: true), body)
        if case .unknown(let rest) = input { settle(rest, isWhole: true, body) }
        switch input {
        case .text, .unknown: break
        case .bus(var reader):
            lines.finish { line, number in Self.read(line, number, &reader, &run, body) }
            var items: [ConversationItem] = []
            reader.finish(&items)
            run.take(items, line: [], number: 0, body)
        case .transcript(let bytes): readTranscript(bytes, body)
        }
        lines.finish { line, number in
            run.read(line, number: number, body)
        }
        run.finish(body)
        run = DecodeRun(
            reader: ConversationReader(options), decoder: tables.decoder,
            messagesOnly: messagesOnly)
        pieces = TextPieces()
        lines = TextLines()
        input = .unknown([])
    }

    private mutating func readText(
        _ chunk: ArraySlice<UInt8>, _ body: (DecodedLine, RecordedTime?) -> Void
    ) {
        lines.receive(chunk) { line, number in
            run.read(line, number: number, body)
        }
    }

    private mutating func readBus(
        _ chunk: ArraySlice<UInt8>, _ reader: inout BusLogReader,
        _ body: (DecodedLine, RecordedTime?) -> Void
    ) {
        lines.receive(chunk) { line, number in
            Self.read(line, number, &reader, &run, body)
        }
    }

    private static func read(
        _ line: [UInt8], _ number: Int, _ reader: inout BusLogReader, _ run: inout DecodeRun,
        _ body: (DecodedLine, RecordedTime?) -> Void
    ) {
        var items: [ConversationItem] = []
        reader.read(line, number: number, &items)
        run.take(items, line: line, number: number, body)
    }

    private mutating func readTranscript(
        _ bytes: [UInt8], _ body: (DecodedLine, RecordedTime?) -> Void
    ) {
        do {
            let (transcript, numbers) = try Transcript.parse(bytes)
            if transcript.isOfDoIP {
                let fault = DecodeError(
                    .malformed(
                        "a DoIP gateway was recorded, whose messages are not text: "
                            + "-d replay:FILE plays it"), ecu: nil, line: numbers.first ?? 1)
                body(.item(.error(fault), text: ""), nil)
                return
            }
            TranscriptLines.forEach(in: transcript, numbers: numbers) { line, direction, number in
                switch direction {
                case .toAdapter:
                    run.readRequest(line, number: number, body)
                case .fromAdapter:
                    run.read(line, number: number, body)
                }
            }
        } catch {
            let fault = DecodeError(.malformed(error.reason), ecu: nil, line: error.line)
            body(.item(.error(fault), text: ""), nil)
        }
    }
}
