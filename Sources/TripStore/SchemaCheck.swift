/// Checks that the tables of a database are those of the migrations.
///
/// The database may come from an untrusted source. A view in place of a table can run an endless
/// query, and a trigger runs with every stored row.
enum SchemaCheck {
    /// The first difference in words; nil = none.
    ///
    /// Further tables, views and indexes are allowed, because none of our statements reads them.
    static func fault(in database: Database, version: Int) throws -> String? {
        let triggers = try database.value(
            Int.self, "SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%trigger%'")
        if triggers != 0 { return "it has a trigger, which obdscan never makes" }
        // Usually the text is identical. Only for another text is it worth creating a database to
        // compare.
        if version == Migrations.newest, try text(in: database) == Migrations.schema { return nil }
        let expected = try tables(version: version)
        let found = try tables(in: database)
        for name in expected.keys.sorted() where found[name] != expected[name] {
            return "its table \(name) differs from the one that obdscan makes"
        }
        return nil
    }

    /// The statements that create the tables, in the form of `migrations/schema.sql`.
    static func text(in database: Database) throws -> String {
        let statements = try database.values(
            String.self,
            """
            SELECT sql FROM sqlite_schema
            WHERE type = 'table' AND name NOT LIKE 'sqlite_stat%' ORDER BY name
            """)
        return statements.map { $0 + ";\n" }.joined(separator: "\n")
    }

    /// The tables of a new database of this version.
    private static func tables(version: Int) throws -> [String: [String]] {
        try Connection().access { database in
            try Migrations.run(on: database, from: 0, to: version)
            return try tables(in: database)
        }
    }

    /// Each table with its kind and columns, as SQLite parsed them from the schema.
    private static func tables(in database: Database) throws -> [String: [String]] {
        var tables: [String: [String]] = [:]
        let rows = try database.cursor(
            """
            SELECT l.name, l.type || ' ' || l.wr || ' ' || l.strict || ' ' || x.cid || ' ' || x.name
                || ' ' || x.type || ' ' || x."notnull" || ' ' || x.pk || ' ' || x.hidden
            FROM pragma_table_list AS l JOIN pragma_table_xinfo(l.name) AS x
            WHERE l.schema = 'main' AND l.type = 'table'
            """)
        while let row = try rows.next() { tables[try row[0], default: []].append(try row[1]) }
        return tables.mapValues { $0.sorted() }
    }
}
