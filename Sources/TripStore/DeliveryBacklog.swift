public import OBDCore
import SystemIO

/// The data that a sink has not received yet.
public struct DeliveryBacklog: Hashable, Sendable {
    /// Number of readings.
    public var readings = 0
    /// Number of trips of which something has not arrived.
    public var trips = 0
    /// When the oldest trip with such data began; nil = there is none.
    public var oldest: UTC?

    /// An empty backlog.
    public init() {}
}

extension TripStore {
    /// The data of recorded trips that a sink has not received yet; `deliveries` is nil if nothing
    /// was ever delivered.
    public func backlog(
        of sink: String, _ deliveries: DeliveryStore?
    ) throws(StoreError) -> DeliveryBacklog {
        var backlog = DeliveryBacklog()
        for (trip, left) in try waiting(for: sink, deliveries) {
            backlog.readings += left
            backlog.trips += 1
            if backlog.oldest == nil { backlog.oldest = trip.start }
        }
        return backlog
    }

    /// The trips that one of these sinks has not received completely, each with those sinks.
    ///
    /// A sink to which nothing was ever published needs all of them.
    public func undelivered(to sinks: [String]) throws(StoreError) -> [Int64: [String]] {
        if sinks.isEmpty { return [:] }
        let path = DeliveryStore.path(of: self.path)
        let deliveries =
            Files.exists(path) ? try DeliveryStore(path: path, access: .readOnly) : nil
        var found: [Int64: [String]] = [:]
        for sink in sinks {
            for (trip, _) in try waiting(for: sink, deliveries) {
                found[trip.id, default: []].append(sink)
            }
        }
        return found
    }

    private func waiting(
        for sink: String, _ deliveries: DeliveryStore?
    ) throws(StoreError) -> [(trip: TripSummary, readings: Int)] {
        let progress = try deliveries?.progress(of: sink) ?? [:]
        // A receiver gives positions without an engine, and codes are not readings.
        let others = Set(
            try read {
                try $0.values(
                    Int64.self,
                    """
                    SELECT id FROM trip WHERE readings = 0
                        AND (EXISTS (SELECT * FROM position WHERE position.trip = trip.id)
                            OR EXISTS (SELECT * FROM code_report WHERE code_report.trip = trip.id))
                    """)
            })
        return try trips(TripFilter(withScans: true)).compactMap { trip in
            let known = progress[DeliveryStore.TripKey(trip)]
            if known == nil, trip.purpose == .import { return nil }
            if trip.isComplete, known?.settled == trip.readings { return nil }
            let left = trip.readings - (known?.cursors[.readings]?.rows ?? 0)
            // Codes, events and positions follow the readings.
            let isBegun = known != nil && trip.endReason != nil
            return left > 0 || isBegun || others.contains(trip.id) ? (trip, max(left, 0)) : nil
        }
    }
}
