import Diagnostics
import OBDCore

/// Readings as a table: a line for each point in time, a column for each signal.
///
/// A cell is empty where nothing was read at that time: no value is repeated or interpolated
/// (``CSVGrid`` does that). What one ECU says of one signal twice at one time begins another line.
public struct CSVWide: Sendable {
    /// One column.
    public struct Column: Hashable, Sendable {
        /// The signal.
        public var signal: SignalIndex
        /// Whose; nil = whoever's is not in its own column.
        public var ecu: ECUAddress?

        /// A column.
        public init(_ signal: SignalIndex, ecu: ECUAddress? = nil) {
            self.signal = signal
            self.ecu = ecu
        }
    }

    private let columns: CSVColumns
    private let times: TimeStyle
    /// Text of the line that is being filled; nil = an empty cell.
    private var cells: [[UInt8]]
    private var isFilled: [Bool]
    private var filled = 0
    private var lineTime: UTC?
    private var timeText = TimeText()

    /// A table with these columns.
    public init(
        table: PIDTable, columns: [Column], units: UnitSystem = .metric, times: TimeStyle = .utc
    ) {
        self.columns = CSVColumns(table: table, columns: columns, units: units)
        self.times = times
        let count = self.columns.columns.count
        cells = Array(repeating: [], count: count)
        isFilled = Array(repeating: false, count: count)
    }

    /// Appends the line of column names: `time`, then `RPM (rpm)`, with the ECU before it where
    /// the column is of one.
    public func appendHeader(to output: inout [UInt8]) {
        columns.appendHeader(time: "time", to: &output)
    }

    /// Takes a reading; appends the line before it when it belongs to another time.
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
        if let lineTime {
            switch times {
            case .utc: timeText.append(lineTime, to: &output)
            case .seconds(let start): TimeText.appendSeconds(from: start, to: lineTime, &output)
            }
        }
        for place in cells.indices {
            output.append(0x2C)
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
