import Adapters
import Decoding
import Diagnostics
import OBDCore
import TripExport
import TripReports
import VehicleLink

/// Prints what decoding found: lines for people, JSON Lines or CSV.
struct DecodePrinter {
    /// The columns of `--format csv`.
    static let columns = [
        "line", "kind", "ecu", "service", "pid", "signal", "name", "value", "unit", "raw", "code",
        "description", "status", "frame", "dtc", "mid", "tid", "component", "min", "max",
    ]

    private let format: OutputFormat
    private let units: UnitSystem
    private var table: PIDTable
    private let codeTexts: CodeTexts
    private var json: JSONLines
    private var wroteHeading = false
    /// The input that is read; nil where there is only one.
    private var file: String?
    /// The file as it stands at the end of an object.
    private var jsonTail: [UInt8] = []
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

    /// Tells the input that what follows comes from: a heading in text, in objects and tables a key
    /// and a column at the end.
    mutating func begin(_ file: String, to output: inout [UInt8]) {
        if format == .text {
            let gap = self.file == nil ? "" : "\n"
            let name = LocaleText.shown(printable(file))
            output.append(contentsOf: "\(gap)==> \(name) <==\n".utf8)
        }
        self.file = file
        jsonTail = ReadingLines.tail("file", file)
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
        case .json:
            let start = output.count
            appendJSON(found, to: &output)
            ReadingLines.end(with: jsonTail, in: &output, from: start)
        case .text: output.append(contentsOf: (LocaleText.shown(textLine(found)) + "\n").utf8)
        case .csv:
            if !wroteHeading {
                wroteHeading = true
                CSVRow.append(Self.columns + (file == nil ? [] : ["file"]), to: &output)
            }
            CSVRow.append(cells(found) + (file.map { [$0] } ?? []), to: &output)
        }
    }

    // MARK: JSON

    private mutating func appendJSON(_ found: DecodedLine, to output: inout [UInt8]) {
        switch found {
        case .item(.error(let error), let text):
            json.appendError(
                line: error.line, reason: error.reason, text: text, ecu: error.ecu, to: &output)
        case .item(let item, _): json.append(item, time: nil, to: &output)
        // The message itself is what JSON tells of it, with --messages.
        case .noCodes: break
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
                + remark(reading)
        case .item(.code(let report), _):
            return "\(ecu)  \(padded(report.kindText, 9))  \(padded(column("code"), 8))  "
                + column("description") + remark(report)
        case .item(.monitor, _):
            return "\(ecu)  monitor  \(column("name"))  \(column("value"))  \(column("status"))"
        case .item(.monitorTest(let result), _):
            return "\(ecu)  monitorTest  \(place(of: result))  \(result.monitorTitle), "
                + "\(result.testTitle)  \(result.text(result.value)) \(column("unit"))"
                + "\(limits(of: result))  "
                + column("status")
        case .item(.negativeResponse, _):
            return "\(ecu)  negativeResponse  \(column("service"))  \(column("name")) "
                + "(\(column("code")))"
        case .item(.message(let message), _):
            let group = message.parameterGroup.map { "\(Hex.string($0, digits: 6))  " } ?? ""
            return "\(ecu)  message  \(group)\(Hex.string(message.payload))"
        case .noCodes: return "\(ecu)  no codes"
        case .voltage(let volts, _): return "\(padded("", 8))  adapter voltage \(volts) V"
        case .frame(let id, let data, _):
            return "\(padded(id?.description ?? "", 8))  \(Hex.string(data))"
        case .status(_, let text, _): return "\(padded("", 8))  adapter: \(printable(text))"
        case .item(.error, _), .damaged:
            let place = column("line") + (file.map { " of \(printable($0))" } ?? "")
            return "\(ecu)  error in line \(place): \(column("description"))"
                + (column("raw").isEmpty ? "" : "  [\(printable(column("raw")))]")
        }
    }

    /// The frozen frame, and what is wrong with a number.
    private func remark(_ reading: Reading) -> String {
        var remark = ""
        if let frame = reading.frame { remark += ", frame \(frame)" }
        if let code = reading.dtc?.description ?? reading.parameterCode?.text {
            remark += ", frozen by \(code)"
        }
        if let fault = reading.faultOfVIN { remark += ", " + fault }
        return remark
    }

    /// The status byte, and how sure the number of a J1939 code is.
    private func remark(_ report: CodeReport) -> String {
        var remarks: [String] = []
        if let status = report.statusByte { remarks.append("status \(Hex.string([status]))") }
        if case .j1939(let code) = report.code, code.conversionMethod == true {
            remarks.append("older conversion, number uncertain")
        }
        return remarks.isEmpty ? "" : "  [" + remarks.joined(separator: ", ") + "]"
    }

    private func place(of result: MonitorTestResult) -> String {
        let parts = [result.mid, result.tid, result.component].compactMap(\.self)
        return parts.map { Hex.string([$0]) }.joined(separator: ":")
    }

    private func limits(of result: MonitorTestResult) -> String {
        let limits = result.limitsText
        return limits.isEmpty ? "" : "  (\(limits))"
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
        case .noCodes(let message):
            row.line = message.line
            row.kind = "none"
            row.ecu = message.ecu?.description ?? ""
            row.service = Self.service(of: message)
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

    /// The service that a message answers; SAE J1939 has none.
    private static func service(of message: ECUMessage) -> String {
        guard message.parameterGroup == nil else { return "" }
        return ReadingText.service(ofAnswer: message.payload)?.description ?? ""
    }

    /// One row, by the names of its columns.
    private struct Row {
        var line = 0
        var kind = "", ecu = "", service = "", pid = "", signal = "", name = "", value = ""
        var unit = "", raw = "", code = "", description = "", status = "", frame = "", dtc = ""
        var mid = "", tid = "", component = "", low = "", high = ""

        var cells: [String] {
            [
                line > 0 ? String(line) : "", kind, ecu, service, pid, signal, name, value, unit,
                raw, code, description, status, frame, dtc, mid, tid, component, low, high,
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
                mid = result.mid.map { Hex.string([$0]) } ?? ""
                tid = Hex.string([result.tid])
                component = result.component.map { Hex.string([$0]) } ?? ""
                low = result.min.map { "\($0)" } ?? ""
                high = result.max.map { "\($0)" } ?? ""
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
                service = DecodePrinter.service(of: message)
                pid = message.parameterGroup.map { Hex.string($0, digits: 6) } ?? ""
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
            unit = shown.unit
            raw = Hex.string(reading.raw)
            frame = reading.frame.map { String($0) } ?? ""
            dtc = reading.dtc?.description ?? reading.parameterCode?.text ?? ""
            switch reading.value {
            case .missing(let reason, let number):
                status = reason.rawValue
                code = number.map { String($0) } ?? ""
            case .label(let number):
                value = shown.value
                code = String(number)
            case .flag(let flag): value = flag ? "true" : "false"
            case .number(let number):
                let conversion = printer.units.conversion(from: row.unit)
                var bytes: [UInt8] = []
                JSONText.append(conversion.map { $0(number) } ?? number, to: &bytes)
                value = String(decoding: bytes, as: UTF8.self)
            case .supportMap(let map):
                value = shown.value
                code = String(map)
            case .text: value = shown.value
            }
        }
    }
}
