/// A self-starting cumulative sum (CUSUM) of one feature over the drives of a vehicle.
///
/// It needs no baseline: each value is compared with those before it, as Hawkins (The Statistician 36, 1987) does. The
/// comparison gives a standard normal number, which is capped, and its excess over half a standard deviation is summed.
/// The sum learns on while it is high: without that, false alarms are ten times as frequent.
struct DriftSum: Hashable, Sendable {
    /// The drives whose weight the usual deviation has against the vehicle's own.
    private static let priorWeight = 8.0
    /// A value counts at most this; unit: standard deviations.
    private static let cap = 4.0
    /// What each drive takes off; half of the shift to be found.
    private static let allowance = 0.5

    /// Values in one class, such as one range of the outside temperature.
    private struct Group: Hashable, Sendable {
        var count = 0.0
        var mean = 0.0
    }

    /// The least deviation between drives that is assumed: readings are rounded, and their own deviation may be 0.
    let floor: Double
    /// The factor by which the deviation of a mean of successive drives is wider, because they share a tank of fuel.
    let correlation: Double
    private var groups: [Int?: Group] = [:]
    private var squares = 0.0
    private var freedom = 0.0
    /// All values.
    private(set) var count = 0
    /// The sums of a rise and of a fall.
    private(set) var rise = 0.0
    private(set) var fall = 0.0
    /// The number of the first value since each sum was last 0.
    private(set) var riseSince = 0
    private(set) var fallSince = 0

    init(floor: Double, correlation: Double = 1) {
        self.floor = floor
        self.correlation = correlation
    }

    /// The vehicle's deviation between drives, drawn to ``floor``.
    var deviation: Double {
        ((Self.priorWeight * floor * floor + squares) / (Self.priorWeight + freedom)).squareRoot()
    }

    /// Takes the value of one drive in its class.
    mutating func take(_ value: Double, in group: Int? = nil) {
        guard value.isFinite else { return }
        count += 1
        var known = groups[group] ?? Group()
        defer { groups[group] = known }
        let distance = value - known.mean
        if known.count > 0 {
            let t =
                (known.count / (known.count + 1)).squareRoot() * distance
                / (deviation * correlation)
            let z = Self.normal(t, freedom: Self.priorWeight + freedom)
            let capped = min(max(z, -Self.cap), Self.cap)
            add(capped, to: &rise, since: &riseSince)
            add(-capped, to: &fall, since: &fallSince)
        }
        // Welford's update; the squares are those about the mean of each class.
        known.count += 1
        known.mean += distance / known.count
        if known.count > 1 {
            squares += distance * (value - known.mean)
            freedom += 1
        }
    }

    private func add(_ z: Double, to sum: inout Double, since: inout Int) {
        let next = max(0, sum + z - Self.allowance)
        if sum == 0, next > 0 { since = count }
        sum = next
    }

    /// The standard normal number with the probability of a number of Student's t.
    ///
    /// Wallace's approximation, within 0.02 from 3 degrees of freedom on (Annals of Mathematical Statistics 30, 1959).
    static func normal(_ t: Double, freedom: Double) -> Double {
        let size =
            (8 * freedom + 1) / (8 * freedom + 3)
            * (freedom * Logarithm.log(1 + t * t / freedom)).squareRoot()
        return t < 0 ? -size : size
    }
}
