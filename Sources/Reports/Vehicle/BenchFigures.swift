import OBDCore

/// The measurements of one kind of request.
package struct BenchFigures: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A command to the adapter alone, without any request to the vehicle.
        case adapter
        /// A request for this many records at once.
        case records(Int, countDigit: Bool)
        /// Polling in the way of `live` and `log`.
        case polling
    }

    package var kind: Kind
    package var requests = 0
    /// Requests that got no complete answer.
    package var failed = 0
    package var readings = 0
    /// Times from an answered request to the adapter's prompt; unit: seconds.
    package var roundTrips: [Double] = []
    /// The time that all requests together took; unit: seconds.
    package var seconds = 0.0

    package init(_ kind: Kind) {
        self.kind = kind
    }

    /// The percentile of the round trips, such as 0.95; nil without any round trips.
    package func roundTrip(_ share: Double) -> Double? {
        guard !roundTrips.isEmpty else { return nil }
        let rank = Int((share * Double(roundTrips.count)).rounded(.up))
        return roundTrips.sorted()[max(0, min(roundTrips.count, rank) - 1)]
    }

    /// Readings per second; nil if there were none.
    package var readingsPerSecond: Double? {
        readings > 0 && seconds > 0 ? Double(readings) / seconds : nil
    }

    /// Whether this kind of request works with this adapter and vehicle.
    package var works: Bool { requests > 0 && failed == 0 }
}

/// The conclusions from the measurements.
package struct BenchVerdict: Hashable, Sendable {
    /// Whether the adapter accepts the count digit; nil if no count digit was tried.
    package var countDigit: Bool?
    /// The time that the count digit saves per request; unit: seconds.
    package var saved: Double?
    /// The number of records that one request may ask for; nil if batches were not tried.
    package var batch: Int?
    /// Readings per second while polling.
    package var readingsPerSecond: Double?

    package init(
        countDigit: Bool? = nil, saved: Double? = nil, batch: Int? = nil,
        readingsPerSecond: Double? = nil
    ) {
        self.countDigit = countDigit
        self.saved = saved
        self.batch = batch
        self.readingsPerSecond = readingsPerSecond
    }
}
