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

        private static func joined(
            _ left: Change, _ right: Change, _ body: (Double, Double) -> Double
        ) -> Change {
            func join(_ one: Double?, _ other: Double?) -> Double? {
                guard let one else { return nil }
                return body(one, other ?? 0)
            }
            return Change(
                energyIn: join(left.energyIn, right.energyIn),
                energyOut: join(left.energyOut, right.energyOut),
                chargeIn: join(left.chargeIn, right.chargeIn),
                chargeOut: join(left.chargeOut, right.chargeOut))
        }

        static func - (left: Change, right: Change) -> Change { joined(left, right, -) }
        static func + (left: Change, right: Change) -> Change {
            left == Change() ? right : joined(left, right, +)
        }
    }

    /// If the rounding of counters is a smaller share of a figure, they are better than a sum of readings.
    static let goodRounding = 0.005

    private var first = Change()
    private(set) var now = Change()
    /// The smallest difference of two values; unit: kWh and Ah.
    private(set) var energyStep, chargeStep: Double?
    /// A counter that fell counts something else.
    private var hasFallen = false

    mutating func take(_ value: Double, _ quantity: BatteryQuantity) {
        guard value >= 0 else { return }
        switch quantity {
        case .energyIn: take(value, \.energyIn, step: \.energyStep)
        case .energyOut: take(value, \.energyOut, step: \.energyStep)
        case .chargeIn: take(value, \.chargeIn, step: \.chargeStep)
        case .chargeOut: take(value, \.chargeOut, step: \.chargeStep)
        default: break
        }
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
}
