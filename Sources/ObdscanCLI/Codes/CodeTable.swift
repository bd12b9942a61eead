import Formats
import Glibc
import OBDCore
import SystemIO
import VehicleReports

/// The file that rows of trouble codes go to: CSV, JSON Lines, or a sheet for spreadsheet programs.
///
/// Each vehicle's rows are in the file when ``add(_:)`` returns.
final class CodeTable {
    /// What its ending says; CSV where it has none.
    enum Form: String {
        case csv, jsonl, xlsx
    }

    private let path: String?
    private let form: Form
    private let isLocalTime: Bool
    /// -1 for a sheet, which is written anew each time.
    private let descriptor: Int32
    private var writer: RowWriter
    private var book: Workbook

    /// How many codes were added.
    private(set) var codes = 0
    /// How many rows were added.
    private(set) var rows = 0

    /// The form of a file: what the command line names, else what the ending promises; a ``Failure``
    /// for an ending that promises something else.
    static func form(of path: String?, _ output: OutputOptions) throws(Failure) -> Form {
        if let chosen = output.explicitFormat { return chosen == .json ? .jsonl : .csv }
        switch path.flatMap({ OutputFile.ending(of: $0) }) {
        case nil: return output.format == .json ? .jsonl : .csv
        case "csv", "tsv": return .csv
        case "jsonl", "ndjson", "json": return .jsonl
        case "xlsx": return .xlsx
        case let ending?:
            throw Failure(
                "\(path ?? ""): dtc writes .csv, .tsv, .jsonl and .xlsx"
                    + (ending.isEmpty ? "" : ", not .\(ending)"),
                hint: "Name a file that ends in one of them, or set --format.", status: .usage)
        }
    }

    /// Opens a table; without a path it goes to standard output.
    ///
    /// - Parameter appends: keeps the rows that the file has.
    init(_ options: CodeTableOptions, appends: Bool, _ output: OutputOptions) throws {
        path = options.to.flatMap { OutputFile.isStandardOutput($0) ? nil : $0 }
        isLocalTime = options.localTime
        form = try Self.form(of: path, output)
        let isTabs = path.flatMap { OutputFile.ending(of: $0) } == "tsv"
        let separator = options.delimiter?.scalar ?? (isTabs ? "\t" : ",")
        book = Workbook(title: "codes", columns: CodeBatch.columns.map { ($0, Self.width($0)) })
        var hasHeading = false
        if let path, form == .xlsx {
            descriptor = -1
            if appends, OutputFile.size(of: path) ?? 0 > 0 {
                throw Failure(
                    "\(path) is there already, and rows cannot be added to a sheet",
                    hint: "Name a new file, or add to a .csv file.", status: .usage)
            }
            try OutputFile.write(path, bytes: book.bytes)
        } else if let path {
            (descriptor, hasHeading) = try Self.open(path, form, appends: appends, separator)
        } else {
            descriptor = STDOUT_FILENO
        }
        writer = RowWriter(
            form == .jsonl ? .json : .csv, columns: CodeBatch.columns, hasHeading: hasHeading,
            separator: separator)
        try write { writer.finish(&$0) }
    }

    deinit {
        if descriptor > STDERR_FILENO { close(descriptor) }
    }

    /// Adds the rows of one vehicle.
    func add(_ found: [Row]) throws {
        rows += found.count
        codes += found.count { !$0["code"].isNull }
        guard let path, form == .xlsx else {
            return try write { output in
                for row in found { writer.append(shown(row), to: &output) }
            }
        }
        for row in found {
            guard book.hasRoom else {
                throw Failure(
                    "\(path) is full", hint: "A .csv file has room for more.",
                    status: .cannotCreate)
            }
            book.add(CodeBatch.columns.map { cell($0, of: row) })
        }
        try OutputFile.write(path, bytes: book.bytes)
    }

    /// `codes.csv: 3 codes written`; nil where it goes to standard output.
    var sentence: String? {
        path.map { "\($0): \(codes) \(codes == 1 ? "code" : "codes") written" }
    }

    private func write(_ body: (inout [UInt8]) -> Void) throws {
        guard descriptor >= 0 else { return }
        var bytes: [UInt8] = []
        body(&bytes)
        do throws(OutputError) {
            try writeAll(bytes, to: descriptor)
        } catch {
            guard case .failed(let number) = error, let path else { throw error }
            throw Failure(outputFile: path, errno: number)
        }
    }

    // MARK: Times

    /// What the clock on the wall shows, where that is wanted.
    private func time(of row: Row) -> UTC? {
        guard let time = row["time"].shown.flatMap({ UTC($0) }) else { return nil }
        // Local time reads like UTC without its Z.
        return isLocalTime ? UTC(SystemIO.localTime(time) + "Z") : time
    }

    private func shown(_ row: Row) -> Row {
        guard isLocalTime, let time = row["time"].shown.flatMap({ UTC($0) }) else { return row }
        var row = row
        row.set("time", .text(SystemIO.localTime(time)))
        return row
    }

    private func cell(_ column: String, of row: Row) -> Workbook.Cell {
        guard column == "time", let time = time(of: row) else { return .init(row[column]) }
        return .time(time)
    }

    /// Unit: characters.
    private static func width(_ column: String) -> Int {
        switch column {
        case "description", "error": 48
        case "time", "vin", "device": 20
        case "label", "ecuName": 16
        default: 11
        }
    }

    // MARK: The file

    /// - Returns: its descriptor, and whether its heading is there already.
    private static func open(
        _ path: String, _ form: Form, appends: Bool, _ separator: Unicode.Scalar
    ) throws(Failure) -> (descriptor: Int32, hasHeading: Bool) {
        let way = appends ? O_APPEND : O_TRUNC
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | way, 0o666)
        guard descriptor >= 0 else { throw Failure(outputFile: path, errno: errno) }
        guard appends, lseek(descriptor, 0, SEEK_END) > 0 else { return (descriptor, false) }
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        let line = buffer.prefix(max(0, count)).prefix { $0 != 0x0D && $0 != 0x0A }
        func isHeading(_ separator: String) -> Bool {
            line.elementsEqual(CodeBatch.columns.joined(separator: separator).utf8)
        }
        let isRight =
            form == .jsonl
            ? line.starts(with: Array("{\"kind\":\"\(CodeBatch.kind)\"".utf8))
            : isHeading(String(separator))
        if isRight { return (descriptor, true) }
        close(descriptor)
        for delimiter in form == .csv ? Delimiter.allValueStrings : [] {
            guard let character = Delimiter(argument: delimiter)?.scalar,
                isHeading(String(character))
            else { continue }
            throw Failure(
                "\(path) is separated by \(delimiter)", hint: "Add --delimiter '\(delimiter)'.",
                status: .usage)
        }
        throw Failure(
            "\(path) is not a table of trouble codes, or has other columns",
            hint: "Write to a new file, or leave out --append.", status: .badData)
    }
}
