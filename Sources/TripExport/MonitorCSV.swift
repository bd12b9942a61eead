import Diagnostics
import OBDCore

/// Readiness and test results as CSV, a line a monitor or test.
public enum MonitorCSV {
    /// Appends the line of column names.
    public static func appendHeader(to output: inout [UInt8]) {
        CSVRow.append(
            [
                "time", "ecu", "kind", "scope", "monitor", "supported", "complete", "mid", "tid",
                "component", "test", "value", "min", "max", "unit", "passed", "uas",
            ], to: &output)
    }

    /// Appends a monitor or a test result; nothing for anything else.
    public static func append(_ item: DiagnosticItem, time: UTC, to output: inout [UInt8]) {
        switch item {
        case .monitor(let status):
            CSVRow.append(
                [
                    time.text, text(status.ecu), "monitor", status.scope.rawValue,
                    status.monitor.rawValue, text(status.supported), text(status.complete), "", "",
                    "", "", "", "", "", "", "", "",
                ], to: &output)
        case .monitorTest(let result):
            CSVRow.append(
                [
                    time.text, text(result.ecu), "monitorTest", "", result.monitor ?? "", "", "",
                    text(result.mid), text(result.tid), text(result.component), result.test ?? "",
                    text(result.value), text(result.min), text(result.max), result.unit ?? "",
                    text(result.passed), text(result.uas),
                ], to: &output)
        case .reading, .code, .negativeResponse, .message, .error: return
        }
    }

    private static func text(_ ecu: ECUAddress?) -> String { ecu?.description ?? "" }

    private static func text(_ byte: UInt8?) -> String { byte.map { Hex.string([$0]) } ?? "" }

    private static func text(_ flag: Bool?) -> String { flag.map { $0 ? "true" : "false" } ?? "" }

    private static func text(_ number: Double?) -> String {
        guard let number else { return "" }
        var bytes: [UInt8] = []
        NumberText.append(number, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
