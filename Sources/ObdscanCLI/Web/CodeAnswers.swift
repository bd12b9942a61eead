import Dashboard
import Diagnostics
import Formats
import OBDCore
import PIDTables
import SystemIO
import TripReports
import VehicleReports
import VehicleScan

/// The web page's answers about codes besides the list itself.
struct CodeAnswers {
    private let connection: Vehicle
    private let services: VehicleServices
    /// JSON output without notes.
    private let output: OutputOptions

    init(_ connection: Vehicle, _ services: VehicleServices, _ output: OutputOptions) {
        self.connection = connection
        self.services = services
        self.output = output
    }

    /// Prints the answer to a request about codes.
    func answer(_ question: VehicleQuestions.Question, to writer: inout TextOutput) throws {
        switch question {
        case .explanations: try explain(to: &writer)
        case .frames: try printFrames(to: &writer)
        case .report: try writeReport(to: &writer)
        // The web module answers these itself.
        case .codes, .readiness, .monitors: break
        }
    }

    /// Prints each code once with its explanation, like `dtc explain --format json`.
    private func explain(to writer: inout TextOutput) throws {
        let voltage = try connection.ask(.readVoltage).answer.reply.voltage
        let scan = try CodeScan(connection, in: services)
        if scan.codes.isEmpty, let failure = scan.failure(connection) { throw failure }
        let texts = try loadCodeTexts()
        let explanations = try loadCodeExplanations()
        // OBDonUDS keeps freeze frames with each code and has no service 02.
        let frame =
            scan.codes.isEmpty || services.profiles == [.onUDS]
            ? nil : try FrameScan(0, connection, in: services)
        let found = FoundCodes(scan, frame, connection.table).codes
        let shape = ExplainedCode.shape(output.units)
        for entry in found {
            let code = ExplainedCode(
                entry.code, texts, explanations, occurrence: entry.occurrence)
            try writer.print(shape.row(code), .json)
        }
        let known = found.compactMap { entry in
            if case .dtc(let code) = entry.code { code } else { nil }
        }
        for row in explanations.reading(of: known, voltage: voltage).rows {
            try writer.print(row, .json)
        }
    }

    /// Prints the freeze frames, like `freeze --format json`.
    private func printFrames(to writer: inout TextOutput) throws {
        var printer = try AnswerPrinter(
            output, table: connection.table, kinds: ItemRows.Keys.all)
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

    /// Writes the vehicle's condition as one page, like `dtc report --to FILE`.
    private func writeReport(to writer: inout TextOutput) throws {
        let scan = try CodeScan(connection, in: services)
        if let failure = scan.failure(connection) { throw failure }
        let report = try ConditionScan(scan, connection, services).report(of: connection, output)
        try writer.write(bytes: report.page.bytes)
    }
}
