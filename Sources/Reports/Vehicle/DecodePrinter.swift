import Adapters
import Conversation
import Diagnostics
import Formats
import OBDCore
import PIDTables
import VehicleLink

/// Prints decoded lines: text, JSON Lines or CSV.
package struct DecodePrinter {
    private let output: OutputForm
    private var format: OutputFormat { output.format }
    private var units: UnitSystem { output.units }
    private let knowledge: CodeKnowledge
    private var items: ItemRows
    /// Readings have their own writer, because there may be many of them.
    private var json: JSONLines
    private var rows: RowWriter?
    /// The width of the times before lines; 0 until a line has a time.
    private var timeWidth = 0
    /// The input file of the following lines; nil if there is only one input.
    private var file: String?
    /// The JSON key with the file name that ends each object.
    private var fileTail: [UInt8] = []
    /// Whether an error was printed since the last call of ``takeError()``.
    private var sawError = false

    package init(_ output: OutputForm, table: PIDTable, knowledge: CodeKnowledge) {
        self.output = output
        self.knowledge = knowledge
        items = ItemRows(table: table, units: output.units, facts: knowledge.facts)
        json = JSONLines(table: table, units: output.units)
    }

    /// Prints the following readings with another table.
    package mutating func use(_ table: PIDTable) {
        items.table = table
        json = JSONLines(table: table, units: units)
    }

    /// Sets the input file of the following lines.
    ///
    /// Text gets a heading, objects get a key, and tables get a column at the end.
    package mutating func begin(_ file: String, to output: inout [UInt8]) {
        if format == .text {
            let gap = self.file == nil ? "" : "\n"
            let name = self.output.palette.shown(printable(file))
            output.append(contentsOf: "\(gap)==> \(name) <==\n".utf8)
        }
        timeWidth = 0
        self.file = file
        fileTail = ReadingLines.tail("file", file)
    }

    /// The time of an item of a live bus; nil in text, where the caller prints it.
    func shownTime(_ time: UTC) -> RecordedTime? { format == .text ? nil : .utc(time) }

    /// Returns whether an error was printed since the last call.
    package mutating func takeError() -> Bool {
        defer { sawError = false }
        return sawError
    }

    /// Appends one finding, and the time at which the input shows it, to `output`.
    package mutating func append(
        _ found: DecodedLine, at time: RecordedTime?, to output: inout [UInt8]
    ) {
        if found.isError { sawError = true }
        switch format {
        case .json:
            if case .item(.reading(let reading), _) = found {
                let start = output.count
                json.append(reading, time: time?.inUTC, to: &output)
                Self.end(with: reading.line, in: &output, from: start)
                if let logTime = time?.logTime {
                    ReadingLines.end(
                        with: ReadingLines.tail("logTime", logTime), in: &output, from: start)
                }
                ReadingLines.end(with: fileTail, in: &output, from: start)
            } else {
                row(found, time)?.appendJSON(to: &output)
            }
        case .csv:
            guard let row = row(found, time) else { return }
            var rows =
                self.rows
                ?? RowWriter(
                    .csv,
                    kinds: ItemRows.Keys.all
                        + [
                            ["meaning", "line", "logTime", "doesNotAnswer"]
                                + (file == nil ? [] : ["file"])
                        ])
            rows.append(row, to: &output)
            self.rows = rows
        case .text:
            append(time, to: &output)
            output.append(contentsOf: (self.output.palette.shown(textLine(found)) + "\n").utf8)
        }
    }

    /// Adds the number of the input line to the object that begins at `start`; a live bus has no lines.
    ///
    /// Without a string, because an interpolation takes as long as reading the line.
    private static func end(with line: Int, in output: inout [UInt8], from start: Int) {
        guard line > 0, output.count >= start + 2 else { return }
        output.removeLast(2)
        JSONText.append(raw: ",\"line\":", to: &output)
        JSONText.append(line, to: &output)
        JSONText.append(raw: "}\n", to: &output)
    }

    // MARK: Rows

    /// The row of a finding; nil for an empty list of codes, which has nothing to show unless a lamp is on.
    private func row(_ found: DecodedLine, _ time: RecordedTime?) -> Row? {
        var row: Row
        let utc = time?.inUTC
        switch found {
        case .item(.error(let error), let text):
            row = ItemRows.error(error.reason, text: text, ecu: error.ecu, time: utc)
        case .item(let item, _): row = items.row(item, time: utc)
        case .noCodes(let message):
            guard let lamps = message.lampsWithoutCode else { return nil }
            row = ItemRows.ecu(
                message.ecu, light: lamps.malfunction, codes: 0, lamps: lamps, time: utc)
        case .status(let status, let text, _):
            row = ItemRows.adapterStatus(status.rawValue, text: text, time: utc)
        case .voltage(let volts, _): row = ItemRows.row(voltage: volts, time: utc)
        case .frame(let id, let data, _):
            row = ItemRows.frame(id: id, data: Array(data), time: utc)
        case .damaged(let error, let text, _):
            row = ItemRows.error(error.reason, text: text, ecu: error.ecu, time: utc)
        }
        if found.line > 0 { row.add("line", .integer(found.line)) }
        if let logTime = time?.logTime { row.add("logTime", .text(logTime)) }
        if case .item(.message, let request) = found, !request.isEmpty {
            row.add("doesNotAnswer", .text(request))
        }
        if let file { row.add("file", .text(file)) }
        return row
    }

    // MARK: Text

    /// Appends the time before a line; blanks for a line without a time in a log that shows times.
    private mutating func append(_ time: RecordedTime?, to output: inout [UInt8]) {
        guard time != nil || timeWidth > 0 else { return }
        let start = output.count
        time?.append(to: &output)
        // Milliseconds are enough for people.
        if time != nil { output.removeLast(3) }
        if case .utc = time { output.append(UInt8(ascii: "Z")) }
        let width = output.count - start
        timeWidth = max(timeWidth, width)
        let padding = repeatElement(UInt8(ascii: " "), count: timeWidth - width)
        if !padding.isEmpty { output.insert(contentsOf: padding, at: start) }
        output.append(contentsOf: "  ".utf8)
    }

    private func textLine(_ found: DecodedLine) -> String {
        let ecu = padded(found.ecu?.description ?? "", 8)
        switch found {
        case .item(.reading(let reading), _):
            let signal = items.table[reading.signal]
            let value = ValueText(reading, signal, units)
            let id =
                (reading.dataID?.service.description ?? "") + ":" + (reading.dataID?.idText ?? "")
            return
                "\(ecu)  \(padded(id, 7))  \(padded(signal.id, 16))  "
                + "\(padded(value.joined, 14))  \(signal.name)" + remark(reading)
        case .item(.code(let report), _):
            let text = knowledge.texts.text(of: report.code) ?? CodeTexts.unknown
            return "\(ecu)  \(padded(report.kindText, 9))  \(padded(report.fullText, 8))  "
                + text + remark(report)
        case .item(.monitor(let monitor), _):
            return "\(ecu)  monitor  \(monitor.title)  \(monitor.stateText)"
        case .item(.monitorTest(let result), _):
            return "\(ecu)  monitorTest  \(place(of: result))  \(result.monitorTitle), "
                + "\(result.testTitle)  \(result.text(result.value)) \(result.unit ?? "")"
                + "\(limits(of: result))  " + result.verdict
        case .item(.negativeResponse(let refusal, _, _), _):
            return "\(ecu)  negativeResponse  \(refusal.service)  \(refusal.nrc.name) "
                + "(\(Hex.string([refusal.nrc.rawValue])))"
        case .item(.message(let message), "") where message.meaning != nil:
            let service = ReadingText.service(ofAnswer: message.payload)?.description
            let kind = message.isRefusal ? "refusal" : "positiveResponse"
            return "\(ecu)  \(kind)  \(service ?? "")  \(message.meaning ?? "")"
                + "  [\(Hex.string(message.payload))]"
        case .item(.message(let message), let request):
            let group = message.parameterGroup.map { "\(Hex.string($0, digits: 6))  " } ?? ""
            return "\(ecu)  message  \(group)\(Hex.string(message.payload))"
                + (request.isEmpty ? "" : "  (does not answer \(request))")
        case .noCodes(let message):
            let lit = message.lampsWithoutCode?.lit ?? []
            return "\(ecu)  no codes"
                + (lit.isEmpty ? "" : ", \(lit.joined(separator: ", ")) on")
        case .voltage(let volts, _): return "\(padded("", 8))  adapter voltage \(volts) V"
        case .frame(let id, let data, _):
            let bytes = data.isEmpty ? "no data" : Hex.string(data)
            return "\(padded(id?.description ?? "", 8))  \(bytes)"
        case .status(_, let text, _): return "\(padded("", 8))  adapter: \(printable(text))"
        case .item(.error(let error), let text):
            return "\(ecu)  " + fault(error.reason, text, found.line)
        case .damaged(let error, let text, let line):
            return "\(ecu)  " + fault(error.reason, text, line)
        }
    }

    private func fault(_ reason: String, _ text: String, _ line: Int) -> String {
        let place = "\(line)" + (file.map { " of \(printable($0))" } ?? "")
        return "error in line \(place): \(reason)"
            + (text.isEmpty ? "" : "  [\(printable(text))]")
    }

    /// The number of the freeze frame, and the fault of the value.
    private func remark(_ reading: Reading) -> String {
        var remark = ""
        if let frame = reading.frame { remark += ", frame \(frame)" }
        if let code = reading.dtc?.description ?? reading.parameterCode?.text {
            remark += ", frozen by \(code)"
        }
        if let fault = reading.faultOfVIN { remark += ", " + fault }
        return remark
    }

    /// The failure type, the status byte in words, the lamps of the ECU, and the facts of a J1939 code.
    private func remark(_ report: CodeReport) -> String {
        var remarks: [String] = []
        if let type = knowledge.texts.failure(of: report.code) { remarks.append(type) }
        if let status = report.statusByte {
            let words = report.statusWords.joined(separator: ", ")
            remarks.append("status \(Hex.string([status]))" + (words.isEmpty ? "" : ": " + words))
        }
        if let lamps = report.lamps?.lit, !lamps.isEmpty {
            remarks.append(lamps.joined(separator: ", ") + " on")
        }
        if case .j1939(let code) = report.code {
            if let count = code.occurrences { remarks.append(counted(Int(count), "occurrence")) }
            if code.conversionMethod { remarks.append("older conversion, number uncertain") }
        }
        return remarks.isEmpty ? "" : "  [" + remarks.joined(separator: "; ") + "]"
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
}

extension RecordedTime {
    /// The time if it is known in UTC.
    fileprivate var inUTC: UTC? { if case .utc(let time) = self { time } else { nil } }

    /// The time as the log shows it, if it is not in UTC: `2026-11-21T08:00:00.019968`, `08:00:00.019968`,
    /// `0.019968`.
    fileprivate var logTime: String? {
        if case .utc = self { return nil }
        var text: [UInt8] = []
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the time with six digits after the point.
    fileprivate func append(to output: inout [UInt8]) {
        let start = output.count
        switch self {
        case .utc(let time), .local(let time):
            time.append(to: &output)
            output.removeLast()
        case .timeOfDay(let time):
            UTC(microseconds: time).append(to: &output)
            output.removeLast()
            output.removeSubrange(start..<start + 11)
        case .elapsed(let time):
            if time < 0 { output.append(UInt8(ascii: "-")) }
            output.append(contentsOf: String(time.magnitude / 1_000_000).utf8)
            output.append(UInt8(ascii: "."))
            let fraction = String(time.magnitude % 1_000_000).utf8
            output.append(
                contentsOf: repeatElement(UInt8(ascii: "0"), count: 6 - fraction.count))
            output.append(contentsOf: fraction)
        }
    }
}
