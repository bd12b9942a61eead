/// What the fuel of one or several drives adds up to.
public struct FuelUse: Hashable, Sendable {
    /// Why an amount is not to be believed, or not altogether.
    public enum Problem: String, Hashable, Sendable {
        /// The engine ran, and it reports 0 all the time.
        case alwaysZero
        /// More than any road vehicle's engine burns.
        case tooMuch
        /// No vehicle goes so far on so little.
        case tooLittle
        /// There is data for less than 80 % of the time that the engine ran.
        case sparse
        /// It is half as much again as the better method says, or two thirds of it.
        case disagrees

        /// Whether nothing should be concluded from the amount.
        var isFatal: Bool {
            switch self {
            case .alwaysZero, .tooMuch, .tooLittle: true
            case .sparse, .disagrees: false
            }
        }
    }

    /// What one method says.
    public struct Estimate: Hashable, Sendable {
        /// How it was found.
        public var method: FuelMethod
        /// Calibrated, of all fuels that are told in ``FuelUse/unit``; unit: that.
        public var amount: Double
        /// The share of the engine's running time with data, 0 to 1; nil where that is not known.
        public var coverage: Double?
        /// What speaks against it.
        public var problems: [Problem]
        /// By fuel; unit: each one's own.
        public internal(set) var amounts: [FuelKind: Double]

        /// Leaves out of the sum what is told in another unit.
        fileprivate mutating func count(in unit: String) {
            amount = amounts.reduce(0) { $0 + ($1.key.unit == unit ? $1.value : 0) }
        }
    }

    /// The fuel, of several the one of which most was burnt.
    public var kind: FuelKind
    /// Nobody said what is burnt: ``FuelSettings/usualKind`` is a guess.
    public var isAssumed: Bool
    /// All methods with data, the best one first.
    public var estimates: [Estimate]
    /// The first estimate that is to be believed; nil without one.
    public var chosen: Estimate?
    /// Over how much road it was burnt; unit: km, nil where that is not known.
    public var distance: Double?

    /// Rates beyond this are faults; unit: L/h.
    static let mostAnHour = 250.0
    /// Plausible consumption of what moves on a road; unit: L or kg per 100 km.
    static let plausible = 0.3...120.0

    /// The sum of a meter; nil without any data about fuel.
    ///
    /// `distance` is the drive's, by the odometer where it has one, which counts on while nobody
    /// listens; `driven` is what the speed adds up to, both in km; `seconds` is how long it took.
    public init?(
        _ meter: FuelMeter, distance: Double?, driven: Double? = nil, seconds: Double? = nil
    ) {
        let settings = meter.settings
        if meter.wasWithoutFuel, meter.announced == nil, !meter.isHybrid, settings.kind == nil {
            return nil
        }
        let fallback = settings.kind ?? meter.announced ?? meter.settings.usualKind
        isAssumed = settings.kind == nil && meter.announced == nil
        let distance = Self.distance(meter, distance, driven, seconds)
        self.distance = distance
        var found: [Estimate] = []
        for method in FuelMethod.allCases {
            guard let sum = meter.sums[method], sum.covered > 0 else { continue }
            var amounts: [FuelKind: Double] = [:]
            for (kind, base) in sum.base {
                let fuel = kind ?? fallback
                amounts[fuel, default: 0] +=
                    Self.amount(base, method, fuel) * settings.calibration
            }
            var problems: [Problem] = []
            let amount = amounts.values.reduce(0, +)
            let running = Double(meter.running ?? 0)
            if amount == 0 && Double(sum.covered) >= 60e6 && (meter.running ?? 1) > 0 {
                problems.append(.alwaysZero)
            }
            if Self.amount(sum.peak, method, fallback) * 3600 > Self.mostAnHour {
                problems.append(.tooMuch)
            }
            if let distance, distance >= 2, amount > 0 {
                let consumption = amount / distance * 100
                if consumption > Self.plausible.upperBound { problems.append(.tooMuch) }
                if consumption < Self.plausible.lowerBound { problems.append(.tooLittle) }
            }
            let coverage = running > 0 ? min(1, Double(sum.covered) / running) : nil
            if let coverage, coverage < 0.8 { problems.append(.sparse) }
            found.append(
                Estimate(
                    method: method, amount: amount, coverage: coverage, problems: problems,
                    amounts: amounts))
        }
        guard !found.isEmpty else { return nil }
        let believed = found.filter { !$0.problems.contains { $0.isFatal } }
        chosen = believed.first { $0.problems.isEmpty } ?? believed.first
        if let chosen, chosen.amount > 0 {
            for place in found.indices
            where !(2.0 / 3...1.5).contains(found[place].amount / chosen.amount) {
                found[place].problems.append(.disagrees)
            }
        }
        let kind = Self.most(of: chosen?.amounts ?? [:]) ?? fallback
        self.kind = kind
        // Litres and kilograms are not a sum.
        for place in found.indices { found[place].count(in: kind.unit) }
        chosen?.count(in: kind.unit)
        estimates = found
    }

    /// Over how much road fuel was counted; nil where that is not known.
    ///
    /// An odometer that agrees with the speed is the more exact one. Where it does not, one of the
    /// two has gone on while the other was not asked: what counts is whether fuel was.
    private static func distance(
        _ meter: FuelMeter, _ distance: Double?, _ driven: Double?, _ seconds: Double?
    ) -> Double? {
        guard let distance, let driven, let known = meter.speedCovered,
            abs(distance - driven) > distance * 0.1
        else { return distance }
        let covered = Double(meter.sums.values.map(\.covered).max() ?? 0)
        if Double(known) >= covered * 0.9 { return driven }
        if let seconds, covered >= seconds * 0.9e6 { return distance }
        return nil
    }

    /// The fuel of which most was burnt: by litres, or by mass where some of it is a gas.
    private static func most(of amounts: [FuelKind: Double]) -> FuelKind? {
        let isMixed = Set(amounts.keys.map(\.unit)).count > 1
        return amounts.max { left, right in
            isMixed
                ? left.value * left.key.density < right.value * right.key.density
                : left.value < right.value
        }?.key
    }

    /// What a method's base quantity is of a fuel; unit: the fuel's.
    private static func amount(_ base: Double, _ method: FuelMethod, _ fuel: FuelKind) -> Double {
        switch method {
        case .fuelRate: base
        case .fuelMassRate: base / fuel.density
        case .airFlow, .speedDensity: base / fuel.airFuelRatio / fuel.density
        }
    }

    /// In what amounts are told: litres, kilograms of natural gas.
    public var unit: String { kind.unit }

    /// What was burnt; unit: ``unit``, nil without an estimate that is to be believed.
    public var amount: Double? { chosen?.amount }

    /// Whether litres and kilograms were burnt: neither alone is what the road took.
    public var isMixed: Bool { Set((chosen?.amounts ?? [:]).keys.map(\.unit)).count > 1 }

    /// Unit: ``unit`` per 100 km; nil without an amount, below 100 m, or where fuels are mixed that
    /// have no unit in common.
    public var per100km: Double? {
        guard let amount, !isMixed, let distance, distance >= 0.1 else { return nil }
        return amount / distance * 100
    }

    /// Miles per US gallon; nil for what is not told in litres or without any.
    public var milesPerUSGallon: Double? { perLitre(100 * 3.785411784 / 1.609344) }

    /// Miles per imperial gallon; nil for what is not told in litres or without any.
    public var milesPerImperialGallon: Double? { perLitre(100 * 4.54609 / 1.609344) }

    /// Kilometres per litre; nil for what is not told in litres or without any.
    public var kilometresPerLitre: Double? { perLitre(100) }

    private func perLitre(_ factor: Double) -> Double? {
        guard kind != .cng, let per100km, per100km > 0 else { return nil }
        return factor / per100km
    }

    /// What burning it gave; unit: kg of CO₂.
    public var carbonDioxide: Double? {
        chosen?.amounts.reduce(0) { $0 + $1.value * $1.key.carbonDioxide }
    }

    /// What it cost at a price for one ``unit``; nil where fuels are mixed that have none in common.
    public func cost(at price: Double) -> Double? { isMixed ? nil : amount.map { $0 * price } }
}
