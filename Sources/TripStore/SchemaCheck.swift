import GRDB

/// Whether the tables of a database are those that the migrations make.
///
/// A database may come from anybody. A view in the place of a table can run a query that never ends, and a
/// trigger runs with every row that is stored.
enum SchemaCheck {
    /// What is not as it was made, in words; nil = nothing.
    ///
    /// Other tables, views and indexes are their owner's business: no statement of ours reads them.
    static func fault(in database: Database, version: Int) throws -> String? {
        let triggers = try Int.fetchOne(
            database, sql: "SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%trigger%'")
        if triggers != 0 { return "it has a trigger, which obdscan never makes" }
        // The common case: SQLite stored the very text. Only other text is worth making a database for.
        if version == Migrations.newest, try text(in: database) == Migrations.schema { return nil }
        let expected = try tables(version: version)
        let found = try tables(in: database)
        for name in expected.keys.sorted() where found[name] != expected[name] {
            return "its table \(name) is not as obdscan makes it"
        }
        return nil
    }

    /// The statements that make the tables, as `migrations/schema.sql` has them.
    static func text(in database: Database) throws -> String {
        let statements = try String.fetchAll(
            database,
            sql: """
                SELECT sql FROM sqlite_schema
                WHERE type = 'table' AND name NOT LIKE 'sqlite_stat%' ORDER BY name
                """)
        return statements.map { $0 + ";\n" }.joined(separator: "\n")
    }

    /// The tables of a new database of this version.
    private static func tables(version: Int) throws -> [String: [String]] {
        try DatabaseQueue().writeWithoutTransaction { database in
            try Migrations.run(on: database, from: 0, to: version)
            return try tables(in: database)
        }
    }

    /// Each table with its kind and its columns, as SQLite has read the schema.
    private static func tables(in database: Database) throws -> [String: [String]] {
        var tables: [String: [String]] = [:]
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT l.name, l.type || ' ' || l.wr || ' ' || l.strict || ' ' || x.cid || ' ' || x.name
                    || ' ' || x.type || ' ' || x."notnull" || ' ' || x.pk || ' ' || x.hidden
                FROM pragma_table_list AS l JOIN pragma_table_xinfo(l.name) AS x
                WHERE l.schema = 'main' AND l.type = 'table'
                """)
        while let row = try rows.next() { tables[row[0], default: []].append(row[1]) }
        return tables.mapValues { $0.sorted() }
    }
}
