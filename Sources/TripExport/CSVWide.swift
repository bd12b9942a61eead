public import Diagnostics
public import OBDCore

/// Readings as a table: a line for each point in time, a column for each signal.
///
/// A cell is empty where nothing was read at that time: no value is repeated or interpolated. What
/// one ECU says of one signal twice at one time begins another line.
public struct CSVWide: Sendable {
    /// One column.
    public struct Column: Hashable, Sendable {
        /// The signal.
        public var signal: SignalIndex
        /// Whose; nil = whoever's is not in a column of its own.
        public var ecu: ECUAddress?

        /// A column.
        public init(_ signal: SignalIndex, ecu: ECUAddress? = nil) {
            self.signal = signal
            self.ecu = ecu
        }
    }

    private let table: PIDTable
    private let units: UnitSystem
    private let times: TimeStyle
    private let columns: [Column]
    private let conversions: [UnitSystem.Conversion?]
    /// By signal: columns it may stand in.
    private var places: [[Int]]
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
        self.table = table
        self.units = units
        self.times = times
        let known = columns.filter { table.signals.indices.contains(Int($0.signal.rawValue)) }
        self.columns = known
        conversions = known.map { column in
            let signal = table[column.signal]
            return signal.kind == .number ? units.conversion(from: signal.unit) : nil
        }
        places = Array(repeating: [], count: table.signals.count)
        for (index, column) in known.enumerated() {
            places[Int(column.signal.rawValue)].append(index)
        }
        cells = Array(repeating: [], count: known.count)
        isFilled = Array(repeating: false, count: known.count)
    }

    /// Appends the line of column names: `time`, then `RPM (rpm)`, with the ECU in front where
    /// several have the same signal.
    public func appendHeader(to output: inout [UInt8]) {
        JSONText.append(raw: "time", to: &output)
        var seen: [String: Int] = [:]
        for column in columns { seen[table[column.signal].id, default: 0] += 1 }
        for (column, conversion) in zip(columns, conversions) {
            let signal = table[column.signal]
            let unit = conversion?.unit ?? signal.unit
            var name = signal.id
            if seen[signal.id, default: 0] > 1, let ecu = column.ecu { name = "\(ecu) \(name)" }
            if !unit.isEmpty { name += " (\(unit))" }
            output.append(0x2C)
            CSVText.append(name, to: &output)
        }
        CSVText.endLine(&output)
    }

    /// Takes a reading; appends the line before it when it belongs to another time.
    public mutating func append(
        _ reading: borrowing Reading, time: UTC?, to output: inout [UInt8]
    ) {
        let index = Int(reading.signal.rawValue)
        guard places.indices.contains(index) else { return }
        var place: Int?
        for candidate in places[index] {
            if columns[candidate].ecu == reading.ecu {
                place = candidate
                break
            }
            if columns[candidate].ecu == nil { place = candidate }
        }
        guard let place else { return }
        if filled > 0 && (lineTime != time || isFilled[place]) { finish(&output) }
        lineTime = time
        isFilled[place] = true
        filled += 1
        append(reading, conversions[place], to: &cells[place])
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

    private func append(
        _ reading: borrowing Reading, _ conversion: UnitSystem.Conversion?,
        to cell: inout [UInt8]
    ) {
        switch reading.value {
        case .number(let value):
            let shown = conversion.map { $0(value) } ?? value
            if shown.isFinite { NumberText.append(shown, to: &cell) }
        case .flag(let value): JSONText.append(value, to: &cell)
        case .label(let code):
            CSVText.append(ReadingText.label(code, of: table[reading.signal]), to: &cell)
        case .text(let text): CSVText.append(text, to: &cell)
        case .supportMap(let raw):
            CSVText.append(ReadingText.supportMap(raw, base: reading.dataID?.id ?? 0), to: &cell)
        case .missing: break
        }
    }
}
