import Formats
import OBDCore
import SystemIO

/// The output file for rows of codes: CSV, JSON Lines, or a sheet for spreadsheet programs.
///
/// If the table appends, each vehicle's rows are in the file when ``add(_:)`` returns. Otherwise the file
/// appears when ``finish()`` is called, so that an interrupted run does not replace a whole table by half of
/// one.
package final class CodeTable {
    /// Why rows cannot be written.
    package enum Fault: Error {
        /// An ending of another file format.
        case ending(path: String, String)
        /// A form that the name of the file contradicts.
        case otherForm(path: String, chosen: String)
        case existingSheet(path: String)
        /// A sheet without room for more rows.
        case full(path: String)
        /// A file that cannot be opened or written.
        case unwritable(path: String, errno: Int32)
        /// A table with this between its cells.
        case separatedBy(path: String, Unicode.Scalar)
        /// A table whose rows have local times although the new rows are in UTC, or the other way round.
        case otherTimes(path: String, isLocal: Bool)
        /// Not a table of codes, or one with other columns.
        case otherTable(path: String)
    }

    /// The form by the file's ending; CSV without an ending.
    package enum Form: String {
        case csv, jsonl, xlsx
    }

    private let path: String?
    private let form: Form
    private let subject: CodeBatch.Subject
    private let isLocalTime: Bool
    /// -1 for a sheet, which is written as a whole.
    private let descriptor: Int32
    /// The file to which rows are appended.
    private var file: AppendedFile?
    /// The file that replaces another when the table is complete.
    private var pending: PendingFile?
    private var writer: RowWriter
    private var book: Workbook

    /// Whether the table replaces the earlier content of the file.
    private let isReplaced: Bool
    /// Whether the file keeps its earlier content.
    package let hadRows: Bool
    private var rows = 0

    /// The form of a file: the chosen form, else the form of its ending; without a path, the form of standard
    /// output.
    package static func form(
        of path: String?, chosen: OutputFormat?, standard: OutputFormat
    ) throws(Fault) -> Form {
        let ending = path.flatMap { OutputFile.ending(of: $0) }
        if let chosen {
            let form: Form = chosen == .json ? .jsonl : .csv
            let named = ["csv", "tsv", "jsonl", "ndjson", "json", "xlsx"].contains(ending)
            if let path, named, try self.form(of: path, chosen: nil, standard: standard) != form {
                throw .otherForm(path: path, chosen: chosen.rawValue)
            }
            return form
        }
        switch ending {
        case nil: return standard == .json ? .jsonl : .csv
        case "csv", "tsv": return .csv
        case "jsonl", "ndjson", "json": return .jsonl
        case "xlsx": return .xlsx
        case let ending?: throw .ending(path: path ?? "", ending)
        }
    }

    /// Opens a table; without a path it goes to standard output.
    ///
    /// - Parameters:
    ///   - appends: keeps the rows that the file has.
    ///   - standard: standard output.
    ///   - chosen: the form that the command line names; nil = the file's ending decides.
    ///   - format: the form of standard output.
    ///   - subject: the subject of each row.
    ///   - separator: the character between the cells of CSV; nil = the file's ending decides.
    package init(
        _ path: String?, standard: Int32, appends: Bool, chosen: OutputFormat?,
        format: OutputFormat, subject: CodeBatch.Subject, isLocalTime: Bool, separator: Delimiter?
    ) throws {
        let path = path.flatMap { OutputFile.isStandardOutput($0) ? nil : $0 }
        self.path = path
        self.subject = subject
        self.isLocalTime = isLocalTime
        isReplaced = !appends && path.flatMap { OutputFile.size(of: $0) } ?? 0 > 0
        form = try Self.form(of: path, chosen: chosen, standard: format)
        let ending = path.flatMap { OutputFile.ending(of: $0) }
        let separator = (separator ?? Delimiter(ending: ending)).scalar
        book = Workbook(
            title: subject == .code ? "codes" : "vehicles",
            columns: subject.columns.map { ($0, Self.width($0)) })
        var hasHeading = false
        if let path, !appends {
            let file = try Self.writing(path) { () throws(OutputError) in try PendingFile(path) }
            descriptor = form == .xlsx ? -1 : file.descriptor
            pending = file
        } else if let path, form == .xlsx {
            descriptor = -1
            if OutputFile.size(of: path) ?? 0 > 0 {
                throw Fault.existingSheet(path: path)
            }
            try OutputFile.write(path, bytes: book.bytes)
        } else if let path {
            let file = try Self.open(path, form, subject, separator)
            if let beginning = file.beginning,
                let time = Self.firstTime(beginning, form, separator),
                time.hasSuffix("Z") == isLocalTime
            {
                throw Fault.otherTimes(path: path, isLocal: !isLocalTime)
            }
            (descriptor, hasHeading) = (file.descriptor, file.beginning != nil)
            self.file = file
        } else {
            descriptor = standard
        }
        hadRows = hasHeading
        writer = RowWriter(
            form == .jsonl ? .json : .csv, columns: subject.columns, hasHeading: hasHeading,
            separator: separator)
        try write { writer.finish(&$0) }
    }

    /// Adds the rows of one vehicle.
    package func add(_ found: [Row]) throws {
        let found = subject == .code ? found : CodeBatch.vehicle(found).map { [$0] } ?? []
        rows += found.count
        guard let path, form == .xlsx else {
            return try write { output in
                for row in found { writer.append(shown(row), to: &output) }
            }
        }
        for row in found {
            guard book.hasRoom else {
                throw Fault.full(path: path)
            }
            book.add(subject.columns.map { cell($0, of: row) })
        }
        if pending == nil { try OutputFile.write(path, bytes: book.bytes) }
    }

    /// Lets a complete table appear; an extended table exists already.
    package func finish() throws {
        guard let path, let pending else { return }
        try Self.writing(path) { () throws(OutputError) in
            if form == .xlsx { try writeAll(book.bytes, to: pending.descriptor) }
            try pending.appear()
        }
    }

    /// `codes.csv: 3 rows written`; nil for standard output.
    package var sentence: String? {
        path.map {
            "\($0): \(counted(rows, "row")) written"
                + (isReplaced ? ", in place of what it held" : "")
                + (isReplaced && form != .xlsx ? " (--append keeps that)" : "")
        }
    }

    private func write(_ body: (inout [UInt8]) -> Void) throws {
        guard descriptor >= 0 else { return }
        var bytes: [UInt8] = []
        body(&bytes)
        try Self.writing(path) { () throws(OutputError) in try writeAll(bytes, to: descriptor) }
    }

    private static func writing<Value>(
        _ path: String?, _ body: () throws(OutputError) -> Value
    ) throws -> Value {
        do throws(OutputError) {
            return try body()
        } catch {
            guard case .failed(let number) = error, let path else { throw error }
            throw Fault.unwritable(path: path, errno: number)
        }
    }

    // MARK: Times

    /// The time of a row, in local time if the user wants that.
    private func time(of row: Row) -> UTC? {
        guard let time = row["time"].shown.flatMap({ UTC($0) }) else { return nil }
        // Represent local time as if it was UTC, because its text is the same without the Z.
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
        case "codes": 32
        case "label", "ecuName": 16
        default: 11
        }
    }

    // MARK: The file

    /// The time in the first row of a table; nil if the table is empty.
    private static func firstTime(
        _ beginning: [UInt8], _ form: Form, _ separator: Unicode.Scalar
    ) -> Substring? {
        let lines = String(decoding: beginning, as: UTF8.self)
            .split(maxSplits: 2, whereSeparator: \.isNewline)
        if form == .jsonl {
            let parts = lines.first?.split(separator: "\"", omittingEmptySubsequences: false)
            guard let parts, let name = parts.firstIndex(of: "time"), parts.count > name + 2
            else { return nil }
            return parts[name + 2]
        }
        guard lines.count > 1 else { return nil }
        return lines[1].prefix { $0 != Character(separator) }
    }

    /// - Returns: The descriptor, and whether the file has a heading already.
    private static func open(
        _ path: String, _ form: Form, _ subject: CodeBatch.Subject, _ separator: Unicode.Scalar
    ) throws(Fault) -> AppendedFile {
        let file: AppendedFile
        do throws(SystemError) {
            file = try AppendedFile(path)
        } catch {
            throw .unwritable(path: path, errno: error.errno)
        }
        guard let beginning = file.beginning else { return file }
        let line = beginning.prefix { $0 != 0x0D && $0 != 0x0A }
        func isHeading(_ separator: Unicode.Scalar) -> Bool {
            line.elementsEqual(subject.columns.joined(separator: String(separator)).utf8)
        }
        let isRight =
            form == .jsonl
            ? line.starts(with: Array("{\"kind\":\"\(subject.kind)\"".utf8))
            : isHeading(separator)
        if isRight { return file }
        let others: [Unicode.Scalar] = [",", ";", "\t"]
        if form == .csv, let other = others.first(where: isHeading) {
            throw .separatedBy(path: path, other)
        }
        throw .otherTable(path: path)
    }
}

extension CodeTable.Fault: Explained {
    /// Why rows of codes cannot be written.
    package var explanation: Explanation {
        switch self {
        case .ending(let path, let ending):
            let isPage = ["pdf", "html", "htm"].contains(ending)
            return Explanation(
                "\(path): dtc writes .csv, .tsv, .jsonl and .xlsx"
                    + (ending.isEmpty ? "" : ", not .\(ending)"),
                hint: isPage
                    ? "\"obdscan dtc report --to \(path)\" writes a page"
                    : "name a file that ends in one of them, or set --format", .usage)
        case .otherForm(let path, let chosen):
            return Explanation(
                "\(path): the name of the file contradicts the format \(chosen)",
                hint: "the ending chooses the format: leave --format and --json out", .usage)
        case .existingSheet(let path):
            return Explanation(
                "\(path) is there already, and rows cannot be added to a sheet",
                hint: "name a new file, or add to a .csv file", .usage)
        case .full(let path):
            return Explanation(
                "\(path) is full", hint: "a .csv file has room for more", .cannotCreate)
        case .unwritable(let path, let number):
            return FileError.unwritable(path, errno: number).explanation
        case .separatedBy(let path, let separator):
            let word = separator == "\t" ? "tab" : String(separator)
            return Explanation(
                "\(path) is separated by \(word)", hint: "add --delimiter '\(word)'",
                .usage)
        case .otherTimes(let path, let isLocal):
            return Explanation(
                "\(path) has \(isLocal ? "local times" : "times in UTC")",
                hint: isLocal ? "add --local-time" : "leave out --local-time", .usage)
        case .otherTable(let path):
            return Explanation(
                "\(path) is not a table of trouble codes, or has other columns",
                hint: "write to a new file, or leave out --append; a table of --one-row needs "
                    + "that option again",
                .badInput)
        }
    }
}
