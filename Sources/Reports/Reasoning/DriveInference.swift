import PIDTables

/// How well each cause explains the features of a drive.
///
/// The logarithm of the likelihood of a feature x, where healthy vehicles have the centre c and the spread s with ν
/// degrees of freedom, is that of Student's t of (x - expected) / √(s² + e²), with e the standard error of x. All
/// features of a cause share one severity, over which the likelihood is averaged: so features that vary together
/// count once. Something that no cause knows (`other`) takes each feature for healthy or, one in four, for spread
/// five times as wide; a cause does the same with the features of which it says nothing.
package struct DriveInference: Sendable {
    /// A cause with its probability.
    package struct Candidate: Sendable {
        package var cause: CauseTable.Cause
        package var probability = 0.0
        /// The severity that explains the features best.
        package var severity: Double?
        /// The values that the cause expects at that severity, by feature; without features that it does not mention.
        package var expected: [String: Double]
        /// The logarithm of how much likelier it makes each feature than health does.
        package var weights: [String: Double]
        var logLikelihood: Double
        /// The logarithm of the likelihood at the severity that explains the features best.
        var peak: Double
        /// The code that speaks most for it, with the logarithm of how much likelier the cause makes the code.
        package var code: (code: DriveRecord.Code, weight: Double)?
        /// Whether what must be seen is there, beyond its error, or the ECU found it by its own limit.
        package var mustHolds: Bool
        /// Why it is excluded; empty without a reason in words.
        package var forbidden: String?
    }

    /// The probability that the vehicle is healthy, and that something is off that no cause explains.
    package let healthy, other: Double
    /// The features that count: others hold the same.
    let counted: Set<String>
    /// The likeliest first.
    package let candidates: [Candidate]
    /// The likeliest cause with those that explain the drive as well as it does; none if it explains it best.
    package let inseparable: Set<String>
    /// Measures that this drive lacks and that would tell the two likeliest of these apart, the best first.
    package let separating: [CauseTable.Measure]
    /// Causes that apply but were not tested, with the measures that are missing.
    package let untested: [(cause: CauseTable.Cause, missing: [String])]

    /// The exponent of all likelihood ratios: features are less independent than the arithmetic takes them to be.
    static let calibration = 1.0
    static let otherPrior = 0.03
    /// How far the formulas of a cause may be off, as a share of the shift that they expect: no two engines share their
    /// geometry, and the severity lies between those that are tried.
    static let formulaError = 0.15
    /// Evidence of less than 3 to 1 is too weak to tell two causes apart: the formulas are not that exact.
    private static let weakEvidence = Logarithm.log(3)

    package init(
        _ features: [String: DriveFeature], numbers: [String: Double], traits: Set<String>,
        record: DriveRecord = DriveRecord(), _ table: CauseTable
    ) {
        let counted = features.values.filter { feature in
            feature.measure.healthy != nil
                && !feature.measure.unless.contains { features[$0] != nil }
        }.sorted { $0.id < $1.id }
        self.counted = Set(counted.map(\.id))
        let unknowns = counted.map(Self.unknown)
        let healths = counted.map { Self.log($0, $0.measure.centre) }
        var untested: [(cause: CauseTable.Cause, missing: [String])] = []
        var candidates: [Candidate] = []
        var priors: [Double] = []
        var sum = 0.0
        for cause in table.causes where cause.applies.allSatisfy(traits.contains) {
            let missing = cause.needs.filter { choice in !choice.contains { features[$0] != nil } }
            guard missing.isEmpty else {
                untested.append((cause, missing.compactMap(\.first)))
                continue
            }
            // Features that a cause does not change say nothing about this cause.
            let touched = counted.indices.filter { cause.touches(counted[$0].measure, table) }
            var best: Candidate?
            var logs: [Double] = []
            let severities: [Double?] = cause.severities.isEmpty ? [nil] : cause.severities
            for severity in severities {
                let prediction = Prediction(cause, severity, numbers, table)
                var weights: [String: Double] = [:]
                var expected: [String: Double] = [:]
                var total = 0.0
                for place in touched {
                    let feature = counted[place]
                    if let value = prediction.value(of: feature.measure) {
                        var weight = Self.log(feature, value) - healths[place]
                        if cause.maybes.contains(feature.id) {
                            weight = Logarithm.log(0.5 + 0.5 * Logarithm.exp(weight))
                        }
                        weights[feature.id] = weight
                        expected[feature.id] = value
                        total += weight
                    } else {
                        total += unknowns[place]
                    }
                }
                logs.append(total)
                if best.map({ total > $0.logLikelihood }) ?? true {
                    best = Candidate(
                        cause: cause, severity: severity, expected: expected, weights: weights,
                        logLikelihood: total, peak: total, mustHolds: false)
                }
            }
            guard var found = best else { continue }
            found.logLikelihood = Logarithm.sum(logs) - Logarithm.log(Double(logs.count))
            found.mustHolds =
                cause.musts.allSatisfy { $0.holds(features, surely: true) }
                || cause.proofs.contains { $0.holds(features, surely: true) }
                || cause.isFound(in: record)
            found.forbidden = cause.forbids.first { $0.holds(features, surely: false) }?.why
            let noted = cause.likelihood(of: record)
            found.code = noted.code.map { ($0, Logarithm.log(noted.ratio)) }
            candidates.append(found)
            priors.append(cause.frequency.prior * noted.ratio)
            sum += cause.frequency.prior
        }
        let unknown = unknowns.reduce(0, +)
        // Of vehicles that complain every second one has a fault.
        let rest = record.complains ? sum + Self.otherPrior : 1 - sum - Self.otherPrior
        let otherPrior = Self.otherPrior * record.likelihoodOfOther
        var all = [
            Logarithm.log(rest), Logarithm.log(otherPrior) + Self.calibration * unknown,
        ]
        for (candidate, prior) in zip(candidates, priors) {
            // The share of excluded causes goes to the other causes.
            all.append(
                candidate.forbidden == nil
                    ? Logarithm.log(prior) + Self.calibration * candidate.logLikelihood
                    : -.infinity)
        }
        let total = Logarithm.sum(all)
        healthy = Logarithm.exp(all[0] - total)
        other = Logarithm.exp(all[1] - total)
        for place in candidates.indices {
            candidates[place].probability = Logarithm.exp(all[place + 2] - total)
        }
        candidates.sort { one, two in
            one.probability == two.probability
                ? one.cause.id < two.cause.id : one.probability > two.probability
        }
        inseparable = Self.pool(&candidates)
        separating = Self.separating(
            candidates.filter { [inseparable] in inseparable.contains($0.cause.id) }, features,
            numbers, traits, table)
        self.candidates = candidates
        self.untested = untested
    }

    /// Gives the likeliest cause and those that explain the drive as well the ratio of their priors.
    ///
    /// Between them, only their priors and the severities that happen to be tried decide, and no evidence.
    private static func pool(_ candidates: inout [Candidate]) -> Set<String> {
        func evidence(_ candidate: Candidate) -> Double {
            candidate.peak + (candidate.code?.weight ?? 0)
        }
        guard let first = candidates.first, first.forbidden == nil else { return [] }
        let group = candidates.indices.filter { place in
            candidates[place].forbidden == nil
                && abs(evidence(candidates[place]) - evidence(first)) < weakEvidence
        }
        guard group.count > 1 else { return [] }
        let whole = group.reduce(0) { $0 + candidates[$1].probability }
        let priors = group.reduce(0) { $0 + candidates[$1].cause.frequency.prior }
        for place in group {
            candidates[place].probability =
                whole * candidates[place].cause.frequency.prior / priors
        }
        // Equal ones keep their order.
        let order = candidates.enumerated().sorted { one, two in
            one.element.probability == two.element.probability
                ? one.offset < two.offset : one.element.probability > two.element.probability
        }
        let ids = Set(group.map { candidates[$0].cause.id })
        candidates = order.map(\.element)
        return ids
    }

    /// The measures without a value of which the first two candidates expect clearly different ones.
    private static func separating(
        _ candidates: [Candidate], _ features: [String: DriveFeature], _ numbers: [String: Double],
        _ traits: Set<String>, _ table: CauseTable
    ) -> [CauseTable.Measure] {
        guard let one = candidates.first, let other = candidates.dropFirst().first else {
            return []
        }
        let predictions = [one, other].map { Prediction($0.cause, $0.severity, numbers, table) }
        let maybes = one.cause.maybes.union(other.cause.maybes)
        var found: [(measure: CauseTable.Measure, gap: Double)] = []
        for measure in table.measures where features[measure.id] == nil {
            guard let healthy = measure.healthy, measure.limit != nil, measure.derived == nil,
                !maybes.contains(measure.id),
                traits.contains("meter") || !measure.needs.contains("air-flow"),
                let first = predictions[0].value(of: measure),
                let second = predictions[1].value(of: measure)
            else { continue }
            let gap = abs(first - second) / healthy.spread
            if gap > 3 { found.append((measure, gap)) }
        }
        return found.sorted { $0.gap > $1.gap }.prefix(2).map(\.measure)
    }

    /// How much likelier something unknown makes a feature than health does.
    private static func unknown(_ feature: DriveFeature) -> Double {
        let centre = feature.measure.centre
        let wide = log(feature, centre, wider: 5) - log(feature, centre)
        return Logarithm.log(0.75 + 0.25 * Logarithm.exp(wide))
    }

    /// The logarithm of Student's t, without the factor that all expected values share.
    static func log(_ feature: DriveFeature, _ expected: Double, wider: Double = 1) -> Double {
        guard let healthy = feature.measure.healthy else { return 0 }
        let spread = healthy.spread * wider
        let model = formulaError * (expected - healthy.centre)
        let scale = (spread * spread + feature.error * feature.error + model * model).squareRoot()
        let t = (feature.value - expected) / scale
        let tails = healthy.tails
        return -(tails + 1) / 2 * Logarithm.log(1 + t * t / tails) - Logarithm.log(scale)
    }
}

extension CauseTable.Measure {
    /// The centre of healthy vehicles.
    fileprivate var centre: Double { healthy?.centre ?? 0 }
}

extension CauseTable.Cause {
    /// Whether it changes a measure, or says nothing of it.
    fileprivate func touches(_ measure: CauseTable.Measure, _ table: CauseTable) -> Bool {
        if free.contains(measure.id) || expects.contains(where: { $0.feature == measure.id }) {
            return true
        }
        switch measure.derived {
        case nil: return false
        case .difference(let a, let b), .ratio(let a, let b):
            return [a, b].contains { id in table[measure: id].map { touches($0, table) } ?? false }
        }
    }
}

/// The expected value of each measure under a cause of one severity.
private struct Prediction {
    private let values: [String: Double?]
    private let cause: CauseTable.Cause
    private let table: CauseTable

    init(
        _ cause: CauseTable.Cause, _ severity: Double?, _ numbers: [String: Double],
        _ table: CauseTable
    ) {
        self.cause = cause
        self.table = table
        var values: [String: Double?] = [:]
        for expect in cause.expects {
            if let known = values[expect.feature], known != nil { continue }
            guard let centre = table[measure: expect.feature]?.healthy?.centre else { continue }
            let amount = expect.formula.value { name in
                name == cause.severity ? severity : numbers[name]
            }
            values.updateValue(
                amount.map { amount in
                    switch expect.change {
                    case .plus: centre + amount
                    case .minus: centre - amount
                    case .times: centre * amount
                    case .equals: amount
                    }
                }, forKey: expect.feature)
        }
        self.values = values
    }

    /// The expected value; nil if the cause says nothing of it, or not in this drive.
    func value(of measure: CauseTable.Measure) -> Double? {
        if cause.free.contains(measure.id) { return nil }
        if let value = values[measure.id] { return value }
        guard let centre = measure.healthy?.centre else { return nil }
        switch measure.derived {
        case nil: return centre
        case .difference(let a, let b):
            guard let one = shift(a), let other = shift(b) else { return nil }
            return centre + one - other
        case .ratio(let a, let b):
            guard let one = factor(a), let other = factor(b), other != 0 else { return nil }
            return centre * one / other
        }
    }

    private func shift(_ id: String) -> Double? {
        guard let measure = table[measure: id], let centre = measure.healthy?.centre else {
            return 0
        }
        return value(of: measure).map { $0 - centre }
    }

    private func factor(_ id: String) -> Double? {
        guard let measure = table[measure: id], let centre = measure.healthy?.centre, centre != 0
        else { return 1 }
        return value(of: measure).map { $0 / centre }
    }
}

extension CauseTable.Condition {
    /// Whether it holds: `surely` by the 95 % bound of each mean, else by the mean.
    func holds(_ features: [String: DriveFeature], surely: Bool) -> Bool {
        alternatives.contains { terms in
            terms.allSatisfy { term in
                guard let feature = features[term.feature] else {
                    return term.comparison == .unknown
                }
                return switch term.comparison {
                case .above(let bound): (surely ? feature.bounds.low : feature.value) > bound
                case .below(let bound): (surely ? feature.bounds.high : feature.value) < bound
                case .unknown: false
                }
            }
        }
    }
}
