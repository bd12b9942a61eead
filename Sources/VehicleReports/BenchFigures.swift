import OBDCore

/// What one kind of request took.
package struct BenchFigures: Hashable, Sendable {
    /// What was asked.
    package enum Kind: Hashable, Sendable {
        /// The adapter alone, which asks nobody.
        case adapter
        /// This many records in one request.
        case records(Int, countDigit: Bool)
        /// Polling as `live` and `log` do it.
        case polling
    }

    /// What was asked.
    package var kind: Kind
    /// Requests that were sent.
    package var requests = 0
    /// Requests without the whole answer.
    package var failed = 0
    /// Readings that came.
    package var readings = 0
    /// From the request until the adapter's prompt, of those that were answered; unit: seconds.
    package var roundTrips: [Double] = []
    /// The time that all of them took; unit: seconds.
    package var seconds = 0.0

    package init(_ kind: Kind) {
        self.kind = kind
    }

    /// The time that such a share of the round trips did not exceed; nil without any.
    package func roundTrip(_ share: Double) -> Double? {
        guard !roundTrips.isEmpty else { return nil }
        let rank = Int((share * Double(roundTrips.count)).rounded(.up))
        return roundTrips.sorted()[max(0, min(roundTrips.count, rank) - 1)]
    }

    /// Readings a second; nil where nothing was read.
    package var readingsPerSecond: Double? {
        readings > 0 && seconds > 0 ? Double(readings) / seconds : nil
    }

    /// Whether such requests work here.
    package var works: Bool { requests > 0 && failed == 0 }
}

/// What follows from the figures.
package struct BenchVerdict: Hashable, Sendable {
    /// Whether the adapter takes the count digit; nil = not tried.
    package var countDigit: Bool?
    /// What the count digit saves a request; unit: seconds.
    package var saved: Double?
    /// Records that one request may ask for; nil = batches were not tried.
    package var batch: Int?
    /// Readings a second that polling reached.
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
