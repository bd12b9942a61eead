/// The charge of a whole battery, from charging sessions.
package struct BatteryCapacity: Hashable, Sendable {
    /// Unit: Ah.
    package var charge: Estimated
    /// The energy at the battery that charges it from 0 to 100 %; unit: kWh, nil if unknown.
    package var energy: Estimated?
    /// The number of sessions.
    package var sessions: Int

    /// A session must raise the state of charge by this; unit: %.
    package static let fewestPoints = 40.0
    /// What a battery computer's state of charge is wrong by: one standard deviation; unit: %.
    package static let chargeDeviation = 1.0

    /// Fits the capacity to sessions; nil without any.
    ///
    /// Both charge and state of charge have errors. The capacity C has the least sum of
    /// (Q − C·s)² / (σQ² + C²·σs²), which is the weighted total least squares of Plett (J. Power Sources 196, 2011).
    package init?(_ shares: [ChargingSession.Share]) {
        let usable = shares.filter {
            $0.points.value >= Self.fewestPoints && $0.charge.value > 0
        }
        let ratios = usable.map { $0.charge.value / $0.points.value }
        guard var low = ratios.min(), var high = ratios.max() else { return nil }
        func cost(_ ratio: Double) -> Double {
            usable.reduce(0) { $0 + Self.square($1, ratio) }
        }
        // The cost has one minimum between the sessions' own ratios: a golden section finds it.
        let golden = (5.0.squareRoot() - 1) / 2
        for _ in 0..<80 {
            let (left, right) = (high - golden * (high - low), low + golden * (high - low))
            if cost(left) < cost(right) { high = right } else { low = left }
        }
        let ratio = (low + high) / 2
        let weight = usable.reduce(0.0) { sum, share in
            sum + share.points.value * share.points.value / Self.variance(share, ratio)
        }
        var relative = 1 / weight.squareRoot() / ratio
        // Sessions that differ by more than their errors show that the errors are larger.
        if usable.count > 1 {
            relative *= max(1, cost(ratio) / Double(usable.count - 1)).squareRoot()
        }
        relative = (relative * relative + EnergySums.currentGain * EnergySums.currentGain)
            .squareRoot()
        sessions = usable.count
        charge = Estimated(100 * ratio, 100 * ratio * relative)
        let known = usable.compactMap(\.energyPerCharge)
        guard known.count == usable.count else { return }
        let value = charge.value * known.reduce(0, +) / Double(known.count)
        // The gain of the voltage adds its part.
        energy = Estimated(value, value * (relative * relative + 0.005 * 0.005).squareRoot())
    }

    private static func variance(_ share: ChargingSession.Share, _ ratio: Double) -> Double {
        let (own, points) = (share.charge.deviation, ratio * share.points.deviation)
        return own * own + points * points
    }

    private static func square(_ share: ChargingSession.Share, _ ratio: Double) -> Double {
        let rest = share.charge.value - ratio * share.points.value
        return rest * rest / variance(share, ratio)
    }
}
