import Diagnostics
import Foundation
import Glibc
import OBDCore
import SystemIO
import Testing

@testable import TripStore

/// Another program removes or replaces the files of a database while a trip is written to it.
@Suite struct `A database whose files are removed` {
    enum Theft: CaseIterable {
        case file, allFiles, renamed, folder, log, memory, replaced, replacedByText,
            replacedByFolder

        func happen(_ scratch: Scratch) throws {
            let path = scratch.path("d/obdscan.db")
            let files = FileManager.default
            switch self {
            case .file: try files.removeItem(atPath: path)
            case .allFiles:
                for end in ["", "-wal", "-shm"] { try files.removeItem(atPath: path + end) }
            case .renamed: try files.moveItem(atPath: path, toPath: scratch.path("d/mine.db"))
            case .folder: try files.removeItem(atPath: scratch.path("d"))
            case .log: try files.removeItem(atPath: path + "-wal")
            case .memory: try files.removeItem(atPath: path + "-shm")
            case .replaced:
                _ = try TripStore(path: scratch.path("other.db"))
                #expect(rename(scratch.path("other.db"), path) == 0)
            case .replacedByText:
                try Data("trips\n".utf8).write(to: URL(filePath: scratch.path("text")))
                #expect(rename(scratch.path("text"), path) == 0)
            case .replacedByFolder:
                try files.removeItem(atPath: path)
                try files.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
        }

        /// The place of the trips afterwards.
        func relocation(_ scratch: Scratch) -> TripStore.Relocation {
            let path = scratch.path("d/obdscan.db")
            return switch self {
            case .file, .allFiles, .renamed, .folder: .restored(path: path)
            case .log, .memory: .folded
            case .replaced, .replacedByText, .replacedByFolder:
                .elsewhere(path: path + ".saved", instead: path)
            }
        }
    }

    private func fill(_ writer: TripWriter, _ seconds: Range<Int>) {
        for second in seconds {
            #expect(
                writer.offer([Fixtures.rpm(Double(second))], at: Fixtures.after(Double(second))))
        }
    }

    @Test(arguments: Theft.allCases)
    func `a database whose files were removed is saved, and its open trips continue`(theft: Theft)
        throws
    {
        let scratch = try Scratch()
        let notices = Notices()
        let store = try TripStore(path: scratch.path("d/obdscan.db"))
        let first = try Fixtures.begin(store, notices: notices)
        let second = try Fixtures.begin(store)
        for writer in [first, second] {
            fill(writer, 0..<10)
            try writer.flush()
        }
        try theft.happen(scratch)
        for writer in [first, second] {
            fill(writer, 10..<20)
            try writer.flush()
        }
        fill(first, 20..<30)
        try first.end(.stopped, at: Fixtures.after(30))
        try second.end(.stopped, at: Fixtures.after(30))
        let relocation = theft.relocation(scratch)
        #expect(notices.all == [.relocated(relocation)])
        if case .elsewhere(let path, _) = relocation {
            #expect(store.relocation == relocation)
            #expect(store.currentPath == path)
        }
        let path = store.currentPath
        store.closeFile()
        for end in ["-wal", "-shm"] { #expect(access(path + end, F_OK) != 0) }
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let saved = try TripStore(path: path, access: .readOnly)
        #expect(try saved.trips().map(\.readings) == [30, 20])
        #expect(try saved.trips().map(\.endReason) == [.stopped, .stopped])
        #expect(try saved.check() == [])
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path("d"))
        #expect(!left.contains { $0.hasPrefix(".") }, "\(left)")
        guard theft == .renamed else { return }
        // The renamed file is a complete database up to that moment.
        let renamed = try TripStore(path: scratch.path("d/mine.db"), access: .readOnly)
        #expect(try renamed.trips().map(\.readings) == [10, 10])
        #expect(try renamed.check() == [])
    }

    @Test func `a trip whose database was removed is held in memory until it can be saved`() throws
    {
        let scratch = try Scratch()
        let notices = Notices()
        let store = try TripStore(path: scratch.path("d/obdscan.db"))
        let writer = try Fixtures.begin(store, notices: notices)
        fill(writer, 0..<10)
        try writer.flush()
        try FileManager.default.removeItem(atPath: scratch.path("d"))
        // A file takes the place of the folder.
        try Data().write(to: URL(filePath: scratch.path("d")))
        fill(writer, 10..<20)
        let path = scratch.path("d/obdscan.db")
        let reason = StoreError.cannotCreate(path: path, errno: ENOTDIR)
        #expect(throws: StoreError.removed(path: path, reason)) { try writer.flush() }
        try FileManager.default.removeItem(atPath: scratch.path("d"))
        try writer.end(.stopped, at: Fixtures.after(30))
        #expect(notices.all.contains(.recovered))
        #expect(try store.trips().map(\.readings) == [20])
    }

    @Test func `a trip whose removed database cannot be saved ends with an error`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path("d/obdscan.db"))
        let writer = try Fixtures.begin(store)
        fill(writer, 0..<10)
        try writer.flush()
        try FileManager.default.removeItem(atPath: scratch.path("d"))
        try Data().write(to: URL(filePath: scratch.path("d")))
        let path = scratch.path("d/obdscan.db")
        #expect(
            throws: StoreError.removed(path: path, .cannotCreate(path: path, errno: ENOTDIR))
        ) { try writer.end(.stopped, at: Fixtures.after(30)) }
    }
}

@Suite struct `A work folder` {
    @Test func `a work folder is removed, and a complete database is moved to its target`() throws {
        let scratch = try Scratch()
        let target = scratch.path("new.db")
        func make(completely: Bool) throws {
            let folder = try WorkFolder(beside: target)
            try Data("x".utf8).write(to: URL(filePath: folder.database))
            var status = stat()
            let path = URL(filePath: folder.database).deletingLastPathComponent().path
            #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
            if completely { try folder.move(to: target) }
        }
        try make(completely: false)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path) == [])
        try make(completely: true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path) == ["new.db"])
        #expect(throws: WorkFolder.Fault(errno: EEXIST)) { try make(completely: true) }
    }

    @Test func `the work folder of a killed process is removed, that of a living process stays`()
        throws
    {
        let scratch = try Scratch()
        let files = FileManager.default
        func folder(_ name: String) throws {
            try files.createDirectory(
                atPath: scratch.path(name), withIntermediateDirectories: false)
            for end in ["", "-wal", "-shm", "-journal"] {
                try Data().write(to: URL(filePath: scratch.path("\(name)/new.db\(end)")))
            }
        }
        try folder(".obdscan-killed")
        try Data().write(to: URL(filePath: scratch.path(".obdscan-export")))
        try folder("obdscan-other")
        try folder(".obdscan-keeps")
        try Data().write(to: URL(filePath: scratch.path(".obdscan-keeps/more")))
        let living = try WorkFolder(beside: scratch.path("a.db"))
        try Data().write(to: URL(filePath: living.database))
        _ = try TripStore(path: scratch.path("b.db"))
        #expect(access(living.database, F_OK) == 0)
        let left = try files.contentsOfDirectory(atPath: scratch.url.path)
        #expect(!left.contains(".obdscan-killed") && !left.contains(".obdscan-export"), "\(left)")
        #expect(left.contains("obdscan-other"))
        // Files of other programs stay.
        #expect(access(scratch.path(".obdscan-keeps/more"), F_OK) == 0)
    }

    @Test func `a work folder holds the copy of an older database during a merge`() throws {
        let scratch = try Scratch()
        let old = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Schemas/0001.db")
        try FileManager.default.createDirectory(
            atPath: scratch.path("old"), withIntermediateDirectories: false)
        try FileManager.default.copyItem(at: old, to: URL(filePath: scratch.path("old/a.db")))
        #expect(chmod(scratch.path("old/a.db"), 0o644) == 0)
        let store = try TripStore(path: scratch.path())
        var seen = 0
        let merged = try store.merge(from: scratch.path("old/a.db")) { _, _ in
            for name in FileManager.default.enumerator(atPath: scratch.url.path) ?? .init() {
                guard let name = name as? String, !name.hasPrefix("old") else { continue }
                var status = stat()
                #expect(stat(scratch.path(name), &status) == 0)
                #expect(status.st_mode & 0o077 == 0, "\(name)")
                if name.hasSuffix("/new.db") { seen += 1 }
            }
        }
        #expect(seen > 0 && merged.trips.count == seen)
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.url.path)
        #expect(!left.contains { $0.hasPrefix(".") }, "\(left)")
    }
}

@Suite struct `A database that another program changed` {
    /// Changes to the schema by the owner of the file.
    ///
    /// With each of them, a command could hang or run foreign code.
    @Test(arguments: [
        // An endless view in place of a table.
        """
        DROP TABLE trip_tag; CREATE VIEW trip_tag AS
            WITH RECURSIVE n(trip, tag) AS (SELECT 1, 'a' UNION ALL SELECT trip + 1, tag FROM n)
            SELECT * FROM n;
        """,
        // A virtual table.
        "DROP TABLE trip_tag; CREATE VIRTUAL TABLE trip_tag USING fts5(trip, tag);",
        // A trigger on a table of the schema.
        "CREATE TRIGGER t AFTER INSERT ON trip BEGIN DELETE FROM trip; END;",
        // A computed column.
        "ALTER TABLE trip_tag ADD COLUMN more TEXT AS (hex(zeroblob(1000000000)));",
        // A missing table.
        "DROP TABLE trip_tag;",
    ])
    func `a database with a changed schema is refused when it is opened`(change: String) throws {
        let scratch = try Scratch()
        _ = try TripStore(path: scratch.path())
        try scratch.sql { database in
            try database.execute("PRAGMA foreign_keys = OFF; \(change)")
        }
        for access in [TripStore.Access.readOnly, .readWrite] {
            let error = #expect(throws: StoreError.self) {
                try TripStore(path: scratch.path(), access: access)
            }
            guard case .damaged = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        let own = try TripStore(path: scratch.path("own.db"))
        #expect(throws: StoreError.self) { try own.merge(from: scratch.path()) }
    }

    @Test func `a database may have tables, views and indexes that obdscan does not read`() throws {
        let scratch = try Scratch()
        _ = try TripStore(path: scratch.path())
        try scratch.sql { database in
            try database.execute(
                """
                CREATE TABLE mine (a); CREATE VIEW fast AS SELECT * FROM reading WHERE value > 1;
                CREATE INDEX by_value ON reading (value);
                """)
        }
        #expect(try TripStore(path: scratch.path()).trips() == [])
    }

    @Test(arguments: 1...Migrations.newest)
    func `a database of any version has the schema that its migrations create`(version: Int) throws
    {
        try Connection().access { database in
            try Migrations.run(on: database, from: 0, to: version)
            #expect(try SchemaCheck.fault(in: database, version: version) == nil)
        }
    }
}
