import Diagnostics
import OBDCore
import PIDTables
import SystemIO
import TableImport

/// Why files do not become a table.
package enum TableImportFault: Error {
    /// A file or folder cannot be read.
    case unreadable(path: String, errno: Int32)
    /// The folder holds more files than any collection of tables.
    case tooManyFiles(path: String, most: Int)
    /// The path is not a folder.
    case notAFolder(path: String)
    /// A table of another program without a row that can be used.
    case noUsableRow(path: String, rows: Int)
    /// A DBC file without a message and its signals.
    case noMessage(path: String)
    /// No table of another program.
    case foreign(TableSource.Fault, path: String)
    /// A fault in our own table.
    case table(TableError)
}

/// Reads other programs' tables from files and folders.
package struct TableImportRun {
    /// The format of the sources; nil = detect each.
    private let format: TableFormat?
    /// Model year, header and rows to leave out.
    package var options = ImportOptions()
    /// A folder of recorded answers.
    private let tests: String?

    /// Reads tables of `format`, and compares them with the recorded answers in the folder `tests`.
    package init(format: TableFormat? = nil, tests: String? = nil) {
        self.format = format
        self.tests = tests
    }

    /// A file whose form is not known.
    package struct Unread {
        package var path: String
        /// Why the file is not read.
        package var fault: TableImportFault
    }

    /// Folders are searched this deep: a collection, a model, its signal sets.
    private static let deepest = 6
    private static let mostFiles = 20_000

    /// The table that the file at `path` makes; nil if it is not a table of another program.
    package static func table(of contents: [UInt8], _ path: String) throws(TableImportFault)
        -> ImportedTable?
    {
        guard !path.hasSuffix(".pids") else { return nil }
        var run = TableImportRun()
        try run.leaveOutBuiltIn()
        let source: ImportedSource
        do throws(TableSource.Fault) {
            source = try TableSource.read(contents, name(of: path), run.options)
        } catch {
            guard path.lowercased().hasSuffix(".dbc") else { return nil }
            throw .noMessage(path: path)
        }
        return run.table([(source, contents, path)])
    }

    /// What `pids lint` says of a table of another program: the rows that cannot be used, by their lines.
    package static func findings(in table: ImportedTable, _ path: String) -> [TableFinding] {
        guard table.rowCount > 0 else { return [TableFinding(file: path, line: 1, .noRecord)] }
        return table.findings.map { finding in
            TableFinding(
                file: path, line: finding.line,
                .row(finding.name, finding.reason, isLost: finding.isLost))
        }
    }

    /// If a source has the same record, our own table is right.
    package mutating func leaveOutBuiltIn() throws(TableImportFault) {
        do throws(TableError) {
            let services: Set<Service> = [.currentData, .vehicleInformation]
            options.builtIn = Set(
                try PIDTables.standard().records.map(\.dataID).filter {
                    services.contains($0.service)
                })
        } catch {
            throw .table(error)
        }
    }

    private static func name(of path: String) -> String {
        String(path.split(separator: "/").last ?? "")
    }

    /// The files below a path that may be tables, and how they are named.
    package func files(at path: String) throws(TableImportFault) -> [(path: String, name: String)] {
        guard Files.isFolder(path) else { return [(path, Self.name(of: path))] }
        var found: [(path: String, name: String)] = []
        try collect(path, "", depth: 0, &found)
        guard found.count <= Self.mostFiles else {
            throw .tooManyFiles(path: path, most: Self.mostFiles)
        }
        return found
    }

    private func collect(
        _ folder: String, _ prefix: String, depth: Int,
        _ found: inout [(path: String, name: String)]
    ) throws(TableImportFault) {
        guard depth < Self.deepest, found.count <= Self.mostFiles else { return }
        let names: [String]
        do throws(SystemError) {
            names = try Files.entries(of: folder)
        } catch {
            throw .unreadable(path: folder, errno: error.errno)
        }
        let files = Set(chosen(names))
        for name in names where !name.hasPrefix(".") && !["tests", "node_modules"].contains(name) {
            let path = folder + "/" + name
            if Files.isFolder(path) {
                try collect(path, prefix + name + "/", depth: depth + 1, &found)
            } else if files.contains(name) {
                found.append((path, prefix + name))
            }
        }
    }

    /// The relevant files of a folder: of signal sets by year only the one with the selected year.
    private func chosen(_ names: [String]) -> [String] {
        let files = names.filter { name in
            let lower = name.lowercased()
            // A profile may have no file name extension.
            return !name.contains(".")
                || [".json", ".csv", ".dbc", ".txt"].contains { lower.hasSuffix($0) }
        }
        func years(_ name: String) -> ClosedRange<Int>? {
            let parts = name.dropLast(5).split(separator: "-")
            guard name.hasSuffix(".json"), parts.count == 2, let first = Int(parts[0]),
                let last = Int(parts[1]), (1900...2200).contains(first), first <= last
            else { return nil }
            return first...last
        }
        let ranged = files.filter { years($0) != nil }
        guard !ranged.isEmpty, files.contains("default.json") else { return files }
        if let year = options.year,
            let fitting = ranged.first(where: { years($0)?.contains(year) ?? false })
        {
            return files.filter { years($0) == nil && $0 != "default.json" } + [fitting]
        }
        return files.filter { years($0) == nil }
    }

    /// Reads the files, and separates tables from other files.
    package func read(
        _ files: [(path: String, name: String)]
    ) throws(TableImportFault) -> (
        sources: [(source: ImportedSource, contents: [UInt8], path: String)], unread: [Unread]
    ) {
        var sources: [(source: ImportedSource, contents: [UInt8], path: String)] = []
        var unread: [Unread] = []
        let recorded =
            try tests.map { folder throws(TableImportFault) in try Self.tests(in: folder) } ?? []
        for file in files {
            let contents = try Self.contents(of: file.path)
            do throws(TableSource.Fault) {
                var source = try TableSource.read(contents, file.name, as: format, options)
                if !recorded.isEmpty { source.prove(by: recorded, year: options.year) }
                sources.append((source, contents, file.path))
            } catch {
                unread.append(Unread(path: file.path, fault: .foreign(error, path: file.path)))
            }
        }
        return (sources, unread)
    }

    package func table(
        _ sources: [(source: ImportedSource, contents: [UInt8], path: String)]
    ) -> ImportedTable {
        let origins = sources.map { source, contents, path in
            let date = Files.modified(path).map {
                String(UTC(microseconds: 0).later(bySeconds: Double($0)).text.prefix(10))
            }
            return ImportedTable.Origin(
                file: source.file, format: source.format, digest: SHA256.text(of: contents),
                date: date)
        }
        return ImportedTable(sources.map(\.source), from: origins)
    }

    /// The recorded answers below a folder.
    private static func tests(in folder: String) throws(TableImportFault) -> [OBDbTests] {
        guard Files.isFolder(folder) else {
            throw .notAFolder(path: folder)
        }
        var tests: [OBDbTests] = []
        try collectTests(folder, year: nil, depth: 0, &tests)
        return tests
    }

    private static func collectTests(
        _ folder: String, year: Int?, depth: Int, _ tests: inout [OBDbTests]
    ) throws(TableImportFault) {
        guard depth < deepest, tests.count <= mostFiles else { return }
        for name in Files.names(in: folder) where !name.hasPrefix(".") {
            let path = folder + "/" + name
            let own = Int(name).flatMap { (1900...2200).contains($0) ? $0 : nil }
            if Files.isFolder(path) {
                try collectTests(path, year: own ?? year, depth: depth + 1, &tests)
            } else if name.hasSuffix(".yaml") || name.hasSuffix(".yml") {
                let label = year.map { "\($0)/\(name)" } ?? name
                tests.append(
                    OBDbTests(try contents(of: path), file: label, year: year))
            }
        }
    }

    private static func contents(of path: String) throws(TableImportFault) -> [UInt8] {
        do throws(SystemError) {
            return try Files.bytes(of: path)
        } catch {
            throw .unreadable(path: path, errno: error.errno)
        }
    }
}
