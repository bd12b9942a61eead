import Foundation
import Glibc
import OBDCore
import Testing

@testable import TripStore

@Suite struct OpeningTests {
    /// Released migrations must never change.
    ///
    /// These are the FNV-1a hashes (64 bits) of the files.
    @Test func `a released migration never changes`() {
        let hashes = Migrations.steps.map { file in
            file.contents.withUTF8Buffer {
                $0.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            }
        }
        let files = Migrations.steps.map(\.path.description)
        #expect(
            files == [
                "0001_trips.sql", "0002_history.sql", "0003_limits.sql", "0004_epochs.sql",
                "0005_clocks.sql", "0006_held.sql", "0007_measured.sql",
            ])
        #expect(
            hashes.map { String($0, radix: 16) }
                == [
                    "7eacc099476166b", "ade43847035ee129", "ebe9695e41704d1", "8be15634b56aee2b",
                    "fedbde2badfe77c8", "cdfc724cd163e6a7", "dd3c6cedffa83e52",
                ])
    }

    @Test func `only the owner can read a new database and its directories`() throws {
        let scratch = try Scratch()
        let path = scratch.path("new/deeper/obdscan.db")
        let store = try TripStore(path: path)
        #expect(try store.trips() == [])
        for (name, mode) in [
            ("new/deeper/obdscan.db", 0o600), ("new/deeper", 0o700), ("new", 0o700),
        ] {
            var status = stat()
            #expect(stat(scratch.path(name), &status) == 0)
            #expect(Int(status.st_mode & 0o777) == mode, "\(name)")
        }
    }

    @Test func `commits are synchronous, the log is a write-ahead log, foreign keys are checked`()
        throws
    {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        func pragma(_ name: String) throws -> String? {
            try store.write { try $0.row("PRAGMA \(name)")?.text(name) }
        }
        #expect(try pragma("synchronous") == "2")
        #expect(try pragma("journal_mode") == "wal")
        #expect(try pragma("foreign_keys") == "1")
        #expect(try pragma("user_version") == "7")
        #expect(try pragma("application_id") == "1329742931")
        #expect(try store.check() == [])
    }

    @Test func `a database can be opened again`() throws {
        let scratch = try Scratch()
        _ = try TripStore(path: scratch.path())
        let again = try TripStore(path: scratch.path())
        #expect(try again.trips() == [])
        let reader = try TripStore(path: scratch.path(), access: .readOnly)
        #expect(throws: StoreError.readOnly(path: scratch.path())) { try reader.compact() }
    }

    @Test func `a newer database is refused with both versions`() throws {
        let scratch = try Scratch()
        _ = try TripStore(path: scratch.path())
        try scratch.sql { try $0.execute("PRAGMA user_version = 99") }
        for access in [TripStore.Access.readOnly, .readWrite] {
            #expect(throws: StoreError.newer(path: scratch.path(), version: 99, known: 7)) {
                try TripStore(path: scratch.path(), access: access)
            }
        }
    }

    @Test func `an older database is upgraded only if it is opened for writing`() throws {
        let scratch = try Scratch()
        try scratch.sql { try $0.execute("PRAGMA application_id = 1329742931") }
        #expect(throws: StoreError.older(path: scratch.path(), version: 0)) {
            try TripStore(path: scratch.path(), access: .readOnly)
        }
    }

    /// A full disk can leave an empty file.
    @Test func `an empty file becomes a database only when it is opened for writing`() throws {
        let scratch = try Scratch()
        try Data().write(to: URL(filePath: scratch.path()))
        #expect(throws: StoreError.empty(path: scratch.path())) {
            try TripStore(path: scratch.path(), access: .readOnly)
        }
        #expect(try TripStore(path: scratch.path()).trips() == [])
        #expect(try TripStore(path: scratch.path(), access: .readOnly).trips() == [])
    }

    @Test func `another program's database is refused and stays unchanged`() throws {
        let scratch = try Scratch()
        try scratch.sql { try $0.execute("CREATE TABLE person (name TEXT)") }
        #expect(throws: StoreError.foreign(path: scratch.path())) {
            try TripStore(path: scratch.path())
        }
        try scratch.sql("other.db") { try $0.execute("PRAGMA application_id = 7") }
        #expect(throws: StoreError.foreign(path: scratch.path("other.db"))) {
            try TripStore(path: scratch.path("other.db"))
        }
        #expect(try scratch.sql { try $0.hasTable("person") })
    }

    @Test func `a file that is not a database is refused and stays unchanged`() throws {
        let scratch = try Scratch()
        let text = Data(String(repeating: "time,rpm\n", count: 1000).utf8)
        try text.write(to: URL(filePath: scratch.path()))
        for access in [TripStore.Access.readOnly, .readWrite] {
            #expect(throws: StoreError.foreign(path: scratch.path())) {
                try TripStore(path: scratch.path(), access: access)
            }
        }
        #expect(try Data(contentsOf: URL(filePath: scratch.path())) == text)
    }

    @Test func `a missing file is not created if it is opened for reading`() throws {
        let scratch = try Scratch()
        #expect(throws: StoreError.missing(path: scratch.path())) {
            try TripStore(path: scratch.path(), access: .readOnly)
        }
        #expect(access(scratch.path(), F_OK) != 0)
    }

    @Test func `the error gives the reason why a database cannot be created`() throws {
        let scratch = try Scratch()
        try Data().write(to: URL(filePath: scratch.path("file")))
        #expect(throws: StoreError.cannotCreate(path: scratch.path("file/a.db"), errno: ENOTDIR)) {
            try TripStore(path: scratch.path("file/a.db"))
        }
        #expect(
            throws: StoreError.cannotCreate(path: scratch.path("file/b"), errno: ENOTDIR)
        ) { try TripStore(path: scratch.path("file/b/a.db")) }
    }

    /// Root can write everywhere.
    @Test(.enabled(if: geteuid() != 0))
    func `the error names a directory without permission to write`() throws {
        let scratch = try Scratch()
        let directory = scratch.path("closed")
        #expect(mkdir(directory, 0o500) == 0)
        #expect(throws: StoreError.cannotCreate(path: directory + "/a.db", errno: EACCES)) {
            try TripStore(path: directory + "/a.db")
        }
    }

    @Test func `the error names the owner of another user's database`() throws {
        let scratch = try Scratch()
        let path = geteuid() == 0 ? scratch.path() : "/etc/passwd"
        if geteuid() == 0 {
            _ = try TripStore(path: path)
            #expect(!StoreError.readOnly(path: path).explanation.message.contains("belongs"))
            #expect(chown(path, 1, 1) == 0)
        }
        let owner = geteuid() == 0 ? String(cString: getpwuid(1).pointee.pw_name) : "root"
        for error in [StoreError.readOnly(path: path), .permission(path: path)] {
            #expect(error.explanation.message.hasSuffix(": it belongs to \(owner)"))
        }
    }

    /// Root can read everywhere.
    @Test(.enabled(if: geteuid() != 0))
    func `a file in a directory without permission to read is not reported as missing`() throws {
        let scratch = try Scratch()
        let directory = scratch.path("closed")
        #expect(mkdir(directory, 0) == 0)
        #expect(throws: StoreError.permission(path: directory + "/a.db")) {
            try TripStore(path: directory + "/a.db", access: .readOnly)
        }
    }

    @Test func `a damaged page is found`() throws {
        let scratch = try Scratch()
        do {
            let store = try TripStore(path: scratch.path())
            let writer = try Fixtures.begin(store)
            for second in 0..<100 {
                #expect(writer.offer([Fixtures.rpm(800)], at: Fixtures.after(Double(second))))
            }
            try writer.end(.stopped, at: Fixtures.after(100))
        }
        try scratch.sql { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        let root = try scratch.sql {
            try $0.value(Int.self, "SELECT rootpage FROM sqlite_schema WHERE name = 'reading'")
        }
        let handle = try FileHandle(forUpdating: URL(filePath: scratch.path()))
        try handle.seek(toOffset: UInt64(try #require(root) - 1) * 4096 + 8)
        try handle.write(contentsOf: Data(repeating: 0xFF, count: 200))
        try handle.close()
        let store = try TripStore(path: scratch.path(), access: .readOnly)
        #expect(try !store.check().isEmpty)
        let error = #expect(throws: StoreError.self) {
            try store.readings(ofTrip: 1).forEach { _, _ in }
        }
        guard case .damaged = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}

@Suite struct FileSystemTests {
    /// Lines in the format of proc_pid_mountinfo(5).
    private static let mounts = """
        36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
        92 29 0:52 / /home/me/nas rw,relatime shared:52 - nfs4 nas:/me rw,vers=4.2
        93 29 0:53 / /mnt/far rw,nosuid - fuse.sshfs far: rw,user_id=0
        """

    @Test(arguments: [("98:0", "ext3"), ("0:52", "nfs4"), ("0:53", "fuse.sshfs")])
    func `the kind of file system on a device is found`(_ device: String, _ kind: String) {
        #expect(FileSystem.kind(ofDevice: device, in: Self.mounts) == kind[...])
    }

    @Test func `a device that is not listed is unknown, and a local folder is not on the network`()
        throws
    {
        #expect(FileSystem.kind(ofDevice: "8:1", in: Self.mounts) == nil)
        #expect(!FileSystem.isOnNetwork("/proc"))
        #expect(!FileSystem.isOnNetwork("/nowhere"))
    }

    @Test func `fast commits do not wait for the disk`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path(), limits: .init(isFast: true))
        #expect(
            try store.read { try $0.value(Int.self, "PRAGMA synchronous") } == 1)
        #expect(store.advice == nil)
    }
}
