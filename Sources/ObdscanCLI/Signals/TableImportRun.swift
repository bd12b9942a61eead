import Diagnostics
import OBDCore
import PIDTables
import SystemIO
import TableImport

/// Reads other programs' tables from files and folders.
struct TableImportRun {
    /// The format of the sources; nil = detect it for each source.
    var format: TableFormat?
    /// Model year, header and what is left out.
    var options = ImportOptions()
    /// A folder of recorded answers.
    var tests: String?

    /// A file of unknown format.
    struct Unread {
        var path: String
        var failure: Failure
    }

    /// Folders are searched this deep: a collection, a model, its signal sets.
    private static let deepest = 6
    private static let mostFiles = 20_000

    /// The table from the file at `path`; nil if the file is not a table of another program.
    static func text(of contents: [UInt8], _ path: String) throws(Failure) -> [UInt8]? {
        guard !path.hasSuffix(".pids") else { return nil }
        var run = TableImportRun()
        try run.leaveOutBuiltIn()
        let source: ImportedSource
        do throws(TableSource.Fault) {
            source = try TableSource.read(contents, name(of: path), run.options)
        } catch {
            return nil
        }
        let table = run.table([(source, contents, path)])
        guard table.takenCount > 0 else {
            throw Failure(
                "\(path): none of \(table.rowCount) rows is usable",
                hint: "obdscan pids import --check \(path) says why", status: .badData)
        }
        return Array(table.text.utf8)
    }

    /// Leaves out signals of our own table, because that is the reliable source.
    mutating func leaveOutBuiltIn() throws(Failure) {
        do {
            let services: Set<Service> = [.currentData, .vehicleInformation]
            options.builtIn = Set(
                try PIDTables.standard().records.map(\.dataID).filter {
                    services.contains($0.service)
                })
        } catch {
            throw Failure(error)
        }
    }

    private static func name(of path: String) -> String {
        String(path.split(separator: "/").last ?? "")
    }

    /// The files below a path that may be tables, with their names.
    func files(at path: String) throws(Failure) -> [(path: String, name: String)] {
        guard Files.isFolder(path) else { return [(path, Self.name(of: path))] }
        var found: [(path: String, name: String)] = []
        try collect(path, "", depth: 0, &found)
        guard found.count <= Self.mostFiles else {
            throw Failure(
                "\(path) holds more than \(Self.mostFiles) files",
                hint: "name the folder of the tables", status: .usage)
        }
        return found
    }

    private func collect(
        _ folder: String, _ prefix: String, depth: Int,
        _ found: inout [(path: String, name: String)]
    ) throws(Failure) {
        guard depth < Self.deepest, found.count <= Self.mostFiles else { return }
        let names: [String]
        do throws(SystemError) {
            names = try Files.entries(of: folder)
        } catch {
            throw Failure(inputFile: folder, errno: error.errno)
        }
        let files = chosen(names)
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

    /// Reads the files and separates tables from other files.
    func read(
        _ files: [(path: String, name: String)]
    ) throws(Failure) -> (
        sources: [(source: ImportedSource, contents: [UInt8], path: String)], unread: [Unread]
    ) {
        var sources: [(source: ImportedSource, contents: [UInt8], path: String)] = []
        var unread: [Unread] = []
        let recorded = try tests.map { folder throws(Failure) in try Self.tests(in: folder) } ?? []
        for file in files {
            let contents = try ObdscanCLI.contents(of: file.path)
            do throws(TableSource.Fault) {
                var source = try TableSource.read(contents, file.name, as: format, options)
                if !recorded.isEmpty { source.prove(by: recorded, year: options.year) }
                sources.append((source, contents, file.path))
            } catch {
                unread.append(Unread(path: file.path, failure: Failure(error, of: file.path)))
            }
        }
        return (sources, unread)
    }

    /// One table from all sources.
    func table(
        _ sources: [(source: ImportedSource, contents: [UInt8], path: String)]
    ) -> ImportedTable {
        let origins = sources.map { source, contents, path in
            let date = Files.modified(path).map {
                String(UTC(microseconds: $0 * 1_000_000).text.prefix(10))
            }
            return ImportedTable.Origin(
                file: source.file, format: source.format, digest: SHA256.text(of: contents),
                date: date)
        }
        return ImportedTable(sources.map(\.source), from: origins)
    }

    /// The recorded answers below a folder.
    private static func tests(in folder: String) throws(Failure) -> [OBDbTests] {
        guard Files.isFolder(folder) else {
            throw Failure("\(folder) is not a folder", status: .noInput)
        }
        var tests: [OBDbTests] = []
        try collectTests(folder, year: nil, depth: 0, &tests)
        return tests
    }

    private static func collectTests(
        _ folder: String, year: Int?, depth: Int, _ tests: inout [OBDbTests]
    ) throws(Failure) {
        guard depth < deepest, tests.count <= mostFiles else { return }
        for name in Files.names(in: folder) where !name.hasPrefix(".") {
            let path = folder + "/" + name
            let own = Int(name).flatMap { (1900...2200).contains($0) ? $0 : nil }
            if Files.isFolder(path) {
                try collectTests(path, year: own ?? year, depth: depth + 1, &tests)
            } else if name.hasSuffix(".yaml") || name.hasSuffix(".yml") {
                let label = year.map { "\($0)/\(name)" } ?? name
                tests.append(
                    OBDbTests(try ObdscanCLI.contents(of: path), file: label, year: year))
            }
        }
    }
}

extension Failure {
    /// Why a file is not a table of another program.
    init(_ fault: TableSource.Fault, of path: String) {
        switch fault {
        case .unknownForm:
            self.init(
                "\(path) is not a table that obdscan can import",
                hint: "obdscan pids import --help names the forms", status: .badData)
        case .json(let line):
            self.init("\(path):\(line): the JSON text ends or breaks here", status: .badData)
        case .otherForm(let format):
            self.init(
                "\(path) is a \(format.title)", hint: "use --from \(format.rawValue)",
                status: .badData)
        case .tooLong:
            self.init("\(path) is too long for a table", status: .badData)
        }
    }
}
