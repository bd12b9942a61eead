import Diagnostics
import OBDCore
import TripExport

/// Monitors and test results as tables for people.
struct MonitorReport {
    private let palette: Palette
    private let units: UnitSystem
    private var statuses: [MonitorStatus] = []
    private var tests = TextTable([
        ("ECU", .left), ("MONITOR", .left), ("TEST", .left), ("VALUE", .right), ("MIN", .right),
        ("MAX", .right), ("UNIT", .left), ("RESULT", .left),
    ])

    /// An empty report.
    init(_ output: OutputOptions) {
        palette = Palette(isOn: output.colours(1))
        units = output.units
    }

    /// Whether an item belongs into the report: support maps do not.
    static func concerns(_ item: DiagnosticItem) -> Bool {
        switch item {
        case .monitor, .monitorTest, .negativeResponse, .error, .message: true
        case .reading(let reading): reading.dataID == DataID(.currentData, 1)
        case .code: false
        }
    }

    /// Takes an item over.
    mutating func add(_ item: DiagnosticItem) {
        switch item {
        case .monitor(let status):
            // Told again by its readiness group, which knows nothing where it has no codes.
            let told = statuses.firstIndex {
                $0.ecu != nil && $0.ecu == status.ecu && $0.scope == status.scope
                    && $0.monitor == status.monitor
            }
            guard let told else { return statuses.append(status) }
            if status.supported || !statuses[told].supported { statuses[told] = status }
        case .monitorTest(let result): add(result)
        case .reading, .code, .negativeResponse, .message, .error: return
        }
    }

    private mutating func add(_ result: MonitorTestResult) {
        let number = { (value: Double?) in value.map { fixed($0, 3) } ?? "" }
        let style: Style =
            switch result.passed {
            case true: .good
            case false: .bad
            case nil: .dim
            }
        tests.add([
            .init(result.ecu?.description ?? "—"), .init(result.monitorTitle),
            .init(result.testTitle), .init(number(result.value)),
            .init(number(result.min)), .init(number(result.max)), .init(result.unit ?? ""),
            .init(result.verdict, style),
        ])
    }

    /// Readiness, then the results.
    func text(_ readiness: Readiness) -> String {
        var rows = TextTable([
            ("ECU", .left), ("MONITOR", .left), ("SINCE CLEAR", .left), ("THIS CYCLE", .left),
        ])
        for status in statuses where status.scope == .sinceClear && status.supported {
            let cycle = statuses.first {
                $0.scope == .thisCycle && $0.ecu == status.ecu && $0.monitor == status.monitor
            }
            rows.add([
                .init(status.ecu?.description ?? "—"), .init(status.monitor.title),
                cell(status.complete), cycle.map { $0.supported ? cell($0.complete) : "off" } ?? "",
            ])
        }
        var text = rows.isEmpty ? "" : rows.text(palette)
        if !readiness.supported.isEmpty {
            let missing = readiness.incomplete.count
            text +=
                palette(missing == 0 ? .good : .warning, Readiness.sentence(missing: missing))
                + "\n"
        }
        if !tests.isEmpty { text += (text.isEmpty ? "" : "\n") + tests.text(palette) }
        return text
    }

    private func cell(_ complete: Bool?) -> TextTable.Cell {
        .init(Readiness.text(complete), complete.map { $0 ? .good : .warning } ?? nil)
    }
}
