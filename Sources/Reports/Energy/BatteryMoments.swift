/// Current and voltage of a battery at one moment.
struct BatteryMoment: Hashable, Sendable {
    /// Unit: µs.
    var t: Int64
    /// Unit: kW, with the sign of the vehicle.
    var power: Double
    /// Unit: A, with the sign of the vehicle; nil if the vehicle reports only its power.
    var current: Double?
    /// Unit: V; nil if the vehicle reports only its power.
    var voltage: Double?
}

/// Joins currents and voltages that were read at different moments.
///
/// A current changes fast, so each one makes a moment; the voltage between two readings is interpolated. A current
/// without a voltage near it makes none.
struct BatteryMoments: Sendable {
    /// Two readings further apart have a gap between them; unit: µs.
    static let longestGap: Int64 = 10_000_000
    /// The voltage of a reading holds for this time where there is no other; unit: µs.
    private static let nearest: Int64 = 1_000_000
    /// Currents that wait for a voltage; more are not kept.
    private static let mostWaiting = 4096

    private struct Sample {
        var t: Int64
        var value: Double
    }

    /// Whether the vehicle reports current and voltage, so that its power is not needed.
    private let hasCurrent: Bool
    private var waiting: [Sample] = []
    private var voltage: Sample?
    /// Moments that wait to be taken, in the order of time.
    private(set) var ready: [BatteryMoment] = []

    init(hasCurrent: Bool) { self.hasCurrent = hasCurrent }

    /// Takes a reading; those of other quantities are ignored.
    mutating func take(_ value: Double, _ quantity: BatteryQuantity, t: Int64) {
        switch quantity {
        case .power where !hasCurrent:
            ready.append(BatteryMoment(t: t, power: value))
        case .current where hasCurrent:
            if waiting.count >= Self.mostWaiting { waiting.removeFirst(Self.mostWaiting / 2) }
            waiting.append(Sample(t: t, value: value))
        case .voltage where hasCurrent && value > 0:
            join(until: Sample(t: t, value: value))
            voltage = Sample(t: t, value: value)
        default: break
        }
    }

    /// Joins the currents that still wait at the end of a trip.
    mutating func finish() { join(until: nil) }

    mutating func removeReady() { ready.removeAll(keepingCapacity: true) }

    private mutating func join(until next: Sample?) {
        for current in waiting {
            guard let volts = Self.voltage(at: current.t, between: voltage, next) else { continue }
            ready.append(
                BatteryMoment(
                    t: current.t, power: volts * current.value / 1000, current: current.value,
                    voltage: volts))
        }
        waiting.removeAll(keepingCapacity: true)
    }

    private static func voltage(at t: Int64, between last: Sample?, _ next: Sample?) -> Double? {
        if let last, let next, next.t > last.t, next.t &- last.t <= longestGap {
            let share = Double(t &- last.t) / Double(next.t &- last.t)
            return last.value + (next.value - last.value) * min(max(share, 0), 1)
        }
        if let next, next.t &- t <= nearest { return next.value }
        if let last, t &- last.t <= nearest { return last.value }
        return nil
    }
}
