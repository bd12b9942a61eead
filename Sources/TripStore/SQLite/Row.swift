import CSQLite

struct Row {
    private enum Source {
        /// The row at which these rows are; it changes with the next one.
        case current(Rows)
        case copy([SQLValue])
    }

    let columns: [String]
    private let source: Source

    fileprivate init(_ rows: Rows) {
        columns = rows.statement.columns
        source = .current(rows)
    }

    /// A copy of the row at which a statement stands.
    init(copying statement: Statement) {
        columns = statement.columns
        source = .copy(columns.indices.map { statement.current.value(Int32($0)) })
    }

    /// The value of a column by its place.
    subscript<Value: ReadableColumn>(_ place: Int) -> Value {
        get throws(DatabaseError) {
            guard columns.indices.contains(place) else {
                throw DatabaseError(SQLITE_RANGE, "there is no column \(place)")
            }
            let stored =
                switch source {
                case .current(let rows): rows.statement.current.value(Int32(place))
                case .copy(let values): values[place]
                }
            guard let value = Value.read(stored) else {
                var sql: String?
                if case .current(let rows) = source { sql = rows.statement.sql }
                throw DatabaseError(
                    SQLITE_CORRUPT, "column \(columns[place]) holds another kind of value", sql: sql
                )
            }
            return value
        }
    }

    /// Whether a column holds nothing.
    func isNull(_ name: String) throws(DatabaseError) -> Bool { try self[name] == SQLValue.null }

    /// The value of a column by its name.
    subscript<Value: ReadableColumn>(_ name: String) -> Value {
        get throws(DatabaseError) {
            guard let place = columns.firstIndex(of: name) else {
                throw DatabaseError(SQLITE_RANGE, "there is no column \(name)")
            }
            return try self[place]
        }
    }
}

/// The rows of a query, one after the other.
final class Rows {
    fileprivate let statement: Statement
    /// Whether all rows were read: a further step would run the query again.
    private var isDone = false

    init(_ statement: Statement) { self.statement = statement }

    deinit { statement.reset() }

    /// The next row, which is valid until the one after it; nil after the last.
    func next() throws(DatabaseError) -> Row? {
        if isDone { return nil }
        if try statement.step() { return Row(self) }
        isDone = true
        return nil
    }
}
