import CSQLite
import Foundation
import OBDCore
import Synchronization
import SystemIO
import Testing

@testable import TripStore

/// The layer between the store and SQLite.
@Suite struct `A connection to SQLite` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func memory<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try Connection().access(body)
    }

    private func file(_ settings: Connection.Settings = .init()) throws -> Connection {
        try Connection(scratch.path(), settings)
    }

    private func error(_ body: () throws -> Void) throws -> DatabaseError {
        var found: DatabaseError?
        do { try body() } catch let error as DatabaseError { found = error }
        return try #require(found)
    }

    private func fails(_ code: Int32, _ body: () throws -> Void) throws {
        let error = try error(body)
        #expect(error.code == code, "\(error)")
    }

    private func stops(_ body: () throws -> Void) throws {
        var found: Stop?
        do { try body() } catch let error as Stop { found = error }
        try #require(found != nil)
    }

    // MARK: Errors

    @Test func `an error has the extended code, the message and the statement of a script`() throws
    {
        let error = try error {
            try memory { database in
                try database.execute(
                    """
                    CREATE TABLE t (a INTEGER CHECK (a > 0)) STRICT;
                    INSERT INTO t VALUES (1);
                      INSERT INTO t VALUES (-1) ;
                    INSERT INTO t VALUES (2);
                    """)
            }
        }
        #expect(error.extendedCode == 275 && error.code == SQLITE_CONSTRAINT && error.isConstraint)
        #expect(error.message == "CHECK constraint failed: a > 0")
        #expect(
            "\(error)"
                == "SQLite error 19: CHECK constraint failed: a > 0"
                + " - while executing `INSERT INTO t VALUES (-1)`")
    }

    @Test func `a script stops at the statement that cannot be compiled`() throws {
        try memory { database in
            let error = try error { try database.execute("CREATE TABLE t (a); NONSENSE; x") }
            #expect(error.code == SQLITE_ERROR && error.sql == " NONSENSE; x")
            #expect(try database.hasTable("T"))
        }
    }

    @Test func `a text in double quotes is not a string`() throws {
        let error = try error { try memory { try $0.execute(#"SELECT "nothing""#) } }
        #expect(error.message == "no such column: nothing")
    }

    @Test func `text without a statement, or with several, is refused as a query`() throws {
        try memory { database throws in
            try fails(SQLITE_MISUSE) { _ = try database.rows(" -- nothing") }
            try fails(SQLITE_MISUSE) { _ = try database.rows("SELECT 1; SELECT 2") }
            #expect(try database.rows("SELECT 1; -- a remark\n").count == 1)
            try database.execute(" ; -- nothing")
        }
    }

    // MARK: Values

    static let values: [SQLValue] = [
        .null, .integer(0), .integer(.min), .integer(.max), .real(-0.5), .real(1e308),
        .real(.leastNormalMagnitude),
        .real(.infinity), .text(""), .text("ä€🚗"), .text("a\0b"), .text("'"), .blob([]),
        .blob([0, 255, 0]), .blob(Array(repeating: 7, count: 100_000)),
    ]

    @Test(arguments: values) func `a value is stored unchanged`(_ value: SQLValue) throws {
        try memory { database in
            try database.execute("CREATE TABLE t (a)")
            try database.execute("INSERT INTO t VALUES (?)", Arguments([value]))
            let row = try #require(try database.row("SELECT a FROM t"))
            #expect(try row[0] == value && row.isNull("a") == (value == .null))
            let kind = try database.value(String.self, "SELECT typeof(a) FROM t")
            let expected =
                switch value {
                case .null: "null"
                case .integer: "integer"
                case .real: "real"
                case .text: "text"
                case .blob: "blob"
                }
            #expect(kind == expected)
        }
    }

    @Test func `NaN becomes null`() throws {
        let stored = try memory { try $0.value(Double.self, "SELECT ?", [Double.nan]) }
        #expect(stored == nil)
    }

    @Test func `each type of the program has one form in all tables`() throws {
        let ecu = ECUAddress(0x7E8, .can11)
        let arguments: Arguments = [
            true, UInt8(255), -1, 0.5, ecu, VIN("1HGCM82633A004352"), DTC("P0301"),
            UTC(microseconds: 5), Instant(nanoseconds: 7), TripStart.Purpose.scan, nil as String?,
        ]
        try memory { database in
            let row = try #require(
                try database.row("SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?", arguments))
            #expect(try row[0] as Bool && row[0] as Int == 1 && row[1] as UInt8 == 255)
            #expect(try row[2] as Int32 == -1 && row[3] as Double == 0.5)
            #expect(try row[4] as ECUAddress == ecu && row[4] as String == "7E8")
            #expect(try row[5] as VIN? == VIN("1HGCM82633A004352"))
            #expect(try row[6] as DTC? == DTC("P0301") && row[6] as String == "P0301")
            #expect(try row[7] as UTC == UTC(microseconds: 5) && row[7] as Int64 == 5)
            #expect(try row[8] as Instant == Instant(nanoseconds: 7))
            #expect(try row[9] as TripStart.Purpose == .scan && row[10] as String? == nil)
        }
    }

    @Test func `a stored value of another type is an error, never converted`() throws {
        try memory { database in
            let row = try #require(
                try database.row(
                    "SELECT 'x' AS text, 256 AS big, NULL AS none, 1.5 AS half, x'00' AS bytes, 1e300 AS huge"
                ))
            try fails(SQLITE_CORRUPT) { _ = try row["text"] as Int }
            try fails(SQLITE_CORRUPT) { _ = try row["text"] as Int? }
            try fails(SQLITE_CORRUPT) { _ = try row["big"] as UInt8 }
            try fails(SQLITE_CORRUPT) { _ = try row["big"] as UInt8? }
            try fails(SQLITE_CORRUPT) { _ = try row["none"] as Int64 }
            try fails(SQLITE_CORRUPT) { _ = try row["none"] as String }
            try fails(SQLITE_CORRUPT) { _ = try row["bytes"] as String? }
            try fails(SQLITE_CORRUPT) { _ = try row["text"] as [UInt8]? }
            try fails(SQLITE_CORRUPT) { _ = try row["huge"] as Int64 }
            try fails(SQLITE_CORRUPT) { _ = try row["text"] as ECUAddress }
            #expect(try row["half"] as Int == 1)
            try fails(SQLITE_RANGE) { _ = try row["missing"] as Int }
            try fails(SQLITE_RANGE) { _ = try row[6] as Int }
            let error = try error { _ = try row["none"] as Int }
            #expect(
                StoreError(error, path: "p")
                    == .damaged(path: "p", message: "column none holds another kind of value"))
        }
    }

    /// A newer version may know more kinds and addresses.
    @Test func `an unknown name counts as a missing value`() throws {
        try memory { database in
            let row = try #require(try database.row("SELECT 'unheard' AS name"))
            #expect(try row["name"] as EndReason? == nil)
            #expect(try row["name"] as ECUAddress? == nil)
            try fails(SQLITE_CORRUPT) { _ = try row["name"] as EndReason }
        }
    }

    @Test func `the first of two columns with one name counts`() throws {
        try memory { database in
            let row = try #require(try database.row("SELECT 1 AS a, 2 AS a"))
            #expect(try row["a"] as Int == 1 && row.columns == ["a", "a"])
        }
    }

    // MARK: Parameters

    @Test func `values come in order, by number or by name, over all statements of a script`()
        throws
    {
        try memory { database in
            try database.execute("CREATE TABLE t (a, b)")
            try database.execute(
                "INSERT INTO t VALUES (?, 'x'); INSERT INTO t VALUES (?2, ?1)", [1, 2, 3])
            try database.execute(
                "INSERT INTO t VALUES (:a, :b); INSERT INTO t VALUES (:b, 0)",
                ["a": 4, "b": nil, "c": 9])
            let rows = try database.rows("SELECT a, b FROM t").map { row in
                try row.columns.map { try row.text($0) }.joined(separator: " ")
            }
            #expect(rows == ["1 x", "3 2", "4 -", "- 0"])
        }
    }

    @Test(arguments: [[], [1], [1, 2, 3]] as [[Int64]])
    func `too few or too many values are an error`(_ values: [Int64]) throws {
        try memory { database in
            let arguments = Arguments(values.map { .integer($0) })
            try fails(SQLITE_MISUSE) { try database.execute("SELECT ?, ?", arguments) }
            try fails(SQLITE_MISUSE) { _ = try database.rows("SELECT ?, ?", arguments) }
            let named = try error { _ = try database.rows("SELECT :a, :b", ["a": 1]) }
            #expect(named.message == "no value for parameter :b")
        }
    }

    // MARK: Statements

    @Test func `a cached statement is compiled once, and keeps no old arguments`() throws {
        try memory { database in
            let first = try database.cached("SELECT ?").handle
            #expect(try database.value(Int.self, "SELECT ?", [5], isCached: true) == 5)
            let again = try database.cached("SELECT ?")
            #expect(again.handle == first)
            #expect(try again.step() && again.current.value(0) == .null)
        }
    }

    @Test func `a cached statement that is in use is not given to a second user`() throws {
        try memory { database in
            try database.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
            let sql = "SELECT a FROM t ORDER BY a"
            let outer = try database.statement(sql, [], isCached: true)
            var seen: [Int64] = []
            while try outer.step() {
                let inner = try database.statement(sql, [], isCached: true)
                while try inner.step() {
                    seen.append(outer.current.integer(0) * 10 + inner.current.integer(0))
                }
            }
            #expect(seen == [11, 12, 13, 21, 22, 23, 31, 32, 33])
        }
    }

    @Test func `a statement that failed can be used again`() throws {
        try memory { database in
            try database.execute("CREATE TABLE t (a INTEGER PRIMARY KEY)")
            for expected in [false, true, true] {
                do throws(DatabaseError) {
                    try database.executeCached("INSERT INTO t VALUES (?)", [1])
                    #expect(!expected)
                } catch {
                    #expect(expected && error.message == "UNIQUE constraint failed: t.a")
                }
            }
            try database.executeCached("INSERT INTO t VALUES (?)", [2])
            #expect(try database.values(Int.self, "SELECT a FROM t") == [1, 2])
        }
    }

    @Test func `copied rows of a query stay valid after the query`()
        throws
    {
        try memory { database in
            let rows = try database.rows("SELECT 1 AS a UNION SELECT 2")
            #expect(try rows.count == 2 && rows[0]["a"] == 1 && rows[1]["a"] == 2)
            func first() throws -> Row? { try database.cursor("SELECT 3 AS a").next() }
            #expect(try first()?["a"] == 3)
        }
    }

    @Test func `no value may be larger than the limit`() throws {
        try memory { database throws in
            database.setLargestValue(1000)
            #expect(try database.value(Int.self, "SELECT length(zeroblob(1000))") == 1000)
            try fails(SQLITE_TOOBIG) { _ = try database.rows("SELECT zeroblob(1001)") }
            let large = Arguments([.blob(Array(repeating: 0, count: 1001))])
            try fails(SQLITE_TOOBIG) { _ = try database.rows("SELECT ?", large) }
        }
    }

    // MARK: Transactions

    private func count(_ database: Database) throws -> Int? {
        try database.value(Int.self, "SELECT count(*) FROM t")
    }

    private struct Stop: Error {}

    @Test func `an error undoes a transaction, and a savepoint alone`() throws {
        try memory { database in
            try database.execute("CREATE TABLE t (a)")
            try stops {
                try database.transaction {
                    try database.execute("INSERT INTO t VALUES (1)")
                    throw Stop()
                }
            }
            #expect(try count(database) == 0 && !database.isInsideTransaction)
            try database.transaction {
                try database.execute("INSERT INTO t VALUES (1)")
                try stops {
                    try database.savepoint {
                        try database.execute("INSERT INTO t VALUES (2)")
                        try database.savepoint { try database.execute("INSERT INTO t VALUES (3)") }
                        throw Stop()
                    }
                }
                try database.savepoint { try database.execute("INSERT INTO t VALUES (4)") }
            }
            #expect(try database.values(Int.self, "SELECT a FROM t") == [1, 4])
            try database.transaction(keeps: false) { try database.execute("DELETE FROM t") }
            #expect(try count(database) == 2 && !database.isInsideTransaction)
        }
    }

    @Test func `nothing is stored after SQLite ended a transaction by itself`() throws {
        try memory { database in
            try database.execute("CREATE TABLE t (a INTEGER PRIMARY KEY)")
            let error = try error {
                try database.transaction {
                    try database.execute("INSERT INTO t VALUES (1)")
                    try? database.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
                    try database.execute("INSERT INTO t VALUES (2)")
                }
            }
            #expect(error.code == SQLITE_ABORT && error.message == "Transaction was aborted")
            let atEnd = try self.error {
                try database.transaction {
                    try database.execute("INSERT INTO t VALUES (1)")
                    try? database.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
                }
            }
            #expect(atEnd.code == SQLITE_ABORT)
            #expect(try count(database) == 0)
            try database.transaction { try database.execute("INSERT INTO t VALUES (3)") }
            #expect(try count(database) == 1)
        }
    }

    @Test func `a reader cannot write, and sees one state`() throws {
        let one = try file()
        try one.access { try $0.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a)") }
        let other = try file()
        try one.read { database throws in
            #expect(try count(database) == 0)
            try other.access { try $0.execute("INSERT INTO t VALUES (1)") }
            #expect(try count(database) == 0)
            for sql in [
                "INSERT INTO t VALUES (2)", "CREATE TEMP TABLE x (a)", "PRAGMA user_version = 1",
            ] {
                try fails(SQLITE_READONLY) { try database.execute(sql) }
            }
            try fails(SQLITE_READONLY) { try database.executeCached("DELETE FROM t") }
        }
        #expect(try one.read { try count($0) } == 1)
        try one.access { try $0.executeCached("DELETE FROM t") }
        try fails(SQLITE_READONLY) { try one.read { try $0.executeCached("DELETE FROM t") } }
        #expect(try one.read { try count($0) } == 0)
    }

    @Test func `a connection that only reads cannot write`() throws {
        try fails(SQLITE_CANTOPEN) { _ = try file(.init(isReadOnly: true)) }
        try file().access { try $0.execute("CREATE TABLE t (a)") }
        let reader = try file(.init(isReadOnly: true))
        try fails(SQLITE_READONLY) {
            try reader.access { try $0.execute("INSERT INTO t VALUES (1)") }
        }
    }

    @Test func `a connection waits for another writer up to its time limit`() throws {
        let (holder, hasty, patient) = (
            try file(), try file(), try file(.init(patience: .milliseconds(300)))
        )
        try holder.access { try $0.execute("CREATE TABLE t (a)") }
        try holder.access { database in
            try database.transaction {
                for (connection, least) in [(hasty, 0.0), (patient, 0.2)] {
                    let start = SystemClock.now()
                    let error = try error {
                        try connection.access { database in
                            try database.transaction { try database.execute("DELETE FROM t") }
                        }
                    }
                    #expect(error.code == SQLITE_BUSY)
                    #expect((SystemClock.now() - start).seconds >= least)
                }
            }
        }
        // After that, the waiting connections have no transaction open.
        for connection in [hasty, patient] {
            try connection.access { database throws in
                #expect(!database.isInsideTransaction)
                try database.transaction { try database.execute("INSERT INTO t VALUES (1)") }
            }
        }
    }

    @Test(arguments: ["file:x.db", "file:x.db?mode=memory", ":memory:", ":x.db"])
    func `a file path is never read as one of SQLite's special names`(_ path: String) throws {
        let name = Connection.name(ofFile: path)
        #expect(name == "./" + path)
        #expect(Connection.name(ofFile: "/tmp/" + path) == "/tmp/" + path)
    }

    @Test func `the use of a closed connection is an error, and it may be closed again`() throws {
        let connection = try Connection()
        try connection.close()
        try connection.close()
        try fails(SQLITE_MISUSE) { try connection.access { _ = $0.lastInsertedRowID } }
        try fails(SQLITE_MISUSE) { try Connection().backup(to: connection) }
    }

    @Test func `a query does not begin again after its last row`() throws {
        try memory { database in
            let rows = try database.cursor("SELECT 1")
            #expect(try rows.next() != nil)
            #expect(try rows.next() == nil)
            #expect(try rows.next() == nil)
        }
    }

    @Test func `a stored condition is true or false by the rules of SQL`() throws {
        let stored: [(SQLValue, Bool?)] = [
            (.integer(0), false), (.integer(-2), true), (.real(0.5), true), (.text("text"), false),
            (.text("1"), true), (.blob([1]), false), (.null, nil),
        ]
        for (value, expected) in stored {
            #expect(Bool.read(value) == expected, "\(value)")
        }
    }

    @Test func `threads get a connection one after the other`() throws {
        let connection = try Connection()
        try connection.access { try $0.execute("CREATE TABLE t (a)") }
        let inside = Mutex(0)
        let threads = try (0..<4).map { _ in
            try SystemThread {
                for _ in 0..<50 {
                    try? connection.access { database in
                        let others = inside.withLock { inside in
                            inside += 1
                            return inside - 1
                        }
                        try database.transaction {
                            try database.execute("INSERT INTO t VALUES (?)", [others])
                        }
                        inside.withLock { $0 -= 1 }
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        try connection.read { database throws in
            #expect(try database.value(Int.self, "SELECT count(*) FROM t WHERE a = 0") == 200)
        }
    }

    // MARK: Files

    @Test func `foreign keys are checked unless the caller switches the check off`() throws {
        let schema = "CREATE TABLE p (a PRIMARY KEY); CREATE TABLE c (p REFERENCES p)"
        try file().access { database in
            try database.execute(schema)
            let error = try error { try database.execute("INSERT INTO c VALUES (1)") }
            #expect(error.extendedCode == 787)
        }
        try file(.init(checksForeignKeys: false)).access {
            try $0.execute("INSERT INTO c VALUES (1)")
        }
    }

    @Test func `a full database is an error, and stored rows stay`() throws {
        try file().access { database in
            try database.execute("CREATE TABLE t (a); PRAGMA max_page_count = 10")
            try database.execute("INSERT INTO t VALUES ('kept')")
            let error = try error {
                try database.transaction {
                    try database.execute("INSERT INTO t VALUES ('lost')")
                    try database.execute("INSERT INTO t VALUES (zeroblob(100000))")
                }
            }
            #expect(error.code == SQLITE_FULL)
            #expect(StoreError(error, path: "p") == .full(path: "p"))
            #expect(try database.values(String.self, "SELECT a FROM t") == ["kept"])
            #expect(!database.isInsideTransaction)
        }
    }

    @Test func `a file that is not a database is refused, and a damaged page is found`() throws {
        try Data("no database, but longer than the first bytes of one".utf8).write(
            to: URL(filePath: scratch.path()))
        try fails(SQLITE_NOTADB) { _ = try file() }
        let path = scratch.path("damaged.db")
        try Connection(path).access { database in
            try database.execute(
                """
                CREATE TABLE t (a);
                WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
                    INSERT INTO t SELECT zeroblob(100) FROM n;
                """)
        }
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes.replaceSubrange(4096 * 3..<4096 * 6, with: Data(repeating: 0xAA, count: 4096 * 3))
        try bytes.write(to: URL(filePath: path))
        try Connection(path).access { database in
            let error = try error { _ = try database.rows("SELECT * FROM t") }
            #expect(error.code == SQLITE_CORRUPT)
            #expect(
                StoreError(error, path: "p")
                    == .damaged(path: "p", message: "database disk image is malformed"))
            #expect(try database.value(Int.self, "SELECT count(*) FROM sqlite_schema") == 1)
        }
    }

    @Test func `the error names a closed connection, and an open query prevents closing`() throws {
        let connection = try file()
        try connection.access { database in
            try database.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
            _ = try database.value(Int.self, "SELECT a FROM t", isCached: true)
            let rows = try database.cursor("SELECT * FROM t")
            #expect(try rows.next() != nil)
            try fails(SQLITE_BUSY) { try database.close() }
            #expect(try rows.next() == nil)
        }
        try connection.close()
        try connection.close()
        let closed = try error { _ = try connection.read { try $0.rows("SELECT 1") } }
        #expect(closed.code == SQLITE_MISUSE && closed.message == "Connection is closed")
    }

    @Test func `a backup has all pages`() throws {
        let source = try file()
        try source.access { database in
            try database.execute(
                "CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(50000)), ('x'); PRAGMA user_version = 7"
            )
        }
        let target = try Connection(scratch.path("copy.db"))
        try target.access { try $0.execute("CREATE TABLE old (a)") }
        try source.backup(to: target)
        try target.read { database throws in
            #expect(try database.values(Int.self, "SELECT length(a) FROM t") == [50_000, 1])
            #expect(try database.value(Int.self, "PRAGMA user_version") == 7)
            #expect(try !database.hasTable("old") && database.columns(of: "t") == ["a"])
        }
        try target.access { try $0.execute("BEGIN IMMEDIATE") }
        try fails(SQLITE_BUSY) { try source.backup(to: try Connection(scratch.path("copy.db"))) }
        try target.access { try $0.execute("ROLLBACK") }
    }
}
