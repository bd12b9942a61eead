import OBDCore
import Publishing
import Synchronization
import SystemIO
import Testing
import TripStore

@testable import Engines

/// A broker in the test's own process, which needs neither a library nor a package.
private final class OwnBroker: BrokerConnection, Sendable {
    struct Message: Sendable {
        var topic: String
        var payload: String
        var isRetained: Bool
    }

    private struct State {
        var messages: [Message] = []
        var events: [MQTTClient.Event] = []
        var subscriptions: [String] = []
        var number: Int32 = 0
        var drives = 0
        var isConnected = false
    }

    private let state = Mutex(State())
    /// Why it refuses the connection.
    let fault: String?
    /// Whether it acknowledges a message on this topic, by how many it has had.
    let acknowledges: @Sendable (String, Int) -> Bool
    /// The messages that the broker sends once the client has subscribed.
    let presses: @Sendable (_ topic: String) -> [MQTTClient.Event]
    /// The number of turns after which the connection is lost.
    let patience: Int

    init(
        fault: String? = nil, patience: Int = 100,
        acknowledges: @escaping @Sendable (String, Int) -> Bool = { _, _ in true },
        presses: @escaping @Sendable (String) -> [MQTTClient.Event] = { _ in [] }
    ) {
        self.fault = fault
        self.patience = patience
        self.acknowledges = acknowledges
        self.presses = presses
    }

    var messages: [Message] { state.withLock { $0.messages } }
    /// All messages that the broker received.
    var text: String { messages.map { $0.topic + " " + $0.payload }.joined(separator: "\n") }

    var certificateFault: String? { fault }

    func connect(_: SinkAddress, password: String?, caFile: String?) -> String? {
        guard fault == nil else { return fault }
        state.withLock {
            $0.isConnected = true
            $0.drives = 0
            $0.events = [.connected(0)]
        }
        return nil
    }

    func subscribe(_ topic: String) -> Int32 {
        state.withLock {
            $0.subscriptions.append(topic)
            $0.events += presses(topic)
        }
        return 0
    }

    func drive(_ descriptor: Int32, _ timeout: Duration) -> String? {
        var list = WaitList()
        _ = list.add(descriptor)
        list.add(deadline: SystemClock.now() + min(timeout, .milliseconds(5)))
        list.wait()
        return state.withLock {
            $0.drives += 1
            return $0.drives > patience ? "the connection is lost" : nil
        }
    }

    func takeEvents() -> [MQTTClient.Event] {
        state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
    }

    func publish(
        _ topic: String, _ payload: ArraySlice<UInt8>, quality: Int32, isRetained: Bool
    ) -> (id: Int32, result: Int32) {
        state.withLock { state in
            state.number += 1
            let earlier = state.messages.count { $0.topic == topic }
            state.messages.append(
                Message(
                    topic: topic, payload: String(decoding: payload, as: UTF8.self),
                    isRetained: isRetained))
            if quality > 0, acknowledges(topic, earlier) {
                state.events.append(.published(id: state.number, reason: 0))
            }
            return (state.number, 0)
        }
    }

    func disconnect() {}
}

@Suite("The tests' own broker")
struct BrokerTests {
    private static let vin = "5XXBD1GA8LX000042"

    private func sink(
        _ folder: SpoolFolder, _ broker: OwnBroker, _ selection: SinkSelection = SinkSelection()
    ) throws -> MQTTSink {
        var sink = MQTTSink(
            name: "sink", address: try SinkAddress("mqtt://localhost"), selection: selection,
            client: "obdscan-pi-home", version: "1", database: folder.database, drains: true)
        sink.history = .lines
        sink.mostFailures = 1
        sink.connection = { _, _, _ in broker }
        return sink
    }

    @Test func `a session that another client took over at the broker is not resumed at once`()
        throws
    {
        let folder = try SpoolFolder()
        try folder.endedTrip(vin: Self.vin, readings: 30)
        let broker = OwnBroker(presses: { _ in [.disconnected(142)] })
        var sink = try sink(folder, broker)
        sink.readCodes = { _ in "" }
        let (end, report) = try run(sink, folder)
        guard case .unreachable(let words)? = end else {
            Issue.record("\(String(describing: end))")
            return
        }
        #expect(words.hasPrefix("another client took over this session"), "\(words)")
        #expect(report.fault == words)
    }

    private func run(_ sink: MQTTSink, _ folder: SpoolFolder) throws -> (SinkEnd?, SinkReport) {
        let deliveries = try folder.deliveries()
        try deliveries.claim("sink", target: "mqtt://localhost")
        let state = SinkState()
        sink.run(
            deliveries, state, stop: try EventDescriptor(), wake: try EventDescriptor())
        return (state.current.end, state.current)
    }

    /// The lines that are still owed.
    private func owed(_ folder: SpoolFolder) throws -> Int {
        let feed = try SinkFeed(
            database: folder.database, deliveries: try folder.deliveries(), sink: "sink",
            selection: SinkSelection(), limit: 1_000)
        try feed.refresh(now: SystemClock.utc)
        var count = 0
        while let batch = try feed.next() {
            count += batch.lines.count { $0 == UInt8(ascii: "\n") }
        }
        return count
    }

    @Test func `a computer without a vehicle sends heartbeats until the broker forgets it`() throws
    {
        let folder = try SpoolFolder()
        _ = try folder.store()
        let state = "obdscan/bridge/obdscan-pi-home/machine"
        let device = "homeassistant/device/obdscan_machine_obdscan-pi-home/config"
        var sink = try sink(folder, OwnBroker())
        sink.discoveryPrefix = "homeassistant"
        sink.heartbeat = Heartbeat(
            interval: .seconds(60), name: "pi", title: "obdscan pi", version: "1.2")
        let first = OwnBroker()
        sink.connection = { _, _, _ in first }
        #expect(try run(sink, folder).0 == .drained)
        let beats = first.messages.filter { $0.topic == state }
        #expect(beats.count == 1 && beats.allSatisfy(\.isRetained))
        let beat = try #require(beats.first)
        #expect(beat.payload.contains(#""version":"1.2""#), "\(beat)")
        #expect(beat.payload.contains(#""waiting":0"#))
        #expect(first.messages.contains { $0.topic == device && $0.isRetained })
        // Without its heartbeat, nothing of the computer stays at the broker.
        sink.heartbeat = nil
        let second = OwnBroker()
        sink.connection = { _, _, _ in second }
        #expect(try run(sink, folder).0 == .drained)
        #expect(
            Set(second.messages.filter { $0.payload.isEmpty }.map(\.topic)) == [state, device])
        let third = OwnBroker()
        sink.connection = { _, _, _ in third }
        #expect(try run(sink, folder).0 == .drained)
        #expect(!third.text.contains("machine"))
    }

    /// What a broker keeps: the last retained message of each topic that is not empty.
    private func kept(_ broker: OwnBroker) -> [String: String] {
        var kept: [String: String] = [:]
        for message in broker.messages where message.isRetained {
            kept[message.topic] = message.payload.isEmpty ? nil : message.payload
        }
        return kept
    }

    @Test(arguments: [(true, "offline"), (false, nil)] as [(Bool, String?)])
    func `a client that comes only once leaves nothing about itself behind`(
        isKnown: Bool, left: String?
    ) throws {
        let folder = try SpoolFolder()
        try folder.endedTrip(vin: Self.vin, readings: 30)
        let bridge = "obdscan/bridge/obdscan-pi-home"
        let broker = OwnBroker()
        var sink = try sink(folder, broker)
        sink.retainsEnd = isKnown
        #expect(try run(sink, folder).0 == .drained)
        #expect(kept(broker)[bridge] == left)
        // Whoever listens hears in any case that it has ended.
        let words = broker.messages.filter { $0.topic == bridge }.map(\.payload)
        #expect(words == ["online", "offline"] + (isKnown ? [] : [""]))
        #expect(kept(broker).keys.contains { $0.hasPrefix("obdscan/5xxbd1ga8lx000042/") })
    }

    @Test func `a trial of the connection says nothing, and a forgotten sink leaves nothing`()
        throws
    {
        let folder = try SpoolFolder()
        let trial = OwnBroker()
        #expect(try sink(folder, trial).forget([], nil) == .drained)
        #expect(trial.messages.isEmpty)
        let broker = OwnBroker()
        let deliveries = try folder.deliveries()
        #expect(try sink(folder, broker).forget(["golf"], deliveries) == .drained)
        #expect(broker.messages.contains { $0.topic == "obdscan/bridge/obdscan-pi-home" })
        #expect(kept(broker).isEmpty)
    }

    @Test("Messages without an acknowledgement are sent again")
    func cursor() throws {
        let folder = try SpoolFolder()
        try folder.endedTrip(vin: Self.vin, readings: 30)
        let silent = OwnBroker(acknowledges: { topic, _ in !topic.hasSuffix("/readings") })
        let (lost, _) = try run(try sink(folder, silent), folder)
        #expect(silent.messages.contains { $0.topic.hasSuffix("/readings") })
        #expect(lost == .unreachable("the connection is lost"))
        // The readings, and the duration of the trip.
        #expect(try owed(folder) == 31)
        let kind = OwnBroker()
        let (end, _) = try run(try sink(folder, kind), folder)
        #expect(end == .drained)
        #expect(try owed(folder) == 0)
        // Messages without an acknowledgement are sent again.
        func lines(_ broker: OwnBroker) -> [String] {
            broker.messages.filter { $0.topic.hasSuffix("/readings") }.map(\.payload)
        }
        #expect(lines(kind) == lines(silent))
    }

    @Test("Positions are sent only if the user chose them", arguments: [false, true])
    func positions(isWanted: Bool) throws {
        let folder = try SpoolFolder()
        let store = try folder.store()
        let trip = try folder.trip(store, vin: Self.vin)
        #expect(trip.offer(try folder.readings(5), at: trip.anchor.monotonic))
        let position = try #require(Position(latitude: 48.137154, longitude: 11.576124))
        #expect(trip.offer(.position(position), at: trip.anchor.monotonic + .seconds(1)))
        try trip.end(.stopped, at: trip.anchor.monotonic + .seconds(3))
        var selection = SinkSelection()
        selection.hasPosition = isWanted
        for history in [MQTTSink.History.lines, .json] {
            let broker = OwnBroker()
            var sink = try sink(folder, broker, selection)
            sink.history = history
            sink.name = "\(history)"
            let deliveries = try folder.deliveries()
            try deliveries.claim(sink.name, target: "mqtt://localhost")
            let state = SinkState()
            sink.run(
                deliveries, state, stop: try EventDescriptor(), wake: try EventDescriptor())
            #expect(state.current.end == .drained)
            #expect(broker.text.contains("48.137") == isWanted)
            #expect(broker.text.contains("/position ") == isWanted)
        }
    }

    @Test(
        "A position of the vehicle itself is sent only if the user chose positions",
        arguments: [false, true])
    func reportedPositions(isWanted: Bool) throws {
        let folder = try SpoolFolder()
        try folder.tripOfReportedPosition(vin: Self.vin)
        var selection = SinkSelection()
        selection.hasAllSignals = true
        selection.hasPosition = isWanted
        let broker = OwnBroker()
        var sink = try sink(folder, broker, selection)
        sink.history = .json
        #expect(try run(sink, folder).0 == .drained)
        #expect(broker.text.contains("48.137154") == isWanted)
        #expect(broker.text.contains("\"VSS\""))
        // The bytes of this message are those of the position.
        #expect(broker.text.contains("\"signal\":\"ALT\""))
        #expect(broker.text.contains("\"raw\":\"4813\"") == isWanted)
    }

    /// The broker keeps the last message of each topic until an empty one arrives.
    @Test("Positions that are no longer sent are removed from the broker")
    func positionsNoMore() throws {
        let folder = try SpoolFolder()
        try folder.tripOfReportedPosition(vin: Self.vin)
        let trip = try folder.trip(try folder.store(), vin: Self.vin)
        #expect(trip.offer(try folder.readings(5), at: trip.anchor.monotonic))
        let position = try #require(Position(latitude: 48.137154, longitude: 11.576124))
        #expect(trip.offer(.position(position), at: trip.anchor.monotonic + .seconds(1)))
        try trip.end(.stopped, at: trip.anchor.monotonic + .seconds(3))
        var selection = SinkSelection()
        selection.hasAllSignals = true
        let topics = VehicleTopics(vehicle: "5xxbd1ga8lx000042")
        let own = [topics.position, topics.prefix + "7e8/east", topics.prefix + "7e8/north"]
        func emptied() throws -> [String] {
            let broker = OwnBroker()
            _ = try run(try sink(folder, broker, selection), folder)
            return broker.messages.filter { $0.payload.isEmpty }.map(\.topic)
        }
        selection.hasPosition = true
        #expect(try emptied().isEmpty)
        selection.hasPosition = false
        #expect(Set(try emptied()) == Set(own))
        selection.hasPosition = true
        #expect(try emptied().isEmpty)
    }

    @Test("An imported trip is sent only if the user requests it")
    func imported() throws {
        let folder = try SpoolFolder()
        let store = try folder.store()
        let anchor = TimeAnchor(monotonic: SystemClock.now(), utc: SystemClock.utc)
        let trip = try store.startTrip(
            TripStart(purpose: .import, anchor: anchor, vin: VIN(Self.vin)), table: folder.table)
        #expect(trip.offer(try folder.readings(5), at: anchor.monotonic))
        try trip.end(.stopped, at: anchor.monotonic + .seconds(1))
        let unasked = OwnBroker()
        let (end, state) = try run(try sink(folder, unasked), folder)
        #expect(end == .drained)
        #expect(state.held.imported == 1 && state.held.count == 0)
        #expect(!unasked.text.contains("rpm") && !unasked.text.contains("RPM"))
        var selection = SinkSelection()
        selection.trips = [trip.trip]
        let asked = OwnBroker()
        #expect(try run(try sink(folder, asked, selection), folder).0 == .drained)
        #expect(asked.messages.contains { $0.topic.hasSuffix("/readings") })
        // The state of a vehicle is that of its newest drive, which no imported trip is.
        #expect(
            asked.messages.allSatisfy {
                $0.topic.hasSuffix("/readings") || $0.topic.hasPrefix("obdscan/bridge/")
            }, "\(asked.messages.map(\.topic))")
    }

    @Test("A broker without a trusted certificate gets no message")
    func certificate() throws {
        let folder = try SpoolFolder()
        try folder.endedTrip(vin: Self.vin, readings: 3)
        let broker = OwnBroker(fault: "the broker's certificate is not trusted")
        let (end, _) = try run(try sink(folder, broker), folder)
        #expect(end == .refused(.certificate, "the broker's certificate is not trusted"))
        #expect(broker.messages.isEmpty)
    }

    /// The payload on the topic of the button, and whether codes are read.
    static let arrivals: [(payload: String, isRetained: Bool, isOwnTopic: Bool, reads: Bool)] = [
        ("read-codes", false, true, true), ("read-codes", true, true, false),
        ("", false, true, false), ("PRESS", false, true, false),
        ("read-codes ", false, true, false), ("READ-CODES", false, true, false),
        ("clear", false, true, false), ("read-codes", false, false, false),
    ]

    @Test(
        "A press of the button reads codes only with its own payload, and never if retained",
        arguments: arrivals)
    func presses(
        payload: String, isRetained: Bool, isOwnTopic: Bool, reads: Bool
    ) throws {
        let (asked, _) = try press(payload, isRetained, isOwnTopic) { _ in }
        #expect(asked == (reads ? ["tcp:pi:35000"] : []))
    }

    @Test("A press of the button reads no codes while a trip of any vehicle is open")
    func pressWhileRecording() throws {
        var other: TripWriter?
        let (asked, report) = try press("read-codes", false, true) { folder in
            let trip = try folder.trip(try folder.store(), vin: "WVWZZZ1KZAW000001")
            _ = trip.offer(try folder.readings(2), at: trip.anchor.monotonic)
            try trip.flush()
            other = trip
        }
        #expect(asked.isEmpty)
        // Both vehicles have a button, and both were pressed.
        #expect(report.command?.hasSuffix(" are not read while a trip is recorded") == true)
        try other?.end(.stopped, at: SystemClock.now())
    }

    /// The adapters that are asked after a message has come.
    private func press(
        _ payload: String, _ isRetained: Bool, _ isOwnTopic: Bool,
        before: (SpoolFolder) throws -> Void
    ) throws -> ([String], SinkReport) {
        let folder = try SpoolFolder()
        let store = try folder.store()
        let anchor = TimeAnchor(monotonic: SystemClock.now(), utc: SystemClock.utc)
        let trip = try store.startTrip(
            TripStart(anchor: anchor, vin: VIN(Self.vin), accessory: "tcp:pi:35000"),
            table: folder.table)
        #expect(trip.offer(try folder.readings(5), at: anchor.monotonic))
        try trip.end(.stopped, at: anchor.monotonic + .seconds(1))
        try before(folder)
        let broker = OwnBroker(
            patience: 60,
            presses: { topic in
                let name = isOwnTopic ? topic : topic + "x"
                return [
                    .received(
                        topic: name, payload: Array(payload.utf8), isRetained: isRetained)
                ]
            })
        var sink = try sink(folder, broker)
        sink.history = nil
        sink.drains = false
        let work = AskedAdapters()
        sink.readCodes = { adapter in
            work.note(adapter)
            return "codes were read"
        }
        let deliveries = try folder.deliveries()
        try deliveries.claim("sink", target: "mqtt://localhost")
        let stop = try EventDescriptor()
        let state = SinkState()
        let ending = EndingBroker(broker, stop)
        sink.connection = { _, _, _ in ending }
        sink.run(deliveries, state, stop: stop, wake: try EventDescriptor())
        return (work.adapters, state.current)
    }
}

/// The adapters at which codes were read.
private final class AskedAdapters: Sendable {
    private let list = Mutex<[String]>([])
    var adapters: [String] { list.withLock { $0 } }
    func note(_ adapter: String) { list.withLock { $0.append(adapter) } }
}

/// A broker after whose last turn the program is stopped.
private final class EndingBroker: BrokerConnection, Sendable {
    private let broker: OwnBroker
    private let stop: EventDescriptor

    init(_ broker: OwnBroker, _ stop: EventDescriptor) {
        self.broker = broker
        self.stop = stop
    }

    var certificateFault: String? { broker.certificateFault }
    func connect(_ address: SinkAddress, password: String?, caFile: String?) -> String? {
        broker.connect(address, password: password, caFile: caFile)
    }
    func subscribe(_ topic: String) -> Int32 { broker.subscribe(topic) }
    func drive(_ descriptor: Int32, _ timeout: Duration) -> String? {
        if broker.drive(descriptor, timeout) != nil { stop.signal() }
        return nil
    }
    func takeEvents() -> [MQTTClient.Event] { broker.takeEvents() }
    func publish(
        _ topic: String, _ payload: ArraySlice<UInt8>, quality: Int32, isRetained: Bool
    ) -> (id: Int32, result: Int32) {
        broker.publish(topic, payload, quality: quality, isRetained: isRetained)
    }
    func disconnect() { broker.disconnect() }
}
