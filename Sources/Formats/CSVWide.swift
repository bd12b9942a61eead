import Diagnostics
import OBDCore

/// Readings as a table with one line per point in time and one column per signal.
///
/// A cell without a reading at that time is empty: values are not repeated or interpolated
/// (``CSVGrid`` does that). A second reading of the same signal and ECU at the same time begins
/// another line.
public struct CSVWide: Sendable {
    /// One column.
    public struct Column: Hashable, Sendable {
        /// The signal.
        public var signal: SignalIndex
        /// The ECU; nil = all ECUs that have no separate column.
        public var ecu: ECUAddress?
        /// The record that has the signal, which distinguishes it from others with its name; nil = not known.
        public var record: DataID?

        /// A column.
        public init(_ signal: SignalIndex, ecu: ECUAddress? = nil, record: DataID? = nil) {
            self.signal = signal
            self.ecu = ecu
            self.record = record
        }
    }

    private let columns: CSVColumns
    /// The cells of the current line; nil = empty.
    private var cells: [[UInt8]]
    private var isFilled: [Bool]
    private var filled = 0
    private var lineTime: UTC?
    private var timeText: TimeText

    /// A table with these columns.
    public init(
        table: PIDTable, columns: [Column], units: UnitSystem = .metric, times: TimeStyle = .utc,
        separator: Unicode.Scalar = ","
    ) {
        self.columns = CSVColumns(
            table: table, columns: columns, units: units, separator: separator)
        timeText = TimeText(times)
        let count = self.columns.columns.count
        cells = Array(repeating: [], count: count)
        isFilled = Array(repeating: false, count: count)
    }

    /// Appends the heading: `time`, then `RPM (rpm)`, with the ECU before it if the column belongs
    /// to one.
    ///
    /// `zone` is that of the times if they do not have it.
    public func appendHeader(zone: String? = nil, to output: inout [UInt8]) {
        columns.appendHeader(time: "time" + (zone.map { " (\($0))" } ?? ""), to: &output)
    }

    /// The headings of a sheet of such a table.
    public static func sheetHeadings(
        table: PIDTable, columns: [Column], units: UnitSystem
    ) -> [String: CSVSheet.Heading] {
        CSVColumns(table: table, columns: columns, units: units).sheetHeadings
    }

    /// Takes a reading; appends the previous line if the reading has another time.
    public mutating func append(
        _ reading: borrowing Reading, time: UTC?, to output: inout [UInt8]
    ) {
        guard let place = columns.place(of: reading) else { return }
        if filled > 0 && (lineTime != time || isFilled[place]) { finish(&output) }
        lineTime = time
        isFilled[place] = true
        filled += 1
        columns.append(reading, at: place, to: &cells[place])
    }

    /// Appends the last line; call it at the end.
    public mutating func finish(_ output: inout [UInt8]) {
        guard filled > 0 else { return }
        if let lineTime { timeText.append(lineTime, to: &output) }
        for place in cells.indices {
            output.append(columns.separator)
            if isFilled[place] {
                output.append(contentsOf: cells[place])
                cells[place].removeAll(keepingCapacity: true)
                isFilled[place] = false
            }
        }
        CSVText.endLine(&output)
        filled = 0
    }
}
