import Diagnostics
import OBDCore
import PIDTables
import TripExport

/// Prints readings one a line, as they come.
struct ReadingLines {
    private let output: OutputOptions
    private let table: PIDTable
    private var json: JSONLines
    private var csv: CSVLong
    private var hasHeading = false

    /// Lines for readings of `table`.
    init(_ output: OutputOptions, table: PIDTable) throws(Failure) {
        self.output = output
        self.table = table
        let texts = try loadCodeTexts()
        json = JSONLines(table: table, units: output.units) { texts.text(of: $0) }
        csv = CSVLong(table: table, units: output.units)
    }

    /// Prints an item; in text and CSV only readings.
    mutating func print(
        _ item: DiagnosticItem, at time: UTC, to writer: inout TextOutput
    ) throws(OutputError) {
        switch output.format {
        case .json: try writer.append { json.append(item, time: time, to: &$0) }
        case .csv:
            guard case .reading(let reading) = item else { return }
            try writer.append { bytes in
                if !hasHeading { csv.appendHeader(to: &bytes) }
                csv.append(reading, time: time, to: &bytes)
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
                        ? "\(fitted(value.value, 10, right: true)) \(value.unit)" : value.value))
        }
    }

    /// Prints the voltage at the adapter; unit: V.
    mutating func print(
        voltage: Double, at time: UTC, to writer: inout TextOutput
    ) throws(OutputError) {
        guard let signal = table.adapterVoltage else { return }
        let reading = Reading(
            ecu: nil, dataID: nil, signal: signal, value: .number(voltage), raw: [], line: 0)
        try print(.reading(reading), at: time, to: &writer)
    }
}
