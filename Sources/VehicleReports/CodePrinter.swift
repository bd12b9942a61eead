import Diagnostics
import Formats
import OBDCore
import PIDTables
import ScanSession
import SystemIO
import TripReports
import VehicleScan

/// Prints codes for people, as JSON Lines, or as CSV with the columns of a batch.
package struct CodePrinter {
    private let output: OutputForm
    package let knowledge: CodeKnowledge
    private var texts: CodeTexts { knowledge.texts }
    private let table: PIDTable
    private let palette: Palette
    private let explanations: CodeExplanations?
    /// The message for a list of codes that could not be read.
    private let words: (VehicleError) -> String
    /// Called with each note besides the results.
    private let note: (String) -> Void

    /// A printer with the texts of the codes; with explanations it also says whether to drive on.
    package init(
        _ output: OutputForm, table: PIDTable, knowledge: CodeKnowledge,
        explanations: CodeExplanations? = nil, words: @escaping (VehicleError) -> String,
        note: @escaping (String) -> Void
    ) {
        self.words = words
        self.note = note
        self.explanations = explanations
        self.output = output
        self.table = table
        self.knowledge = knowledge
        palette = output.palette
    }

    /// Prints the codes of one vehicle.
    package func print(
        _ scan: CodeScan, of car: CodeBatch.Car, at time: UTC, to writer: inout TextOutput
    ) throws(OutputError) {
        switch output.format {
        case .text:
            try writer.write(text(scan))
            notes(scan).forEach(note)
        case .csv:
            var rows = RowWriter(.csv, columns: CodeBatch.Subject.code.columns)
            let found = CodeBatch.rows(scan, of: car, knowledge, table, time: time)
            for row in found { try writer.print(row, &rows) }
            try writer.append { rows.finish(&$0) }
        case .json: try printObjects(scan, at: time, to: &writer)
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
            let codes = scan.codes.count { $0.ecu == ecu }
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

    /// The codes of one vehicle as text.
    package func text(_ scan: CodeScan) -> String {
        var result = ""
        for ecu in scan.ecus {
            let codes = scan.codes.filter { $0.ecu == ecu }
            let module = scan.modules.first { $0.module.responder == ecu }
            var heading = palette(.bold, scan.names.title(of: ecu))
            if let lights = scan.lights(of: ecu, table) {
                heading += lights.areOn ? palette(.bad, "  \(lights.text)") : "  \(lights.text)"
            }
            if codes.isEmpty {
                let absence = scan.absence(of: ecu, table)
                let text = "  " + Self.text(absence, of: module)
                if case .announced = absence {
                    heading += palette(.warning, text)
                } else {
                    heading += text
                }
            }
            if !codes.isEmpty, let difference = scan.difference(of: ecu, table) {
                heading += palette(
                    .warning,
                    "  counts \(difference.counted) stored, but lists \(difference.listed)")
            }
            result += heading + "\n"
            var rows = TextTable([("", .left), ("", .left), ("", .left)])
            for report in codes {
                rows.add([
                    .init(report.fullText, .bold),
                    .init(report.kindText, report.kind == .pending ? .dim : nil),
                    .init(texts.text(of: report.code) ?? CodeTexts.unknown),
                ])
            }
            result += rows.text(palette, indent: 2, columns: output.columns)
        }
        return result + advice(scan)
    }

    /// Whether it is safe to drive on, the most severe advice first, and what the codes mean
    /// together.
    private func advice(_ scan: CodeScan) -> String {
        guard let explanations else { return "" }
        var codes: [DTC] = []
        // The reason belongs to advice that cannot wait.
        var drives: [DriveAdvice: [(reason: String, codes: [String])]] = [:]
        var unrated: [String] = []
        var seen: Set<CodeReport.Code> = []
        for report in scan.codes where seen.insert(report.code).inserted {
            let explanation: CodeExplanation?
            switch report.code {
            case .dtc(let code):
                codes.append(code)
                explanation = explanations.explanation(
                    of: code, text: texts.text(of: code), state: .init(report))
            case .j1939(let code):
                explanation = explanations.explanation(
                    of: code, text: texts.text(of: code), state: .init(report))
            }
            guard let explanation, let drive = explanation.drive else {
                unrated.append(report.fullText)
                continue
            }
            let isTold =
                drive <= .soon || report.kind == .permanent || report.isActive == false
            let reason = isTold ? explanation.driveReason : ""
            let known = drives[drive]?.firstIndex { $0.reason == reason }
            if let known {
                drives[drive]?[known].codes.append(report.fullText)
            } else {
                drives[drive, default: []].append((reason, [report.fullText]))
            }
        }
        var rows = TextTable([("", .left), ("", .left), ("", .left)], flexible: [1, 2])
        func add(_ codes: [String], _ words: String, _ style: Style?) {
            rows.add([
                .init(rows.isEmpty ? "Drive on?" : "", .dim),
                .init(codes.joined(separator: " ")), .init(words, style),
            ])
        }
        for drive in DriveAdvice.allCases {
            let style: Style? =
                switch drive {
                case .stop: .bad
                case .soon: .warning
                case .weeks, .note: nil
                }
            for (reason, codes) in drives[drive] ?? [] {
                add(codes, drive.words + (reason.isEmpty ? "" : ": \(reason)"), style)
            }
        }
        if !unrated.isEmpty { add(unrated, DriveAdvice.unknown, nil) }
        return rows.text(palette, columns: output.columns)
            + explanations.reading(of: codes).text(palette, columns: output.columns)
    }

    /// The text for an ECU without codes to show.
    ///
    /// `module` is the answer to a request to the ECU's own address.
    package static func text(_ absence: CodeScan.Absence, of module: ModuleScan.Module?) -> String {
        switch absence {
        case .noCodes: return "no codes"
        case .noStoredCodes: return "no stored codes"
        case .announced(let count, let listIsEmpty):
            return "counts \(count) \(count == 1 ? "code" : "codes"), but its list "
                + (listIsEmpty ? "is empty" : "did not come")
        case .refused(let refusal):
            guard let refusal = module?.refusal ?? refusal else { return "refused its codes" }
            return "refused service \(refusal.service): \(refusal.nrc.words)"
        case .broken: return "its list of codes is incomplete"
        case .unanswered:
            return module?.refusal.map { "refused service \($0.service): \($0.nrc.words)" }
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
                        "\(ecu?.description ?? "vehicle"): \(list.kind.rawValue) codes refused: "
                            + "\(refusal.nrc.words)")
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
                    "\(list.kind.rawValue) codes: \(words(error))")
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
