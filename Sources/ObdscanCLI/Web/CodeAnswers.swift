import Dashboard
import Diagnostics
import Formats
import OBDCore
import PIDTables
import SystemIO
import TripReports
import VehicleReports
import VehicleScan

/// What the web page says beside a list of codes.
struct CodeAnswers {
    private let connection: Vehicle
    private let services: VehicleServices
    /// Of JSON, and silent.
    private let output: OutputOptions

    init(_ connection: Vehicle, _ services: VehicleServices, _ output: OutputOptions) {
        self.connection = connection
        self.services = services
        self.output = output
    }

    /// Prints the answer to a question about codes.
    func answer(_ question: VehicleQuestions.Question, to writer: inout TextOutput) throws {
        switch question {
        case .explanations: try explain(to: &writer)
        case .frames: try printFrames(to: &writer)
        case .report: try writeReport(to: &writer)
        // The web answers these itself.
        case .codes, .readiness, .monitors: break
        }
    }

    /// Each code once with all that can be said of it, as `dtc explain --format json`.
    private func explain(to writer: inout TextOutput) throws {
        let voltage = try connection.ask(.readVoltage).answer.reply.voltage
        let scan = try CodeScan(connection, in: services)
        if scan.codes.isEmpty, let failure = scan.failure(connection) { throw failure }
        let texts = try loadCodeTexts()
        let explanations = try loadCodeExplanations()
        // OBDonUDS keeps its frames with each code, and service 02 is not there.
        let frame =
            scan.codes.isEmpty || services.profiles == [.onUDS]
            ? nil : try FrameScan(0, connection, in: services)
        let found = FoundCodes(scan.codes, frame, connection.table).codes
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

    /// The values that were frozen with codes, as `freeze --format json`.
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

    /// The vehicle's condition as one page, as `dtc report --to FILE`.
    private func writeReport(to writer: inout TextOutput) throws {
        let scan = try CodeScan(connection, in: services)
        if let failure = scan.failure(connection) { throw failure }
        let report = try ConditionScan(scan, connection, services).report(of: connection, output)
        try writer.write(bytes: report.page.bytes)
    }
}
