import Diagnostics
import Formats
import OBDCore
import PIDTables
import SystemIO
import VehicleScan

/// A vehicle's facts about its codes besides their list: explanations and freeze frames.
package struct CodeDetails {
    private let connection: Vehicle
    private let services: VehicleServices

    package init(_ connection: Vehicle, _ services: VehicleServices) {
        self.connection = connection
        self.services = services
    }

    /// Prints the meaning of all codes together, then each with its explanation, the most severe first, as
    /// JSON Lines.
    ///
    /// - Throws: The vehicle's error if the codes are not known.
    package func explain(
        _ words: CodeWords, _ units: UnitSystem, to writer: inout TextOutput
    ) throws {
        let scan = try CodeScan(connection, in: services)
        if scan.codes.isEmpty, let problem = scan.problem(connection) { throw problem }
        let condition = try ConditionScan(
            scan, connection, services, .codes, words)
        let findings = condition.findings(units)
        for row in findings.rows(at: condition.time) { try writer.print(row, .json) }
        let shape = ExplainedCode.shape(units)
        let found = try FoundCodes(scan, findings, of: connection, services, connection.table)
        let isMissing =
            try found.codes.isEmpty ? { _ in false } : connection.missingSignals(in: services)
        for entry in found.codes {
            var code = ExplainedCode(
                entry.code, words.texts, words.explanations, occurrence: entry.occurrence)
            code.leaveOutSignals(where: isMissing)
            try writer.print(shape.row(code), .json)
        }
    }

    package func printFrames(
        _ printer: AnswerPrinter, to writer: inout TextOutput
    ) throws {
        var printer = printer
        var asked = try connection.ask(.freezeFrames, in: services)
        if asked.isEmpty {
            if services.profiles.contains(.onUDS) {
                let scan = try CodeScan(connection, in: services)
                asked += try SnapshotScan(scan.codes, connection, record: nil).asked
            }
            if services.profiles != [.onUDS] {
                asked += try FrameScan(0, connection, in: services).asked
            }
        }
        for one in asked {
            let time = connection.utc(one.answer.answered)
            for item in one.answer.items { try printer.print(item, at: time, to: &writer) }
        }
        try printer.finish(&writer)
    }
}
