/// Driven distance from what a vehicle says of its speed or its odometer.
///
/// Speed is integrated by trapezoids between answers; nothing is assumed about a gap.
struct DistanceMeter {
    /// What a channel says.
    enum Role: Hashable {
        /// PID 0D, km/h.
        case speed
        /// PID A6, km.
        case odometer
    }

    /// Between two answers further apart than this the vehicle may have done anything.
    static let longestGap: Int64 = 10_000_000

    private var lastSpeed: (t: Int64, value: Double)?
    /// The one channel that is listened to: two ECUs must not count the same road twice.
    private var speedChannel: Int?
    private var driven: Double?
    private var odometerChannel: Int?
    private var firstOdometer: Double?
    private var lastOdometer: Double?

    /// Unit: km; nil when the vehicle told neither speed nor odometer.
    var distance: Double? {
        if let firstOdometer, let lastOdometer, lastOdometer > firstOdometer {
            return lastOdometer - firstOdometer
        }
        return driven
    }

    /// Takes one answer; `t` in microseconds.
    mutating func add(_ value: Double, _ role: Role, channel: Int, t: Int64) {
        switch role {
        case .speed:
            if speedChannel == nil { speedChannel = channel }
            guard speedChannel == channel else { return }
            if let last = lastSpeed, t > last.t, t &- last.t <= Self.longestGap {
                let hours = Double(t &- last.t) / 3.6e9
                driven = (driven ?? 0) + (last.value + value) / 2 * hours
            } else if driven == nil {
                driven = 0
            }
            lastSpeed = (t, value)
        case .odometer:
            if odometerChannel == nil { odometerChannel = channel }
            guard odometerChannel == channel else { return }
            if firstOdometer == nil { firstOdometer = value }
            lastOdometer = value
        }
    }
}
