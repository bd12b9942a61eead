import Glibc
import SystemIO

/// Identifies a file by device and inode, so that another file of the same name is not taken for
/// it.
struct FileIdentity: Hashable, Sendable {
    private let device: dev_t
    private let number: ino_t

    /// The file at `path`; nil if it does not exist or cannot be examined.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }
}

/// The location of an open database, with the connection to it.
///
/// SQLite continues to write to files that were unlinked, and what it stores there is lost when the
/// process ends. Two programs that open the same database by two names do not see each other's
/// locks.
struct DatabasePlace: Sendable {
    enum State {
        case unchanged
        /// The write-ahead log or the shared memory was removed or replaced.
        case withoutLog
        case removed
        case replaced
    }

    /// The path after resolving symbolic links.
    let path: String
    let connection: Connection
    /// Counts the connections; the holder of an older connection has to switch to this one.
    let number: Int
    private let file: FileIdentity?
    private var log: FileIdentity?
    private var memory: FileIdentity?
    /// Why the database is at this location.
    var relocation: TripStore.Relocation?
    /// Whether inode numbers identify files on this file system.
    private let hasNumbers: Bool

    init(_ path: String, _ connection: Connection, number: Int) {
        self.path = Self.resolved(path)
        self.connection = connection
        self.number = number
        hasNumbers = !FileSystem.isOnNetwork(path)
        file = hasNumbers ? FileIdentity(path) : nil
    }

    private static func resolved(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    var state: State {
        var status = stat()
        if stat(path, &status) != 0 {
            return errno == ENOENT || errno == ENOTDIR ? .removed : .unchanged
        }
        if let file, FileIdentity(path) != file { return .replaced }
        if let log, FileIdentity(path + "-wal") != log { return .withoutLog }
        if let memory, FileIdentity(path + "-shm") != memory { return .withoutLog }
        return .unchanged
    }

    /// Records the files that SQLite created next to the database; call it after a transaction.
    mutating func learn() {
        guard hasNumbers else { return }
        if log == nil { log = FileIdentity(path + "-wal") }
        if memory == nil { memory = FileIdentity(path + "-shm") }
    }

    /// Writes the log into the database file, whatever its present name is.
    func foldLog() throws {
        try connection.access { database in
            try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    /// Unlinks the log and the shared memory, if these names still belong to this database.
    func removeLog() {
        if let log, FileIdentity(path + "-wal") == log { unlink(path + "-wal") }
        if let memory, FileIdentity(path + "-shm") == memory { unlink(path + "-shm") }
    }

    /// Keeps a closing connection from removing the log of another database with the same name.
    static func abandonLog(of connection: Connection) {
        try? connection.access { $0.keepLog() }
    }
}

extension TripStore {
    /// How the store reacted after the files of an open database were removed or replaced.
    public enum Relocation: Hashable, Sendable {
        /// The write-ahead log was gone; its content was written into the database.
        case folded
        /// The file was gone and was created again with its whole content.
        case restored(path: String)
        /// Another file has the name; the content is in a new file.
        case elsewhere(path: String, instead: String)
    }

    /// The last relocation of this database; nil = none.
    public var relocation: Relocation? { place.withLock { $0.relocation } }

    /// Stores work in the present location of the database.
    ///
    /// Transactions of several trips run one after the other, so that a database that lost its name
    /// is saved with all stored rows.
    func store(
        _ work: WriteQueue.Work, by transactions: inout TripTransactions
    ) -> (result: Result<TripTransactions.Rejected, any Error>, relocation: Relocation?) {
        commits.withLock { _ in
            var relocation: Relocation?
            do {
                relocation = try settle()
                let place = place.withLock { $0 }
                if transactions.place != place.number {
                    let connection = try Self.connect(
                        place.path, access: .readWrite, limits: limits, checksForeignKeys: false)
                    transactions.move(to: connection, place.number)
                }
            } catch {
                return (.failure(error), relocation)
            }
            let result = transactions.store(work)
            place.withLock { $0.learn() }
            return (result, relocation)
        }
    }

    /// Makes sure that the database has a name, if possible its old one.
    private func settle() throws -> Relocation? {
        let old = place.withLock { $0 }
        let state = old.state
        switch state {
        case .unchanged: return nil
        case .withoutLog:
            try old.foldLog()
            try move(to: old.path, from: old, old.relocation)
            return .folded
        case .removed, .replaced:
            do {
                return try save(old, isReplaced: state == .replaced)
            } catch {
                throw StoreError.removed(path: old.path, StoreError(error, path: old.path))
            }
        }
    }

    private func move(
        to path: String, from old: DatabasePlace, _ relocation: Relocation?
    ) throws {
        let connection = try Self.connect(path, access: .readWrite, limits: limits)
        DatabasePlace.abandonLog(of: old.connection)
        var new = DatabasePlace(path, connection, number: old.number + 1)
        new.relocation = relocation
        place.withLock { [new] in $0 = new }
    }

    /// Copies a database that lost its name to its old path, or next to a file that is there now.
    private func save(_ old: DatabasePlace, isReplaced: Bool) throws -> Relocation {
        try Self.createDirectory(above: old.path)
        let folder: WorkFolder
        do throws(WorkFolder.Fault) {
            folder = try WorkFolder(beside: old.path)
        } catch {
            throw StoreError.cannotCreate(path: old.path, errno: error.errno)
        }
        try Self.createFile(folder.database)
        let copy = try Connection(folder.database)
        try old.connection.backup(to: copy)
        try copy.close()
        leave(old)
        var target = old.path
        var number = 0
        var isTaken = isReplaced
        while true {
            if isTaken {
                number += 1
                target = "\(old.path).saved" + (number > 1 ? "-\(number)" : "")
            }
            do throws(WorkFolder.Fault) {
                try folder.move(to: target)
                break
            } catch {
                guard error.errno == EEXIST else {
                    throw StoreError.cannotCreate(path: target, errno: error.errno)
                }
                isTaken = true
            }
        }
        // After a second loss, the user still needs to know about the first.
        let relocation: Relocation =
            if target != old.path {
                .elsewhere(path: target, instead: old.path)
            } else {
                .restored(path: target)
            }
        var lasting = relocation
        if case .elsewhere(_, let instead) = old.relocation {
            lasting = .elsewhere(path: target, instead: instead)
        }
        try move(to: target, from: old, lasting)
        return relocation
    }

    /// Closes the unlinked file in the best possible state; its content was saved before.
    private func leave(_ old: DatabasePlace) {
        DatabasePlace.abandonLog(of: old.connection)
        if let writer = WriterIdentity.current()?.text {
            try? old.connection.access { database in
                try database.transaction {
                    for trip in try database.values(
                        Int64.self, "SELECT id FROM trip WHERE end_reason IS NULL AND writer = ?",
                        [writer])
                    {
                        try Trips.close(trip, .failed, in: database)
                    }
                }
            }
        }
        try? old.foldLog()
        old.removeLog()
    }
}
