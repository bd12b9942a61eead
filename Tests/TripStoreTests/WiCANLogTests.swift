import Testing

@testable import TripStore

/// The database that a WiCAN adapter keeps on its memory card.
@Suite struct `A log on a memory card` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func make(_ time: String, _ values: [String]) throws {
        try scratch.sql("card.db") { database in
            try database.execute(
                """
                CREATE TABLE param_data (\(time), param_id INTEGER, value REAL);
                CREATE TABLE param_info (Id INTEGER PRIMARY KEY AUTOINCREMENT,
                    Name VARCHAR(50) UNIQUE, Type VARCHAR(50), Data JSON);
                INSERT INTO param_info (Name, Type, Data) VALUES
                    ('SOC', 'NUMERIC', '{"unit":"%"}'), ('SPE"ED', 'NUMERIC', 'not JSON');
                """ + values.map { "INSERT INTO param_data VALUES \($0);" }.joined())
        }
    }

    private func text() throws -> String? {
        try WiCANLog.text(at: scratch.path("card.db")).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `a WiCAN log is read in the order of time`() throws {
        try make(
            "timestamp INTEGER",
            ["(1735689601, 2, 40)", "(1735689600, 1, 55.5)", "(1735689602, 1, NULL)"])
        #expect(
            try text() == """
                SECONDS;PID;VALUE;UNITS
                1735689600.0;"SOC";55.5;"%"
                1735689601.0;"SPE""ED";40.0;""

                """)
    }

    @Test func `a WiCAN log of older firmware has its times as text`() throws {
        try make("DateTime TEXT", ["('2025-01-01 00:00:00', 1, 55.5)", "('never', 1, 1)"])
        #expect(
            try text() == "SECONDS;PID;VALUE;UNITS\n1735689600.0;\"SOC\";55.5;\"%\"\n")
    }

    @Test func `another database or a damaged one is not a WiCAN log`() throws {
        try scratch.sql("card.db") { try $0.execute("CREATE TABLE other (a)") }
        #expect(try text() == nil)
        #expect(throws: WiCANLog.Fault.self) { try WiCANLog.text(at: scratch.path("none.db")) }
    }
}
