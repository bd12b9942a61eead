import Dashboard
import Diagnostics
import Formats
import OBDCore
import PIDTables
import ScanSession
import Synchronization
import SystemIO
import VehicleScan

/// What browsers may ask a vehicle besides the readings that come anyhow: codes and monitors, by
/// services that read only.
///
/// However many ask, the vehicle is asked once in ``freshness``, and by one at a time.
final class VehicleQuestions: Sendable {
    /// How long an answer is good for others.
    static let freshness = Duration.seconds(5)
    /// How long a failure is: a client that waited need not ask a silent vehicle again.
    static let failureFreshness = Duration.seconds(1)

    /// What can be asked.
    enum Question: Hashable, Sendable {
        /// As `dtc list --format json`.
        case codes
        /// As `monitors --readiness --format json`.
        case readiness
        /// As `monitors --format json`.
        case monitors
    }

    private struct Known: Sendable {
        var time: Instant
        var session: Instant
        var answer: Result<[UInt8], Failure>

        /// How long it is good.
        var freshness: Duration {
            switch answer {
            case .success: VehicleQuestions.freshness
            case .failure: VehicleQuestions.failureFreshness
            }
        }
    }

    private let vehicle: LiveFeed.CurrentVehicle
    private let board: VehicleBoard
    private let output: OutputOptions
    private let known = Mutex<[Question: Known]>([:])

    /// Questions to whatever vehicle there is; `output` is of JSON.
    init(_ vehicle: LiveFeed.CurrentVehicle, _ board: VehicleBoard, _ output: OutputOptions) {
        self.vehicle = vehicle
        self.board = board
        self.output = output
    }

    /// The objects of an answer; a ``Failure`` where there is no vehicle.
    func answer(_ question: Question) throws -> [UInt8] {
        guard let current = vehicle.current else {
            throw Failure(
                "no vehicle is connected", hint: "/api/status says why", status: .unavailable)
        }
        return try known.withLock { known in
            let mine = try SignalInbox.relay()
            guard vehicle.begin(mine) else { throw Self.brokenOff }
            defer { vehicle.finish() }
            // Here, so that a client that waited for another's answer does not begin its own question.
            guard [.live, .resting].contains(board.status.link) else {
                throw Failure(
                    "the link to the vehicle is lost", hint: "/api/status says why",
                    status: .unavailable)
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
            let answer: Result<[UInt8], Failure>
            do {
                answer = .success(try ask(question, connection))
            } catch let failure as Failure {
                answer = .failure(failure)
            } catch VehicleError.session(.interrupted), VehicleError.session(.stopped) {
                throw Self.brokenOff
            } catch let error as VehicleError {
                guard let failure = error.told(of: connection.accessory) as? Failure else {
                    throw Failure(error, accessory: connection.accessory)
                }
                answer = .failure(failure)
            }
            known[question] = Known(time: SystemClock.now(), session: session, answer: answer)
            return try answer.get()
        }
    }

    private static let brokenOff = Failure(
        "the request was interrupted", hint: "/api/status says why", status: .unavailable)

    private func ask(_ question: Question, _ connection: Vehicle) throws -> [UInt8] {
        let collected = Collected()
        var writer = TextOutput(sink: collected.take)
        let services = try connection.services()
        switch question {
        case .codes:
            let scan = try CodeScan(connection, in: services)
            if scan.codes.isEmpty, let failure = scan.failure(connection) { throw failure }
            let printer = CodePrinter(
                output, table: connection.table,
                knowledge: CodeKnowledge(texts: try loadCodeTexts()))
            try printer.print(
                scan, of: CodeBatch.Car(device: connection.accessory),
                at: connection.utc(scan.time), to: &writer)
        case .readiness, .monitors:
            _ = try MonitorsCommand.ask(
                connection, services, readiness: question == .readiness, output, &writer)
        }
        try writer.flush()
        return collected.bytes
    }
}

/// Output that is kept.
final class Collected {
    private(set) var bytes: [UInt8] = []

    /// Takes a buffer.
    func take(_ new: [UInt8]) { bytes += new }
}
