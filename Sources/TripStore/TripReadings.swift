public import Diagnostics
public import OBDCore

/// A signal of a trip with its totals.
public struct TripSignal: Hashable, Sendable {
    /// The index of the signal in ``TripReadings/table``.
    public var signal: SignalIndex
    /// The ECU; nil if headers were off, and for the adapter's voltage.
    public var ecu: ECUAddress?
    /// The record; nil for the adapter's voltage.
    public var dataID: DataID?
    /// Freeze frame number.
    public var frame: UInt8?
    /// The code that triggered the freeze frame.
    public var dtc: DTC?
    /// Number of readings, with and without a value.
    public var readings: Int
    /// Smallest, largest and mean number; nil without any.
    public var minimum, maximum, mean: Double?
}

/// The readings of one trip, which can be iterated any number of times; nothing is loaded before.
///
/// ``table`` contains their signals as the table described them when the trip was recorded, one
/// record per channel. It is for printing, not for decoding.
public struct TripReadings: Sendable {
    /// Restricts the readings.
    public struct Selection: Hashable, Sendable {
        /// Only readings at or after this time.
        public var from: UTC?
        /// Only readings before this time.
        public var to: UTC?
        /// Only these signals, by short name or name, ignoring case; empty = all.
        public var signals: [String] = []
        /// Only readings of this ECU.
        public var ecu: ECUAddress?
        /// Whether freeze frames are included.
        public var includesFreezeFrames = true

        /// A selection of all readings.
        public init() {}
    }

    /// The trip.
    public let trip: TripSummary
    /// The signals of the readings.
    public let table: PIDTable
    /// The signals of the selection, in the order in which they first appeared.
    public let signals: [TripSignal]

    let store: TripStore
    /// By channel number: the properties that all readings of the channel share.
    let templates: [Int64: Reading]
    let times: ClosedRange<Int64>
    let isAll: Bool

    init(trip: TripSummary, selection: Selection, store: TripStore) throws(StoreError) {
        self = try store.read {
            try TripReadings(trip: trip, selection: selection, store: store, in: $0)
        }
    }

    /// The same initializer for use within a transaction.
    init(trip: TripSummary, selection: Selection, store: TripStore, in database: Database) throws {
        self.trip = trip
        self.store = store
        times = Self.times(selection, since: trip.start)
        let channels = try Self.channels(of: trip.id, in: database)
        var table = PIDTable()
        var signals: [TripSignal] = []
        var templates: [Int64: Reading] = [:]
        for channel in channels {
            let index = SignalIndex(rawValue: Int32(table.signals.count))
            table.add(
                channel.found.dataID ?? DataID(Service(0), 0), name: channel.signal.name,
                length: 0...0, signals: [channel.signal])
            guard Self.passes(channel, selection) else { continue }
            var found = channel.found
            found.signal = index
            signals.append(found)
            var template = Reading(
                ecu: found.ecu, dataID: found.dataID, signal: index, value: .flag(false),
                raw: [], line: 0)
            template.frame = found.frame
            template.dtc = found.dtc
            templates[channel.id] = template
        }
        self.table = table
        self.signals = signals
        self.templates = templates
        isAll = signals.count == channels.count
    }

    /// Microseconds since the trip's start, limited to the range of the type.
    private static func times(_ selection: Selection, since start: UTC) -> ClosedRange<Int64> {
        func gap(_ time: UTC) -> Int64 {
            let gap = time.microseconds.subtractingReportingOverflow(start.microseconds)
            return gap.overflow ? (time < start ? .min : .max) : gap.partialValue
        }
        let first = selection.from.map(gap) ?? .min
        let last = selection.to.map { gap($0).subtractingReportingOverflow(1).partialValue } ?? .max
        // An empty selection becomes a range that contains no row.
        guard first <= last else { return Int64.min...Int64.min }
        // Rows of a damaged file with times beyond all clocks belong to no time.
        return (first...last).clamped(to: -Trips.longestTime...Trips.longestTime)
    }

    private struct Channel {
        var id: Int64
        var signal: Signal
        var found: TripSignal
    }

    private static func passes(_ channel: Channel, _ selection: Selection) -> Bool {
        if let ecu = selection.ecu, channel.found.ecu != ecu { return false }
        if !selection.includesFreezeFrames && channel.found.frame != nil { return false }
        if selection.signals.isEmpty { return true }
        let names = [channel.signal.id.lowercased(), channel.signal.name.lowercased()]
        return selection.signals.contains { names.contains($0.lowercased()) }
    }

    private static func channels(of trip: Int64, in database: Database) throws -> [Channel] {
        var labels: [Int64: [(code: UInt64, label: String)]] = [:]
        for row in try database.rows(
            """
            SELECT channel, code, label FROM channel_label
            WHERE channel IN (SELECT channel FROM trip_channel WHERE trip = ?)
            ORDER BY channel, code
            """, [trip])
        {
            guard let code = UInt64(exactly: try row["code"] as Int64) else { continue }
            labels[try row["channel"], default: []].append((code, try row["label"]))
        }
        let rows = try database.rows(
            """
            SELECT channel.*, readings, numbers, total, minimum, maximum FROM trip_channel
                JOIN channel ON channel.id = trip_channel.channel
            WHERE trip = ? ORDER BY channel.id
            """, [trip])
        return try rows.map { row in
            let id: Int64 = try row["id"]
            let service: Int? = try row["service"]
            let identifier: Int64? = try row["identifier"]
            var dataID: DataID?
            if let service, let identifier {
                dataID = DataID(
                    Service(UInt8(truncatingIfNeeded: service)),
                    UInt32(truncatingIfNeeded: identifier))
            }
            let numbers: Int64 = try row["numbers"]
            let total: Double = try row["total"]
            let frame: Int? = try row["frame"]
            let signal = try Signal(
                id: row["signal"], name: row["name"], bitOffset: 0, bitLength: 0,
                kind: row["kind"] ?? .bytes, unit: row["unit"],
                labels: labels[id] ?? [])
            return try Channel(
                id: id, signal: signal,
                found: TripSignal(
                    signal: SignalIndex(rawValue: -1),
                    ecu: row["ecu"], dataID: dataID,
                    frame: frame.map { UInt8(truncatingIfNeeded: $0) },
                    dtc: row["dtc"], readings: row["readings"],
                    minimum: row["minimum"], maximum: row["maximum"],
                    mean: numbers > 0 ? total / Double(numbers) : nil))
        }
    }
}

extension TripStore {
    /// The readings of a trip within `selection`.
    public func readings(
        ofTrip id: Int64, _ selection: TripReadings.Selection = .init()
    ) throws(StoreError) -> TripReadings {
        try TripReadings(trip: try trip(id), selection: selection, store: self)
    }
}
