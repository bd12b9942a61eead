/// The result of saving data from a damaged database.
public struct Salvaged: Hashable, Sendable {
    /// Pages of the damaged file.
    public var pages = 0
    /// Pages that could not be read completely.
    public var damagedPages = 0
    /// Pages after the end of the file that its header counts: it was cut off.
    public var missingPages = 0
    /// Pages that no other page refers to, whose rows were recognised by their columns.
    public var orphanPages = 0
    /// Saved rows by table.
    public var rows: [String: Int] = [:]
    /// Rows that violate the schema and were left out.
    public var rejected = 0
    /// Trips with saved rows but without a known start; they begin in 1970.
    public var tripsWithoutTime: [Int64] = []
    /// The number of channels with saved readings whose signals are unknown.
    public var unknownChannels = 0
}

extension TripStore {
    /// Saves as much as possible of the damaged database at `damaged` into this one, which must be
    /// new.
    ///
    /// The damaged file is only read, page by page. `progress` gets the finished share, from 0 to
    /// 1.
    public func salvage(
        from damaged: String, progress: (Double) -> Void = { _ in }
    ) throws(StoreError) -> Salvaged {
        guard let file = PageFile(path: damaged) else { throw .unseen(damaged) }
        var saved = try write { database in
            try database.execute("PRAGMA foreign_keys = OFF")
            defer { try? database.execute("PRAGMA foreign_keys = ON") }
            return try database.transaction {
                var salvager = try Salvager(file, in: database)
                return try salvager.run(in: database, progress: progress)
            }
        }
        // A killed process may have left the newest rows in memory.
        takeCopies(of: damaged)
        for table in SafetyCopy.tables {
            let count = try read { try $0.value(Int.self, "SELECT count(*) FROM \(table)") } ?? 0
            if count > saved.rows[table, default: 0] { saved.rows[table] = count }
        }
        return saved
    }
}

/// Reads pages and stores their rows in the right tables.
private struct Salvager {
    private struct Table {
        var name: String
        var columns: [(name: String, type: String, isRequired: Bool)]
        /// The column that is the row id.
        var rowID: Int?
        var sql: String { "INSERT OR IGNORE INTO \(name) (\(list)) VALUES (\(marks))" }
        var list: String { columns.map(\.name).joined(separator: ", ") }
        var marks: String { columns.map { _ in "?" }.joined(separator: ", ") }
    }

    private enum Owner: Hashable {
        case table(Int)
        /// An index, a free page or the schema: nothing to save.
        case nothing
    }

    private let file: PageFile
    private var tables: [Table] = []
    private var owners: [Int: Owner] = [:]
    private var result = Salvaged()

    init(_ file: PageFile, in database: Database) throws {
        self.file = file
        result.pages = file.pageCount
        result.missingPages = file.missingPages
        for name in try database.values(
            String.self,
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        {
            var table = Table(name: name, columns: [])
            for row in try database.rows("PRAGMA table_info(\(name))") {
                let isKey = try (row["pk"] as Int) == 1
                table.columns.append(
                    (try row["name"], try row["type"], (try row["notnull"] as Int) != 0))
                let rowIDs = ["vehicle", "ecu", "accessory", "trip", "note", "channel", "code"]
                if isKey && (rowIDs + ["trip_edit"]).contains(name) {
                    table.rowID = table.columns.count - 1
                }
            }
            tables.append(table)
        }
    }

    mutating func run(
        in database: Database, progress: (Double) -> Void
    ) throws -> Salvaged {
        claimSchema()
        claimFreePages()
        // Pages that a table still refers to have priority over orphans.
        for isOrphan in [false, true] {
            for number in 1...file.pageCount where (owners[number] == nil) == isOrphan {
                if number % 256 == 0 {
                    let share = Double(number) / Double(file.pageCount)
                    progress(isOrphan ? 0.5 + share / 2 : share / 2)
                }
                try save(number, in: database)
            }
        }
        try mend(in: database)
        progress(1)
        return result
    }

    // MARK: Whose is a page

    private mutating func claimSchema() {
        var waiting = [1]
        var seen: Set<Int> = []
        while let number = waiting.popLast() {
            guard seen.insert(number).inserted, let page = BTreePage(number, in: file) else {
                continue
            }
            owners[number] = .nothing
            waiting += page.children
            for record in page.records {
                // type, name, tbl_name, rootpage, sql
                guard record.values.count == 5, case .text(let type) = record.values[0],
                    case .text(let name) = record.values[1],
                    case .integer(let root) = record.values[3]
                else { continue }
                let table = type == "table" ? tables.firstIndex { $0.name == name } : nil
                claim(Int(clamping: root), table.map { .table($0) } ?? .nothing)
            }
        }
    }

    private mutating func claim(_ root: Int, _ owner: Owner) {
        var waiting = [root]
        while let number = waiting.popLast() {
            guard number >= 1, number <= file.pageCount, owners[number] == nil else { continue }
            guard let page = BTreePage(number, in: file) else {
                owners[number] = .nothing
                result.damagedPages += 1
                continue
            }
            owners[number] = owner
            waiting += page.children
        }
    }

    private mutating func claimFreePages() {
        guard let header = file.page(1) else { return }
        var trunk = BTreePage.number(header, 32, 4)
        while trunk > 0, owners[trunk] == nil, let page = file.page(trunk) {
            owners[trunk] = .nothing
            let count = BTreePage.number(page, 4, 4)
            if count > file.usableSize / 4 { return }
            for index in 0..<count {
                let free = BTreePage.number(page, 8 + index * 4, 4)
                if owners[free] == nil { owners[free] = .nothing }
            }
            trunk = BTreePage.number(page, 0, 4)
        }
    }

    /// The only table that fits all rows of a page; nil if there are none or several.
    private func owner(ofOrphan page: BTreePage) -> Int? {
        guard !page.records.isEmpty else { return nil }
        let fitting = tables.indices.filter { index in
            page.records.allSatisfy { fits($0, tables[index]) }
        }
        return fitting.count == 1 ? fitting[0] : nil
    }

    private func fits(_ record: BTreePage.Record, _ table: Table) -> Bool {
        guard (record.rowID == nil) == (table.rowID == nil),
            record.values.count <= table.columns.count,
            record.values.count == table.columns.count || table.name == "trip"
        else { return false }
        for (index, value) in record.values.enumerated() {
            let column = table.columns[index]
            if index == table.rowID {
                guard value == .null else { return false }
                continue
            }
            switch value {
            case .null: if column.isRequired { return false }
            case .integer: if !["INTEGER", "REAL", "ANY"].contains(column.type) { return false }
            case .real: if !["REAL", "ANY"].contains(column.type) { return false }
            case .text: if !["TEXT", "ANY"].contains(column.type) { return false }
            case .blob: if !["BLOB", "ANY"].contains(column.type) { return false }
            }
        }
        return true
    }

    // MARK: Rows

    private mutating func save(_ number: Int, in database: Database) throws {
        let owner = owners[number]
        guard owner != .nothing, let page = BTreePage(number, in: file) else { return }
        let place: Int
        // The reference to a page may be damaged itself, so check that the rows fit the table.
        if case .table(let known) = owner,
            page.records.isEmpty || page.records.contains(where: { fits($0, tables[known]) })
        {
            if page.damagedCells > 0 { result.damagedPages += 1 }
            place = known
        } else if let guessed = self.owner(ofOrphan: page) {
            place = guessed
            result.orphanPages += 1
        } else {
            return
        }
        let table = tables[place]
        for record in page.records {
            guard fits(record, table) else {
                result.rejected += 1
                continue
            }
            var values = record.values
            if let column = table.rowID { values[column] = .integer(record.rowID ?? 0) }
            values += Array(repeating: .null, count: table.columns.count - values.count)
            do throws(DatabaseError) {
                try database.executeCached(table.sql, Arguments(values))
                result.rows[table.name, default: 0] += database.changesCount
            } catch {
                guard error.isConstraint else { throw error }
                result.rejected += 1
            }
        }
    }

    /// Makes the saved rows consistent: adds missing parents and calculates all totals again.
    private mutating func mend(in database: Database) throws {
        let timed = [
            "reading", "monitor", "monitor_test", "code_report", "code_list", "message", "event",
            "position", "note",
        ]
        let known = timed.map { "SELECT trip FROM \($0)" }.joined(separator: " UNION ")
        result.tripsWithoutTime = try database.values(
            Int64.self, "SELECT trip FROM (\(known)) WHERE trip NOT IN (SELECT id FROM trip)")
        for trip in result.tripsWithoutTime {
            try database.execute(
                """
                INSERT INTO trip (id, purpose, start, monotonic, end_reason, name)
                VALUES (?, 'log', 0, 0, 'crashed', 'recovered, date unknown')
                """, [trip])
        }
        try database.execute(
            """
            INSERT INTO channel (id, signal, name, unit, kind)
            SELECT DISTINCT channel, 'CHANNEL_' || channel, 'Unknown signal', '', 'number'
            FROM reading WHERE channel NOT IN (SELECT id FROM channel)
            """)
        result.unknownChannels = database.changesCount
        // Raw bytes are with the first signal of a record, which may be lost: they are not known.
        try database.execute(
            """
            UPDATE reading SET raw = x'' WHERE raw IS NULL AND NOT EXISTS
                (SELECT * FROM reading AS f WHERE f.trip = reading.trip AND f.t = reading.t
                    AND f.sequence < reading.sequence)
            """)
        try database.execute(
            """
            DELETE FROM trip_channel;
            DELETE FROM trip_measure;
            UPDATE trip SET vehicle = NULL WHERE vehicle NOT IN (SELECT id FROM vehicle);
            UPDATE trip SET accessory = NULL WHERE accessory NOT IN (SELECT id FROM accessory);
            UPDATE accessory SET vehicle = NULL WHERE vehicle NOT IN (SELECT id FROM vehicle);
            DELETE FROM trip_tag WHERE trip NOT IN (SELECT id FROM trip);
            DELETE FROM channel_label WHERE channel NOT IN (SELECT id FROM channel);
            DELETE FROM ecu WHERE vehicle NOT IN (SELECT id FROM vehicle);
            DELETE FROM ecu_support WHERE ecu NOT IN (SELECT id FROM ecu);
            DELETE FROM ecu_calibration WHERE ecu NOT IN (SELECT id FROM ecu);
            DELETE FROM accessory_quirk WHERE accessory NOT IN (SELECT id FROM accessory);
            DELETE FROM code WHERE vehicle NOT IN (SELECT id FROM vehicle);
            DELETE FROM code_change WHERE code NOT IN (SELECT id FROM code);
            DELETE FROM trip_edit;
            UPDATE trip SET end_reason = 'crashed', writer = NULL WHERE end_reason IS NULL;
            """)
        let hadCodes = try database.value(Bool.self, "SELECT EXISTS (SELECT * FROM code)")
        for trip in try database.values(Int64.self, "SELECT id FROM trip ORDER BY start, id") {
            try TripFigures.addUp(trip, in: database)
            try database.execute(
                """
                UPDATE trip SET duration = max(duration,
                    coalesce((SELECT max(t) FROM reading WHERE trip = :trip), 0))
                WHERE id = :trip
                """, ["trip": trip])
            if hadCodes == false { try CodeHistory.take(trip, in: database) }
        }
    }
}
