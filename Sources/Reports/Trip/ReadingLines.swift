import Diagnostics
import Formats
import OBDCore
import PIDTables
import SystemIO

/// Prints readings as they arrive, one per line.
package struct ReadingLines {
    private let output: OutputForm
    private let table: PIDTable
    private let items: ItemRows
    private var json: JSONLines
    private var csv: CSVLong
    package var hasHeading = false
    /// The end of each line: the device, if there are several.
    private let jsonTail: [UInt8]
    private let csvTail: [UInt8]
    private let csvHeadingTail: [UInt8]

    private let device: String?

    /// Lines for readings of `table`, each with its `device` if there are several.
    package init(
        _ output: OutputForm, table: PIDTable, knowledge: CodeKnowledge, device: String? = nil
    ) {
        self.output = output
        self.device = device
        if let device {
            jsonTail = Self.tail("device", device)
            var cell: [UInt8] = [0x2C]
            FieldValue.text(device).appendCSV(to: &cell)
            csvTail = cell
            csvHeadingTail = Array(",device\r\n".utf8)
        } else {
            (jsonTail, csvTail, csvHeadingTail) = ([], [], [])
        }
        self.table = table
        items = ItemRows(table: table, units: output.units, facts: knowledge.facts)
        json = JSONLines(table: table, units: output.units)
        csv = CSVLong(table: table, units: output.units)
    }

    /// Prints an item; text and CSV contain only readings.
    package mutating func print(
        _ item: DiagnosticItem, at time: UTC, to writer: inout TextOutput
    ) throws(OutputError) {
        switch output.format {
        case .json:
            try writer.append { bytes in
                if case .reading(let reading) = item {
                    let start = bytes.count
                    json.append(reading, time: time, to: &bytes)
                    Self.end(with: jsonTail, in: &bytes, from: start)
                } else {
                    var row = items.row(item, time: time)
                    if let device { row.add("device", .text(device)) }
                    row.appendJSON(to: &bytes)
                }
            }
        case .csv:
            guard case .reading(let reading) = item else { return }
            try writer.append { bytes in
                if !hasHeading {
                    let start = bytes.count
                    csv.appendHeader(to: &bytes)
                    Self.end(with: csvHeadingTail, in: &bytes, from: start)
                }
                let start = bytes.count
                csv.append(reading, time: time, to: &bytes)
                Self.end(with: csvTail, in: &bytes, from: start)
            }
            hasHeading = true
        case .text:
            guard case .reading(let reading) = item else { return }
            let signal = table[reading.signal]
            let value = ValueText(reading, signal, output.units)
            try writer.writeLine(
                "\(localClock(time))  \(fitted(reading.ecu?.description ?? "—", 3))  "
                    + "\(fitted(printable(signal.id), 16))  "
                    + (value.isNumber
                        ? "\(fitted(value.value, 10, right: true)) \(value.remark)" : value.value))
        }
    }

    /// A key for the end of an object, for ``end(with:in:from:)``.
    package static func tail(_ key: String, _ value: String) -> [UInt8] {
        var tail = Array(",\"\(key)\":".utf8)
        JSONText.append(value, to: &tail)
        return tail + [0x7D, 0x0A]
    }

    /// Replaces the last two bytes of the line that begins at `start` with `tail`.
    ///
    /// These bytes are an object's brace and line feed, or a table's carriage return and line feed.
    package static func end(
        with tail: [UInt8], in bytes: inout [UInt8], from start: Int
    ) {
        guard !tail.isEmpty, bytes.count >= start + 2 else { return }
        bytes.removeLast(2)
        bytes.append(contentsOf: tail)
    }

    /// Prints the voltage at the adapter; unit: V.
    package mutating func print(
        voltage: Double, at time: UTC, to writer: inout TextOutput
    ) throws(OutputError) {
        guard let signal = table.adapterVoltage else { return }
        let reading = Reading(
            ecu: nil, dataID: nil, signal: signal, value: .number(voltage), raw: [], line: 0)
        try print(.reading(reading), at: time, to: &writer)
    }
}
