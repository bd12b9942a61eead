import CSQLite

/// An error of SQLite, or a stored value that is not what its column should hold.
struct DatabaseError: Error, Hashable, Sendable {
    var extendedCode: Int32
    var message: String
    /// The statement that failed; nil if it was not about one.
    var sql: String?

    init(_ extendedCode: Int32, _ message: String, sql: String? = nil) {
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
    }

    /// SQLite's primary result code.
    var code: Int32 { extendedCode & 0xFF }

    /// Whether a row violates the schema.
    var isConstraint: Bool { code == SQLITE_CONSTRAINT }
}

extension DatabaseError: CustomStringConvertible {
    var description: String {
        var text = "SQLite error \(code): \(message)"
        if let sql {
            let ends = { (letter: Character) in letter.isWhitespace || letter == ";" }
            var shown = sql.drop(while: ends)
            while shown.last.map(ends) ?? false { shown.removeLast() }
            text += " - while executing `\(shown)`"
        }
        return text
    }
}
