/// The schema, step by step; `PRAGMA user_version` holds the number of the last step taken.
enum Migrations {
    /// `OBDS` in ASCII; identifies our databases.
    static let applicationID: Int32 = 0x4F42_4453

    /// The file with the tables that result from all steps.
    private static let schemaFile = "schema.sql"

    /// The files of the steps, in their order.
    static var steps: [EmbeddedFiles.File] {
        EmbeddedFiles.all.filter { $0.path.description != schemaFile }
    }

    /// The newest version that this program knows.
    static var newest: Int { steps.count }

    /// The tables of the newest version; a test compares them with the result of the steps.
    static var schema: String {
        EmbeddedFiles.all.first { $0.path.description == schemaFile }?.contents.description ?? ""
    }

    /// The state of a database file.
    enum State: Hashable {
        case empty
        /// It is our database, in this version.
        case ours(Int)
        /// It belongs to another program.
        case foreign
    }

    static func state(of database: Database) throws -> State {
        let application = try database.value(Int32.self, "PRAGMA application_id")
        if application == applicationID {
            return .ours(try database.value(Int.self, "PRAGMA user_version") ?? 0)
        }
        let tables = try database.value(Int.self, "SELECT count(*) FROM sqlite_schema")
        return application == 0 && tables == 0 ? .empty : .foreign
    }

    /// Runs every step after `version`, each in its own transaction; nil = up to the newest.
    static func run(on database: Database, from version: Int, to last: Int? = nil) throws {
        for (index, file) in steps.enumerated()
        where index >= version && index < last ?? newest {
            try database.transaction {
                // Another process may have run the step while this one waited for the lock.
                guard try state(of: database) == (index == 0 ? .empty : .ours(index)) else {
                    return
                }
                try database.execute(file.contents.description)
                try database.execute("PRAGMA user_version = \(index + 1)")
            }
        }
    }
}
