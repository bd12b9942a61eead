import Diagnostics
import Formats
import OBDCore
import PIDTables
import ScanSession
import Synchronization
import SystemIO
import VehicleReports
import VehicleScan

/// What browsers may ask a vehicle besides the readings that come anyhow: codes and monitors, by
/// services that read only.
///
/// However many ask, the vehicle is asked once in ``freshness``, and by one at a time.
package final class VehicleQuestions: Sendable {
    /// How long an answer is good for others.
    static let freshness = Duration.seconds(5)
    /// How long a failure is: a client that waited need not ask a silent vehicle again.
    static let failureFreshness = Duration.seconds(1)

    /// What can be asked.
    package enum Question: Hashable, Sendable {
        /// As `dtc list --format json`.
        case codes
        /// As `monitors --readiness --format json`.
        case readiness
        /// As `monitors --format json`.
        case monitors
        /// As `dtc explain --format json`.
        case explanations
        /// As `freeze --format json`.
        case frames
        /// As `dtc report --to FILE`: a page.
        case report
    }

    private struct Known: Sendable {
        var time: Instant
        var session: Instant
        var answer: Result<[UInt8], WebProblem>

        /// How long it is good.
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

    /// Questions to whatever vehicle there is.
    package init(_ vehicle: CurrentVehicle, _ board: VehicleBoard, _ sources: WebSources) {
        self.vehicle = vehicle
        self.board = board
        self.sources = sources
    }

    /// The objects of an answer; a ``WebProblem`` where there is no vehicle.
    package func answer(_ question: Question) throws -> [UInt8] {
        guard let current = vehicle.current else {
            throw WebProblem(
                .unavailable, "no vehicle is connected", hint: "/api/status says why")
        }
        return try known.withLock { known in
            let mine = try SignalInbox.relay()
            guard vehicle.begin(mine) else { throw Self.brokenOff }
            defer { vehicle.finish() }
            // Here, so that a client that waited for another's answer does not begin its own question.
            guard [.live, .resting].contains(board.status.link) else {
                throw WebProblem(
                    .unavailable, "the link to the vehicle is lost", hint: "/api/status says why")
            }
            let connection = Vehicle(
                scan: current.scan, table: current.table, accessory: current.accessory,
                key: current.key, ecu: current.ecu,
                // Trying others would take the poll's own away from under it.
                vehicleProtocol: current.vehicleProtocol
                    ?? current.scan.link?.capabilities.vehicleProtocol,
                inbox: mine)
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
                let problem = sources.vehicleProblem(error, connection.accessory)
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
                throw sources.vehicleProblem(error, connection.accessory)
            }
            let printer = CodePrinter(
                form, table: connection.table, knowledge: try sources.codeKnowledge(),
                words: { [sources] in sources.vehicleProblem($0, connection.accessory).message },
                note: { _ in })
            try printer.print(
                scan, of: CodeBatch.Car(device: connection.accessory),
                at: connection.utc(scan.time), to: &writer)
        case .readiness, .monitors:
            let printer = AnswerPrinter(
                form, table: connection.table, knowledge: try sources.codeKnowledge(),
                kinds: MonitorAnswers.kinds, note: { _ in })
            _ = try MonitorAnswers.ask(
                connection, services, readiness: question == .readiness, form, printer, &writer)
        case .explanations, .frames, .report:
            try sources.codeAnswer(question, connection, services, &writer)
        }
        try writer.flush()
        return collected.bytes
    }
}
