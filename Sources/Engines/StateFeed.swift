import Diagnostics
import OBDCore
import Publishing
import TripStore

/// The newest data of each vehicle, from the trip database.
struct StateFeed {
    /// The progress of a trip when its state was last published.
    struct Stage: Hashable {
        var drive: Int64?
        var look: Int64?
        var isOpen: Bool
        var moment: Int64
    }

    /// A trip, and how far it was read.
    struct Source {
        var trip: TripSummary
        /// Readings before this time were read; unit: µs since the trip's start.
        var since: Int64
        var positionCursor = TripCursor()

        /// A trip of which only the end is read.
        init(_ trip: TripSummary) {
            self.trip = trip
            // A damaged file may hold any duration.
            since = Int64(max(0, min(trip.seconds, 1e12)) * 1e6) - StateFeed.lookBack
            positionCursor.t = since
        }
    }

    /// A vehicle with its latest drive and its latest scan.
    struct Vehicle {
        var identity: DeliveryStore.Identity
        var drive: Source?
        /// The drive before the latest one, until it is read: it may have signals that no later trip
        /// has.
        var earlier: Source?
        var look: Source?
        /// The trip whose state is published.
        var trip: TripSummary? { (drive ?? look)?.trip }
        /// The time of the vehicle's newest reading.
        var newest: UTC?
        /// Whether each ECU asks for the check engine light.
        var lights: [ECUAddress?: (isOn: Bool, time: UTC)] = [:]
        /// Whether the check engine light is on; nil = no ECU reported it.
        var light: Bool? { lights.isEmpty ? nil : lights.values.contains(where: \.isOn) }
        var position: (position: Position, time: UTC)?
        /// The last published codes, trip and position.
        var sentCodes: [UInt8] = []
        var sentTrip: [UInt8] = []
        var sentReadiness: [UInt8] = []
        var sentPosition: UTC?
        var sentOnline: Bool?
        var sentDiscovery: [UInt8] = []
        var told: Stage?
    }

    /// When publishing begins, only this much of the latest trip is read.
    private static let lookBack: Int64 = 3_600_000_000
    /// Readings that came late by more than this do not change a state, so that no search goes back
    /// further; unit: µs.
    private static let lateness: Int64 = 10_000_000

    private(set) var vehicles: [String: Vehicle] = [:]
    private let selection: SinkSelection
    private let usual: Bool

    init(_ selection: SinkSelection) {
        self.selection = selection
        usual = selection.signals == nil && !selection.hasAllSignals
    }

    /// Whether the state of a signal is published.
    func has(_ signal: Signal) -> Bool {
        guard selection.allows(signal) else { return false }
        if usual {
            return DiscoveryPayload.usualSignals.contains(signal.id)
                || selection.measured[signal.id] != nil
        }
        return selection.signals?.contains(signal.id.lowercased()) ?? true
    }

    subscript(vehicle: String) -> Vehicle? {
        get { vehicles[vehicle] }
        set { vehicles[vehicle] = newValue }
    }

    /// Marks everything to be sent again.
    mutating func forgetSent() {
        for name in vehicles.keys {
            vehicles[name]?.sentCodes = []
            vehicles[name]?.sentTrip = []
            vehicles[name]?.sentReadiness = []
            vehicles[name]?.sentPosition = nil
            vehicles[name]?.sentOnline = nil
            vehicles[name]?.sentDiscovery = []
            vehicles[name]?.told = nil
        }
    }

    /// Reads new data from the database and puts the newest values on the board.
    mutating func refresh(
        _ store: TripStore, _ board: inout StateBoard, now: UTC
    ) throws(StoreError) {
        var there: Set<String> = []
        for trip in try store.trips(.init(withScans: true)) where trip.purpose != .import {
            guard selection.covers(trip), trip.readings > 0,
                let identity = selection.identity(of: trip),
                trip.hasRightTime(now: now)
            else { continue }
            // Publishes nothing of a vehicle until its identity is known.
            if !selection.hasFixedName, trip.vin == nil, trip.endReason == nil { continue }
            let name = identity.vehicle
            there.insert(name)
            var vehicle = vehicles[name] ?? Vehicle(identity: identity)
            if trip.purpose == .scan {
                take(trip, &vehicle.look)
            } else {
                let before = vehicle.drive
                take(trip, &vehicle.drive)
                if vehicle.drive?.trip.id != before?.trip.id { vehicle.earlier = before }
            }
            vehicle.identity = identity
            vehicles[name] = vehicle
        }
        // Vehicles that were renamed, or whose trips are deleted.
        vehicles = vehicles.filter { there.contains($0.key) }
        for name in vehicles.keys.sorted() { try read(name, store, &board) }
    }

    /// Switches to a newer trip.
    private func take(_ trip: TripSummary, _ source: inout Source?) {
        if source?.trip.id == trip.id {
            source?.trip = trip
        } else if source.map({ $0.trip.start <= trip.start }) ?? true {
            source = Source(trip)
        }
    }

    private mutating func read(
        _ name: String, _ store: TripStore, _ board: inout StateBoard
    ) throws(StoreError) {
        guard var vehicle = vehicles[name] else { return }
        if var look = vehicle.look {
            try read(&look, &vehicle, name, store, &board)
            vehicle.look = look
        }
        if var earlier = vehicle.earlier {
            try read(&earlier, &vehicle, name, store, &board)
            vehicle.earlier = nil
        }
        if var drive = vehicle.drive {
            try read(&drive, &vehicle, name, store, &board)
            vehicle.drive = drive
        }
        vehicles[name] = vehicle
    }

    private func read(
        _ source: inout Source, _ vehicle: inout Vehicle, _ name: String, _ store: TripStore,
        _ board: inout StateBoard
    ) throws(StoreError) {
        let topics = VehicleTopics(vehicle: name)
        let reader = TripTailReader(store)
        var signals: [Signal] = []
        // By signal; each is a signal of one ECU.
        var isWanted: [Bool] = []
        var isLight: [Bool] = []
        var missing = 0
        var newest: UTC?
        try reader.readNewest(ofTrip: source.trip.id, since: source.since) { table in
            signals = table.signals
            isWanted = signals.map(has)
            isLight = signals.map { $0.id == "MIL" }
            missing = zip(isWanted, isLight).count { $0 || $1 }
        } take: { time, reading in
            if reading.frame != nil { return true }
            newest = newest ?? time
            let index = Int(reading.signal.rawValue)
            guard isWanted[index] || isLight[index], StatePayload.isPublished(reading.value) else {
                return missing > 0
            }
            if isLight[index], case .flag(let isOn) = reading.value,
                vehicle.lights[reading.ecu].map({ $0.time <= time }) ?? true
            {
                vehicle.lights[reading.ecu] = (isOn, time)
            }
            if isWanted[index] {
                let signal = signals[index]
                board.put(
                    topics.signal(SignalKey(reading.ecu, signal: signal.id)),
                    StatePayload.value(reading.value, of: signal), unit: signal.unit, time: time)
            }
            // The newest value of a signal is all that counts.
            (isWanted[index], isLight[index]) = (false, false)
            missing -= 1
            return missing > 0
        }
        if let newest {
            vehicle.newest = max(vehicle.newest ?? newest, newest)
            let t = newest.microseconds &- source.trip.start.microseconds &- Self.lateness
            source.since = max(source.since, t)
        }
        while selection.hasPosition,
            let tail = try reader.read(
                .positions, ofTrip: source.trip.id, after: source.positionCursor, limit: 5_000)
        {
            for (time, item) in tail.items {
                if case .position(let position) = item { vehicle.position = (position, time) }
            }
            source.positionCursor = tail.cursor
            if tail.isComplete { break }
        }
    }
}
