import OBDCore

/// What one kind of request took.
struct BenchFigures: Hashable, Sendable {
    /// What was asked.
    enum Kind: Hashable, Sendable {
        /// The adapter alone, which asks nobody.
        case adapter
        /// This many records in one request.
        case records(Int, countDigit: Bool)
        /// Polling as `live` and `log` do it.
        case polling
    }

    /// What was asked.
    var kind: Kind
    /// Requests that were sent.
    var requests = 0
    /// Requests without the whole answer.
    var failed = 0
    /// Readings that came.
    var readings = 0
    /// From the request until the adapter's prompt, of those that were answered; unit: seconds.
    var roundTrips: [Double] = []
    /// The time that all of them took; unit: seconds.
    var seconds = 0.0

    init(_ kind: Kind) {
        self.kind = kind
    }

    /// The time that such a share of the round trips did not exceed; nil without any.
    func roundTrip(_ share: Double) -> Double? {
        guard !roundTrips.isEmpty else { return nil }
        let rank = Int((share * Double(roundTrips.count)).rounded(.up))
        return roundTrips.sorted()[max(0, min(roundTrips.count, rank) - 1)]
    }

    /// Readings a second; nil where nothing was read.
    var readingsPerSecond: Double? {
        readings > 0 && seconds > 0 ? Double(readings) / seconds : nil
    }

    /// Whether such requests work here.
    var works: Bool { requests > 0 && failed == 0 }
}

/// What follows from the figures.
struct BenchVerdict: Hashable, Sendable {
    /// Whether the adapter takes the count digit; nil = not tried.
    var countDigit: Bool?
    /// What the count digit saves a request; unit: seconds.
    var saved: Double?
    /// Records that one request may ask for; nil = batches were not tried.
    var batch: Int?
    /// Readings a second that polling reached.
    var readingsPerSecond: Double?
}
