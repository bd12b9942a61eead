import GRDB
import GRDBSQLite

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
            var configuration = Configuration()
            configuration.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            return try queue.read { database in
                guard try database.tableExists("param_info"), try database.tableExists("param_data")
                else { return nil }
                return try lines(of: database)
            }
        } catch let fault as Fault {
            throw fault
        } catch {
            throw .unreadable("\(error)")
        }
    }

    private static func lines(of database: Database) throws -> [UInt8] {
        let columns = try database.columns(in: "param_data").map(\.name)
        // Older firmware calls it DateTime, and writes text.
        guard let time = ["timestamp", "DateTime"].first(where: columns.contains) else { return [] }
        var bytes = Array("SECONDS;PID;VALUE;UNITS\n".utf8)
        var count = 0
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT CASE typeof(\(time)) WHEN 'text' THEN strftime('%s', \(time)) ELSE \(time) END,
                    Name, value, CASE WHEN json_valid(Data) THEN json_extract(Data, '$.unit') END
                FROM param_data JOIN param_info ON param_info.Id = param_id
                WHERE value IS NOT NULL ORDER BY 1, param_data.rowid
                """)
        while let row = try rows.next() {
            guard let name = row[1] as String?, let value = row[2] as Double?, value.isFinite,
                let seconds = DatabaseValue.fromNumber(row[0])
            else { continue }
            count += 1
            guard count <= most else { throw Fault.tooLong }
            let unit = row[3] as String? ?? ""
            bytes += "\(seconds);\(quoted(name));\(value);\(quoted(unit))\n".utf8
        }
        return bytes
    }

    private static func quoted(_ text: String) -> String {
        let line = text.filter { !$0.isNewline }.replacing("\"", with: "\"\"")
        return "\"\(line)\""
    }
}

extension DatabaseValue {
    /// Seconds since 1970, written as a number or as text; some count milliseconds.
    fileprivate static func fromNumber(_ value: DatabaseValue) -> Double? {
        let number: Double? =
            switch value.storage {
            case .int64(let whole): Double(whole)
            case .double(let number): number
            case .string(let text): Double(text)
            case .null, .blob: nil
            }
        guard let number, number.isFinite else { return nil }
        return number > 1e11 ? number / 1000 : number
    }
}
