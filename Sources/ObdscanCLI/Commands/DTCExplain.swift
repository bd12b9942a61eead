import ArgumentParser
import Diagnostics
import Formats
import OBDCore
import Reports
import SystemIO
import VehicleScan

/// `obdscan dtc explain`.
struct DTCExplainCommand: RuledCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain codes: whether you can drive on, causes, what to watch.",
        discussion: """
            With codes it works offline. Without codes it asks the vehicle for its codes, freeze \
            frame and voltage, and explains each code together with what was happening when it \
            was stored.

            For each code it prints the text; whether you may drive on (stop, soon, weeks, note); \
            likely causes, the likeliest and cheapest to check first; signals to watch; what \
            clears the code; and what proves the repair. What several codes mean together, and \
            with which one to start, comes first. "Careful" says what can hurt you. Causes fit what \
            the code says: an open wire, a pressure that is too low. "How sure" says where the \
            causes come from, or that nothing is known about the code. Codes of high voltage, \
            airbags and gas have no causes: they are for trained people. If a code has no text, the \
            codes next to it, its system and who defines it are printed.

            You can add your own texts, such as those for a maker's codes. Put them into \
            $XDG_DATA_HOME/obdscan/dtc, in files that end in .tsv: each line is a code, a tab and \
            the text.

            \(Self.ruleText)

            EXAMPLES
              obdscan dtc explain                  the codes of the vehicle
              obdscan dtc explain P0420
              obdscan dtc explain P0301 U0100-11 SPN100/FMI1 --format json
            """)

    @Argument(
        help: ArgumentHelp(
            "Codes: P0301, U0100-11, SPN100/FMI1 (default: the vehicle's).",
            valueName: "code"))
    var codes: [String] = []

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule("codes are explained offline: leave -d and --record out") {
            !$0.codes.isEmpty && ($0.vehicle.device != nil || $0.vehicle.record != nil)
        }
    ]

    func run() throws {
        if codes.isEmpty {
            try explainVehicle()
            return
        }
        let texts = try loadCodeTexts()
        let explanations = try loadCodeExplanations()
        var explained: [ExplainedCode] = []
        var known: [DTC] = []
        var mistakes: [Failure] = []
        for text in codes.flatMap({
            $0.isEmpty ? [$0[...]] : $0.split { $0 == "," || $0 == " " }
        }) {
            do throws(Failure) {
                let code = try CodeReport.Code(typed: String(text))
                explained.append(ExplainedCode(code, texts, explanations))
                if case .dtc(let code) = code { known.append(code) }
            } catch {
                // The other codes are explained anyway, and one hint serves all mistakes.
                if !mistakes.isEmpty { mistakes[mistakes.count - 1].hint = nil }
                mistakes.append(error)
            }
        }
        for mistake in mistakes { tellOnStandardError(mistake.text) }
        let together = explanations.reading(of: known)
        try Pager.print(output) {
            try print(
                explained,
                together.text(output.form.palette, columns: output.columns, besideCauses: true),
                together.rows, &$0)
        }
        if let status = mistakes.last?.status { throw Failure.silent(status) }
    }

    /// Explains the codes that the vehicle reports.
    private func explainVehicle() throws {
        let table = try loadTable(tables)
        var failure: Failure?
        // The pager begins after the session has ended: other programs can use the adapter by then.
        try Pager.print(output) { writer in
            try withVehicle(vehicle, output, table, SessionNeeds(vehicle: .maybeSilent())) {
                connection in
                let words = try CodeWords(vehicle.database, connection)
                let services = try connection.services()
                let scan = try CodeScan(connection, in: services)
                if let failure = connection.failure(of: scan.asked) { throw failure }
                failure = scan.failure(connection)
                let condition = try ConditionScan(
                    scan, connection, services, .codes, words)
                let findings = condition.findings(output.units)
                let found = try FoundCodes(scan, findings, of: connection, services, table)
                let isMissing =
                    try found.codes.isEmpty
                    ? { _ in false } : connection.missingSignals(in: services)
                let explained = found.codes.map { entry in
                    var code = ExplainedCode(
                        entry.code, words.texts, words.explanations, occurrence: entry.occurrence)
                    code.leaveOutSignals(where: isMissing)
                    if let device = vehicle.device {
                        code.deviceOption = " -d \(shellWord(device))"
                    }
                    return code
                }
                let head =
                    output.format == .text
                    ? findings.head(output.form.palette, columns: output.columns) : ""
                try print(explained, head, findings.rows(at: condition.time), &writer)
            }
        }
        if let failure { throw failure }
    }

    private func print(
        _ explained: [ExplainedCode], _ head: String, _ together: [Row],
        _ writer: inout TextOutput
    ) throws {
        if output.format == .text {
            // Advice for all codes comes before the causes of each.
            try writer.write(head)
            for (place, code) in explained.enumerated() {
                let text = code.text(output.form.palette, output.form)
                try writer.write((place > 0 || !head.isEmpty ? "\n" : "") + text)
            }
        } else {
            let shape = ExplainedCode.shape(output.units)
            // A verdict needs a vehicle.
            let kinds =
                [shape.keys] + (codes.isEmpty ? VehicleFindings.keys : [CodeSetReading.keys])
            var rows = RowWriter(output.format, kinds: kinds)
            for row in together + explained.map(shape.row) { try writer.print(row, &rows) }
            try writer.append { rows.finish(&$0) }
        }
        try writer.flush()
    }
}

extension CodeReport.Code {
    /// Parses a typed code; throws a ``Failure`` for anything else.
    init(typed text: String) throws(Failure) {
        if let code = DTC(text) {
            self = .dtc(code)
        } else if let code = J1939Code(text) {
            self = .j1939(code)
        } else {
            throw Failure(
                "\"\(text)\" is not a trouble code",
                hint: Self.meant(by: text).map { "did you mean \($0)?" }
                    ?? "a code is P, C, B or U, a digit from 0 to 3 and three more digits or "
                    + "letters A to F, such as P0301; on trucks it is SPN100/FMI1",
                status: .usage)
        }
    }
}
