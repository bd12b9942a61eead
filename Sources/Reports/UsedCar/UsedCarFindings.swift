/// Everything that the facts about a vehicle mean: contradictions first, then oddities, then notes.
///
/// A finding compares two facts that were read. Values at the end of their range, blank values and
/// distances in miles are recognised before any comparison.
package struct UsedCarFindings: Sendable {
    package static let kilometresPerMile = 1.609344

    package let findings: [UsedCarFinding]
    /// The odometers that agree, in words; nil with fewer than two.
    package let agreement: String?
    /// The data that the vehicle does not give, in words.
    package let gaps: [String]
    /// When codes were cleared, if that is recent: `34 km and 2 warm-ups`.
    package let clearedAgo: String?
    /// Whether there was anything to compare.
    package let isTestable: Bool
    /// Whether an odometer was compared with another distance or with a counter of the vehicle's life.
    package let comparesMileage: Bool
    /// The distance after which most faults are found again, in words.
    private let enough: String

    /// The findings; `known` are reasons that the user knows, and `distance` writes kilometres.
    package init(
        _ facts: UsedCarFacts, known: Set<UsedCarExplanation> = [],
        distance: @escaping (Double) -> String
    ) {
        let compared = UsedCarComparison(facts, distance: distance)
        enough = distance(100)
        let all =
            compared.distanceFindings + compared.counterFindings + compared.clearingFindings
            + compared.identityFindings
        findings = all.map { $0.explained(by: known) }.enumerated().sorted {
            ($0.element.grade, $0.offset) < ($1.element.grade, $1.offset)
        }.map(\.element)
        agreement = compared.agreement
        gaps = compared.gaps
        clearedAgo = compared.clearedAgo
        comparesMileage = compared.comparesMileage
        isTestable =
            facts.distances.count > 1 || facts.vins.count > 1
            || facts.ecus.contains(where: \.counts)
    }

    /// The findings of a grade.
    package func of(_ grade: UsedCarFinding.Grade) -> [UsedCarFinding] {
        findings.filter { $0.grade == grade }
    }

    /// Whether no monitor has run, without a counter that says since when.
    package var hasRunNoMonitor: Bool { findings.contains { $0.id == "no-monitor-has-run" } }

    /// The gravest grade; nil without findings.
    package var grade: UsedCarFinding.Grade? { findings.map(\.grade).min() }

    /// The verdict in one to three sentences.
    package var verdict: String {
        guard isTestable || !findings.isEmpty else {
            return "Nothing could be compared: the vehicle gave no second distance and no counter."
        }
        var parts: [String] = []
        let contradictions = of(.contradiction)
        let odd = of(.odd)
        if let first = contradictions.first {
            parts.append("Two facts contradict each other: \(first.text)")
            if contradictions.count > 1 {
                parts.append("There are \(contradictions.count) contradictions.")
            }
        } else if let first = odd.first {
            // Facts that do not fit come first: an oddity must not read as an approval.
            parts.append("This is odd: \(first.text)")
            if odd.count > 1 { parts.append("There are \(odd.count) odd facts.") }
        }
        if let clearedAgo {
            parts.append(
                "Cleared \(clearedAgo) ago: a fault may be unseen; drive \(enough) with the vehicle, "
                    + "then read again.")
        }
        if hasRunNoMonitor {
            parts.append(
                "No monitor has run: a fault may be unseen; drive \(enough) with the vehicle, "
                    + "then read again.")
        }
        if parts.isEmpty {
            parts.append(
                comparesMileage
                    ? "Nothing contradicts; that does not prove the mileage."
                    : "Nothing contradicts, but no odometer could be compared with anything.")
        }
        return parts.joined(separator: " ")
    }
}

/// Compares facts; the findings are in extensions, one small function each.
struct UsedCarComparison {
    let facts: UsedCarFacts
    /// Distances that are not blank, all in km: one that counts miles is converted.
    let distances: [UsedCarFacts.Distance]
    /// The distances that count miles, with the distance that shows it.
    let inMiles: [(miles: UsedCarFacts.Distance, kilometres: UsedCarFacts.Distance)]
    private let write: (Double) -> String

    init(_ facts: UsedCarFacts, distance: @escaping (Double) -> String) {
        self.facts = facts
        write = distance
        let usable = facts.distances.filter { !$0.isBlank }
        var inMiles: [(miles: UsedCarFacts.Distance, kilometres: UsedCarFacts.Distance)] = []
        distances = usable.map { one in
            // The larger number of the two counts kilometres.
            guard
                !one.hasNamedUnit,
                let other = usable.first(where: { other in
                    !Self.agree(one.kilometres, other.kilometres)
                        && Self.isSame(
                            one.kilometres * UsedCarFindings.kilometresPerMile, other.kilometres)
                })
            else { return one }
            inMiles.append((one, other))
            var converted = one
            converted.kilometres = one.kilometres * UsedCarFindings.kilometresPerMile
            return converted
        }
        self.inMiles = inMiles
    }

    /// Whether two odometers of one vehicle may differ so: they round to up to 16 km, and are written when the
    /// ignition is switched off.
    static func agree(_ one: Double, _ other: Double) -> Bool {
        abs(one - other) <= max(one, other) * 0.02 + 50
    }

    /// Whether two numbers are the same distance, but for rounding.
    private static func isSame(_ one: Double, _ other: Double) -> Bool {
        abs(one - other) <= max(one, other) * 0.005 + 20
    }

    /// The odometer to which counters are compared: the one that a buyer sees, or the nearest to it.
    var odometer: UsedCarFacts.Distance? {
        for kind in [UsedCarFacts.Distance.Kind.shown, .cluster, .engine] {
            if let found = distances.first(where: { $0.kind == kind }) { return found }
        }
        return nil
    }

    var comparesMileage: Bool {
        odometer != nil
            && (distances.count > 1
                || facts.ecus.contains { ecu in
                    let counters = [ecu.clearedKilometres, ecu.ignitionCycles, ecu.runSeconds]
                    return counters.contains { $0 != nil }
                })
    }

    /// Whether a distance, if it counted miles, would be as high as another one to 2 % and 50 km.
    static func mayBeMiles(_ low: Double, of high: Double) -> Bool {
        agree(low * UsedCarFindings.kilometresPerMile, high)
    }

    /// The explanations that the numbers allow: miles only if the unit explains the difference.
    static func explanations(
        _ all: [UsedCarExplanation], mayBeMiles: Bool
    ) -> [UsedCarExplanation] {
        mayBeMiles ? all : all.filter { $0 != .miles }
    }

    func km(_ kilometres: Double) -> String { write(kilometres) }

    func side(_ distance: UsedCarFacts.Distance) -> UsedCarFinding.Side {
        UsedCarFinding.Side(distance.source, distance.kilometres, "km")
    }

    /// `the dashboard shows 97310 km`.
    func told(_ distance: UsedCarFacts.Distance) -> String {
        switch distance.kind {
        case .shown:
            if let found = inMiles.first(where: { $0.miles.source == distance.source }) {
                "the dashboard shows \(Int(found.miles.kilometres.rounded())), which may be miles"
            } else {
                "the dashboard shows \(km(distance.kilometres))"
            }
        case .cluster:
            "the instruments or another module (\(distance.source)) say \(km(distance.kilometres))"
        case .engine: "the ECU (\(distance.source)) says \(km(distance.kilometres))"
        case .lifetime:
            "the fuel consumption monitor (\(distance.source)) has counted \(km(distance.kilometres))"
        }
    }

    var agreement: String? {
        // A distance that may count miles proves nothing.
        let odometers = distances.filter { one in
            !inMiles.contains { $0.miles.source == one.source }
        }
        guard odometers.count > 1, let low = odometers.map(\.kilometres).min(),
            let high = odometers.map(\.kilometres).max(), Self.agree(low, high)
        else { return nil }
        return "\(odometers.count) distances agree within \(km((high - low).rounded(.up)))."
    }

    var gaps: [String] {
        var gaps: [String] = []
        if odometer == nil {
            gaps.append("an odometer: --odometer says what the dashboard shows")
        }
        if !facts.distances.contains(where: { $0.kind == .lifetime }) {
            gaps.append("the lifetime distance of a fuel consumption monitor (info type 17)")
        }
        if facts.ecus.allSatisfy({ $0.ignitionCycles == nil }) {
            gaps.append("ignition cycles (info types 08 and 0B)")
        }
        if facts.ecus.allSatisfy({
            $0.clearedKilometres == nil && $0.clearedWarmUps == nil && $0.clearedMinutes == nil
        }) {
            gaps.append("when codes were cleared (PIDs 30, 31 and 4E)")
        }
        if !facts.hasPermanentList { gaps.append("permanent codes (service 0A)") }
        if facts.vins.isEmpty { gaps.append("a VIN") }
        if !facts.isElectric, !facts.ecus.contains(where: { $0.isCompression == true }) {
            gaps.append(
                "a drive: \"obdscan log\" records one, and \"obdscan diagnose --trip latest\" judges it"
            )
        }
        return gaps
    }
}
