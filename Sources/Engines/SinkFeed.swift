import Diagnostics
import Formats
import OBDCore
import Publishing
import Reports
import SystemIO
import TripStore

/// The part of each trip that a sink gets.
package struct SinkSelection: Sendable {
    /// The vehicle's name in the sink; nil = the name in the database, else the VIN.
    package var id: String?
    /// The further tags of the lines about this computer, which has no VIN.
    package var machineTags: [(name: String, value: String)] {
        tags.filter { !$0.value.contains(NameMarker.vin) }
    }
    /// Names of devices, for vehicles without VIN and name.
    package var aliases: [String: String] = [:]
    /// Names of vehicles by VIN, for vehicles without a name in the database.
    package var vehicles: [String: String] = [:]
    /// The data about the engine of the vehicle with this VIN, for the fuel of trips.
    package var fuelProfile: @Sendable (_ vin: String?) -> FuelProfile = { _ in FuelProfile() }
    /// Whether the sink is Traccar, which gets only positions.
    package var isForTraccar = false
    /// Whether the sink is a webhook, which gets only events.
    package var isForWebhook = false
    /// Whether the sink is A Better Route Planner, which gets only the newest state of one vehicle.
    package var isForABRP = false
    /// Further tags of each line; `%VIN` in them is the vehicle's.
    package var tags: [(name: String, value: String)] = []
    /// Short names of signals in lower case; nil = all.
    package var signals: Set<String>?
    /// Whether to publish the state of every signal, or only of those that interest drivers.
    package var hasAllSignals = false
    /// The quantities of signals of car makers that a driver looks at, by short name.
    package var measured: [String: SignalRole] = [:]
    /// Whether the sink gets positions, of a receiver and of the vehicle itself.
    package var hasPosition = false
    /// Whether to send texts and events.
    package var hasText = false
    /// Converts names of signals; nil = use our own names.
    package var names: (@Sendable (Signal) -> String?)?
    /// Only these trips, including imported ones; nil = all that were recorded here.
    package var trips: Set<Int64>?

    /// All recorded data except positions and texts.
    package init() {}

    /// The names of a trip's vehicle; nil = it has none.
    func identity(of trip: TripSummary) -> DeliveryStore.Identity? {
        let name =
            if let id {
                NameMarker.replaced(id, host: "", vin: trip.vin)
            } else {
                self.name(of: trip) ?? trip.vin ?? trip.accessory.flatMap { aliases[$0] }
            }
        guard let name = name.flatMap(PublishedName.slug) else { return nil }
        return .init(vehicle: name, vin: trip.vin)
    }

    /// The vehicle's name in the database, else in the configuration; nil = it has none.
    func name(of trip: TripSummary) -> String? {
        trip.vehicleName ?? trip.vin.flatMap { vehicles[$0] }
    }

    /// Whether a trip is one of those to deliver.
    func covers(_ trip: TripSummary) -> Bool {
        if isForABRP, let id = id.flatMap({ NameMarker.replaced($0, host: "", vin: trip.vin) }) {
            let names = [trip.vehicleName, trip.vin.flatMap { vehicles[$0] }, trip.vin]
                .compactMap { $0.flatMap(PublishedName.slug) }
            if !names.contains(id) { return false }
        }
        return trips?.contains(trip.id) ?? (trip.purpose != .import)
    }

    /// The vehicles of the trips, if there are several and the sink can have only one.
    package func surplusVehicles(in trips: [TripSummary]) -> [String] {
        guard isForABRP else { return [] }
        let found = Set(
            trips.filter { $0.readings > 0 && covers($0) }.compactMap { $0.vehicleName ?? $0.vin })
        return found.count > 1 ? found.sorted() : []
    }

    /// The trips that a preview leaves out.
    package func leftOut(of trips: [TripSummary]) -> HeldTrips {
        var held = HeldTrips()
        for trip in trips where trip.readings > 0 {
            if !covers(trip) {
                if self.trips == nil { held.imported += 1 }
            } else if identity(of: trip) == nil, trip.purpose != .scan {
                held.withoutName += 1
            }
        }
        return held
    }

    /// The vehicles that would have one name at the sink, by VIN or name; nil if each has its own.
    package func vehiclesOfOneName(
        in trips: [TripSummary]
    ) -> (name: String, vehicles: [String])? {
        var vehicles: [String: Set<String>] = [:]
        for trip in trips where trip.readings > 0 && covers(trip) {
            guard let own = trip.vin ?? trip.vehicleName, let name = identity(of: trip)?.vehicle
            else { continue }
            vehicles[name, default: []].insert(own)
        }
        return vehicles.filter { $0.value.count > 1 }.min { $0.key < $1.key }
            .map { ($0.key, $0.value.sorted()) }
    }

    /// Whether the sink gets a signal that its settings choose: one that is a part of a position shows where
    /// somebody is.
    func allows(_ signal: Signal) -> Bool { hasPosition || signal.positionPart == nil }

    /// Whether a vehicle's name does not depend on the vehicle's answers.
    var hasFixedName: Bool { id.map { !$0.contains(NameMarker.vin) } ?? false }

    var tables: [TripTail.Table] {
        if isForTraccar { return [.positions] }
        // The point that follows the readings has the position.
        if isForABRP { return (hasPosition ? [.positions] : []) + [.readings] }
        if isForWebhook { return [.readings, .codes] }
        return [.readings, .codes] + (hasPosition ? [.positions] : []) + (hasText ? [.events] : [])
    }
}

extension TripSummary {
    /// Whether the times of the trip are right, because points with wrong times cannot be removed from an engine.
    package func hasRightTime(now: UTC) -> Bool {
        isClockSet != false && PublishedTime.isPlausible(start: start, end: end, now: now)
    }
}

/// Reads parts of trips as the lines that a sink gets.
struct LineReader {
    /// The events of a trip up to a cursor.
    private struct EventReader {
        var trip: Int64
        var cursor = TripCursor()
        var events: WebhookEvents
    }

    private let store: TripStore
    private let reader: TripTailReader
    private let selection: SinkSelection
    private let isJSON: Bool
    /// For a webhook.
    private var known: EventReader?
    // Both writers keep texts of the signals of one trip.
    private var lines = LineProtocol(table: PIDTable(), tags: [])
    private var objects = JSONLines(table: PIDTable())
    private var isWanted: [Bool]?
    /// The newest state of the trip; for A Better Route Planner.
    private var point: (trip: Int64, values: TelemetryPoint)?
    /// The part of the point that each signal is.
    private var parts: [TelemetryPoint.Part?] = []
    /// Whether a point is made whatever its age is.
    private let makesOldPoints: Bool
    /// Whether bytes are left out, because those of a message may have a position that the sink does not get.
    private var hidesRaw = false
    /// The size of the last part; the next one is about as large.
    private var size = 0

    /// A reader for a sink with this selection.
    init(
        _ store: TripStore, _ selection: SinkSelection, isJSON: Bool = false,
        makesOldPoints: Bool = false
    ) {
        self.makesOldPoints = makesOldPoints
        self.store = store
        reader = TripTailReader(store)
        self.selection = selection
        self.isJSON = isJSON
    }

    /// The next part of a trip's table with its lines and their number; nil if the trip does not
    /// exist any more.
    mutating func next(
        _ table: TripTail.Table, ofTrip id: Int64, _ identity: DeliveryStore.Identity,
        after cursor: TripCursor, limit: Int
    ) throws(StoreError) -> (tail: TripTail, bytes: [UInt8], count: Int)? {
        if selection.isForWebhook {
            return try nextEvents(table, ofTrip: id, identity, after: cursor, limit: limit)
        }
        if selection.isForABRP {
            return try nextPoint(table, ofTrip: id, after: cursor, limit: limit)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        var count = 0
        let tail = try reader.read(
            table, ofTrip: id, after: cursor, limit: limit, hasRaw: isJSON,
            begin: { begin($0, identity) }
        ) { time, reading in
            let index = Int(reading.signal.rawValue)
            if let isWanted, !isWanted[index] { return }
            let before = bytes.count
            if hidesRaw {
                var bare = copy reading
                bare.raw = []
                objects.append(bare, time: time, to: &bytes)
            } else if isJSON {
                objects.append(reading, time: time, to: &bytes)
            } else {
                lines.append(reading, time: time, to: &bytes)
            }
            if bytes.count > before { count += 1 }
        }
        guard let tail else { return nil }
        // A broker that gets JSON Lines gets only readings.
        if !isJSON, !tail.items.isEmpty {
            append(tail.items, identity, to: &bytes)
            count += tail.items.count
        }
        size = bytes.count + bytes.count / 16
        return (tail, bytes, count)
    }

    /// The next events; what they are depends on all earlier readings of the trip, so these are read again after a restart.
    private mutating func nextEvents(
        _ table: TripTail.Table, ofTrip id: Int64, _ identity: DeliveryStore.Identity,
        after cursor: TripCursor, limit: Int
    ) throws(StoreError) -> (tail: TripTail, bytes: [UInt8], count: Int)? {
        var bytes: [UInt8] = []
        var count = 0
        guard table == .readings else {
            guard let tail = try reader.read(table, ofTrip: id, after: cursor, limit: limit) else {
                return nil
            }
            let reports = tail.items.compactMap { time, item in
                if case .code(let report) = item { (time, report) } else { nil }
            }
            if !reports.isEmpty {
                count = try WebhookEvents(store, identity)
                    .append(reports, of: tail.trip, to: &bytes)
            }
            return (tail, bytes, count)
        }
        var state = known ?? EventReader(trip: id, events: WebhookEvents(store, identity))
        if state.trip != id || state.cursor.rows > cursor.rows {
            state = EventReader(trip: id, events: WebhookEvents(store, identity))
        }
        while true {
            let left = cursor.rows - state.cursor.rows
            bytes = []
            count = 0
            var events = state.events
            let tail = try reader.read(
                .readings, ofTrip: id, after: state.cursor,
                limit: left > 0 ? min(left, LineSink.batchLines) : limit,
                begin: { events.begin($0) }
            ) { time, reading in
                if events.append(reading, time: time, to: &bytes) { count += 1 }
            }
            guard let tail else { return nil }
            let isStuck = tail.cursor == state.cursor
            state = EventReader(trip: id, cursor: tail.cursor, events: events)
            known = state
            if left <= 0 || isStuck { return (tail, bytes, count) }
        }
    }

    /// The newest state after the last record that the trip has until now; older states are not sent.
    private mutating func nextPoint(
        _ table: TripTail.Table, ofTrip id: Int64, after cursor: TripCursor, limit: Int
    ) throws(StoreError) -> (tail: TripTail, bytes: [UInt8], count: Int)? {
        var values = point.flatMap { $0.trip == id ? $0.values : nil } ?? TelemetryPoint()
        var parts = parts
        let tail = try reader.read(
            table, ofTrip: id, after: cursor, limit: limit,
            begin: { table in
                parts = table.signals.map { signal in
                    selection.allows(signal)
                        ? TelemetryPoint.Part(signal, selection.measured[signal.id]) : nil
                }
            }
        ) { time, reading in
            guard reading.frame == nil, let part = parts[Int(reading.signal.rawValue)] else {
                return
            }
            values.take(reading.value, as: part, at: time)
        }
        self.parts = parts
        guard let tail else { return nil }
        for case (let time, .position(let position)) in tail.items {
            values.take(position, at: time)
        }
        point = (id, values)
        guard table == .readings, tail.isComplete, tail.cursor != cursor,
            let bytes = values.bytes(now: makesOldPoints ? nil : SystemClock.utc)
        else { return (tail, [], 0) }
        return (tail, bytes + [0x0A], 1)
    }

    /// The records after the last one of a trip that has ended: its totals.
    func ending(
        of trip: TripSummary, _ identity: DeliveryStore.Identity
    ) throws(StoreError) -> (bytes: [UInt8], count: Int) {
        var bytes: [UInt8] = []
        guard trip.endReason != nil, trip.purpose != .scan, !isJSON, !selection.isForTraccar,
            !selection.isForABRP
        else { return (bytes, 0) }
        let result = try TripResult(trip, store, selection.fuelProfile(trip.vin))
        if selection.isForWebhook {
            WebhookEvents(store, identity).append(result, to: &bytes)
            return (bytes, 1)
        }
        let lines = result.lines(tags: tags(identity))
        for line in lines { bytes += line }
        return (bytes, lines.count)
    }

    private mutating func begin(_ table: PIDTable, _ identity: DeliveryStore.Identity) {
        lines = LineProtocol(
            table: table, tags: tags(identity), hasText: selection.hasText, names: selection.names)
        objects = JSONLines(table: table)
        let allowed = table.signals.map(selection.allows)
        isWanted =
            selection.signals == nil && !allowed.contains(false)
            ? nil
            : zip(table.signals, allowed).map { signal, isAllowed in
                isAllowed && selection.signals?.contains(signal.id.lowercased()) ?? true
            }
        hidesRaw = isJSON && allowed.contains(false)
    }

    private func tags(_ identity: DeliveryStore.Identity) -> [(name: String, value: String)] {
        [(name: "vehicle", value: identity.vehicle), (name: "vin", value: identity.vin ?? "")]
            + selection.tags.map {
                ($0.name, NameMarker.replaced($0.value, host: "", vin: identity.vin) ?? "")
            }
    }

    /// Appends codes, positions and events, each as a line.
    private func append(
        _ items: [(time: UTC, item: TripTail.Item)], _ identity: DeliveryStore.Identity,
        to bytes: inout [UInt8]
    ) {
        let writer = LineProtocol(table: PIDTable(), tags: tags(identity))
        for (time, item) in items {
            switch item {
            case .position(let position) where selection.isForTraccar:
                TraccarLine.append(position, of: identity.vehicle, time: time, to: &bytes)
            case .position(let position):
                var point = TrackPoint(
                    time: time, latitude: position.latitude, longitude: position.longitude)
                point.altitude = position.altitude
                point.speed = position.speed
                point.course = position.course
                writer.append(point, to: &bytes)
            case .code(let report): writer.append(report, time: time, to: &bytes)
            case .event(let event):
                writer.append(
                    event: event.kind.rawValue, text: event.text, time: time, to: &bytes)
            }
        }
    }

    /// Calls `body` with the lines of a trip's table in parts, up to a cursor if there is one.
    mutating func forEach(
        _ table: TripTail.Table, ofTrip id: Int64, _ identity: DeliveryStore.Identity,
        upTo end: TripCursor? = nil, _ body: (_ bytes: [UInt8], _ count: Int) throws -> Void
    ) throws {
        var cursor = TripCursor()
        while true {
            let left = end.map { $0.rows - cursor.rows } ?? .max
            guard left > 0,
                let (tail, bytes, count) = try next(
                    table, ofTrip: id, identity, after: cursor,
                    limit: min(left, LineSink.batchLines)),
                tail.cursor != cursor
            else { return }
            try body(bytes, count)
            cursor = tail.cursor
        }
    }
}

/// Lines of one trip, and the state of the delivery after they are accepted.
struct FeedBatch {
    var key: DeliveryStore.TripKey
    /// The vehicle's name in the sink.
    var vehicle: String
    var table: TripTail.Table
    var cursor: TripCursor
    var lines: [UInt8]
    var count: Int
    /// The trip's number of readings if this is its last batch.
    var settled: Int?
}

/// The undelivered lines of a sink in order, in batches.
///
/// The feed runs ahead of the acknowledgements. A new feed after a restart begins at the stored cursors.
final class SinkFeed {
    private let database: String
    private let deliveries: DeliveryStore
    private let sink: String
    private let selection: SinkSelection
    private let limit: Int
    private let isJSON: Bool
    private var store: TripStore
    private var reader: LineReader
    private var inode: UInt64
    private var progress: [DeliveryStore.TripKey: DeliveryStore.Progress]
    private var waiting: [DeliveryStore.TripKey] = []
    /// Trips that cannot be delivered yet, by reason.
    private(set) var held = HeldTrips()
    /// The vehicles of the trips, if there are several and the sink can have only one; nothing is sent then.
    private(set) var surplus: [String] = []

    /// A feed of the trip database at `database`.
    init(
        database: String, deliveries: DeliveryStore, sink: String, selection: SinkSelection,
        limit: Int, isJSON: Bool = false
    ) throws(StoreError) {
        self.isJSON = isJSON
        self.database = database
        self.deliveries = deliveries
        self.sink = sink
        self.selection = selection
        self.limit = limit
        store = try TripStore(path: database, access: .readOnly, limits: .oneWay)
        reader = LineReader(store, selection, isJSON: isJSON)
        inode = Files.inode(database)
        progress = try deliveries.progress(of: sink)
    }

    /// Finds trips with new data.
    func refresh(now: UTC) throws(StoreError) {
        let number = Files.inode(database)
        if number != inode {
            // Another file replaced the database.
            store = try TripStore(path: database, access: .readOnly, limits: .oneWay)
            reader = LineReader(store, selection, isJSON: isJSON)
            inode = number
        }
        held = HeldTrips()
        waiting = []
        let trips = try store.trips(.init(withScans: true))
        surplus = selection.surplusVehicles(in: trips)
        if !surplus.isEmpty { return }
        for trip in trips {
            guard selection.covers(trip) else {
                let isLeftOut = selection.trips == nil && trip.readings > 0
                if isLeftOut, progress[DeliveryStore.TripKey(trip)] == nil { held.imported += 1 }
                continue
            }
            // A trip that the user names is delivered whatever its time is.
            if selection.trips == nil, !trip.hasRightTime(now: now) {
                held.withoutClock += 1
                continue
            }
            if selection.isForABRP, trip.endReason != nil,
                now.microseconds - trip.end.microseconds
                    > TelemetryPoint.longestAge.nanoseconds / 1_000
            {
                continue
            }
            let key = DeliveryStore.TripKey(trip)
            if trip.isComplete, progress[key]?.settled == trip.readings { continue }
            if progress[key] == nil {
                guard trip.readings > 0 || trip.endReason != nil else { continue }
                guard let identity = identity(of: trip) else { continue }
                try deliveries.begin(key, identity, to: sink)
                progress[key] = .init(identity: identity)
            }
            waiting.append(key)
        }
        waiting.reverse()
    }

    /// Goes back to the stored cursors of a trip: the sink did not take a batch, and the next refresh makes a
    /// newer one.
    func takeBack(_ key: DeliveryStore.TripKey) throws(StoreError) {
        progress[key] = try deliveries.progress(of: sink)[key]
    }

    /// The names under which a trip is delivered; nil = not known yet, or none.
    private func identity(of trip: TripSummary) -> DeliveryStore.Identity? {
        // A VIN is asked for when a trip begins, and repeats must have the same tags.
        if trip.vin == nil, trip.endReason == nil, !selection.hasFixedName || trip.seconds < 60 {
            held.withoutVIN += 1
            return nil
        }
        let found = selection.identity(of: trip)
        // Without readings there is nothing to hold back, and a user cannot name a vehicle that was read
        // once.
        if found == nil, trip.readings > 0, trip.purpose != .scan { held.withoutName += 1 }
        return found
    }

    /// The next lines; nil if there are none at the moment.
    func next() throws(StoreError) -> FeedBatch? {
        while let key = waiting.last {
            guard let known = progress[key] else {
                waiting.removeLast()
                continue
            }
            for table in selection.tables {
                let cursor = known.cursors[table] ?? TripCursor()
                guard
                    let (tail, lines, count) = try reader.next(
                        table, ofTrip: key.trip, known.identity, after: cursor, limit: limit),
                    DeliveryStore.TripKey(tail.trip) == key
                else { break }
                let isLast = tail.isComplete && table == selection.tables.last
                if isLast { waiting.removeLast() }
                let settled = isLast && tail.trip.isComplete ? tail.trip.readings : nil
                var ending: (bytes: [UInt8], count: Int) = ([], 0)
                if settled != nil { ending = try reader.ending(of: tail.trip, known.identity) }
                progress[key]?.cursors[table] = tail.cursor
                if let settled { progress[key]?.settled = settled }
                if tail.cursor == cursor, settled == nil {
                    if isLast { break }
                    continue
                }
                return FeedBatch(
                    key: key, vehicle: known.identity.vehicle, table: table, cursor: tail.cursor,
                    lines: lines + ending.bytes, count: count + ending.count, settled: settled)
            }
            if waiting.last == key { waiting.removeLast() }
        }
        return nil
    }
}

/// The number of trips that cannot be delivered yet, by reason.
package struct HeldTrips: Hashable, Sendable {
    /// The trip is being recorded, and the VIN may still arrive.
    package var withoutVIN = 0
    /// The vehicle has neither a VIN nor a name.
    package var withoutName = 0
    /// The trip was recorded with a clock that was not set.
    package var withoutClock = 0
    /// The trip was imported, maybe from another person, and no one asked for its delivery.
    package var imported = 0

    package init() {}

    /// The number of recorded ones.
    package var count: Int { withoutVIN + withoutName + withoutClock }
}
