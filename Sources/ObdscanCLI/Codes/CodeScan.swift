import Adapters
import Diagnostics
import OBDCore
import ScanSession
import TripExport

/// What the ECUs of one vehicle say about trouble codes; every ECU and every list stands alone.
struct CodeScan: Sendable {
    /// One of the lists that an ECU keeps.
    struct List: Sendable {
        /// Which.
        var kind: CodeReport.Kind
        /// The question and what became of it.
        var asked: Asked
        /// What it brought; a code that an earlier list brought in the same kind is left out: UDS
        /// tells a confirmed code again when it is asked for pending ones.
        var items: [DiagnosticItem]
    }

    /// What makes a code the same.
    private struct Known: Hashable {
        var ecu: ECUAddress?
        var kind: CodeReport.Kind
        var code: CodeReport.Code
    }

    /// What the ECUs say about lamp and number of codes.
    var status: [Asked]
    /// Stored, pending and permanent codes.
    var lists: [List]

    /// Asks for everything; a list that is refused or silent hides none of the others.
    init(_ connection: Connection, in services: VehicleServices) throws(ScanError) {
        status = try connection.ask(.readiness, in: services)
        lists = []
        var known: Set<Known> = []
        for (query, kind) in [
            (DiagnosticQuery.storedCodes, CodeReport.Kind.stored), (.pendingCodes, .pending),
            (.permanentCodes, .permanent),
        ] {
            for asked in try connection.ask(query, in: services) {
                let items = asked.answer.items.filter { item in
                    guard case .code(let report) = item else { return true }
                    return known.insert(
                        Known(ecu: report.ecu, kind: report.kind, code: report.code)
                    ).inserted
                }
                lists.append(List(kind: kind, asked: asked, items: items))
            }
        }
    }

    /// Everything that was asked.
    var asked: [Asked] { status + lists.map(\.asked) }

    /// When the last answer was complete.
    var time: Instant { asked.map(\.answer.answered).max() ?? .zero }

    /// Every code, in the order in which it was reported.
    var codes: [CodeReport] {
        lists.flatMap { list in
            list.items.compactMap { item in
                if case .code(let report) = item { report } else { nil }
            }
        }
    }

    /// Every ECU that said anything, in the order of their addresses.
    var ecus: [ECUAddress?] {
        let all = asked.flatMap { $0.answer.reply.messages.map(\.ecu) }
        let known = Set(all.compactMap(\.self)).sorted()
        return known.isEmpty ? (all.isEmpty ? [] : [nil]) : known
    }

    /// What is known where an ECU has no code to show.
    enum Absence: Hashable, Sendable {
        /// It answered, or counts none: there are no codes.
        case noCodes
        /// It counts so many codes, but its list of stored ones did not come, or came empty.
        case announced(Int, listIsEmpty: Bool)
        /// Nothing is known.
        case unanswered
    }

    /// Why there is no code of `ecu` to show.
    func absence(of ecu: ECUAddress?, _ table: PIDTable) -> Absence {
        let stored = lists.filter { $0.kind == .stored }
        let isDamaged = stored.contains { list in
            list.asked.answer.reply.errors.contains { $0.ecu == ecu || $0.ecu == nil }
                || list.items.contains {
                    if case .error(let e) = $0 { e.ecu == ecu } else { false }
                }
        }
        let answered = stored.contains { list in
            list.asked.answer.reply.messages.contains {
                $0.ecu == ecu && $0.payload.first != Service.negativeResponse.rawValue
            }
        }
        let isEmpty = answered && !isDamaged
        switch announced(by: ecu, table) {
        case 0: return .noCodes
        case let count?: return .announced(count, listIsEmpty: isEmpty)
        case nil: return isEmpty ? .noCodes : .unanswered
        }
    }

    /// What `ecu` counts in PID 01 and how many stored codes it lists, where that differs; the
    /// count is of stored codes alone (SAE J1979).
    func difference(of ecu: ECUAddress?, _ table: PIDTable) -> (counted: Int, listed: Int)? {
        guard let counted = announced(by: ecu, table) else { return nil }
        let listed = codes.filter { $0.ecu == ecu && $0.kind == .stored }.count
        return counted == listed ? nil : (counted, listed)
    }

    /// How many codes `ecu` counts in PID 01; nil where it did not tell.
    func announced(by ecu: ECUAddress?, _ table: PIDTable) -> Int? {
        for case .reading(let reading) in status.flatMap(\.answer.items)
        where reading.ecu == ecu && table[reading.signal].id == "DTC_CNT" {
            if case .number(let count) = reading.value { return Int(count) }
        }
        return nil
    }

    /// Whether any ECU reports codes, or counts some that did not come.
    func hasCodes(_ table: PIDTable) -> Bool {
        if !codes.isEmpty { return true }
        return ecus.contains { ecu in
            if case .announced = absence(of: ecu, table) { true } else { false }
        }
    }

    /// Whether `ecu` asks for the malfunction indicator lamp; nil where it did not tell.
    func lampIsOn(_ ecu: ECUAddress?, _ table: PIDTable) -> Bool? {
        Readiness(status.flatMap(\.answer.items), table: table).ecus.first { $0.ecu == ecu }?
            .lampIsOn
    }
}

/// Prints codes for people, as JSON Lines, or as CSV with the columns of a batch.
struct CodePrinter {
    private let output: OutputOptions
    private let texts: CodeTexts
    private let table: PIDTable
    private let palette: Palette

    /// A printer with the texts of the codes.
    init(_ output: OutputOptions, table: PIDTable, texts: CodeTexts) {
        self.output = output
        self.table = table
        self.texts = texts
        palette = Palette(isOn: output.colours(1))
    }

    /// Prints what one vehicle said.
    func print(
        _ scan: CodeScan, of accessory: String, at time: UTC, to writer: inout TextOutput
    ) throws(OutputError) {
        switch output.format {
        case .text:
            try writer.write(text(scan))
            for note in notes(scan) { output.note(note) }
        case .csv:
            try writer.append { bytes in
                CodeBatchCSV.appendHeader(to: &bytes)
                let lines = CodeBatch.lines(
                    scan, accessory: accessory, label: nil, vin: nil, texts: texts, table: table,
                    time: time)
                for line in lines { CodeBatchCSV.append(line, to: &bytes) }
            }
        case .json:
            var printer = AnswerPrinter(output, table: table)
            for list in scan.lists {
                for item in list.items {
                    try printer.print(item, at: time, to: &writer)
                }
                try printer.printRest(of: list.asked, at: time, to: &writer)
            }
            for ecu in scan.ecus {
                guard let difference = scan.difference(of: ecu, table) else { continue }
                output.note(
                    "\(ecu?.description ?? "vehicle"): counts \(difference.counted) stored codes, "
                        + "but lists \(difference.listed)")
            }
        }
    }

    private func text(_ scan: CodeScan) -> String {
        var result = ""
        for ecu in scan.ecus {
            let codes = scan.codes.filter { $0.ecu == ecu }
            var heading = palette(.bold, ecu?.description ?? "vehicle")
            switch scan.lampIsOn(ecu, table) {
            case true: heading += palette(.bad, "  check engine lamp on")
            case false: heading += "  lamp off"
            case nil: break
            }
            if codes.isEmpty {
                switch scan.absence(of: ecu, table) {
                case .noCodes: heading += "  no codes"
                case .announced(let count, let isEmpty):
                    heading += palette(.warning, "  " + Self.text(counts: count, isEmpty))
                case .unanswered: heading += "  did not answer for its codes"
                }
            } else if let difference = scan.difference(of: ecu, table) {
                heading += palette(
                    .warning,
                    "  counts \(difference.counted) stored, but lists \(difference.listed)")
            }
            result += heading + "\n"
            var rows = TextTable([("", .left), ("", .left), ("", .left)])
            for report in codes {
                rows.add([
                    .init(report.fullText, .bold),
                    .init(report.kind.rawValue, report.kind == .pending ? .dim : nil),
                    .init(texts.text(of: report.code) ?? "no text for this code is known"),
                ])
            }
            result += rows.text(palette, indent: 2)
        }
        return result
    }

    /// What is said of an ECU whose count and list do not agree.
    static func text(counts count: Int, _ listIsEmpty: Bool) -> String {
        "counts \(count) \(count == 1 ? "code" : "codes"), but its list "
            + (listIsEmpty ? "is empty" : "did not come")
    }

    /// What else was said: refusals, silence, damage.
    private func notes(_ scan: CodeScan) -> [String] {
        var notes: [String] = []
        for list in scan.lists {
            for item in list.items {
                switch item {
                case .negativeResponse(let refusal, let ecu, _):
                    notes.append(
                        "\(ecu?.description ?? "vehicle"): \(list.kind.rawValue) codes refused: "
                            + "\(refusal.nrc.name)")
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
            if let problem = list.asked.problem {
                notes.append("\(list.kind.rawValue) codes: \(problem.message)")
            } else if let status = list.asked.status {
                notes.append("\(list.kind.rawValue) codes: no answer (\(status.text))")
            }
        }
        return notes
    }
}

extension CodeReport {
    /// The code with its failure type: `P0301-11`.
    var fullText: String {
        switch code {
        case .dtc(let dtc): dtc.description
        case .j1939(let code): code.text
        }
    }
}
