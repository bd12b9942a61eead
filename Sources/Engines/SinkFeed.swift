public import Diagnostics
import Formats
import OBDCore
import Publishing
import SystemIO
import TripStore

/// The part of each trip that a sink gets.
public struct SinkSelection: Sendable {
    /// The vehicle's name in the sink; nil = the name in the database, else the VIN.
    public var id: String?
    /// Names of devices, for vehicles without VIN and name.
    public var aliases: [String: String] = [:]
    /// Whether it is Traccar, which gets positions alone.
    public var isForTraccar = false
    /// Further tags of each line; `%VIN` in them is the vehicle's.
    public var tags: [(name: String, value: String)] = []
    /// Short names of signals in lower case; nil = all.
    public var signals: Set<String>?
    /// Whether to publish the state of every signal, or only of those that interest drivers.
    public var hasAllSignals = false
    /// What signals of makes and models measure that a driver looks at, by short name.
    public var measured: [String: SignalRole] = [:]
    /// Whether positions go there.
    public var hasPosition = false
    /// Whether to send texts and events.
    public var hasText = false
    /// Converts names of signals; nil = use our own names.
    public var names: (@Sendable (Signal) -> String?)?
    /// Only these trips, including imported ones; nil = all that were recorded here.
    public var trips: Set<Int64>?

    /// All recorded data except positions and texts.
    public init() {}

    /// The names of a trip's vehicle; nil = it has none.
    func identity(of trip: TripSummary) -> DeliveryStore.Identity? {
        let name =
            if let id {
                NameMarker.replaced(id, host: "", vin: trip.vin)
            } else {
                trip.vehicleName ?? trip.vin ?? trip.accessory.flatMap { aliases[$0] }
            }
        guard let name = name.flatMap(PublishedName.slug) else { return nil }
        return .init(vehicle: name, vin: trip.vin)
    }

    /// Whether a vehicle's name does not depend on what it says of itself.
    var hasFixedName: Bool { id.map { !$0.contains(NameMarker.vin) } ?? false }

    /// The lines of a part of a trip, and how many.
    func lines(
        of tail: TripTail, _ identity: DeliveryStore.Identity
    ) -> (bytes: [UInt8], count: Int) {
        let all =
            [(name: "vehicle", value: identity.vehicle), (name: "vin", value: identity.vin ?? "")]
            + tags.map {
                ($0.name, NameMarker.replaced($0.value, host: "", vin: identity.vin) ?? "")
            }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(tail.items.count * 100)
        var count = 0
        var writer = LineProtocol(table: tail.table, tags: all, hasText: hasText, names: names)
        let wanted = signals.map { names in
            tail.table.signals.map { names.contains($0.id.lowercased()) }
        }
        for (time, item) in tail.items {
            let before = bytes.count
            switch item {
            case .reading(let reading):
                let index = Int(reading.signal.rawValue)
                if let wanted, !wanted.indices.contains(index) || !wanted[index] { continue }
                writer.append(reading, time: time, to: &bytes)
            case .position(let position) where isForTraccar:
                TraccarLine.append(position, of: identity.vehicle, time: time, to: &bytes)
            case .position(let position):
                var point = TrackPoint(
                    time: time, latitude: position.latitude, longitude: position.longitude)
                point.altitude = position.altitude
                point.speed = position.speed
                point.course = position.course
                writer.append(point, to: &bytes)
            case .event(let event):
                writer.append(
                    event: event.kind.rawValue, text: event.text, time: time, to: &bytes)
            }
            if bytes.count > before { count += 1 }
        }
        return (bytes, count)
    }

    /// The readings of a part of a trip as JSON Lines, and their number.
    func objects(of tail: TripTail) -> (bytes: [UInt8], count: Int) {
        var bytes: [UInt8] = []
        var writer = JSONLines(table: tail.table)
        var count = 0
        for (time, item) in tail.items {
            guard case .reading(let reading) = item else { continue }
            let index = Int(reading.signal.rawValue)
            if let signals, tail.table.signals.indices.contains(index),
                !signals.contains(tail.table.signals[index].id.lowercased())
            {
                continue
            }
            writer.append(reading, time: time, to: &bytes)
            count += 1
        }
        return (bytes, count)
    }

    var tables: [TripTail.Table] {
        isForTraccar
            ? [.positions]
            : [.readings] + (hasPosition ? [.positions] : []) + (hasText ? [.events] : [])
    }
}

/// Lines of one trip, and the state of the delivery after they are accepted.
struct FeedBatch {
    var key: DeliveryStore.TripKey
    /// The vehicle's name in the sink.
    var vehicle: String
    var table: TripTail.Table
    var cursor: TripCursor
    /// Line protocol.
    var lines: [UInt8]
    /// The number of lines.
    var count: Int
    /// The trip's number of readings if this is its last batch.
    var settled: Int?
}

/// The undelivered lines of a sink in order, in batches.
///
/// It runs ahead of the acknowledgements. A new feed after a restart begins at the stored cursors.
final class SinkFeed {
    private let database: String
    private let deliveries: DeliveryStore
    private let sink: String
    private let selection: SinkSelection
    private let limit: Int
    private let isJSON: Bool
    private var store: TripStore
    private var inode: UInt64
    private var progress: [DeliveryStore.TripKey: DeliveryStore.Progress]
    private var waiting: [DeliveryStore.TripKey] = []
    /// Trips that cannot be delivered yet, by reason.
    private(set) var held = HeldTrips()

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
        store = try TripStore(path: database, access: .readOnly)
        inode = Files.inode(database)
        progress = try deliveries.progress(of: sink)
    }

    /// Finds trips with new data.
    func refresh(now: UTC) throws(StoreError) {
        let number = Files.inode(database)
        if number != inode {
            // The file was replaced by another one.
            store = try TripStore(path: database, access: .readOnly)
            inode = number
        }
        held = HeldTrips()
        waiting = []
        for trip in try store.trips(.init(withScans: true)) {
            if let only = selection.trips {
                guard only.contains(trip.id) else { continue }
            } else {
                if trip.purpose == .import { continue }
                guard PublishedTime.isPlausible(start: trip.start, end: trip.end, now: now) else {
                    held.withoutClock += 1
                    continue
                }
            }
            let key = DeliveryStore.TripKey(trip)
            if trip.endReason != nil, progress[key]?.settled == trip.readings { continue }
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

    /// The names under which a trip is delivered; nil = not known yet, or none.
    private func identity(of trip: TripSummary) -> DeliveryStore.Identity? {
        // A VIN is asked for when a trip begins, and repeats must have the same tags.
        if trip.vin == nil, trip.endReason == nil, !selection.hasFixedName || trip.seconds < 60 {
            held.withoutVIN += 1
            return nil
        }
        let found = selection.identity(of: trip)
        // Without readings there is nothing to keep back, and a user cannot name what was read once.
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
                    let tail = try store.tail(
                        ofTrip: key.trip, table, after: cursor, limit: limit),
                    DeliveryStore.TripKey(tail.trip) == key
                else { break }
                let isLast = tail.isComplete && table == selection.tables.last
                if isLast { waiting.removeLast() }
                let settled = isLast && tail.trip.endReason != nil ? tail.trip.readings : nil
                progress[key]?.cursors[table] = tail.cursor
                if let settled { progress[key]?.settled = settled }
                if tail.cursor == cursor, settled == nil {
                    if isLast { break }
                    continue
                }
                let made =
                    isJSON
                    ? selection.objects(of: tail) : selection.lines(of: tail, known.identity)
                return FeedBatch(
                    key: key, vehicle: known.identity.vehicle, table: table, cursor: tail.cursor,
                    lines: made.bytes,
                    count: made.count, settled: settled)
            }
            if waiting.last == key { waiting.removeLast() }
        }
        return nil
    }
}

/// The number of trips that cannot be delivered yet, by reason.
public struct HeldTrips: Hashable, Sendable {
    /// The trip is being recorded, and the VIN may still arrive.
    public var withoutVIN = 0
    /// The vehicle has neither a VIN nor a name.
    public var withoutName = 0
    /// The trip was recorded with a clock that was not set.
    public var withoutClock = 0

    /// No trips.
    public init() {}

    /// The number of all of them.
    public var count: Int { withoutVIN + withoutName + withoutClock }
}
