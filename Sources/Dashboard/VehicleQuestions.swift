import Diagnostics
import Formats
import OBDCore
import PIDTables
import Reports
import ScanSession
import Synchronization
import SystemIO
import VehicleScan

/// Requests of browsers to the vehicle besides the poll: codes and monitors, with read-only
/// services.
///
/// Regardless of the number of browsers, there is one request at a time, and its answer is reused
/// for ``freshness``.
package final class VehicleQuestions: Sendable {
    /// How long other browsers get the same answer.
    static let freshness = Duration.seconds(5)
    /// How long other browsers get the same failure, so that each need not ask a silent vehicle
    /// again.
    static let failureFreshness = Duration.seconds(1)

    package enum Question: Hashable, Sendable {
        /// Like `dtc list --format json`.
        case codes
        /// Like `monitors --readiness --format json`.
        case readiness
        /// Like `monitors --format json`.
        case monitors
        /// Like `dtc explain --format json`.
        case explanations
        /// Like `freeze --format json`.
        case frames
        /// Like `dtc report --to FILE`: a page, for paper or for a screen.
        case report(Paper?)
    }

    private struct Known: Sendable {
        var time: Instant
        var session: Instant
        var answer: Result<[UInt8], WebProblem>

        /// How long the answer is reused.
        var freshness: Duration {
            switch answer {
            case .success: VehicleQuestions.freshness
            case .failure: VehicleQuestions.failureFreshness
            }
        }
    }

    private let vehicle: CurrentVehicle
    private let board: VehicleBoard
    private let sources: WebSources
    private let known = Mutex<[Question: Known]>([:])

    package init(_ vehicle: CurrentVehicle, _ board: VehicleBoard, _ sources: WebSources) {
        self.vehicle = vehicle
        self.board = board
        self.sources = sources
    }

    /// The objects of an answer; throws a ``WebProblem`` without a vehicle.
    package func answer(_ question: Question) throws -> [UInt8] {
        guard let current = vehicle.current else {
            throw WebProblem(
                .unavailable, "no vehicle is connected", hint: "/api/status says why")
        }
        return try known.withLock { known in
            let mine = try SignalInbox.relay()
            guard vehicle.begin(mine) else { throw Self.brokenOff }
            defer { vehicle.finish() }
            // Check this after waiting, so that a client that waited for another's answer does not
            // send its own request.
            guard [.live, .silent, .resting].contains(board.status.link) else {
                throw WebProblem(
                    .unavailable, "the link to the vehicle is lost", hint: "/api/status says why")
            }
            let connection = Vehicle(
                scan: current.scan, table: current.table, accessory: current.accessory,
                key: current.key, ecu: current.ecu,
                // Trying other protocols would interrupt the poll.
                vehicleProtocol: current.vehicleProtocol
                    ?? current.scan.link?.capabilities.vehicleProtocol,
                inbox: mine, names: current.names)
            let session = connection.anchor.monotonic
            if let last = known[question], SystemClock.now() - last.time < last.freshness,
                last.session == session
            {
                return try last.answer.get()
            }
            let answer: Result<[UInt8], WebProblem>
            do {
                answer = .success(try ask(question, connection))
            } catch let problem as WebProblem {
                answer = .failure(problem)
            } catch VehicleError.session(.interrupted), VehicleError.session(.stopped) {
                throw Self.brokenOff
            } catch let error as VehicleError {
                let problem = WebProblem(error, at: connection.accessory)
                if case .session = error { throw problem }
                answer = .failure(problem)
            }
            known[question] = Known(time: SystemClock.now(), session: session, answer: answer)
            return try answer.get()
        }
    }

    private static let brokenOff = WebProblem(
        .unavailable, "the request was interrupted", hint: "/api/status says why")

    private func ask(_ question: Question, _ connection: Vehicle) throws -> [UInt8] {
        let collected = CollectedBytes()
        let form = OutputForm(format: .json, units: sources.units)
        var writer = TextOutput(sink: collected.take)
        let services = try connection.services()
        switch question {
        case .codes:
            let scan = try CodeScan(connection, in: services)
            if scan.codes.isEmpty, let error = scan.problem(connection) {
                throw WebProblem(error, at: connection.accessory)
            }
            let words = try sources.codeWords(connection)
            let condition = try ConditionScan(
                scan, connection, services, .codes, words)
            let printer = CodePrinter(
                form, table: connection.table, knowledge: CodeKnowledge(texts: words.texts),
                accessory: connection.accessory,
                note: { _ in })
            try printer.print(
                scan, condition.findings(sources.units),
                of: CodeBatch.Car(device: connection.accessory),
                at: connection.utc(scan.time), to: &writer)
        case .readiness, .monitors:
            let words = try sources.codeWords(connection)
            let printer = AnswerPrinter(
                form, table: connection.table, knowledge: CodeKnowledge(texts: words.texts),
                kinds: MonitorAnswers.kinds, note: { _ in })
            _ = try MonitorAnswers.ask(
                connection, services, readiness: question == .readiness, form, printer, words,
                &writer)
        case .explanations, .frames, .report:
            try sources.codeAnswer(question, connection, services, &writer)
        }
        try writer.flush()
        return collected.bytes
    }
}
