import Diagnostics
import OBDCore
import Publishing
import TripStore

/// The newest that is known of each vehicle, taken from the trip database.
struct StateFeed {
    /// How far a trip was when it was last told of.
    struct Stage: Hashable {
        var trip: Int64
        var isOpen: Bool
        var moment: Int64
    }

    /// A vehicle and its latest trip.
    struct Vehicle {
        var identity: DeliveryStore.Identity
        var trip: TripSummary
        var cursor = TripCursor()
        var positionCursor = TripCursor()
        /// The time of its newest reading.
        var newest: UTC?
        /// Whether the check engine light is on; nil = nobody said.
        var light: Bool?
        /// Its newest place.
        var position: (position: Position, time: UTC)?
        /// What codes, trip and place were sent last.
        var sentCodes: [UInt8] = []
        var sentTrip: [UInt8] = []
        var sentPosition: UTC?
        var sentOnline: Bool?
        var sentDiscovery: [UInt8] = []
        var told: Stage?
    }

    /// Of the latest trip only this much is looked at when publishing begins.
    private static let lookBack: Int64 = 3_600_000_000

    private(set) var vehicles: [String: Vehicle] = [:]
    private let selection: SinkSelection
    private let usual: Bool

    init(_ selection: SinkSelection) {
        self.selection = selection
        usual = selection.signals == nil && !selection.hasAllSignals
    }

    /// Whether a signal goes to the broker.
    func has(_ signal: Signal) -> Bool {
        if usual { return DiscoveryPayload.usualSignals.contains(signal.id) }
        return selection.signals?.contains(signal.id.lowercased()) ?? true
    }

    subscript(vehicle: String) -> Vehicle? {
        get { vehicles[vehicle] }
        set { vehicles[vehicle] = newValue }
    }

    /// Everything is to be sent again.
    mutating func forgetSent() {
        for name in vehicles.keys {
            vehicles[name]?.sentCodes = []
            vehicles[name]?.sentTrip = []
            vehicles[name]?.sentPosition = nil
            vehicles[name]?.sentOnline = nil
            vehicles[name]?.sentDiscovery = []
            vehicles[name]?.told = nil
        }
    }

    /// Takes what is new in the database, and puts the newest values on the board.
    mutating func refresh(
        _ store: TripStore, _ board: inout StateBoard, now: UTC
    ) throws(StoreError) {
        for trip in try store.trips(.init(withScans: true)) where trip.purpose != .import {
            guard trip.readings > 0, let identity = selection.identity(of: trip),
                PublishedTime.isPlausible(start: trip.start, end: trip.end, now: now)
            else { continue }
            // Nothing of a vehicle is told before it is known which one it is.
            if selection.id == nil, trip.vin == nil, trip.endReason == nil { continue }
            let name = identity.vehicle
            if let known = vehicles[name], known.trip.start > trip.start { continue }
            if vehicles[name]?.trip.id == trip.id {
                vehicles[name]?.trip = trip
            } else {
                var new = vehicles[name] ?? Vehicle(identity: identity, trip: trip)
                new.identity = identity
                new.trip = trip
                new.cursor = TripCursor()
                new.cursor.t = Int64(trip.seconds * 1e6) - Self.lookBack
                new.positionCursor = new.cursor
                vehicles[name] = new
            }
        }
        for name in vehicles.keys.sorted() { try read(name, store, &board) }
    }

    private mutating func read(
        _ name: String, _ store: TripStore, _ board: inout StateBoard
    ) throws(StoreError) {
        guard var vehicle = vehicles[name] else { return }
        let topics = VehicleTopics(vehicle: name)
        while let tail = try store.tail(
            ofTrip: vehicle.trip.id, .readings, after: vehicle.cursor, limit: 5_000)
        {
            let keys = tail.table.signals.map { signal in has(signal) ? signal : nil }
            for (time, item) in tail.items {
                guard case .reading(let reading) = item, reading.frame == nil else { continue }
                vehicle.newest = max(vehicle.newest ?? time, time)
                let index = Int(reading.signal.rawValue)
                guard keys.indices.contains(index), let signal = keys[index],
                    let value = StatePayload.value(reading, of: signal)
                else { continue }
                if signal.id == "MIL", case .flag(let light) = value { vehicle.light = light }
                let key = SignalKey(reading.ecu, signal: signal.id)
                board.put(topics.signal(key), value, unit: signal.unit, time: time)
            }
            vehicle.cursor = tail.cursor
            if tail.isComplete { break }
        }
        while selection.hasPosition,
            let tail = try store.tail(
                ofTrip: vehicle.trip.id, .positions, after: vehicle.positionCursor, limit: 5_000)
        {
            for (time, item) in tail.items {
                if case .position(let position) = item { vehicle.position = (position, time) }
            }
            vehicle.positionCursor = tail.cursor
            if tail.isComplete { break }
        }
        vehicles[name] = vehicle
    }
}
