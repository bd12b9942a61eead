import Diagnostics
import OBDCore
import Publishing
import Synchronization
import SystemIO
import Testing
import TripStore

@testable import Engines

/// A server in the test's own process, which needs neither a library nor a package.
private final class OwnServer: ServerConnection, Sendable {
    private struct State {
        var bodies: [String] = []
    }

    private let state = Mutex(State())
    let isCertificateFault: Bool
    /// What it answers to each request, counted from 0.
    let answers: @Sendable (Int) -> WriteAnswer?

    init(isCertificateFault: Bool = false, _ answers: @escaping @Sendable (Int) -> WriteAnswer?) {
        self.isCertificateFault = isCertificateFault
        self.answers = answers
    }

    /// The bodies of all requests.
    var bodies: [String] { state.withLock { $0.bodies } }
    /// The lines of the requests that it accepted.
    var accepted: [String] {
        bodies.enumerated().filter { answers($0.offset) == Self.fine }.flatMap {
            $0.element.split(separator: "\n").map(String.init)
        }
    }

    static let fine = WriteAnswer.status(204, text: "", retryAfter: nil)

    func post(_ lines: HTTPBody, to url: String) {
        let text = String(decoding: lines.bytes.prefix(lines.size), as: UTF8.self)
        state.withLock { $0.bodies.append(lines.isCompressed ? "compressed" : text) }
    }

    func post(_ item: ArraySlice<UInt8>, as form: ItemForm, to url: String) {
        post(HTTPBody(item), to: url)
    }

    func answer(stop: EventDescriptor?) -> WriteAnswer? { answers(bodies.count - 1) }
}

@Suite struct `A server of the tests' own` {
    private static let vin = "5XXBD1GA8LX000042"

    private func run(
        _ server: OwnServer, _ folder: SpoolFolder, _ selection: SinkSelection = SinkSelection()
    ) throws -> SinkReport {
        var sink = LineSink(
            name: "sink", address: try SinkAddress("influx+http://localhost:8086"),
            setup: HTTPClient.Setup(), selection: selection, database: folder.database,
            drains: true)
        sink.connection = { _ in server }
        let deliveries = try folder.deliveries()
        try deliveries.claim("sink", target: "influx+http://localhost:8086")
        let state = SinkState()
        sink.run(deliveries, state, stop: try EventDescriptor(), wake: try EventDescriptor())
        return state.current
    }

    /// The lines that are still owed.
    private func owed(_ folder: SpoolFolder) throws -> [String] {
        let deliveries = try folder.deliveries()
        try deliveries.claim("sink", target: "influx+http://localhost:8086")
        let feed = try SinkFeed(
            database: folder.database, deliveries: deliveries, sink: "sink",
            selection: SinkSelection(), limit: 1_000)
        try feed.refresh(now: SystemClock.utc)
        var lines: [String] = []
        while let batch = try feed.next() {
            lines += String(decoding: batch.lines, as: UTF8.self).split(separator: "\n")
                .map(String.init)
        }
        return lines
    }

    /// A request that is stopped, and each answer after which a sink ends or tries again.
    @Test(
        arguments: [
            nil, .status(401, text: "", retryAfter: nil), .status(403, text: "", retryAfter: nil),
            .status(404, text: "", retryAfter: nil), .status(302, text: "", retryAfter: nil),
            .status(503, text: "", retryAfter: "86400"),
        ] as [WriteAnswer?])
    func `lines that a server has not accepted stay undelivered`(answer: WriteAnswer?) throws {
        let folder = try SpoolFolder()
        try folder.endedTrip(vin: Self.vin, readings: 30)
        let all = try owed(folder)
        // The readings, and the duration of the trip.
        #expect(all.count == 31)
        let refused = try run(OwnServer { _ in answer }, folder)
        #expect(refused.end != .drained && refused.delivered == 0)
        #expect(try owed(folder) == all)
        let kind = OwnServer { _ in OwnServer.fine }
        #expect(try run(kind, folder).end == .drained)
        #expect(kind.accepted == all)
        #expect(try owed(folder) == [])
    }

    private func beat(_ server: OwnServer, _ folder: SpoolFolder) throws -> SinkReport {
        var sink = LineSink(
            name: "sink", address: try SinkAddress("influx+http://localhost:8086"),
            setup: HTTPClient.Setup(), selection: SinkSelection(), database: folder.database,
            drains: true)
        sink.selection.tags = [("fleet", "north"), ("car", "%VIN")]
        sink.heartbeat = Heartbeat(
            interval: .seconds(60), name: "pi-1", title: "obdscan pi", version: "1.2")
        sink.connection = { _ in server }
        let deliveries = try folder.deliveries()
        try deliveries.claim("sink", target: "influx+http://localhost:8086")
        let state = SinkState()
        sink.run(deliveries, state, stop: try EventDescriptor(), wake: try EventDescriptor())
        return state.current
    }

    /// Without a vehicle, too, and once in a minute however many batches there are.
    @Test(arguments: [0, 12_000])
    func `a computer sends a heartbeat to a server`(readings: Int) throws {
        let folder = try SpoolFolder()
        _ = try folder.store()
        if readings > 0 { try folder.endedTrip(vin: Self.vin, readings: readings) }
        let server = OwnServer { _ in OwnServer.fine }
        let report = try beat(server, folder)
        let totals = readings > 0 ? 1 : 0
        #expect(
            report.end == .drained && report.delivered == readings + totals && report.fault == nil)
        let lines = server.bodies.filter { $0 != "compressed" }.joined()
            .split(separator: "\n").filter { $0.hasPrefix("obd_machine") }
        // The server's clock gives the time, because that of the computer may be wrong.
        let line = try #require(lines.first)
        #expect(lines.count == 1)
        #expect(
            line.hasPrefix("obd_machine,machine=pi-1,version=1.2,fleet=north clock_set="), "\(line)"
        )
        #expect(line.contains("recording=0,uptime=") && line.contains(",disk_free="))
        // After the delivery nothing waits.
        #expect(line.contains(",waiting=0"), "\(line)")
        #expect(line.split(separator: " ").count == 2)
    }

    @Test func `a failed heartbeat does not stop the trips, and a refusal ends all requests`()
        throws
    {
        let folder = try SpoolFolder()
        try folder.endedTrip(vin: Self.vin, readings: 3)
        // The heartbeat follows the readings and the totals.
        let away = OwnServer { $0 == 2 ? .none("away") : OwnServer.fine }
        let report = try beat(away, folder)
        #expect(report.end == .drained && report.delivered == 4 && report.fault == "away")
        let other = OwnServer { _ in .status(401, text: "who", retryAfter: nil) }
        #expect(try beat(other, folder).end == .refused(.notAuthorized, "HTTP 401: who"))
        #expect(other.bodies.count == 1)
    }

    @Test func `an accepted heartbeat ends the fault of an earlier run`() throws {
        let folder = try SpoolFolder()
        _ = try folder.store()
        let away = OwnServer { _ in .none("away") }
        _ = try beat(away, folder)
        let deliveries = try folder.deliveries()
        #expect(try deliveries.sinks().first?.fault?.contains("away") == true)
        _ = try beat(OwnServer { _ in OwnServer.fine }, folder)
        let sink = try #require(try deliveries.sinks().first)
        #expect(sink.fault == nil)
    }

    /// An open trip of an electric vehicle, which has answered with its state of charge.
    private func charge(_ vin: String, _ percent: Double, _ store: TripStore) throws -> TripWriter {
        var table = PIDTable()
        let record = DataID(.currentData, 0x5B)
        table.add(
            record, name: "charge", length: 1...1,
            signals: [
                Signal(
                    id: "SOC", name: "Charge", bitOffset: 0, bitLength: 8, kind: .number, unit: "%")
            ])
        let anchor = TimeAnchor(monotonic: SystemClock.now(), utc: SystemClock.utc)
        let trip = try store.startTrip(
            TripStart(purpose: .log, anchor: anchor, vin: VIN(vin)), table: table)
        let reading = Reading(
            ecu: ECUAddress("7E8"), dataID: record, signal: SignalIndex(rawValue: 0),
            value: .number(percent), raw: [0x7F], line: 0)
        #expect(trip.offer([.reading(reading)], at: anchor.monotonic))
        try trip.flush()
        return trip
    }

    /// Sends the states of a vehicle until `answers` raises the flag, or the sink ends by itself.
    private func plan(
        _ folder: SpoolFolder, _ stop: EventDescriptor,
        _ answers: @escaping @Sendable (Int) -> WriteAnswer
    ) throws -> (OwnServer, SinkReport) {
        let server = OwnServer(answers)
        var selection = SinkSelection()
        (selection.isForABRP, selection.measured) = (true, ["SOC": .stateOfCharge])
        let address = "abrp+http://localhost"
        var sink = LineSink(
            name: "sink", address: try SinkAddress(address), setup: HTTPClient.Setup(),
            selection: selection, database: folder.database, drains: false)
        sink.every = .milliseconds(10)
        sink.connection = { _ in server }
        let deliveries = try folder.deliveries()
        try deliveries.claim("sink", target: address)
        let state = SinkState()
        sink.run(deliveries, state, stop: stop, wake: try EventDescriptor())
        return (server, state.current)
    }

    /// Nothing newer arrives after the refusal.
    @Test func `a route planner that was away gets the state that it lacks`() throws {
        let folder = try SpoolFolder()
        let trip = try charge(Self.vin, 42, try folder.store())
        let stop = try EventDescriptor()
        let (server, report) = try plan(folder, stop) { number in
            if number == 0 { return .status(503, text: "", retryAfter: nil) }
            stop.signal()
            return OwnServer.fine
        }
        #expect(server.bodies.count == 2 && server.bodies.allSatisfy { $0.contains("\"soc\":42") })
        #expect(report.delivered == 1 && report.fault == nil)
        try trip.end(.stopped, at: SystemClock.now())
    }

    @Test func `a route planner gets nothing of a vehicle to which the adapter moves`() throws {
        let folder = try SpoolFolder()
        let store = try folder.store()
        try charge(Self.vin, 42, store).end(.stopped, at: SystemClock.now())
        let other = "WVWZZZ1KZAW000001"
        let (server, report) = try plan(folder, try EventDescriptor()) { number in
            // It is called again for the report.
            if number == 0, (try? store.trips().count) == 1 {
                try? self.charge(other, 77, store).end(.stopped, at: SystemClock.now())
            }
            return OwnServer.fine
        }
        #expect(server.bodies.count == 1 && server.bodies.first?.contains("\"soc\":42") == true)
        #expect(report.end == .severalVehicles([Self.vin, other].sorted()))
    }

    @Test func `a server whose certificate is not trusted is asked once`() throws {
        let folder = try SpoolFolder()
        try folder.endedTrip(vin: Self.vin, readings: 3)
        let words = "the certificate is not trusted"
        let server = OwnServer(isCertificateFault: true) { _ in .none(words) }
        #expect(try run(server, folder).end == .refused(.certificate, words))
        #expect(server.bodies.count == 1)
    }

    @Test(arguments: [false, true])
    func `a server gets positions only if the user wants that`(isWanted: Bool) throws {
        let folder = try SpoolFolder()
        let trip = try folder.trip(try folder.store(), vin: Self.vin)
        #expect(trip.offer(try folder.readings(5), at: trip.anchor.monotonic))
        let position = try #require(Position(latitude: 48.137154, longitude: 11.576124))
        #expect(trip.offer(.position(position), at: trip.anchor.monotonic + .seconds(1)))
        try trip.end(.stopped, at: trip.anchor.monotonic + .seconds(3))
        var selection = SinkSelection()
        selection.hasPosition = isWanted
        let server = OwnServer { _ in OwnServer.fine }
        #expect(try run(server, folder, selection).end == .drained)
        #expect(server.accepted.contains { $0.contains("48.137") } == isWanted)
    }

    @Test func `a server gets an imported trip only if the user asks for that trip`() throws {
        let folder = try SpoolFolder()
        let anchor = TimeAnchor(monotonic: SystemClock.now(), utc: SystemClock.utc)
        let trip = try folder.store().startTrip(
            TripStart(purpose: .import, anchor: anchor, vin: VIN(Self.vin)), table: folder.table)
        #expect(trip.offer(try folder.readings(5), at: anchor.monotonic))
        try trip.end(.stopped, at: anchor.monotonic + .seconds(1))
        let unasked = OwnServer { _ in OwnServer.fine }
        #expect(try run(unasked, folder).end == .drained)
        #expect(unasked.bodies.isEmpty)
        var selection = SinkSelection()
        selection.trips = [trip.trip]
        let asked = OwnServer { _ in OwnServer.fine }
        #expect(try run(asked, folder, selection).end == .drained)
        #expect(asked.accepted.count { $0.hasPrefix("obd,") } == 5)
    }
}
