import Dashboard
import Formats
import Reports
import SystemIO
import VehicleScan

/// The web page's answers about codes besides the list itself.
struct CodeAnswers {
    let connection: Vehicle
    let services: VehicleServices
    let database: DatabaseOptions
    /// JSON output without notes.
    let output: OutputOptions

    /// Prints the answer to a request about codes.
    func answer(_ question: VehicleQuestions.Question, to writer: inout TextOutput) throws {
        let details = CodeDetails(connection, services)
        switch question {
        case .explanations:
            try details.explain(
                try CodeWords(database, connection, namesCommands: false), output.units,
                to: &writer)
        case .frames:
            try details.printFrames(
                AnswerPrinter(output, table: connection.table, kinds: ItemRows.Keys.all),
                to: &writer)
        case .report(let paper):
            let scan = try CodeScan(connection, in: services)
            if let failure = scan.failure(connection) { throw failure }
            let words = try CodeWords(database, connection)
            let report = try ConditionScan(
                scan, connection, services, .report, words
            ).report(of: connection, database, output)
            try writer.write(bytes: paper.map { report.page.bytes(on: $0) } ?? report.page.bytes)
        // The web module answers these itself.
        case .codes, .readiness, .monitors: break
        }
    }
}
