/// The total fuel of one or more drives.
package struct FuelUse: Hashable, Sendable {
    /// Why an amount is wrong or doubtful.
    package enum Problem: String, Hashable, Sendable {
        /// The ECU reports 0 all the time although the engine ran.
        case alwaysZero
        /// More than the engine of any road vehicle uses.
        case tooMuch
        /// Less than any vehicle needs for this distance.
        case tooLittle
        /// The data covers less than 80 % of the engine's running time.
        case sparse
        /// The amount is more than 1.5 times, or less than two thirds, of that of the better
        /// method.
        case disagrees

        /// Whether the amount must not be used.
        var isFatal: Bool {
            switch self {
            case .alwaysZero, .tooMuch, .tooLittle: true
            case .sparse, .disagrees: false
            }
        }
    }

    package struct Estimate: Hashable, Sendable {
        package var method: FuelMethod
        /// Calibrated amount of all fuels whose unit is ``FuelUse/unit``; unit: that.
        package var amount: Double
        /// The share of the engine's running time with data, 0 to 1; nil if unknown.
        package var coverage: Double?
        /// Reasons to doubt the amount.
        package var problems: [Problem]
        /// The sources of lambda; empty if the method needs none.
        package internal(set) var lambda: Set<LambdaSource>
        /// Amounts by fuel; unit: that of each fuel.
        package internal(set) var amounts: [FuelKind: Double]

        /// Excludes amounts in other units from the sum.
        fileprivate mutating func count(in unit: String) {
            amount = amounts.reduce(0) { $0 + ($1.key.unit == unit ? $1.value : 0) }
        }
    }

    /// The fuel; with several fuels, the one of which most was used.
    package var kind: FuelKind
    /// Whether the fuel is unknown, so that ``kind`` is the guess ``FuelSettings/usualKind``.
    package var isAssumed: Bool
    /// All methods with data, the best one first.
    package var estimates: [Estimate]
    /// The first credible estimate; nil without one.
    package var chosen: Estimate?
    /// The distance driven with this fuel; unit: km, nil if unknown.
    package var distance: Double?

    /// Rates above this are faults; unit: L/h.
    static let mostAnHour = 250.0
    /// Plausible consumption of a road vehicle; unit: L or kg per 100 km.
    static let plausible = 0.3...120.0

    /// The sum of a meter; nil without any data about fuel.
    ///
    /// - Parameters:
    ///   - distance: The distance of the drive in km, if possible from the odometer, which also
    ///     counts while no program polls.
    ///   - driven: The distance in km by integrating the speed.
    ///   - seconds: The duration of the drive.
    package init?(
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
                    lambda: sum.lambda, amounts: amounts))
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
        // Litres and kilograms cannot be added.
        for place in found.indices { found[place].count(in: kind.unit) }
        chosen?.count(in: kind.unit)
        estimates = found
    }

    /// The distance for which fuel was counted; nil if unknown.
    ///
    /// An odometer that agrees with the speed is the more exact source. If they disagree, one of
    /// the two was not polled all the time, and the one that covers the same time as the fuel
    /// counts.
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

    /// The fuel of which most was used: by litres, or by mass if one of them is a gas.
    private static func most(of amounts: [FuelKind: Double]) -> FuelKind? {
        let isMixed = Set(amounts.keys.map(\.unit)).count > 1
        return amounts.max { left, right in
            isMixed
                ? left.value * left.key.density < right.value * right.key.density
                : left.value < right.value
        }?.key
    }

    /// Converts the sum of a method to an amount of a fuel, in the fuel's unit.
    private static func amount(_ base: Double, _ method: FuelMethod, _ fuel: FuelKind) -> Double {
        switch method {
        case .fuelRate: base
        case .fuelMassRate: base / fuel.density
        case .airFlow, .speedDensity: base / fuel.airFuelRatio / fuel.density
        }
    }

    /// The unit of the amounts: litres, or kilograms of natural gas.
    package var unit: String { kind.unit }

    /// The used amount; unit: ``unit``, nil without a credible estimate.
    package var amount: Double? { chosen?.amount }

    /// Whether both litres and kilograms were used, so that neither alone is the consumption.
    package var isMixed: Bool { Set((chosen?.amounts ?? [:]).keys.map(\.unit)).count > 1 }

    /// Consumption; unit: ``unit`` per 100 km.
    ///
    /// The consumption is nil without an amount, below 100 m, and if the fuels have no common unit.
    package var per100km: Double? {
        guard let amount, !isMixed, let distance, distance >= 0.1 else { return nil }
        return amount / distance * 100
    }

    /// Miles per US gallon; nil if the unit is not litres or without consumption.
    package var milesPerUSGallon: Double? { perLitre(100 * 3.785411784 / 1.609344) }

    /// Miles per imperial gallon; nil if the unit is not litres or without consumption.
    package var milesPerImperialGallon: Double? { perLitre(100 * 4.54609 / 1.609344) }

    /// Kilometres per litre; nil if the unit is not litres or without consumption.
    package var kilometresPerLitre: Double? { perLitre(100) }

    private func perLitre(_ factor: Double) -> Double? {
        guard kind != .cng, let per100km, per100km > 0 else { return nil }
        return factor / per100km
    }

    /// Carbon dioxide from the used fuel; unit: kg.
    package var carbonDioxide: Double? {
        chosen?.amounts.reduce(0) { $0 + $1.value * $1.key.carbonDioxide }
    }

    /// The cost at a price per ``unit``; nil if the fuels have no common unit.
    package func cost(at price: Double) -> Double? { isMixed ? nil : amount.map { $0 * price } }
}
