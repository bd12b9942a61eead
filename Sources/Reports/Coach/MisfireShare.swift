/// The share of a cylinder's firings that failed between two readings of the ECU's counters, over all cylinders.
///
/// Service 06 counts the misfires of each cylinder in this driving cycle (test 0C of the monitors A2 to AD). An ECU
/// may add up to 1,000 turns of the engine at once, so as many are taken to belong to the count: the engine misfires at
/// least as much as the share says.
struct MisfireShare: Sendable {
    private struct Counter: Sendable {
        var count: Double
        /// How often the engine had turned when it was read.
        var turns: Double
        var share: Double?
    }

    private static let turnsAtOnce = 1_000.0

    private var engine: (t: Int64, rpm: Double)?
    private var turns = 0.0
    private var counters: [String: Counter] = [:]

    mutating func takeEngine(_ rpm: Double, t: Int64) {
        // No fewer turns than the engine made.
        if let engine { turns += max(engine.rpm, rpm) * Double(t - engine.t) / 60e6 }
        engine = (t, rpm)
    }

    /// Takes the counter of a cylinder; one that falls begins anew.
    mutating func take(_ count: Double, of cylinder: String) {
        var counter = Counter(count: count, turns: turns)
        if let known = counters[cylinder], count >= known.count {
            // A cylinder fires in every second turn.
            let firings = (turns - known.turns + Self.turnsAtOnce) / 2
            counter.share = (count - known.count) / firings
        }
        counters[cylinder] = counter
    }

    /// Nil until each counter was read twice.
    var share: Double? {
        let shares = counters.values.compactMap(\.share)
        guard !shares.isEmpty, shares.count == counters.count else { return nil }
        return shares.reduce(0, +) / Double(shares.count)
    }
}
