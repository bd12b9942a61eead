import Adapters
import Diagnostics
import Formats
import OBDCore
import PIDTables
import SystemIO
import VehicleLink
import VehicleScan

/// Prints the answers of vehicles: JSON objects as they arrive, text as one aligned table at the end.
package struct AnswerPrinter {
    private let output: OutputForm
    private let table: PIDTable
    private let palette: Palette
    private let items: ItemRows
    package var names = ECUNames()
    private var writer: RowWriter
    private var rows = TextTable(
        [
            ("ECU", .left), ("SIGNAL", .left), ("NAME", .left), ("VALUE", .right),
            ("UNIT", .left),
        ], flexible: [2, 3])
    private var notes: [String] = []
    /// Called with each note, which is not a reading, at the end.
    private let note: (String) -> Void

    /// A printer that takes descriptions of codes from `knowledge`.
    ///
    /// With `kinds`, the keys of each kind of row, a CSV table has rows of all kinds. Without these kinds the
    /// table has readings only, and everything else becomes a note.
    package init(
        _ output: OutputForm, table: PIDTable, knowledge: CodeKnowledge, kinds: [[String]],
        note: @escaping (String) -> Void
    ) {
        self.note = note
        self.output = output
        self.table = table
        palette = output.palette
        items = ItemRows(table: table, units: output.units, facts: knowledge.facts)
        writer = RowWriter(output.format, kinds: kinds)
    }

    /// Whether rows are printed, not text.
    package var takesRows: Bool { output.format != .text }

    /// Prints a row of another kind; does nothing if only readings are printed.
    package mutating func print(_ row: Row, to output: inout TextOutput) throws(OutputError) {
        if takesRows { try output.print(row, &writer) }
    }

    /// Prints an item; in text and in a table of readings, other items become notes.
    package mutating func print(
        _ item: DiagnosticItem, at time: UTC?, to output: inout TextOutput
    ) throws(OutputError) {
        if takesRows { return try output.print(items.row(item, time: time), &writer) }
        switch item {
        case .reading(let reading): add(reading)
        case .monitor(let monitor): add(monitor)
        case .monitorTest(let result): add(result)
        case .negativeResponse, .message, .error, .code:
            if let note = remark(item) { notes.append(note) }
        }
    }

    /// Prints the parts of an answer that are not items: damaged frames and the adapter's status.
    package mutating func printRest(
        of asked: QueryResult, at time: UTC?, to output: inout TextOutput
    ) throws(OutputError) {
        for error in asked.answer.reply.errors {
            if takesRows {
                try output.print(
                    ItemRows.error(error.reason, ecu: error.ecu, time: time), &writer)
            } else {
                notes.append("\(error.ecu?.description ?? "—")  damaged: \(error.reason)")
            }
        }
        for status in asked.answer.reply.statuses {
            if takesRows {
                try output.print(
                    ItemRows.adapterStatus(status.rawValue, text: status.text, time: time), &writer)
            } else {
                notes.append("\(asked.answer.requestText): \(status.text)")
            }
        }
    }

    /// Prints the voltage at the adapter; unit: V.
    package mutating func print(
        voltage: Double, at time: UTC?, to writer: inout TextOutput
    ) throws(OutputError) {
        guard let signal = table.adapterVoltage else { return }
        let reading = Reading(
            ecu: nil, dataID: nil, signal: signal, value: .number(voltage), raw: [], line: 0)
        try print(.reading(reading), at: time, to: &writer)
    }

    /// Prints the collected rest: the table, then everything that is not a reading as notes.
    package mutating func finish(_ writer: inout TextOutput) throws(OutputError) {
        if output.format == .text && !rows.isEmpty {
            try writer.write(rows.text(palette, columns: output.columns))
        }
        try writer.append { self.writer.finish(&$0) }
        try writer.flush()
        notes.forEach(note)
        notes = []
    }

    private mutating func add(_ reading: Reading) {
        let signal = table[reading.signal]
        let value = ValueText(reading, signal, output.units)
        // Frames of several trouble codes follow each other in one table.
        let name = signal.name + (reading.parameterCode.map { " (\($0.text))" } ?? "")
        rows.add([
            .init(reading.ecu, names), .init(signal.id, .bold), .init(name),
            .init(value.value, value.isMissing ? .dim : nil), .init(value.remark),
        ])
    }

    private mutating func add(_ monitor: MonitorStatus) {
        rows.add([
            .init(monitor.ecu, names), .init(monitor.monitor.rawValue, .bold),
            .init(monitor.title),
            .init(monitor.stateText, monitor.supported ? nil : .dim), "",
        ])
    }

    private mutating func add(_ result: MonitorTestResult) {
        rows.add([
            .init(result.ecu, names), .init(Hex.string([result.tid]), .bold),
            .init("\(result.monitorTitle), \(result.testTitle)"),
            .init(result.text(result.value)), .init(result.unit ?? ""),
        ])
    }

    private func remark(_ item: DiagnosticItem) -> String? {
        let ecu = item.ecu?.description ?? "—"
        switch item {
        case .negativeResponse(let refusal, _, _):
            return "\(ecu)  \(refusal.outcome) "
                + "(\(Hex.string([refusal.nrc.rawValue])))"
        case .message(let message):
            return "\(ecu)  \(Hex.string(message.payload))"
                + (message.meaning.map { "  \($0)" } ?? "")
        case .error(let error): return "\(ecu)  error: \(error.reason)"
        case .code(let report): return "\(ecu)  \(report.kind.rawValue) \(report.code.text)"
        case .monitor, .monitorTest, .reading: return nil
        }
    }
}

extension MonitorStatus {
    /// The name of the monitor, and the time that its state is about.
    var title: String {
        "\(monitor.title), "
            + (scope == .sinceClear ? "since codes were cleared" : "this driving cycle")
    }

    var stateText: String { supported ? Readiness.text(complete) : "not supported" }
}
