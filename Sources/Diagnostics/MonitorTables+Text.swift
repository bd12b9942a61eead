public import OBDCore

/// A fault in the text of a monitor table.
public struct MonitorTableError: Error, Hashable, Sendable {
    /// What is wrong.
    public enum Fault: Hashable, Sendable {
        /// A line with too few or too many columns.
        case columns(expected: Int, found: Int)
        /// A field that is not valid in its column.
        case malformed(String, wanted: String)
        /// An ID that appears twice.
        case double(String)
    }

    /// The file.
    public var file: String
    /// The line, from 1.
    public var line: Int
    /// The fault.
    public var fault: Fault

    /// One sentence for the user.
    public var reason: String {
        switch fault {
        case .columns(let expected, let found): "\(found) columns, \(expected) expected"
        case .malformed(let field, let wanted): "`\(field)` is not \(wanted)"
        case .double(let id): "`\(id)` appears twice"
        }
    }
}

extension MonitorTableError: Explained {
    /// A fault in the embedded tables, which the tests check.
    public var explanation: Explanation {
        Explanation(description, hint: "this is a fault of obdscan: please report it", .bug)
    }
}

extension MonitorTableError: CustomStringConvertible {
    /// `FILE:LINE: reason`, in the format of compilers.
    public var description: String { "\(file):\(line): \(reason)" }
}

extension MonitorTables {
    /// The files of the tables; columns are separated by tabs, and `#` begins a comment line.
    public enum File: String, CaseIterable, Sendable {
        /// `mid name misfire|other|`.
        case monitors = "mids.tsv"
        /// `tid name factor unit limits`.
        case tests = "tids.tsv"
        /// `uas factor offset unit quantity`.
        case scalings = "uas.tsv"
        /// `first-year last-year allowed`.
        case readiness = "readiness.tsv"
    }

    /// Adds the rows of one file; each ID may occur once.
    public mutating func add(_ text: String, of file: File) throws(MonitorTableError) {
        var reader = RowReader(file: file.rawValue, text: text)
        switch file {
        case .monitors: monitors.reserveCapacity(128)
        case .scalings: scalings.reserveCapacity(128)
        case .tests, .readiness: break
        }
        switch file {
        case .monitors: while try reader.next(columns: 3) { try addMonitor(reader) }
        case .tests: while try reader.next(columns: 5) { try addTest(reader) }
        case .scalings: while try reader.next(columns: 5) { try addScaling(reader) }
        case .readiness: while try reader.next(columns: 6) { try readiness.add(reader) }
        }
    }

    private mutating func addMonitor(_ row: RowReader) throws(MonitorTableError) {
        let id = try row.id(0)
        let name = try row.text(1)
        var monitor = monitors[id] ?? Monitor()
        let isFor = row[2]
        guard isFor.isEmpty || isFor == "misfire" || isFor == "other" else {
            throw row.malformed(isFor, "`misfire`, `other` or empty")
        }
        if isFor != "other" {
            guard monitor.misfire == nil else { throw row.fault(.double(String(row[0]))) }
            monitor.misfire = name
        }
        if isFor != "misfire" {
            guard monitor.other == nil else { throw row.fault(.double(String(row[0]))) }
            monitor.other = name
        }
        monitors[id] = monitor
    }

    private mutating func addTest(_ row: RowReader) throws(MonitorTableError) {
        let id = try row.id(0)
        var test = Test(name: try row.text(1), scaling: nil, hasLimits: false)
        if !row[2].isEmpty {
            let (multiplier, divisor) = try row.factor(2)
            test.scaling = Scaling(
                multiplier: multiplier, divisor: divisor, offset: 0, unit: String(row[3]),
                quantity: "")
            guard row[4] == "0" || row[4] == "2" else {
                throw row.malformed(row[4], "0 or 2 limits")
            }
            test.hasLimits = row[4] == "2"
        }
        guard tests.updateValue(test, forKey: id) == nil else {
            throw row.fault(.double(String(row[0])))
        }
    }

    private mutating func addScaling(_ row: RowReader) throws(MonitorTableError) {
        let id = try row.id(0)
        let (multiplier, divisor) = try row.factor(1)
        let scaling = Scaling(
            multiplier: multiplier, divisor: divisor, offset: try row.number(2),
            unit: String(row[3]), quantity: try row.text(4))
        guard scalings.updateValue(scaling, forKey: id) == nil else {
            throw row.fault(.double(String(row[0])))
        }
    }
}

/// Reads lines of columns separated by tabs.
struct RowReader {
    let file: String
    /// Bytes, because splitting into characters takes ten times as long.
    private var rest: Substring.UTF8View
    private var line = 0
    private var fields: [Substring] = []

    init(file: String, text: String) {
        self.file = file
        rest = text[...].utf8
    }

    /// Moves to the next row; false at the end of the text.
    mutating func next(columns: Int) throws(MonitorTableError) -> Bool {
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            let text = rest[..<end]
            rest = end < rest.endIndex ? rest[rest.index(after: end)...] : rest[end...]
            line += 1
            guard let first = text.first, first != UInt8(ascii: "#") else { continue }
            cut(text)
            guard fields.count == columns else {
                throw fault(.columns(expected: columns, found: fields.count))
            }
            return true
        }
        return false
    }

    private mutating func cut(_ text: Substring.UTF8View) {
        fields.removeAll(keepingCapacity: true)
        var rest = text
        while let tab = rest.firstIndex(of: UInt8(ascii: "\t")) {
            fields.append(Substring(rest[..<tab]))
            rest = rest[rest.index(after: tab)...]
        }
        fields.append(Substring(rest))
    }

    /// A field of the row, from 0.
    subscript(column: Int) -> Substring { fields[column] }

    func fault(_ fault: MonitorTableError.Fault) -> MonitorTableError {
        MonitorTableError(file: file, line: line, fault: fault)
    }

    func malformed(_ field: Substring, _ wanted: String) -> MonitorTableError {
        fault(.malformed(String(field), wanted: wanted))
    }

    /// Two hexadecimal digits.
    func id(_ column: Int) throws(MonitorTableError) -> UInt8 {
        guard fields[column].utf8.count == 2, let id = UInt8(fields[column], radix: 16) else {
            throw malformed(fields[column], "two hexadecimal digits")
        }
        return id
    }

    /// Text that is not empty.
    func text(_ column: Int) throws(MonitorTableError) -> String {
        guard !fields[column].isEmpty else { throw malformed("", "a text") }
        return String(fields[column])
    }

    func number(_ column: Int) throws(MonitorTableError) -> Double {
        guard let number = Double(fields[column]), number.isFinite else {
            throw malformed(fields[column], "a number")
        }
        return number
    }

    /// `3`, `1/4`.
    func factor(_ column: Int) throws(MonitorTableError) -> (Double, Double) {
        let text = fields[column]
        let slash = text.utf8.firstIndex(of: UInt8(ascii: "/"))
        guard let multiplier = Double(text[..<(slash ?? text.endIndex)]), multiplier.isFinite,
            let divisor = slash.map({ Double(text[text.utf8.index(after: $0)...]) }) ?? 1,
            divisor.isFinite, divisor != 0
        else { throw malformed(text, "a factor like 3 or 1/4") }
        return (multiplier, divisor)
    }
}
