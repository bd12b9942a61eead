import Adapters
import Diagnostics
import OBDCore
import TripExport
import VehicleLink

/// Prints what decoding found: lines for people, JSON Lines or CSV.
struct DecodePrinter {
    /// The columns of `--format csv`.
    static let columns = [
        "line", "kind", "ecu", "service", "pid", "signal", "name", "value", "unit", "raw", "code",
        "description", "status",
    ]

    private let format: OutputFormat
    private let units: UnitSystem
    private var table: PIDTable
    private let codeTexts: CodeTexts
    private var json: JSONLines
    private var wroteHeading = false
    /// Whether anything was an error since the last call of ``takeError()``.
    private var sawError = false

    init(format: OutputFormat, units: UnitSystem, table: PIDTable, codeTexts: CodeTexts) {
        self.format = format
        self.units = units
        self.table = table
        self.codeTexts = codeTexts
        json = JSONLines(table: table, units: units, showsLine: true) { code in
            codeTexts.text(of: code)
        }
    }

    /// Prints readings of another table from here on.
    mutating func use(_ table: PIDTable) {
        self.table = table
        let codeTexts = codeTexts
        json = JSONLines(table: table, units: units, showsLine: true) { code in
            codeTexts.text(of: code)
        }
    }

    /// Whether an error was printed; forgets it.
    mutating func takeError() -> Bool {
        defer { sawError = false }
        return sawError
    }

    /// Appends one finding to `output`.
    mutating func append(_ found: DecodedLine, to output: inout [UInt8]) {
        if found.isError { sawError = true }
        switch format {
        case .json: appendJSON(found, to: &output)
        case .text: output.append(contentsOf: (textLine(found) + "\n").utf8)
        case .csv:
            if !wroteHeading {
                wroteHeading = true
                CSVRow.append(Self.columns, to: &output)
            }
            CSVRow.append(cells(found), to: &output)
        }
    }

    /// Appends what makes a whole input unreadable.
    mutating func appendUnreadable(reason: String, line: Int, to output: inout [UInt8]) {
        append(
            .item(
                .error(DecodeError(.malformed(reason), ecu: nil, line: line)), text: ""),
            to: &output)
    }

    // MARK: JSON

    private mutating func appendJSON(_ found: DecodedLine, to output: inout [UInt8]) {
        switch found {
        case .item(.error(let error), let text):
            json.appendError(
                line: error.line, reason: error.reason, text: text, ecu: error.ecu, to: &output)
        case .item(let item, _): json.append(item, time: nil, to: &output)
        case .status(let status, let text, let line):
            json.appendAdapterStatus(
                status.rawValue, text: text, line: line, time: nil, to: &output)
        case .voltage(let volts, let line):
            json.appendVoltage(volts, line: line, time: nil, to: &output)
        case .frame(let id, let data, let line):
            json.appendFrame(id: id, data: data, line: line, time: nil, to: &output)
        case .damaged(let error, let text, let line):
            json.appendError(
                line: line, reason: error.reason, text: text, ecu: error.ecu, to: &output)
        }
    }

    // MARK: Text

    private func textLine(_ found: DecodedLine) -> String {
        let row = cells(found)
        let column = { (name: String) in
            Self.columns.firstIndex(of: name).map { row[$0] } ?? ""
        }
        let ecu = padded(column("ecu"), 8)
        switch found {
        case .item(.reading(let reading), _):
            let value = ValueText(reading, table[reading.signal], units)
            return
                "\(ecu)  \(padded(column("service") + ":" + column("pid"), 7))  "
                + "\(padded(column("signal"), 16))  \(padded(value.joined, 14))  \(column("name"))"
        case .item(.code, _):
            return "\(ecu)  \(padded(column("kind"), 9))  \(padded(column("code"), 8))  "
                + column("description")
        case .item(.monitor, _), .item(.monitorTest, _), .item(.negativeResponse, _):
            return "\(ecu)  \(column("kind"))  \(column("name"))  \(column("value")) "
                + "\(column("unit"))  \(column("status"))"
        case .item(.message(let message), _):
            return "\(ecu)  message  \(Hex.string(message.payload))"
        case .voltage(let volts, _): return "\(padded("", 8))  adapter voltage \(volts) V"
        case .frame(let id, let data, _):
            return "\(padded(id?.description ?? "", 8))  \(Hex.string(data))"
        case .status(_, let text, _): return "\(padded("", 8))  adapter: \(printable(text))"
        case .item(.error, _), .damaged:
            return "\(ecu)  error in line \(column("line")): \(column("description"))"
                + (column("raw").isEmpty ? "" : "  [\(printable(column("raw")))]")
        }
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - displayWidth(text)))
    }

    // MARK: CSV

    /// The cells of one row, in the order of ``columns``.
    private func cells(_ found: DecodedLine) -> [String] {
        var row = Row()
        switch found {
        case .item(let item, let text): row.fill(item, text: text, self)
        case .status(let status, let text, let line):
            row.line = line
            row.kind = "adapterStatus"
            row.status = status.rawValue
            row.description = text
        case .voltage(let volts, let line):
            row.line = line
            row.kind = "reading"
            row.signal = Signal.adapterVoltage.id
            row.name = Signal.adapterVoltage.name
            row.value = "\(volts)"
            row.unit = "V"
        case .frame(let id, let data, let line):
            row.line = line
            row.kind = "frame"
            row.ecu = id?.description ?? ""
            row.raw = Hex.string(data)
        case .damaged(let error, let text, let line):
            row.line = line
            row.kind = "error"
            row.ecu = error.ecu?.description ?? ""
            row.description = error.reason
            row.raw = text
        }
        return row.cells
    }

    /// One row, by the names of its columns.
    private struct Row {
        var line = 0
        var kind = "", ecu = "", service = "", pid = "", signal = "", name = "", value = ""
        var unit = "", raw = "", code = "", description = "", status = ""

        var cells: [String] {
            [
                line > 0 ? String(line) : "", kind, ecu, service, pid, signal, name, value, unit,
                raw, code, description, status,
            ]
        }

        mutating func fill(_ item: DiagnosticItem, text: String, _ printer: DecodePrinter) {
            switch item {
            case .reading(let reading): fill(reading, printer)
            case .monitor(let monitor):
                line = monitor.line
                kind = "monitor"
                ecu = monitor.ecu?.description ?? ""
                name = monitor.monitor.rawValue
                value = monitor.scope.rawValue
                status =
                    !monitor.supported
                    ? "not supported" : monitor.complete == true ? "complete" : "not complete"
            case .monitorTest(let result):
                line = result.line
                kind = "monitorTest"
                ecu = result.ecu?.description ?? ""
                pid = result.mid.map { Hex.string([$0]) } ?? ""
                signal = Hex.string([result.tid])
                name = [result.monitor, result.test].compactMap(\.self).joined(separator: ", ")
                value = result.value.map { "\($0)" } ?? ""
                unit = result.unit ?? ""
                raw = Hex.string(result.raw)
                status = result.passed.map { $0 ? "passed" : "failed" } ?? "not run"
            case .code(let report):
                line = report.line
                kind = report.kind.rawValue
                ecu = report.ecu?.description ?? ""
                code = report.code.text
                if case .dtc(let dtc) = report.code { code = dtc.description }
                description = printer.codeTexts.text(of: report.code) ?? ""
                status = report.statusByte.map { Hex.string([$0]) } ?? ""
            case .negativeResponse(let refusal, let responder, let number):
                line = number
                kind = "negativeResponse"
                ecu = responder?.description ?? ""
                service = refusal.service.description
                code = Hex.string([refusal.nrc.rawValue])
                name = refusal.nrc.name
            case .message(let message):
                line = message.line
                kind = "message"
                ecu = message.ecu?.description ?? ""
                raw = Hex.string(message.payload)
            case .error(let error):
                line = error.line
                kind = "error"
                ecu = error.ecu?.description ?? ""
                description = error.reason
                raw = text
            }
        }

        private mutating func fill(_ reading: Reading, _ printer: DecodePrinter) {
            let row = printer.table[reading.signal]
            let shown = ValueText(reading, row, printer.units)
            line = reading.line
            kind = "reading"
            ecu = reading.ecu?.description ?? ""
            service = reading.dataID?.service.description ?? ""
            pid = reading.dataID?.idText ?? ""
            signal = row.id
            name = row.name
            value = shown.isMissing ? "" : shown.value
            unit = shown.unit
            raw = Hex.string(reading.raw)
            status = shown.isMissing ? shown.value : ""
        }
    }
}
