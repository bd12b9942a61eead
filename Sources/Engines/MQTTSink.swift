import Diagnostics
import Formats
import OBDCore
public import Publishing
public import SystemIO
public import TripStore

/// Publishes states, and history where it is asked for, to an MQTT broker; runs on a thread of its own.
public struct MQTTSink: Sendable {
    /// How the past is written.
    public enum History: Sendable {
        /// Line protocol.
        case lines
        /// Objects as `obdscan export --format json` has them.
        case json
    }

    /// Its name.
    public var name: String
    /// Where it is.
    public var address: SinkAddress
    /// The password; nil = none.
    public var password: String?
    /// The certificates that are trusted; nil = the system's.
    public var caFile: String?
    /// What goes there.
    public var selection: SinkSelection
    /// How often a topic gets a value at most.
    public var every = Duration.seconds(5)
    /// Where Home Assistant looks; nil = it is told nothing.
    public var discoveryPrefix: String?
    /// What of the past goes there; nil = nothing.
    public var history: History?
    /// This computer's name, for the client's.
    public var host: String
    /// The version of this program.
    public var version: String
    /// The payload of a trip.
    public var tripPayload: @Sendable (TripSummary) -> [UInt8]
    /// The trip database.
    public var database: String
    /// Whether it ends when nothing is left.
    public var drains: Bool

    /// A sink.
    public init(
        name: String, address: SinkAddress, selection: SinkSelection, host: String,
        version: String, database: String, drains: Bool,
        tripPayload: @escaping @Sendable (TripSummary) -> [UInt8]
    ) {
        self.name = name
        self.address = address
        self.selection = selection
        self.host = host
        self.version = version
        self.database = database
        self.drains = drains
        self.tripPayload = tripPayload
    }

    /// Opens the library; call it before there is any thread.
    public static func open() throws(EngineError) { try MQTTClient.open() }

    /// The client's name at the broker.
    public var client: String {
        PublishedName.slug("obdscan-\(host)-\(name)") ?? "obdscan"
    }

    /// Takes vehicles away from Home Assistant; on the caller's thread.
    public func forget(_ vehicles: [String], _ deliveries: DeliveryStore) throws -> SinkEnd {
        let run = MQTTSinkRun(
            self, deliveries, SinkState(), stop: try EventDescriptor(), wake: try EventDescriptor())
        run.forgotten = vehicles
        return try run.run()
    }

    /// Publishes until nothing is left or `stop` is raised.
    public func run(
        _ deliveries: DeliveryStore, _ state: SinkState, stop: EventDescriptor,
        wake: EventDescriptor
    ) {
        state.end {
            try MQTTSinkRun(self, deliveries, state, stop: stop, wake: wake).run()
        }
    }
}

/// The state of a broker's thread.
private final class MQTTSinkRun {
    /// A batch of history that the broker has not acknowledged.
    private struct Waiting {
        var batch: FeedBatch
        /// The numbers of its messages that are not acknowledged.
        var messages: Set<Int32>
        var refused: [(payload: [UInt8], reason: String)]
    }

    /// So many messages of history may be under way.
    private static let mostWaiting = 20
    private static let batchLines = 350
    private static let patience = Duration.seconds(20)

    let sink: MQTTSink
    let deliveries: DeliveryStore
    let state: SinkState
    let stop: EventDescriptor
    let wake: EventDescriptor
    var pacer = RetryPacer()
    var version: Int32 = 5
    var board: StateBoard
    var feed: StateFeed
    var store: TripStore?
    /// Vehicles to take away from Home Assistant, which is all that is done then.
    var forgotten: [String]?
    /// Messages of QoS 1 that are not history: their topics.
    private var pending: [Int32: String] = [:]
    private var waiting: [Waiting] = []

    init(
        _ sink: MQTTSink, _ deliveries: DeliveryStore, _ state: SinkState, stop: EventDescriptor,
        wake: EventDescriptor
    ) {
        self.sink = sink
        self.deliveries = deliveries
        self.state = state
        self.stop = stop
        self.wake = wake
        board = StateBoard(every: sink.every)
        feed = StateFeed(sink.selection)
    }

    /// How a connection ended.
    private enum Closing {
        case end(SinkEnd)
        /// It was lost, or never made; why.
        case lost(String)
        /// The broker does not speak this version.
        case otherVersion
    }

    func run() throws -> SinkEnd {
        while true {
            if stop.isRaised { return .stopped }
            state.change { $0.attempts += 1 }
            switch try connection() {
            case .end(let end): return end
            case .otherVersion: version = 4
            case .lost(let words):
                let pause = pacer.fail(random: .random(in: 0...1), least: nil)
                try? deliveries.note(fault: words, of: sink.name, at: SystemClock.utc)
                state.change { $0.fault = words }
                if sink.drains, pacer.failures >= LineSink.mostFailures {
                    return .unreachable(words)
                }
                var list = WaitList()
                _ = list.add(stop.descriptor)
                list.add(deadline: SystemClock.now() + pause)
                list.wait()
            }
        }
    }

    // MARK: Connection

    private func connection() throws -> Closing {
        pending = [:]
        waiting = []
        let client = try MQTTClient(
            id: sink.client, version: version, will: VehicleTopics.bridge(sink.client))
        if let words = try client.connect(
            sink.address, password: sink.password, caFile: sink.caFile)
        {
            return .lost(words)
        }
        // The broker's answer.
        let deadline = SystemClock.now() + Self.patience
        var isConnected = false
        while !isConnected {
            if stop.isRaised { return .end(.stopped) }
            let fault = client.drive(stop.descriptor, .seconds(1))
            for event in client.takeEvents() {
                switch event {
                case .connected(0): isConnected = true
                case .connected(let reason):
                    let words = MQTTClient.words(reason)
                    switch (version, reason) {
                    // Not this version: by 3.1.1's numbers and by 5's.
                    case (5, 1), (5, 132): return .otherVersion
                    case (_, 4), (_, 5), (_, 134), (_, 135), (_, 138):
                        return .end(.refused(.notAuthorized, words))
                    default: return .lost(words)
                    }
                case .disconnected, .published: break
                }
            }
            if let fault, !isConnected {
                // Some brokers just close a connection of a version that they do not know.
                return version == 5 && pacer.failures > 0 ? .otherVersion : .lost(fault)
            }
            if SystemClock.now() > deadline { return .lost("the broker does not answer") }
        }
        return try session(client)
    }

    private func session(_ client: MQTTClient) throws -> Closing {
        if let forgotten { return forget(forgotten, client) }
        board.forgetSent()
        feed.forgetSent()
        let history = try sink.history.map { form throws(StoreError) in
            try SinkFeed(
                database: sink.database, deliveries: deliveries, sink: sink.name,
                selection: sink.selection, limit: Self.batchLines, isJSON: form == .json)
        }
        if let closing = send(client, VehicleTopics.bridge(sink.client), Array("online".utf8)) {
            return closing
        }
        var next = SystemClock.now()
        while true {
            let now = SystemClock.now()
            var isIdle = true
            if now >= next || wake.isRaised {
                wake.take()
                next = now + .seconds(1)
                let utc = SystemClock.utc
                let store = try self.store ?? TripStore(path: sink.database, access: .readOnly)
                self.store = store
                try feed.refresh(store, &board, now: utc)
                if let closing = try tellVehicles(client, store, utc) { return closing }
                try history?.refresh(now: utc)
                state.change { $0.held = history?.held ?? HeldTrips() }
            }
            for message in board.due(at: now) {
                let sent = client.publish(
                    message.topic, message.payload[...], quality: 0, isRetained: true)
                if let closing = fault(sent.result) { return closing }
                state.change { $0.delivered += 1 }
            }
            if let history {
                while waiting.count < Self.mostWaiting, let batch = try history.next() {
                    isIdle = false
                    if let closing = send(client, batch) { return closing }
                }
            }
            if sink.drains, isIdle, waiting.isEmpty, pending.isEmpty {
                return .end(goodBye(client, .drained))
            }
            if stop.isRaised { return .end(goodBye(client, .stopped)) }
            let lost = client.drive(
                stop.descriptor, isIdle ? min(next - SystemClock.now(), .milliseconds(200)) : .zero)
            for event in client.takeEvents() {
                switch event {
                case .published(let id, let reason):
                    if let closing = acknowledged(id, reason) { return closing }
                case .disconnected(let reason):
                    return .lost(
                        reason == 0 ? "the broker closed the connection" : MQTTClient.words(reason))
                case .connected: break
                }
            }
            if let lost { return .lost(lost) }
        }
    }

    /// Takes vehicles away from Home Assistant, whose devices go with an empty payload.
    private func forget(_ vehicles: [String], _ client: MQTTClient) -> Closing {
        let prefix = sink.discoveryPrefix ?? "homeassistant"
        for name in vehicles {
            let topic = VehicleTopics(vehicle: name).discovery(prefix)
            if let closing = send(client, topic, []) { return closing }
        }
        let deadline = SystemClock.now() + Self.patience
        while !pending.isEmpty {
            if SystemClock.now() > deadline { return .lost("the broker does not answer") }
            if let lost = client.drive(stop.descriptor, .milliseconds(200)) { return .lost(lost) }
            for event in client.takeEvents() {
                if case .published(let id, let reason) = event,
                    let closing = acknowledged(id, reason)
                {
                    return closing
                }
            }
        }
        return .end(goodBye(client, .drained))
    }

    /// Says that nothing is published any more, and waits for that to be known.
    private func goodBye(_ client: MQTTClient, _ end: SinkEnd) -> SinkEnd {
        let sent = client.publish(
            VehicleTopics.bridge(sink.client), Array("offline".utf8)[...], quality: 1,
            isRetained: true)
        let deadline = SystemClock.now() + .seconds(2)
        wait: while sent.result == 0, SystemClock.now() < deadline {
            if client.drive(-1, .milliseconds(100)) != nil { break }
            for event in client.takeEvents() {
                if case .published(sent.id, _) = event { break wait }
            }
        }
        client.disconnect()
        return end
    }

    // MARK: Messages

    private func fault(_ result: Int32) -> Closing? {
        result == 0 ? nil : .lost(MQTTClient.resultWords(result))
    }

    /// Sends a retained message that is acknowledged.
    private func send(_ client: MQTTClient, _ topic: String, _ payload: [UInt8]) -> Closing? {
        let sent = client.publish(topic, payload[...], quality: 1, isRetained: true)
        if sent.result == 0 { pending[sent.id] = topic }
        return fault(sent.result)
    }

    /// Sends history, in halves where the broker takes no message that long.
    private func send(_ client: MQTTClient, _ batch: FeedBatch) -> Closing? {
        var parts = LineBatch(batch.lines, limit: 64_000)
        var sent = Waiting(batch: batch, messages: [], refused: [])
        let topic = VehicleTopics(vehicle: batch.vehicle).readings
        while let part = parts.next {
            let result = client.publish(topic, part, quality: 1, isRetained: false)
            switch result.result {
            case 0:
                sent.messages.insert(result.id)
                parts.accept()
            case MQTTClient.oversize: parts.halve("the broker takes no message of this size")
            default: return fault(result.result)
            }
        }
        sent.refused = parts.refused.map { ($0.line, $0.reason) }
        waiting.append(sent)
        settle()
        return nil
    }

    private func acknowledged(_ id: Int32, _ reason: Int) -> Closing? {
        let topic = pending.removeValue(forKey: id)
        let place = waiting.firstIndex { $0.messages.contains(id) }
        if reason >= 128 {
            let name =
                topic
                ?? place.map { VehicleTopics(vehicle: waiting[$0].batch.vehicle).readings } ?? ""
            let words = "the broker forbids \(name): \(MQTTClient.words(reason))"
            // 135: not authorized. Anything else may pass.
            return reason == 135 ? .end(.refused(.forbidden, words)) : .lost(words)
        }
        if let place { waiting[place].messages.remove(id) }
        pacer.succeed()
        state.change {
            $0.fault = nil
            if topic != nil { $0.delivered += 1 }
        }
        settle()
        return nil
    }

    /// Moves the cursor over what is acknowledged, in order.
    private func settle() {
        while let first = waiting.first, first.messages.isEmpty {
            waiting.removeFirst()
            var isStored = true
            do throws(StoreError) {
                let batch = first.batch
                try deliveries.acknowledge(
                    batch.key, batch.table, batch.cursor, refused: first.refused, by: sink.name,
                    at: SystemClock.utc)
                if let settled = batch.settled {
                    try deliveries.settle(batch.key, readings: settled, for: sink.name)
                }
            } catch {
                isStored = false
            }
            state.change {
                $0.delivered += first.batch.count - first.refused.count
                $0.refused += first.refused.count
                $0.isForgetful = !isStored
            }
        }
    }

    // MARK: Vehicles

    private func tellVehicles(
        _ client: MQTTClient, _ store: TripStore, _ now: UTC
    ) throws -> Closing? {
        for name in feed.vehicles.keys.sorted() {
            guard var vehicle = feed[name], let latest = vehicle.trip else { continue }
            let topics = VehicleTopics(vehicle: name)
            let isLive =
                vehicle.newest.map { now.microseconds - $0.microseconds < 60_000_000 } ?? false
            if vehicle.sentOnline != isLive {
                vehicle.sentOnline = isLive
                if let closing = send(
                    client, topics.availability, Array((isLive ? "online" : "offline").utf8))
                {
                    return closing
                }
            }
            // What changes with each reading is looked at as often as states are sent.
            let moment = Int64(latest.seconds * 1e9) / max(1, sink.every.nanoseconds)
            let stage = StateFeed.Stage(
                drive: vehicle.drive?.trip.id, look: vehicle.look?.trip.id,
                isOpen: latest.endReason == nil, moment: moment)
            if vehicle.told == stage {
                feed[name] = vehicle
                continue
            }
            vehicle.told = stage
            if let prefix = sink.discoveryPrefix {
                let payload = try discovery(name, vehicle, store)
                if vehicle.sentDiscovery != payload {
                    vehicle.sentDiscovery = payload
                    if let closing = send(client, topics.discovery(prefix), payload) {
                        return closing
                    }
                }
            }
            let trip = vehicle.drive.map { sink.tripPayload($0.trip) } ?? []
            if vehicle.sentTrip != trip {
                vehicle.sentTrip = trip
                if let closing = send(client, topics.trip, trip) { return closing }
            }
            if let who = vehicle.identity.vin ?? latest.vehicleName {
                let stored = try store.codeHistory(vehicle: who).filter {
                    $0.kind == .stored && $0.isPresent
                }
                var codes: [String] = []
                for entry in stored where !codes.contains(entry.code.text) {
                    codes.append(entry.code.text)
                }
                let payload = StatePayload.codes(
                    codes.sorted(), light: vehicle.light,
                    time: max(
                        vehicle.drive?.trip.start ?? latest.start,
                        vehicle.look?.trip.start ?? latest.start))
                if vehicle.sentCodes != payload {
                    vehicle.sentCodes = payload
                    if let closing = send(client, topics.codes, payload) { return closing }
                }
            }
            if let (position, time) = vehicle.position, vehicle.sentPosition != time {
                vehicle.sentPosition = time
                let sent = client.publish(
                    topics.position, StatePayload.position(position, time: time)[...], quality: 0,
                    isRetained: true)
                if let closing = fault(sent.result) { return closing }
            }
            feed[name] = vehicle
        }
        return nil
    }

    private func discovery(
        _ name: String, _ vehicle: StateFeed.Vehicle, _ store: TripStore
    ) throws -> [UInt8] {
        var payload = DiscoveryPayload(
            vehicle: name, name: vehicle.trip?.vehicleName ?? vehicle.identity.vin ?? name,
            vin: vehicle.identity.vin, version: sink.version, client: sink.client)
        payload.hasPosition = sink.selection.hasPosition
        let trips = try store.trips(.init(withScans: true)).filter {
            sink.selection.identity(of: $0)?.vehicle == name
        }
        var seen: Set<SignalKey> = []
        for (ecu, signal) in try store.signals(ofTrips: trips.map(\.id)) where feed.has(signal) {
            let key = SignalKey(ecu, signal: signal.id)
            if seen.insert(key).inserted {
                payload.signals.append(.init(key: key, signal: signal))
            }
        }
        payload.removed = try deliveries.components(of: name, sink: sink.name)
        try deliveries.keep(components: payload.platforms, of: name, sink: sink.name)
        return payload.bytes
    }
}
