import ArgumentParser
import Formats
import Glibc
import OBDCore
import Reports
import SystemIO
import TripStore

/// `obdscan db recover`.
struct DatabaseRecoverCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Rescue the data of a damaged database into a new one.",
        discussion: """
            Reads the damaged file and its write-ahead log page by page, and takes the rows of \
            every page that can still be read, including pages that no longer belong to a table. A \
            trip whose own row is lost begins in 1970. The damaged file is not changed.

            EXAMPLES
              obdscan db recover --to saved.db
              obdscan db recover --db damaged.db --to saved.db --format json
            """)

    @Option(
        help: ArgumentHelp("Write the recovered database to this file.", valueName: "file"),
        completion: .file())
    var to: String

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        guard let damaged = database.file else {
            throw Failure("there is no database", hint: "--db FILE names it", status: .noInput)
        }
        guard access(damaged, F_OK) == 0 else { throw Failure(StoreError.unseen(damaged)) }
        guard Files.isRegular(damaged) else {
            throw Failure(
                "\(damaged) is not a file", hint: "name the database, not its folder or a device",
                status: .noInput)
        }
        guard access(to, F_OK) != 0 else {
            throw Failure(
                "\(to) exists already", hint: "name a file that does not", status: .cannotCreate)
        }
        // Folders are created only for the default database.
        try OutputFile.checkFolder(of: to)
        try OutputFile.check(
            to, endsIn: ["db", "sqlite", "sqlite3"], what: "the file is a database",
            hint: "name a file that ends in .db")
        let saved = try save(damaged)
        var writer = TextOutput.standard
        try writer.print(saved.row(path: to), output.format)
        if output.format == .text {
            for line in saved.lines(path: to) { try writer.writeLine(line) }
        }
        try writer.flush()
    }

    /// Saves the data of the database at `damaged`; the new file appears when it is complete.
    private func save(_ damaged: String) throws -> Salvaged {
        let progress = ProgressLine(output)
        defer { progress.clear() }
        let inbox = try SignalInbox(SignalInbox.endings)
        return try OutputFile.writeDatabase(to) { place, cleanUp in
            let saved = try mapped { () throws(StoreError) in
                let new = try TripStore(path: place)
                let saved = try new.salvage(from: damaged) { share in
                    progress.show(share, "recovered")
                    guard let signal = inbox.next() else { return }
                    cleanUp()
                    SignalInbox.die(of: signal)
                }
                try new.closeForMoving()
                return saved
            }
            guard !saved.rows.isEmpty else {
                throw Failure(
                    "\(damaged) holds nothing that could be saved",
                    hint: "is it the right file? \"obdscan db check\" names obdscan's own",
                    status: .badData)
            }
            return saved
        }
    }
}
