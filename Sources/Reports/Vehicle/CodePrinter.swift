import Diagnostics
import Formats
import OBDCore
import PIDTables
import ScanSession
import SystemIO
import VehicleScan

/// Prints codes for people, as JSON Lines, or as CSV with the columns of a batch.
package struct CodePrinter {
    private let output: OutputForm
    package let knowledge: CodeKnowledge
    private var texts: CodeTexts { knowledge.texts }
    private let table: PIDTable
    private let palette: Palette
    private let accessory: String
    /// Called with each note besides the results.
    private let note: (String) -> Void

    /// A printer with the texts of the codes.
    package init(
        _ output: OutputForm, table: PIDTable, knowledge: CodeKnowledge,
        accessory: String,
        note: @escaping (String) -> Void
    ) {
        self.accessory = accessory
        self.note = note
        self.output = output
        self.table = table
        self.knowledge = knowledge
        palette = output.palette
    }

    /// Prints the codes of one vehicle; with findings it also says what they mean.
    package func print(
        _ scan: CodeScan, _ findings: VehicleFindings? = nil, of car: CodeBatch.Car, at time: UTC,
        to writer: inout TextOutput
    ) throws(OutputError) {
        switch output.format {
        case .text:
            try writer.write(text(scan, findings))
            notes(scan).forEach(note)
        case .csv:
            var rows = RowWriter(.csv, columns: CodeBatch.Subject.code.columns)
            let found = CodeBatch.rows(scan, of: car, knowledge, table, time: time)
            for row in found { try writer.print(row, &rows) }
            try writer.append { rows.finish(&$0) }
        case .json:
            for row in findings?.rows(at: time) ?? [] { try writer.print(row, .json) }
            try printObjects(scan, at: time, to: &writer)
        }
    }

    /// Prints one object for each ECU that answered, then its codes, then all other items.
    private func printObjects(
        _ scan: CodeScan, at time: UTC, to writer: inout TextOutput
    ) throws(OutputError) {
        var printer = AnswerPrinter(
            output, table: table, knowledge: knowledge, kinds: ItemRows.Keys.all, note: note)
        for ecu in scan.ecus {
            let absence = scan.absence(of: ecu, table)
            let codes = scan.count(of: ecu)
            // A list that was not received is not known to be empty.
            let isKnown = codes > 0 || CodeBatch.problem(absence, scan, ecu) == nil
            try writer.print(
                ItemRows.ecu(
                    ecu, name: scan.names.name(of: ecu), light: scan.lampIsOn(ecu, table),
                    codes: isKnown ? codes : nil, lamps: scan.lamps(of: ecu), time: time), .json)
        }
        for list in scan.lists {
            for item in list.items {
                try printer.print(item, at: time, to: &writer)
            }
            try printer.printRest(of: list.asked, at: time, to: &writer)
        }
        for module in scan.modules { try print(module, scan, at: time, &printer, &writer) }
        for ecu in scan.ecus {
            guard let difference = scan.difference(of: ecu, table) else { continue }
            note(
                "\(ecu?.description ?? "vehicle"): counts \(difference.counted) stored codes, "
                    + "but lists \(difference.listed)")
        }
    }

    private func print(
        _ module: ModuleScan.Module, _ scan: CodeScan, at time: UTC,
        _ printer: inout AnswerPrinter, _ writer: inout TextOutput
    ) throws(OutputError) {
        try writer.print(
            Row(
                "module",
                [
                    "time": .time(time), "ecu": .text(module.module.responder.description),
                    "request": .text(module.module.request.description),
                    "name": .text(scan.names.name(of: module.module.responder)),
                    "service": .text(module.service?.description),
                ]), .json)
        for report in scan.newCodes(of: module) {
            try printer.print(.code(report), at: time, to: &writer)
        }
        for asked in module.asked {
            for item in asked.answer.items {
                if case .code = item { continue }
                try printer.print(item, at: time, to: &writer)
            }
            try printer.printRest(of: asked, at: time, to: &writer)
        }
    }

    /// The codes of one vehicle as text: the verdict, the codes from the most severe on, the ECUs.
    package func text(_ scan: CodeScan, _ findings: VehicleFindings? = nil) -> String {
        let columns = output.columns
        var parts: [String] = []
        if let findings { parts.append(findings.head(palette, columns: columns)) }
        if !scan.codes.isEmpty {
            parts.append(findings.map { codes($0, scan) } ?? codes(scan))
        }
        if let gone = findings?.gone, !gone.isEmpty { parts.append(cleared(gone)) }
        var last = scan.ecus.map { heading(scan, $0) }.joined()
        if let inspection = findings?.inspection {
            last += folded(inspection, to: columns ?? .max).map { $0 + "\n" }.joined()
        }
        return (parts + [last]).filter { !$0.isEmpty }.joined(
            separator: findings == nil ? "" : "\n")
    }

    /// Each code with its meaning, the advice about driving on, and the proof of its repair.
    private func codes(_ findings: VehicleFindings, _ scan: CodeScan) -> String {
        var result = ""
        let isAlone = Set(findings.faults.map(\.code.ecu)).count < 2
        for fault in findings.faults {
            let code = fault.code.code
            let style: Style? =
                switch fault.explanation?.drive {
                case .stop: .bad
                case .soon: .warning
                case .weeks, .note, nil: nil
                }
            let place =
                isAlone
                ? "" : ", " + scan.names.title(of: fault.code.ecu)
            let name = code.fullText
            let title =
                "\(name)  \(texts.text(of: code) ?? CodeTexts.unknown) (\(fault.status)\(place))"
            for (number, line) in folded(title, to: output.columns ?? .max).enumerated() {
                result +=
                    number == 0 && line.hasPrefix(name)
                    ? palette(.bold, name) + line.dropFirst(name.count) : line
                result += "\n"
            }
            var rows = TextTable([("", .left), ("", .left)], flexible: [1])
            rows.add([.init("Drive on?", .dim), .init(fault.driving, style)])
            if let type = texts.failure(of: code) {
                rows.add([.init("Failure type", .dim), .init(type)])
            }
            let status = code.statusWords(of: fault.code.said.statusByte)
            if !status.isEmpty {
                rows.add([.init("Status", .dim), .init(status.joined(separator: ", "))])
            }
            if fault.proof.isKnown { rows.add([.init("Proof", .dim), .init(fault.proof.text)]) }
            result += rows.text(palette, indent: 2, columns: output.columns)
        }
        return result
    }

    /// The codes with only their statuses.
    private func codes(_ scan: CodeScan) -> String {
        let condition = VehicleCondition(time: UTC(microseconds: 0), codes: scan.codes, items: [])
        let isAlone = Set(condition.codes.map(\.ecu)).count < 2
        var rows = TextTable([("", .left), ("", .left), ("", .left), ("", .left)])
        for code in condition.codes {
            let kinds = code.kinds.map(\.rawValue).joined(separator: ", ")
            rows.add([
                .init(code.code.fullText, .bold),
                .init(kinds + (code.isActive == false ? ", not active" : "")),
                .init(isAlone ? "" : scan.names.title(of: code.ecu)),
                .init(texts.text(of: code.code) ?? CodeTexts.unknown),
            ])
        }
        return rows.text(palette, columns: output.columns)
    }

    /// Codes that are gone since they were cleared, and whether that proves anything.
    private func cleared(_ gone: [VehicleFindings.Fault]) -> String {
        var rows = TextTable([("", .left), ("", .left)], flexible: [1])
        for fault in gone {
            let text = texts.text(of: fault.code.code) ?? CodeTexts.unknown
            rows.add([.init(fault.code.code.fullText, .bold), .init("\(text) (gone)")])
            rows.add([
                .init(""), .init(fault.proof.text, fault.proof.state == .proven ? .good : nil),
            ])
        }
        return rows.text(palette, columns: output.columns)
    }

    private func heading(_ scan: CodeScan, _ ecu: ECUAddress?) -> String {
        let module = scan.modules.first { $0.module.responder == ecu }
        var heading = palette(.bold, scan.names.title(of: ecu))
        if let lights = scan.lights(of: ecu, table) {
            heading += lights.areOn ? palette(.bad, "  \(lights.text)") : "  \(lights.text)"
        }
        let count = scan.count(of: ecu)
        if count == 0 {
            let absence = scan.absence(of: ecu, table)
            let text = "  " + Self.text(absence, of: module)
            if case .announced = absence {
                heading += palette(.warning, text)
            } else {
                heading += text
            }
        } else {
            heading += "  \(count) \(count == 1 ? "code" : "codes")"
            if let difference = scan.difference(of: ecu, table) {
                heading += palette(
                    .warning,
                    "  counts \(difference.counted) stored, but lists \(difference.listed)")
            }
        }
        return heading + "\n"
    }

    /// The text for an ECU without codes to show.
    ///
    /// `module` is the answer to a request to the ECU's own address.
    package static func text(_ absence: CodeScan.Absence, of module: ModuleScan.Module?) -> String {
        switch absence {
        case .noCodes: return "no codes"
        case .noStoredCodes: return "no stored codes"
        case .announced(let count, let listIsEmpty):
            return "counts \(counted(count, "code")), but its list "
                + (listIsEmpty ? "is empty" : "did not come")
        case .refused(let refusal):
            guard let refusal = module?.refusal ?? refusal else { return "refused its codes" }
            return refusal.outcome
        case .notSettled: return "its list of codes has two meanings"
        case .broken: return "its list of codes is incomplete"
        case .unanswered:
            return module?.refusal?.outcome
                ?? "did not answer the request for codes"
        }
    }

    /// Notes about refusals, missing answers and damaged frames.
    private func notes(_ scan: CodeScan) -> [String] {
        var notes: [String] = []
        for list in scan.lists {
            for item in list.items {
                switch item {
                case .negativeResponse(let refusal, let ecu, _):
                    notes.append(
                        "\(ecu?.description ?? "vehicle"): "
                            + refusal.outcome(of: "\(list.kind.rawValue) codes"))
                case .error(let error):
                    notes.append("\(error.ecu?.description ?? "vehicle"): \(error.reason)")
                case .message(let message):
                    notes.append(
                        "\(message.ecu?.description ?? "vehicle"): answered "
                            + Hex.string(message.payload))
                case .reading, .monitor, .monitorTest, .code: continue
                }
            }
            for error in list.asked.answer.reply.errors {
                notes.append("\(error.ecu?.description ?? "vehicle"): \(error.reason)")
            }
            if let error = list.asked.error {
                notes.append(
                    "\(list.kind.rawValue) codes: \(error.explanation(at: accessory).message)")
            } else if list.isParameterGroup, list.asked.status == .noData {
                // ECUs without emissions functions do not answer a request to all ECUs, so silence
                // is normal.
                notes.append("\(list.kind.rawValue) codes: no ECU keeps a list of them")
            } else if let status = list.asked.status {
                notes.append("\(list.kind.rawValue) codes: no answer (\(status.text))")
            }
        }
        return notes
    }
}
