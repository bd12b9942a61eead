import Diagnostics
import Formats
import OBDCore
import Publishing
import SystemIO
import TripStore

/// Publishes states and, if wanted, history to an MQTT broker, on its own thread.
package struct MQTTSink: Sendable {
    package enum History: Sendable {
        case lines
        /// The objects of `obdscan export --format json`.
        case json
    }

    package var name: String
    package var address: SinkAddress
    /// The password; nil = none.
    package var password: String?
    /// A file with trusted certificates; nil = those of the system.
    package var caFile: String?
    package var selection: SinkSelection
    /// The least time between two values of a topic.
    package var every = Duration.seconds(5)
    /// Sends the state of this computer; nil = it is not sent.
    package var heartbeat: Heartbeat?
    /// The discovery prefix of Home Assistant; nil = no discovery.
    package var discoveryPrefix: String?
    /// The format of history; nil = no history.
    package var history: History?
    /// Reads the trouble codes of the vehicle at this adapter, for the button, and returns the result; nil =
    /// there is no button.
    package var readCodes: (@Sendable (_ adapter: String) -> String)?
    /// How often in a row a drain may fail.
    package var mostFailures = LineSink.mostFailures
    /// The client's name at the broker; no two programs may use the same one.
    package var client: String
    package var version: String
    package var database: String
    /// Whether the sink ends when all data is published.
    package var drains: Bool
    /// Whether the broker retains the message that this program has ended.
    ///
    /// A client that connects only once leaves nothing behind.
    package var retainsEnd = true
    /// Makes a connection for a client, a version of MQTT and the topic of its last will.
    var connection: @Sendable (String, Int32, String) throws -> any BrokerConnection = {
        try MQTTClient(id: $0, version: $1, will: $2)
    }

    package init(
        name: String, address: SinkAddress, selection: SinkSelection, client: String,
        version: String, database: String, drains: Bool
    ) {
        self.name = name
        self.address = address
        self.selection = selection
        self.client = client
        self.version = version
        self.database = database
        self.drains = drains
    }

    /// Loads the library; call this function before any thread exists.
    package static func open() throws(EngineError) { try MQTTClient.open() }

    /// Removes vehicles from the broker and so from Home Assistant; on the caller's thread.
    ///
    /// Without vehicles the function only connects.
    package func forget(_ vehicles: [String], _ deliveries: DeliveryStore?) throws -> SinkEnd {
        let run = MQTTSinkRun(
            self, deliveries, SinkState(), stop: try EventDescriptor(), wake: try EventDescriptor())
        run.forgotten = vehicles
        return try run.run()
    }

    /// Publishes until all data is sent or `stop` is raised.
    package func run(
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
    /// A batch of history that the broker has not acknowledged completely.
    private struct Waiting {
        var batch: FeedBatch
        /// The numbers of the batch's unacknowledged messages.
        var messages: Set<Int32>
        var refused: [(payload: [UInt8], reason: String)]
    }

    /// The number of batches of history that may be under way, each of some ten messages.
    ///
    /// A broker that waits for a processor acknowledges late, and two batches are sent before it does.
    private static let mostWaiting = 4
    private static let messageBytes = 64_000
    private static let patience = Duration.seconds(20)

    let sink: MQTTSink
    /// nil = only a connection is tried.
    let deliveries: DeliveryStore?
    let state: SinkState
    let stop: EventDescriptor
    let wake: EventDescriptor
    var pacer = RetryPacer()
    var version: Int32 = 5
    var board: StateBoard
    var vehicles: VehicleMessages
    var heartbeat: Heartbeat?
    var store: TripStore?
    private var isCertificateFault = false
    /// When the session began.
    private var begun = SystemClock.now()
    /// When it was last noted that the broker works; nil = not since it failed.
    private var noted: Instant?
    /// Vehicles to remove from Home Assistant; the sink then does nothing else.
    var forgotten: [String]?
    /// The topics of unacknowledged messages of QoS 1 that are not history.
    private var pending: [Int32: String] = [:]
    private var waiting: [Waiting] = []
    /// Where presses of the button go; nil = there is none.
    private let commands: CodeButton?
    /// Vehicles whose removal from the broker is in progress.
    private var leaving: Set<String> = []
    /// The vehicles whose commands the broker passes on.
    private var subscribed: Set<String> = []

    init(
        _ sink: MQTTSink, _ deliveries: DeliveryStore?, _ state: SinkState, stop: EventDescriptor,
        wake: EventDescriptor
    ) {
        self.sink = sink
        self.deliveries = deliveries
        self.state = state
        self.stop = stop
        self.wake = wake
        board = StateBoard(every: sink.every)
        vehicles = VehicleMessages(sink)
        heartbeat = sink.heartbeat
        commands = sink.readCodes.map { CodeButton(readCodes: $0, wake: wake) }
    }

    /// How a connection ended.
    private enum Closing {
        case end(SinkEnd)
        /// The connection was lost or could not be made; with the reason.
        case lost(String, pause: Duration? = nil)
        /// The broker does not support this version.
        case otherVersion
    }

    func run() throws -> SinkEnd {
        while true {
            if stop.isRaised { return .stopped }
            state.change { $0.attempts += 1 }
            switch try connection() {
            case .end(let end): return end
            case .otherVersion: version = 4
            case .lost(let words, let least):
                let pause = pacer.fail(random: .random(in: 0...1), least: least)
                noted = nil
                try? deliveries?.note(fault: words, of: sink.name, at: SystemClock.utc)
                state.change { $0.fault = words }
                if sink.drains, isCertificateFault { return .refused(.certificate, words) }
                if sink.drains, pacer.failures >= sink.mostFailures { return .unreachable(words) }
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
        subscribed = []
        leaving = []
        let client = try sink.connection(
            sink.client, version, VehicleTopics.bridge(sink.client))
        if let words = try client.connect(
            sink.address, password: sink.password, caFile: sink.caFile)
        {
            isCertificateFault = client.certificateFault != nil
            return .lost(words)
        }
        isCertificateFault = false
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
                    // The version is not supported, in the codes of 3.1.1 and 5.
                    case (5, 1), (5, 132): return .otherVersion
                    case (_, 4), (_, 5), (_, 134), (_, 135), (_, 138):
                        return .end(.refused(.notAuthorized, words))
                    default: return .lost(words)
                    }
                case .disconnected, .published, .received: break
                }
            }
            if fault != nil, let words = client.certificateFault {
                isCertificateFault = true
                return .lost(words)
            }
            if let fault, !isConnected {
                // Some brokers just close the connection if they do not know the version.
                return version == 5 && pacer.failures > 0 ? .otherVersion : .lost(fault)
            }
            if SystemClock.now() > deadline { return .lost("the broker does not answer") }
        }
        return try session(client)
    }

    private func session(_ client: any BrokerConnection) throws -> Closing {
        if let forgotten { return try forget(forgotten, client) }
        guard let deliveries else {
            client.disconnect()
            return .end(.drained)
        }
        board.forgetSent()
        vehicles.feed.forgetSent()
        let history = try sink.history.map { form throws(StoreError) in
            try SinkFeed(
                database: sink.database, deliveries: deliveries, sink: sink.name,
                selection: sink.selection, limit: LineSink.batchLines, isJSON: form == .json)
        }
        if let closing = send(client, VehicleTopics.bridge(sink.client), Array("online".utf8)) {
            return closing
        }
        begun = SystemClock.now()
        if let closing = try announceMachine(client, deliveries) { return closing }
        var next = SystemClock.now()
        // A batch that was made while the broker works on the earlier ones.
        var prepared: FeedBatch?
        while true {
            let now = SystemClock.now()
            var isIdle = true
            if now >= next || wake.isRaised {
                wake.take()
                next = now + .seconds(1)
                let utc = SystemClock.utc
                let store =
                    try self.store
                    ?? TripStore(path: sink.database, access: .readOnly, limits: .oneWay)
                self.store = store
                try vehicles.feed.refresh(store, &board, now: utc)
                if let closing = try tellVehicles(client, store, deliveries, utc) { return closing }
                if let closing = beat(client, deliveries, now) { return closing }
                try history?.refresh(now: utc)
                state.change { $0.held = history?.held ?? HeldTrips() }
            }
            for message in board.due(at: now) {
                let sent = client.publish(
                    message.topic, message.payload[...], quality: 0, isRetained: true)
                if let closing = fault(client, sent.result) { return closing }
                state.change { $0.delivered += 1 }
                noteDelivery(at: now)
            }
            if let history {
                while waiting.count < Self.mostWaiting, let batch = try prepared ?? history.next() {
                    isIdle = false
                    prepared = nil
                    if let closing = send(client, batch) { return closing }
                }
                if prepared == nil { prepared = try history.next() }
            }
            if sink.drains, isIdle, prepared == nil, waiting.isEmpty, pending.isEmpty {
                if heartbeat?.end() == true {
                    if let closing = beat(client, deliveries, now) { return closing }
                    continue
                }
                for name in leaving { try deliveries.forgetComponents(of: name, sink: sink.name) }
                return .end(goodBye(client, .drained))
            }
            if stop.isRaised { return .end(goodBye(client, .stopped)) }
            let lost = client.drive(
                stop.descriptor, isIdle ? min(next - SystemClock.now(), .milliseconds(200)) : .zero)
            for event in client.takeEvents() {
                switch event {
                case .published(let id, let reason):
                    if let closing = acknowledged(id, reason) { return closing }
                case .disconnected(0): return .lost("the broker closed the connection")
                // MQTT 5: session taken over. A client that reconnects at once would end the other's session.
                case .disconnected(142):
                    return .lost(
                        "another client took over this session: give each sink a different `client` in "
                            + "the configuration", pause: RetryPacer.longest)
                case .disconnected(let reason): return .lost(MQTTClient.words(reason))
                case .received(let topic, let payload, isRetained: false):
                    take(payload, from: topic)
                case .received, .connected: break
                }
            }
            if let words = commands?.takeResult() { state.change { $0.command = words } }
            if let lost { return .lost(lost) }
        }
    }

    /// Announces this computer to Home Assistant, or removes it if its state is not sent any more.
    private func announceMachine(
        _ client: any BrokerConnection, _ deliveries: DeliveryStore
    ) throws -> Closing? {
        let name = MachineTopics.announced
        heartbeat?.begin(at: begun, drains: sink.drains)
        guard let heartbeat else {
            if try deliveries.components(of: name, sink: sink.name).isEmpty { return nil }
            for message in try vehicles.removal(of: name, deliveries) {
                if let closing = send(client, message) { return closing }
            }
            try deliveries.forgetComponents(of: name, sink: sink.name)
            return nil
        }
        try deliveries.keep(components: ["state": "device"], of: name, sink: sink.name)
        guard let prefix = sink.discoveryPrefix else { return nil }
        return send(
            client, MachineTopics.discovery(prefix, sink.client),
            MachineTopics.discovery(
                sink.client, name: heartbeat.title, version: heartbeat.version))
    }

    /// Sends the state of this computer if it is due.
    private func beat(
        _ client: any BrokerConnection, _ deliveries: DeliveryStore, _ now: Instant
    ) -> Closing? {
        guard heartbeat?.isDue(at: now) == true, let heartbeat else { return nil }
        let machine = heartbeat.state(
            sink.database, deliveries, sink: sink.name, hasHistory: sink.history != nil)
        return send(client, MachineTopics.state(sink.client), machine.payload)
    }

    /// Removes vehicles; only connects if there are none.
    private func forget(_ names: [String], _ client: any BrokerConnection) throws -> Closing {
        for name in deliveries == nil ? [] : names {
            guard let deliveries else { break }
            for message in try vehicles.removal(of: name, deliveries) {
                if let closing = send(client, message) { return closing }
            }
        }
        if deliveries != nil, let closing = send(client, VehicleTopics.bridge(sink.client), []) {
            return closing
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
        client.disconnect()
        return .end(.drained)
    }

    /// Announces that publishing ends, and waits for the acknowledgement.
    private func goodBye(_ client: any BrokerConnection, _ end: SinkEnd) -> SinkEnd {
        let topic = VehicleTopics.bridge(sink.client)
        var sent = client.publish(
            topic, Array("offline".utf8)[...], quality: 1, isRetained: sink.retainsEnd)
        if sent.result == 0, !sink.retainsEnd {
            // Listeners know by now, and an empty message removes what the broker keeps.
            sent = client.publish(topic, [], quality: 1, isRetained: true)
        }
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

    /// Why a message cannot be sent; nil = it was sent.
    ///
    /// A broker may refuse an earlier one, and then close the connection: its answer is looked at first.
    private func fault(_ client: any BrokerConnection, _ result: Int32) -> Closing? {
        if result == 0 { return nil }
        let words = MQTTClient.resultWords(result)
        _ = client.drive(-1, .zero)
        for event in client.takeEvents() {
            if case .published(let id, let reason) = event,
                let closing = acknowledged(id, reason)
            {
                return closing
            }
        }
        return .lost(words)
    }

    /// Sends a retained message with acknowledgement.
    private func send(_ client: any BrokerConnection, _ topic: String, _ payload: [UInt8])
        -> Closing?
    {
        let sent = client.publish(topic, payload[...], quality: 1, isRetained: true)
        if sent.result == 0 { pending[sent.id] = topic }
        return fault(client, sent.result)
    }

    private func send(_ client: any BrokerConnection, _ message: BrokerMessage) -> Closing? {
        if message.quality > 0 { return send(client, message.topic, message.payload) }
        return fault(
            client,
            client.publish(
                message.topic, message.payload[...], quality: 0, isRetained: message.isRetained
            ).result)
    }

    /// Sends history, in halves if a message is too long for the broker.
    private func send(_ client: any BrokerConnection, _ batch: FeedBatch) -> Closing? {
        var parts = LineBatch(batch.lines, limit: Self.messageBytes)
        var sent = Waiting(batch: batch, messages: [], refused: [])
        let topic = VehicleTopics(vehicle: batch.vehicle).readings
        while let part = parts.next {
            let result = client.publish(topic, part, quality: 1, isRetained: false)
            switch result.result {
            case 0:
                sent.messages.insert(result.id)
                parts.accept()
            case MQTTClient.oversize: parts.halve("the broker takes no message of this size")
            default: return fault(client, result.result)
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
            // 135: not authorized. Other reasons may be temporary.
            return reason == 135 ? .end(.refused(.forbidden, words)) : .lost(words)
        }
        if let place { waiting[place].messages.remove(id) }
        let now = SystemClock.now()
        // An older broker does not say that another client took over, so a short session proves nothing.
        if sink.drains || now - begun >= .seconds(30) { pacer.succeed() }
        noteDelivery(at: now)
        state.change {
            $0.fault = nil
            if topic != nil { $0.delivered += 1 }
        }
        settle()
        return nil
    }

    /// Notes at most once per minute that the broker accepts messages; states have no cursor.
    private func noteDelivery(at now: Instant) {
        if let noted, now - noted < .seconds(60) { return }
        noted = now
        try? deliveries?.note(acceptedBy: sink.name, at: SystemClock.utc)
    }

    /// Advances the cursor over acknowledged batches, in order.
    private func settle() {
        while let first = waiting.first, first.messages.isEmpty {
            waiting.removeFirst()
            var isStored = true
            do throws(StoreError) {
                let batch = first.batch
                try deliveries?.acknowledge(
                    batch.key, batch.table, batch.cursor, refused: first.refused, by: sink.name,
                    at: SystemClock.utc)
                if let settled = batch.settled {
                    try deliveries?.settle(batch.key, readings: settled, for: sink.name)
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
        _ client: any BrokerConnection, _ store: TripStore, _ deliveries: DeliveryStore, _ now: UTC
    ) throws -> Closing? {
        // A removal is forgotten when the broker has acknowledged it.
        if pending.isEmpty {
            for name in leaving { try deliveries.forgetComponents(of: name, sink: sink.name) }
            leaving = []
        }
        for name in try vehicles.removed(from: store, deliveries)
        where leaving.insert(name).inserted {
            board.removeAll(under: VehicleTopics(vehicle: name).prefix)
            for message in try vehicles.removal(of: name, deliveries) {
                if let closing = send(client, message) { return closing }
            }
        }
        for message in try vehicles.next(store, deliveries, now: now) {
            if let closing = send(client, message) { return closing }
        }
        guard commands != nil else { return nil }
        for name in vehicles.feed.vehicles.keys where subscribed.insert(name).inserted {
            let result = client.subscribe(VehicleTopics(vehicle: name).command)
            if let closing = fault(client, result) { return closing }
        }
        return nil
    }

    /// Whether any trip is open, or may be open.
    private var isRecording: Bool {
        guard let trips = try? store?.trips(.init(withScans: true)) else { return true }
        return trips.contains { $0.endReason == nil }
    }

    /// Takes a press of the button.
    private func take(_ payload: [UInt8], from topic: String) {
        guard let commands, payload == Array(DiscoveryPayload.readCodes.utf8),
            let name = VehicleTopics.commanded(topic), let vehicle = vehicles.feed[name]
        else { return }
        let words = commands.readCodes(
            of: name, latest: [vehicle.drive?.trip, vehicle.look?.trip].compactMap(\.self),
            now: SystemClock.now(), isRecording: { isRecording })
        if let words { state.change { $0.command = words } }
    }
}
