import Diagnostics
import OBDCore

/// The columns of a wide table, with the mapping from readings to columns.
struct CSVColumns: Sendable {
    let table: PIDTable
    let columns: [CSVWide.Column]
    let conversions: [UnitSystem.Conversion?]
    let separator: UInt8
    /// The power of ten to whose inverse the numbers of each column are rounded; nil = they are not rounded.
    private let scales: [Double?]
    private var places: [[Int]]
    /// The text that distinguishes a column from others with the same name; empty if no other has that name.
    private var marks: [String]

    init(
        table: PIDTable, columns: [CSVWide.Column], units: UnitSystem,
        separator: Unicode.Scalar = ",", isRounded: Bool = false, steps: [Double]? = nil
    ) {
        self.table = table
        self.separator = UInt8(ascii: separator)
        let shown = columns.indices.filter {
            table.signals.indices.contains(Int(columns[$0].signal.rawValue))
        }
        let known = shown.map { columns[$0] }
        self.columns = known
        conversions = known.map { column in
            let signal = table[column.signal]
            return signal.kind == .number ? units.conversion(from: signal.unit) : nil
        }
        scales = zip(shown, conversions).map { place, conversion in
            guard isRounded else { return nil }
            let factor = conversion?.factor ?? 1
            if let steps { return Self.scale(for: steps[place] * factor) }
            // Imported signals have no bits, so that their steps are not known.
            let signal = table[columns[place].signal]
            return signal.bitLength > 0 ? Self.scale(for: signal.shownStep * factor) : nil
        }
        places = Array(repeating: [], count: table.signals.count)
        for (index, column) in known.enumerated() {
            places[Int(column.signal.rawValue)].append(index)
        }
        marks = Array(repeating: "", count: known.count)
        markEqualColumns()
    }

    /// Distinguishes signals of one name and ECU by their records; that of service 01 keeps its name, by which
    /// it can be imported again.
    private mutating func markEqualColumns() {
        let equal = Dictionary(grouping: columns.indices) { heading($0, name: \.id) }
        for places in equal.values where places.count > 1 {
            var used: Set<String> = []
            for place in places {
                var mark = ""
                if let record = columns[place].record, record.service > .currentData,
                    record.service < .negativeResponse
                {
                    mark = " \(record)"
                }
                let plain = mark
                var number = 1
                while !used.insert(mark).inserted {
                    number += 1
                    mark = plain + " [\(number)]"
                }
                marks[place] = mark
            }
        }
    }

    /// The column of a reading; nil if there is none.
    @inline(__always)
    func place(of reading: borrowing Reading) -> Int? {
        let index = Int(reading.signal.rawValue)
        guard places.indices.contains(index) else { return nil }
        var place: Int?
        for candidate in places[index] {
            if columns[candidate].ecu == reading.ecu { return candidate }
            if columns[candidate].ecu == nil { place = candidate }
        }
        return place
    }

    /// Appends the heading: `time`, then `RPM (rpm)`, with the ECU before it if the column belongs
    /// to one.
    func appendHeader(time: String, to output: inout [UInt8]) {
        CSVText.append(time, to: &output, separator: separator)
        for place in columns.indices {
            output.append(separator)
            CSVText.append(heading(place, name: \.id), to: &output, separator: separator)
        }
        CSVText.endLine(&output)
    }

    /// `RPM (rpm)`, with the ECU before it if the column belongs to one.
    private func heading(_ place: Int, name: KeyPath<Signal, String>) -> String {
        let signal = table[columns[place].signal]
        let unit = conversions[place]?.unit ?? signal.unit
        var text = signal[keyPath: name] + marks[place]
        if let ecu = columns[place].ecu { text = "\(ecu) \(text)" }
        return unit.isEmpty ? text : text + " (\(unit))"
    }

    /// The headings of a sheet by those of the table: with names, and decimals by the signals' steps.
    var sheetHeadings: [String: CSVSheet.Heading] {
        var headings: [String: CSVSheet.Heading] = [:]
        for place in columns.indices {
            let signal = table[columns[place].signal]
            let step = signal.shownStep * (conversions[place]?.factor ?? 1)
            headings[heading(place, name: \.id)] = CSVSheet.Heading(
                heading(place, name: \.name),
                decimals: signal.kind == .number ? decimals(forStep: step) : nil)
        }
        return headings
    }

    /// The smallest power of ten whose inverse is at most `step`; nil without a step, as of floating point
    /// numbers.
    ///
    /// Rounding then changes a number by half a step at most. Multiples of a step with at most three decimals stay as
    /// they are.
    private static func scale(for step: Double) -> Double? {
        let step = abs(step)
        guard step > 0 else { return nil }
        let exact = [1, 10, 100, 1000].first { scale in
            abs(step * scale - (step * scale).rounded()) < 1e-9 * scale && step * scale > 0.5
        }
        if let exact { return exact }
        var scale = 1.0
        while step * scale < 0.9999, scale < 1e9 { scale *= 10 }
        return scale
    }

    /// Appends a number in the shown unit, rounded if the table is; nothing if it is not finite.
    func append(_ number: Double, at place: Int, to cell: inout [UInt8]) {
        guard number.isFinite else { return }
        guard let scale = scales[place] else { return NumberText.append(number, to: &cell) }
        let scaled = (number * scale).rounded()
        // Larger numbers have no such decimals.
        NumberText.append(abs(scaled) < 1e15 ? scaled / scale : number, to: &cell)
    }

    /// Appends a reading's cell; nothing without a value.
    func append(_ reading: borrowing Reading, at place: Int, to cell: inout [UInt8]) {
        switch reading.value {
        case .number(let value):
            append(conversions[place].map { $0(value) } ?? value, at: place, to: &cell)
        case .flag(let value): JSONText.append(value, to: &cell)
        case .label(let code):
            CSVText.append(
                ReadingText.label(code, of: table[reading.signal]), to: &cell, separator: separator)
        case .text(let text): CSVText.append(text, to: &cell, separator: separator)
        case .supportMap(let raw):
            CSVText.append(
                ReadingText.supportMap(raw, base: reading.dataID?.id ?? 0), to: &cell,
                separator: separator)
        case .missing: break
        }
    }
}
