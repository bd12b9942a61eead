/// The log that a WiCAN adapter keeps on its memory card: a database of parameters and their values.
public enum WiCANLog {
    /// Why it cannot be read.
    public enum Fault: Error, Hashable, Sendable {
        /// The database is damaged, or cannot be opened.
        case unreadable(String)
        /// More values than this reads at once.
        case tooLong
    }

    /// More values than a card of years has.
    private static let most = 10_000_000

    /// The values as lines of seconds since 1970, name, value and unit; nil for another database.
    ///
    /// The database itself is not written to.
    public static func text(at path: String) throws(Fault) -> [UInt8]? {
        do {
            let connection = try Connection(path, .init(isReadOnly: true)) { database in
                // The file may come from an untrusted source.
                try database.execute("PRAGMA trusted_schema = OFF")
                database.setLargestValue(1 << 20)
            }
            return try connection.read { database in
                guard try database.hasTable("param_info"), try database.hasTable("param_data")
                else { return nil }
                return try lines(of: database)
            }
        } catch let fault as Fault {
            throw fault
        } catch {
            throw .unreadable((error as? DatabaseError)?.message ?? "\(error)")
        }
    }

    private static func lines(of database: Database) throws -> [UInt8] {
        let columns = try database.columns(of: "param_data")
        // Older firmware calls it DateTime, and writes text.
        guard let time = ["timestamp", "DateTime"].first(where: columns.contains) else { return [] }
        var bytes = Array("SECONDS;PID;VALUE;UNITS\n".utf8)
        var count = 0
        let rows = try database.cursor(
            """
            SELECT CASE typeof(\(time)) WHEN 'text' THEN strftime('%s', \(time)) ELSE \(time) END,
                CAST(Name AS TEXT), CAST(value AS REAL),
                CASE WHEN json_valid(Data) THEN CAST(json_extract(Data, '$.unit') AS TEXT) END
            FROM param_data JOIN param_info ON param_info.Id = param_id
            WHERE value IS NOT NULL ORDER BY 1, param_data.rowid
            """)
        while let row = try rows.next() {
            let (name, value): (String?, Double?) = (try row[1], try row[2])
            guard let name, let value, value.isFinite, let seconds = Self.seconds(try row[0])
            else { continue }
            count += 1
            guard count <= most else { throw Fault.tooLong }
            let unit = try row[3] as String? ?? ""
            bytes += "\(seconds);\(quoted(name));\(value);\(quoted(unit))\n".utf8
        }
        return bytes
    }

    private static func quoted(_ text: String) -> String {
        let line = text.filter { !$0.isNewline }.replacing("\"", with: "\"\"")
        return "\"\(line)\""
    }
}

extension WiCANLog {
    /// Seconds since 1970, written as a number or as text; some count milliseconds.
    private static func seconds(_ value: SQLValue) -> Double? {
        let number: Double? =
            switch value {
            case .integer(let whole): Double(whole)
            case .real(let number): number
            case .text(let text): Double(text)
            case .null, .blob: nil
            }
        guard let number, number.isFinite else { return nil }
        return number > 1e11 ? number / 1000 : number
    }
}
