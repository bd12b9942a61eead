import Diagnostics
import OBDCore
import Publishing
import Reports
import SystemIO
import TripStore

struct BrokerMessage {
    var topic: String
    var payload: [UInt8]
    /// QoS 1 waits for the broker's answer.
    var quality: Int32 = 1
    var isRetained = true
}

/// Messages to a broker about each vehicle, except the values of its signals.
struct VehicleMessages {
    let sink: MQTTSink
    /// The known facts about the vehicles.
    var feed: StateFeed

    init(_ sink: MQTTSink) {
        self.sink = sink
        feed = StateFeed(sink.selection)
    }

    /// The changes since the last call; `deliveries` remembers entities, nil = entities are not remembered.
    mutating func next(
        _ store: TripStore, _ deliveries: DeliveryStore?, now: UTC
    ) throws -> [BrokerMessage] {
        var messages: [BrokerMessage] = []
        for name in feed.vehicles.keys.sorted() {
            guard var vehicle = feed[name], let latest = vehicle.trip else { continue }
            let topics = VehicleTopics(vehicle: name)
            let isLive =
                vehicle.newest.map { now.microseconds(since: $0) < 60_000_000 } ?? false
            if vehicle.sentOnline != isLive {
                vehicle.sentOnline = isLive
                messages.append(
                    BrokerMessage(
                        topic: topics.availability,
                        payload: Array((isLive ? "online" : "offline").utf8)))
            }
            // Facts that change with each reading are compared as often as states are sent.
            let moment = Int64(saturating: latest.seconds * 1e9) / max(1, sink.every.nanoseconds)
            let stage = StateFeed.Stage(
                drive: vehicle.drive?.trip.id, look: vehicle.look?.trip.id,
                isOpen: latest.endReason == nil, moment: moment)
            if vehicle.told != stage {
                vehicle.told = stage
                try add(of: name, &vehicle, latest, store, deliveries, to: &messages)
            }
            feed[name] = vehicle
        }
        return messages
    }

    private func add(
        of name: String, _ vehicle: inout StateFeed.Vehicle, _ latest: TripSummary,
        _ store: TripStore, _ deliveries: DeliveryStore?, to messages: inout [BrokerMessage]
    ) throws {
        let topics = VehicleTopics(vehicle: name)
        let time = max(
            vehicle.drive?.trip.start ?? latest.start, vehicle.look?.trip.start ?? latest.start)
        let who = vehicle.identity.vin ?? latest.vehicleName
        let monitors =
            try who.map { who throws(StoreError) in
                try store.readiness(ofVehicle: who, at: latest.end)
            } ?? []
        let payload = try discovery(
            name, vehicle, store, deliveries, hasReadiness: !monitors.isEmpty)
        if vehicle.sentDiscovery != payload.bytes {
            vehicle.sentDiscovery = payload.bytes
            if let prefix = sink.discoveryPrefix {
                messages.append(
                    BrokerMessage(topic: topics.discovery(prefix), payload: payload.bytes))
            }
            // The broker keeps the last value: after position = false, too.
            let platforms = payload.platforms
            let gone = payload.removed.keys.filter { platforms[$0] == nil }
            messages += topics.retained(ofRemoved: gone).map {
                BrokerMessage(topic: $0, payload: [])
            }
        }
        var trip: [UInt8] = []
        if let drive = vehicle.drive?.trip {
            let profile = sink.selection.fuelProfile(drive.vin)
            try TripResult(drive, store, profile).row.appendJSON(to: &trip)
            trip.removeLast()
        }
        if vehicle.sentTrip != trip {
            vehicle.sentTrip = trip
            messages.append(BrokerMessage(topic: topics.trip, payload: trip))
        }
        if let who {
            let history = try store.codeHistory(vehicle: who)
            let stored = history.filter { $0.kind == .stored && $0.isPresent }
            let read = history.flatMap { [$0.lastSeen] + $0.changes.map(\.time) }.max()
            let isKnown = try !stored.isEmpty || store.hasReadCodes(vehicle: who)
            let payload = StatePayload.codes(
                isKnown ? Set(stored.map(\.code.text)).sorted() : nil, light: vehicle.light,
                time: read ?? time)
            if vehicle.sentCodes != payload {
                vehicle.sentCodes = payload
                messages.append(BrokerMessage(topic: topics.codes, payload: payload))
            }
        }
        if !monitors.isEmpty {
            let payload = StatePayload.readiness(monitors, time: time)
            if vehicle.sentReadiness != payload {
                vehicle.sentReadiness = payload
                messages.append(BrokerMessage(topic: topics.readiness, payload: payload))
            }
        }
        if let (position, time) = vehicle.position, vehicle.sentPosition != time {
            vehicle.sentPosition = time
            messages.append(
                BrokerMessage(
                    topic: topics.position, payload: StatePayload.position(position, time: time),
                    quality: 0))
        }
    }

    private func discovery(
        _ name: String, _ vehicle: StateFeed.Vehicle, _ store: TripStore,
        _ deliveries: DeliveryStore?, hasReadiness: Bool
    ) throws -> DiscoveryPayload {
        var payload = DiscoveryPayload(
            vehicle: name,
            name: vehicle.trip.flatMap(sink.selection.name) ?? vehicle.identity.vin ?? name,
            vin: vehicle.identity.vin, version: sink.version, client: sink.client)
        payload.measured = sink.selection.measured
        payload.hasPosition = sink.selection.hasPosition
        payload.hasReadiness = hasReadiness
        payload.hasCommands = sink.readCodes != nil
        let trips = try store.trips(.init(withScans: true)).filter {
            sink.selection.covers($0) && sink.selection.identity(of: $0)?.vehicle == name
        }
        var seen: Set<SignalKey> = []
        let signals = try store.signals(ofTrips: trips.map(\.id))
        payload.hasFuel = signals.contains { TripFuel.isFlow($0.signal) }
        for (ecu, signal) in signals where feed.has(signal) {
            let key = SignalKey(ecu, signal: signal.id)
            if seen.insert(key).inserted {
                payload.signals.append(.init(key: key, signal: signal))
            }
        }
        if let deliveries {
            payload.removed = try deliveries.components(of: name, sink: sink.name)
            try deliveries.keep(components: payload.platforms, of: name, sink: sink.name)
        }
        return payload
    }

    /// Removes all topics of a vehicle from a broker: an empty message removes a retained one.
    func removal(
        of vehicle: String, _ deliveries: DeliveryStore
    ) throws(StoreError) -> [BrokerMessage] {
        if vehicle == MachineTopics.announced {
            let device = sink.discoveryPrefix.map { [MachineTopics.discovery($0, sink.client)] }
            return ((device ?? []) + [MachineTopics.state(sink.client)]).map {
                BrokerMessage(topic: $0, payload: [])
            }
        }
        let topics = VehicleTopics(vehicle: vehicle)
        let components = try deliveries.components(of: vehicle, sink: sink.name)
        let device = sink.discoveryPrefix.map { [topics.discovery($0)] } ?? []
        return (device + topics.retained(components)).map { BrokerMessage(topic: $0, payload: []) }
    }

    /// The vehicles that the broker knows by a name that the database no longer has.
    func removed(
        from store: TripStore, _ deliveries: DeliveryStore
    ) throws(StoreError) -> [String] {
        let announced = try deliveries.announcedVehicles(sink: sink.name)
        if announced.isEmpty { return [] }
        var known = Set(feed.vehicles.keys)
        if !sink.selection.hasFixedName {
            // The trips of a vehicle may be deleted while it is still a vehicle of this database.
            for vehicle in try store.vehicles() {
                let name =
                    if let id = sink.selection.id {
                        NameMarker.replaced(id, host: "", vin: vehicle.vin?.text)
                    } else {
                        vehicle.name ?? vehicle.vin?.text
                    }
                if let name = name.flatMap(PublishedName.slug) { known.insert(name) }
            }
        }
        // Nothing was read yet, or the database is another one, so no vehicle is known to be gone.
        if known.isEmpty { return [] }
        return announced.filter { !known.contains($0) && $0 != MachineTopics.announced }
    }
}

/// The messages that a broker would get, without a broker.
package struct MQTTPreview {
    private let sink: MQTTSink

    package init(_ sink: MQTTSink) { self.sink = sink }

    /// Calls `body` with each topic and its payload, the retained ones first.
    package func forEach(_ body: (String, [UInt8]) throws -> Void) throws {
        let store = try TripStore(path: sink.database, access: .readOnly)
        var messages = VehicleMessages(sink)
        var board = StateBoard(every: sink.every)
        let now = SystemClock.utc
        try messages.feed.refresh(store, &board, now: now)
        for message in try messages.next(store, nil, now: now) {
            try body(message.topic, message.payload)
        }
        for message in board.due(at: SystemClock.now()) { try body(message.topic, message.payload) }
        if let heartbeat = sink.heartbeat {
            let machine = heartbeat.state(
                sink.database, nil, sink: sink.name, hasHistory: sink.history != nil)
            try body(MachineTopics.state(sink.client), machine.payload)
        }
        guard let history = sink.history else { return }
        try LinePreview(database: sink.database, selection: sink.selection).forEach(
            isJSON: history == .json
        ) { vehicle, lines in
            let topic = VehicleTopics(vehicle: vehicle).readings
            for line in lines.split(separator: 0x0A) { try body(topic, Array(line)) }
        }
    }
}
