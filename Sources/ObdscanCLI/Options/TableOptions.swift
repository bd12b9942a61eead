import ArgumentParser
import Diagnostics
import Glibc
import PIDTables
import Reports
import Settings
import SystemIO
import TableImport

/// The PID tables to use.
struct TableOptions: ParsableArguments {
    @Option(
        name: .customLong("pids"),
        help: ArgumentHelp(
            "Add PID tables from a file or folder; may be repeated.",
            discussion: """
                A file may also be a table of another program that 'obdscan pids import' reads. \
                Tables in $XDG_DATA_HOME/obdscan/pids are always added. The default is `pids` of the \
                configuration file. Without signals, live, log \
                and serve ask for each record once and poll the records that the vehicle answers.
                """,
            valueName: "path", visibility: .hidden),
        completion: .file())
    var paths: [String] = []

    @Option(
        name: .customLong("pack"),
        help: ArgumentHelp(
            "Add the table of a make or model; may be repeated.",
            discussion: """
                'obdscan pids packs' lists them. live, log, read and serve choose by the vehicle's \
                VIN and by what it answers. auto also chooses for a vehicle without a VIN. none \
                uses no pack.
                """, valueName: "name", visibility: .hidden),
        completion: .list(["auto", "none"] + PIDTables.packNames))
    var packs: [String] = []

    /// The files of the options after those of the user's folder, in the order of loading.
    func files(adding extra: [String] = []) throws(Failure) -> [TableFile] {
        var files = try packFiles() + TableFile.own(named: !paths.isEmpty)
        for path in paths + extra {
            for var file in try TableFile.all(at: path, saysUnused: true) {
                file.isNamed = true
                files.append(file)
            }
        }
        return files
    }

    /// The packs that the vehicle may choose.
    var automaticPacks: [TablePack] {
        packs.isEmpty || packs.contains("auto") ? PIDTables.automaticPacks() : []
    }

    /// Refuses to choose a pack if no vehicle can be asked.
    func checkThatPacksAreNamed() throws(Failure) {
        guard packs.contains("auto") else { return }
        throw Failure(
            "--pack auto needs a vehicle that it can ask", hint: "name the pack",
            status: .usage)
    }

    /// The records of the packs, as far as no other table replaces them.
    func packRecords(in table: PIDTable) -> [PIDTable.Record] {
        let named = PIDTables.packs().filter { packs.contains($0.name) }
        return named.flatMap { pack in
            let records = (try? PIDTables.records(of: pack)) ?? []
            return records.compactMap { row in
                table.records.first {
                    $0.dataID == row.dataID && $0.responder == row.responder
                }
            }
        }
    }

    private func packFiles() throws(Failure) -> [TableFile] {
        guard !packs.isEmpty else { return [] }
        let known = PIDTables.packs()
        var files: [TableFile] = []
        for name in packs where name != "auto" && name != "none" {
            guard let pack = known.first(where: { $0.name == name }) else {
                throw Failure(
                    "no pack is called \"\(name)\"",
                    hint: "there are auto, none, " + known.map(\.name).joined(separator: ", "),
                    status: .usage)
            }
            files.append(pack.file)
        }
        return files
    }
}

/// The embedded PID table, extended by the user's tables.
func loadTable(
    _ options: TableOptions, adding extra: [String] = [], automatic packs: [TablePack] = []
) throws(Failure) -> PIDTable {
    let files = try options.files(adding: extra)
    do {
        return try PIDTables.load(files, automatic: packs)
    } catch {
        throw Failure(error)
    }
}

extension TableFile {
    /// The tables in the user's own folder, and those that `pids` of the configuration names unless the command
    /// line does.
    ///
    /// One with a fault is left out with a message, because it would stop every command.
    static func own(named: Bool = false) throws(Failure) -> [TableFile] {
        var paths: [String] = []
        if let folder = dataFolder().map({ $0 + "/pids" }), access(folder, F_OK) == 0 {
            paths = try ObdscanCLI.files(in: folder, ending: ".pids")
        }
        for path in named ? [] : UserSettings.current.tablePaths {
            paths += Files.isFolder(path) ? try ObdscanCLI.files(in: path, ending: ".pids") : [path]
        }
        return paths.compactMap { path -> TableFile? in
            do throws(Failure) {
                guard let file = try all(at: path).first else { return nil }
                do throws(TableError) { try PIDTables.check(file) } catch { throw Failure(error) }
                return file
            } catch {
                let what = error.message + "; the whole file is left out"
                tellOnStandardError(Failure(what, hint: error.hint, status: error.status).text)
                return nil
            }
        }
    }

    /// The table at `path`, or every `.pids` file of the folder there, by name.
    ///
    /// - Parameter saysUnused: whether a note tells how many rows of another program's table are used, if not all.
    static func all(at path: String, saysUnused: Bool = false) throws(Failure) -> [TableFile] {
        let isFolder = Files.isFolder(path)
        let paths = isFolder ? try ObdscanCLI.files(in: path, ending: ".pids") : [path]
        var files: [TableFile] = []
        for path in paths {
            let contents = try ObdscanCLI.contents(of: path)
            var foreign: [UInt8]?
            do throws(TableImportFault) {
                let table = isFolder ? nil : try TableImportRun.table(of: contents, path)
                if let table {
                    guard table.takenCount > 0 else {
                        throw TableImportFault.noUsableRow(path: path, rows: table.rowCount)
                    }
                    foreign = Array(table.text.utf8)
                    if saysUnused, table.findings.contains(where: \.isLost) {
                        tellOnStandardError(
                            "obdscan: \(path): \(table.takenCount) of \(table.rowCount) rows are used; "
                                + "see obdscan pids lint \(path)\n")
                    }
                }
            } catch {
                throw Failure(error)
            }
            files.append(TableFile(path: path, contents: foreign ?? contents))
        }
        return files
    }
}

extension UserSettings {
    /// The files and folders of tables to add.
    fileprivate var tablePaths: [String] {
        pids.map { path in
            guard path.hasPrefix("~/"), let home = environment("HOME") else { return path }
            return home + path.dropFirst()
        }
    }
}
