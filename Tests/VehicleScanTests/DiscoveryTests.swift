import Accessory
import Diagnostics
import LocalLinks
import OBDCore
import PIDTables
import ScanSession
import Simulator
import Synchronization
import SystemIO
import Testing

@testable import VehicleScan

/// The requests to the vehicle and its adapter until its services are known, and after that.
@Suite struct `Services are found once` {
    /// Counts the commands and requests that are sent after the set-up.
    private final class Counter: ScanObserver {
        private let sent = Mutex(0)
        let interests: ScanEvent.Kinds = .requests

        func scan(_ event: ScanEvent, at time: Instant) {
            if case .didSendCommand = event { sent.withLock { $0 += 1 } }
        }

        var count: Int { sent.withLock { $0 } }
    }

    /// A vehicle, and the requests that reach its simulator.
    private struct Wire {
        var vehicle: Vehicle
        /// Commands and requests that were sent after the set-up.
        var sent: @Sendable () -> Int
        /// All requests that reached the vehicle.
        var requests: @Sendable () -> [SimulatedAdapter.ReceivedRequest]
    }

    private func open(_ text: String, ecu: ECUAddress? = nil, _ body: (Wire) throws -> Void) throws
    {
        let separator = text.contains("?") ? "&" : "?"
        let options = try SimulatorOptions(
            "\(text)\(separator)latency=0ms&wait=1ms&search=0ms&frozen=true")
        try open(options.device(at: SystemClock.now()), options, ecu, body)
    }

    private func open(
        _ device: some SimulatedDevice, _ options: SimulatorOptions, _ ecu: ECUAddress?,
        _ body: (Wire) throws -> Void
    ) throws {
        let shared = SharedDevice(device)
        let connector = Connector.descriptor(name: "sim:") { () throws(AccessoryError) in
            try SimulatorLink.socketPair(to: shared, name: "sim:")
        }
        var configuration = SessionConfiguration(connector: connector)
        configuration.vehicle = .optional
        if options.personality == SimulatorOptions.goLink { configuration.dialect = .goLink }
        let table = try PIDTables.standard()
        let counter = Counter()
        let scan = try ScanSession.start(
            configuration,
            decoder: ResponseDecoder(table: table, monitors: try PIDTables.monitorTables()),
            observers: [counter])
        defer { scan.stop() }
        try body(
            Wire(
                vehicle: Vehicle(scan: scan, table: table, accessory: "sim:", ecu: ecu),
                sent: { counter.count }, requests: { shared.look { $0.requests } }))
    }

    /// The requests that reach the vehicle until the session is open, in their order.
    ///
    /// Connecting needs exactly these.
    ///
    /// The adapter's own search does not find a vehicle that does not answer 01 00. So the requests
    /// on CAN at 500 and 250 kbit/s follow. SAE J1939 sends the lowest byte first.
    @Test(arguments: [
        ("petrol", "0100"), ("diesel", "0100"), ("electric", "0100"), ("hybrid", "0100"),
        ("onuds", "22F810"), ("truck", "22F810 22F810 CAFE00"), ("petrol?protocol=3", "0100"),
        ("petrol?personality=golink", "0100"),
        ("onuds?personality=golink", "0100 0100 0100 22F810"),
    ])
    func `the services are found at set-up and not requested later`(name: String, setup: String)
        throws
    {
        try open(name) { wire in
            func texts() -> String {
                wire.requests().map { Hex.string($0.payload) }.joined(separator: " ")
            }
            #expect(texts() == setup)
            let services = try wire.vehicle.services()
            #expect(services.isAnswered)
            #expect(try wire.vehicle.services().profiles == services.profiles)
            #expect(try wire.vehicle.signalProfiles(for: []) == services.profiles)
            #expect(texts() == setup)
            #expect(wire.sent() == 0)
        }
    }

    /// `info` and `pids` request the same: the support maps, and the vehicle's information.
    @Test(arguments: [
        "petrol", "diesel", "electric", "hybrid", "onuds", "truck", "motorcycle",
        "petrol?protocol=3", "petrol?protocol=1", "petrol?personality=golink", "diesel?ecus=3",
    ])
    func `no answered request is sent twice`(name: String) throws {
        try open(name) { wire in
            let vehicle = wire.vehicle
            let services = try vehicle.services()
            let current = try vehicle.supportedIDs(in: services) { .supportedPIDs($0) }
            let information = try vehicle.supportedIDs(in: services) { .supportedInfoTypes($0) }
            for id in information.all { _ = try vehicle.ask(.information(id), in: services) }
            if services.profiles != [.j1939] {
                #expect(current.all.count > 5)
                // The map of the set-up counts for all ECUs.
                #expect(Set(current.asked.flatMap(\.answers).map(\.ecu)).count >= 1)
            }
            var answered: Set<String> = []
            // A simulated GoLink keeps no answers, so every request counts.
            let isGoLink = name.hasSuffix("golink")
            for request in wire.requests() where isGoLink || !request.answers.isEmpty {
                let text = Hex.string(request.payload)
                #expect(answered.insert(text).inserted, "\(text) was asked twice")
            }
            #expect(!answered.isEmpty)
        }
    }

    /// The map of the set-up is used for each ECU, and not requested again.
    @Test func `the found services include the support maps of all ECUs`() throws {
        try open("diesel?ecus=3") { wire in
            let services = try wire.vehicle.services()
            let known = try wire.vehicle.ask(.supportedPIDs(0), in: services)
            #expect(wire.sent() == 0)
            let again = try wire.vehicle.ask([0x01, 0x00])
            #expect(wire.sent() == 1)
            #expect(known.map(\.answers) == [again.answers])
            #expect(known.map(\.answer.items) == [again.answer.items])
            #expect(again.answers.count == 3)
        }
    }

    @Test func `with one chosen ECU only its answers count`() throws {
        let engine = ECUAddress(0x7E8, .can11)
        try open("petrol?ecus=3", ecu: engine) { wire in
            let services = try wire.vehicle.services()
            #expect(wire.sent() == 0)
            #expect(services.first?.answers.map(\.ecu) == [engine])
        }
        // An ECU that did not answer the request to all gets its own request, on the protocol of the others.
        let absent = ECUAddress(0x7EF, .can11)
        try open("petrol", ecu: absent) { wire in
            #expect(
                throws: VehicleError.silentECU(absent, others: [engine, ECUAddress(0x7E9, .can11)])
            ) {
                _ = try wire.vehicle.services()
            }
            #expect(wire.sent() > 0)
            #expect(wire.vehicle.scan.link?.capabilities.vehicleProtocol == .can11At500)
        }
    }

    /// The adapter's search took seconds.
    ///
    /// By the next request the user may have turned the ignition on.
    @Test func `a missing vehicle is searched for later, not at once`() throws {
        try open("petrol?ignition=off") { wire in
            #expect(throws: VehicleError.self) { _ = try wire.vehicle.services() }
            #expect(wire.sent() == 0)
            #expect(throws: VehicleError.self) { _ = try wire.vehicle.services() }
            #expect(wire.sent() > 0)
        }
    }
}
