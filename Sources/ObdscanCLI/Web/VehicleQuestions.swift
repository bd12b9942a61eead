import Diagnostics
import OBDCore
import Synchronization
import TripExport

/// What browsers may ask a vehicle besides the readings that come anyhow: codes and monitors, by
/// services that read only.
///
/// However many ask, the vehicle is asked once in ``freshness``, and by one at a time.
final class VehicleQuestions: Sendable {
    /// How long an answer is good for others.
    static let freshness = Duration.seconds(5)

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
        var bytes: [UInt8]
    }

    private let vehicle: LiveFeed.Vehicle
    /// Tells that nobody waits for an answer any more.
    private let inbox: SignalInbox
    private let output: OutputOptions
    private let known = Mutex<[Question: Known]>([:])

    /// Questions to whatever vehicle there is; `output` is of JSON.
    init(_ vehicle: LiveFeed.Vehicle, _ output: OutputOptions, inbox: SignalInbox) {
        self.vehicle = vehicle
        self.output = output
        self.inbox = inbox
    }

    /// The objects of an answer; a ``Failure`` where there is no vehicle.
    func answer(_ question: Question) throws -> [UInt8] {
        guard let current = vehicle.current else {
            throw Failure(
                "no vehicle is connected", hint: "/api/status tells why", status: .unavailable)
        }
        let connection = Connection(
            scan: current.scan, table: current.table, accessory: current.accessory,
            key: current.key, ecu: current.ecu, vehicleProtocol: current.vehicleProtocol,
            inbox: inbox)
        return try known.withLock { known in
            let now = Clock.now
            if let last = known[question], now - last.time < Self.freshness,
                last.session == connection.anchor.monotonic
            {
                return last.bytes
            }
            let bytes = try ask(question, connection)
            known[question] = Known(
                time: Clock.now, session: connection.anchor.monotonic, bytes: bytes)
            return bytes
        }
    }

    private func ask(_ question: Question, _ connection: Connection) throws -> [UInt8] {
        let collected = Collected()
        var writer = TextOutput(sink: collected.take)
        let services = try connection.services()
        switch question {
        case .codes:
            let scan = try CodeScan(connection, in: services)
            if let failure = connection.failure(of: scan.asked) { throw failure }
            let printer = CodePrinter(
                output, table: connection.table, texts: try loadCodeTexts())
            try printer.print(
                scan, of: connection.accessory, at: connection.utc(scan.time), to: &writer)
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
