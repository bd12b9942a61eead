import Diagnostics
import Formats
import OBDCore
import PIDTables

/// Monitors and test results as tables for people.
package struct MonitorReport {
    private let palette: Palette
    private var statuses: [MonitorStatus] = []
    private var tests: [MonitorTestResult] = []
    private var lamps: [(ecu: ECUAddress?, lit: [String])] = []
    private let names: ECUNames
    /// On a narrower terminal, a monitor and its test share a column.
    private static let narrow = 80
    private let columns: Int?

    package init(_ output: OutputForm, names: ECUNames = ECUNames()) {
        self.names = names
        palette = output.palette
        columns = output.columns
    }

    /// Whether an item belongs in the report; support maps do not.
    package static func concerns(_ item: DiagnosticItem) -> Bool {
        switch item {
        case .monitor, .monitorTest, .negativeResponse, .error, .message: true
        case .reading(let reading): reading.dataID == DataID(.currentData, 1)
        case .code: false
        }
    }

    package mutating func add(_ item: DiagnosticItem) {
        switch item {
        case .monitor(let status):
            // The readiness group repeats this status, but has no lamp or count if there are no codes.
            let told = statuses.firstIndex {
                $0.ecu != nil && $0.ecu == status.ecu && $0.scope == status.scope
                    && $0.monitor == status.monitor
            }
            guard let told else { return statuses.append(status) }
            if status.supported || !statuses[told].supported { statuses[told] = status }
        case .monitorTest(let result): tests.append(result)
        case .reading, .code, .negativeResponse, .message, .error: return
        }
    }

    /// Adds the lamps of an ECU (SAE J1939).
    package mutating func add(_ lamps: CodeReport.Lamps, of ecu: ECUAddress?) {
        self.lamps.append((ecu, lamps.lit))
    }

    /// Failed ones first, those without a name last, and otherwise in the order of the answers.
    private var sortedTests: [MonitorTestResult] {
        tests.enumerated().sorted {
            ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset)
        }.map(\.element)
    }

    private var testTable: TextTable {
        let isNarrow = columns.map { $0 < Self.narrow } ?? false
        var rows = TextTable(
            [("ECU", .left)] + (isNarrow ? [] : [("MONITOR", .left)])
                + [
                    ("TEST", .left), ("VALUE", .right), ("LIMITS", .left), ("UNIT", .left),
                    ("RESULT", .left),
                ], flexible: isNarrow ? [1] : [1, 2])
        for result in sortedTests {
            let style: Style =
                switch result.judgement {
                case true: .good
                case false: .bad
                case nil: .dim
                }
            let test: [TextTable.Cell] =
                isNarrow
                ? [.init(result.monitorTitle + ": " + result.testTitle)]
                : [.init(result.monitorTitle), .init(result.testTitle)]
            rows.add(
                [.init(result.ecu, names)] + test
                    + [
                        .init(result.text(result.value)), .init(result.limitsText),
                        .init(result.unit ?? ""), .init(result.verdict, style),
                    ])
        }
        return rows
    }

    /// Readiness, then the test results.
    ///
    /// `findings` have their meaning; `besideCodes` if the verdict and the proof of each code are shown
    /// anyway.
    package func text(
        _ readiness: Readiness, _ findings: VehicleFindings? = nil, besideCodes: Bool = false
    ) -> String {
        // SAE J1939 reports no driving cycle.
        let hasCycle = statuses.contains { $0.scope == .thisCycle }
        var rows = TextTable(
            [
                ("ECU", .left), ("MONITOR", .left), ("SINCE CLEAR", .left),
                (hasCycle ? "THIS CYCLE" : "", .left),
            ], flexible: [1])
        for status in statuses where status.scope == .sinceClear && status.supported {
            let cycle = statuses.first {
                $0.scope == .thisCycle && $0.ecu == status.ecu && $0.monitor == status.monitor
            }
            rows.add([
                .init(status.ecu, names), .init(status.monitor.title),
                cell(status.complete), cycle.map { $0.supported ? cell($0.complete) : "off" } ?? "",
            ])
        }
        var text = besideCodes ? "" : findings?.head(palette, columns: columns) ?? ""
        if !text.isEmpty { text += "\n" }
        if !rows.isEmpty { text += rows.text(palette, columns: columns) }
        text += lampLines
        if !readiness.supported.isEmpty {
            let incomplete = readiness.incomplete
            text +=
                lines(
                    Readiness.sentence(
                        incomplete: incomplete, of: readiness.supported.count,
                        title: statuses.title(names)),
                    incomplete.isEmpty ? nil : .warning)
            if !incomplete.isEmpty {
                var drives = TextTable([("", .left), ("", .left)], flexible: [1])
                for drive in MonitorGuide.drives(incomplete) {
                    drives.add([.init(drive.monitor.title), .init(drive.text)])
                }
                if !drives.isEmpty {
                    text +=
                        "Drive like this to complete a monitor:\n"
                        + drives.text(palette, indent: 2, columns: columns)
                }
            }
        }
        if let inspection = findings?.inspection { text += lines(inspection) }
        if !besideCodes, let findings { text += findings.proofs(palette, columns: columns) }
        if !tests.isEmpty {
            let failed = sortedTests.filter { $0.passed == false }
            if !failed.isEmpty {
                text += lines(
                    counted(failed.count, "test result") + " failed:", .bad
                )
                text += words(about: failed, findings?.engine ?? EngineParts())
            } else if tests.contains(where: { $0.passed == true }) {
                text += lines("No test failed.", .good)
            }
            text += (text.isEmpty ? "" : "\n") + testTable.text(palette, columns: columns)
        }
        return text
    }

    /// The failed tests, their distance from the limit, and the parts to check.
    private func words(about failed: [MonitorTestResult], _ engine: EngineParts) -> String {
        // A fault in the embedded file is a fault of the build and is found by tests.
        guard let explanations = try? PIDTables.codeExplanations() else { return "" }
        let texts = PIDTables.codeTexts()
        var rows = TextTable([("", .left), ("", .left)], flexible: [1])
        for result in failed {
            rows.add([
                .init(result.monitorTitle),
                .init(FailedTest(result, explanations, texts, engine: engine).text),
            ])
        }
        return rows.text(palette, indent: 2, columns: columns)
    }

    /// Each lamp that is on with its ECUs, or a line that no lamp is on.
    private var lampLines: String {
        guard !lamps.isEmpty else { return "" }
        let all = CodeReport.Lamps(
            malfunction: true, redStop: true, amberWarning: true, protect: true)
        let lit = all.lit.filter { name in lamps.contains { $0.lit.contains(name) } }
        if lit.isEmpty { return lines("No ECU reports a lamp that is on.", .good) }
        return lit.map { name in
            let ecus = lamps.filter { $0.lit.contains(name) }
                .sorted { ($0.ecu?.value ?? 0) < ($1.ecu?.value ?? 0) }
                .map { names.title(of: $0.ecu) }
            return lines("The \(name) is on: \(ecus.joined(separator: ", ")).", .bad)
        }.joined()
    }

    private func lines(_ sentence: String, _ style: Style? = nil) -> String {
        Reports.lines(sentence, style, palette, columns)
    }

    private func cell(_ complete: Bool?) -> TextTable.Cell {
        // "Complete" means that the monitor has run, which proves nothing by itself.
        .init(Readiness.text(complete), complete == false ? .warning : nil)
    }
}

extension [MonitorStatus] {
    /// The title of a monitor that has not run, with its ECU if another ECU's monitor has run.
    func title(_ names: ECUNames) -> (MonitorStatus.Monitor) -> String {
        { monitor in
            let own = filter {
                $0.monitor == monitor && $0.supported && $0.scope == .sinceClear
            }
            guard own.contains(where: { $0.complete == true }) else { return monitor.title }
            let open = own.filter { $0.complete == false }.map { names.title(of: $0.ecu) }
            return monitor.title + " of " + open.joined(separator: " and ")
        }
    }
}

extension MonitorTestResult {
    /// The result's place in a table: failed results come first, and results without a name last.
    var rank: Int {
        if passed == false { return 0 }
        return monitor != nil && test != nil ? 1 : 2
    }
}
