/// The counters of a battery computer, which lose nothing between two readings.
struct BatteryCounters: Hashable, Sendable {
    /// What the counters counted; nil without a value.
    struct Change: Hashable, Sendable {
        /// Unit: kWh.
        var energyIn, energyOut: Double?
        /// Unit: Ah.
        var chargeIn, chargeOut: Double?

        /// Energy into the battery less energy out of it; unit: kWh.
        var energy: Double? {
            guard let energyIn, let energyOut else { return nil }
            return energyIn - energyOut
        }

        /// Charge into the battery less charge out of it; unit: Ah.
        var charge: Double? {
            guard let chargeIn, let chargeOut else { return nil }
            return chargeIn - chargeOut
        }

        /// No counter counted anything.
        static let nothing = Change(energyIn: 0, energyOut: 0, chargeIn: 0, chargeOut: 0)

        private func joined(_ other: Change, _ body: (Double?, Double?) -> Double?) -> Change {
            Change(
                energyIn: body(energyIn, other.energyIn),
                energyOut: body(energyOut, other.energyOut),
                chargeIn: body(chargeIn, other.chargeIn),
                chargeOut: body(chargeOut, other.chargeOut))
        }

        /// A counter that only one side knows has no difference.
        static func - (left: Change, right: Change) -> Change {
            left.joined(right) { one, other in
                guard let one, let other else { return nil }
                return one - other
            }
        }

        /// A counter that `other` does not know counted nothing.
        func adding(_ other: Change) -> Change {
            joined(other) { one, other in one.map { $0 + (other ?? 0) } }
        }

        /// With the values of `other` for the counters that this one does not know.
        func filled(with other: Change) -> Change { joined(other) { $0 ?? $1 } }
    }

    /// If the rounding of counters is a smaller share of a figure, they are better than a sum of readings.
    static let goodRounding = 0.005

    private var first = Change()
    private(set) var now = Change()
    /// The smallest difference of two values; unit: kWh and Ah.
    private(set) var energyStep, chargeStep: Double?
    /// The time from which both counters of energy are known; unit: µs.
    private(set) var energySince: Int64?
    /// A counter that fell counts something else.
    private var hasFallen = false

    mutating func take(_ value: Double, _ quantity: BatteryQuantity, t: Int64) {
        guard value >= 0 else { return }
        switch quantity {
        case .energyIn: take(value, \.energyIn, step: \.energyStep)
        case .energyOut: take(value, \.energyOut, step: \.energyStep)
        case .chargeIn: take(value, \.chargeIn, step: \.chargeStep)
        case .chargeOut: take(value, \.chargeOut, step: \.chargeStep)
        default: break
        }
        if energySince == nil, now.energy != nil { energySince = t }
    }

    private mutating func take(
        _ value: Double, _ place: WritableKeyPath<Change, Double?>,
        step: WritableKeyPath<BatteryCounters, Double?>
    ) {
        if let last = now[keyPath: place] {
            if value < last { hasFallen = true }
            if value > last {
                self[keyPath: step] = min(self[keyPath: step] ?? .infinity, value - last)
            }
        } else {
            first[keyPath: place] = value
        }
        now[keyPath: place] = value
    }

    /// The change since the first value.
    var change: Change { hasFallen ? Change() : now - first }

    /// The change from one state to another; a counter that the first does not know yet counts from its first value.
    func change(from start: Change, to end: Change) -> Change { end - start.filled(with: first) }
}
