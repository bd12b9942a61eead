import OBDCore

/// Distances: odometers, and counters that cannot exceed them.
extension UsedCarComparison {
    typealias Distance = UsedCarFacts.Distance

    var distanceFindings: [UsedCarFinding] {
        shownIsLower + odometersDiffer + fellSinceEarlier + countedMore + lifetimeIsLower
            + milesFound
            + blankOdometers
    }

    /// Explanations for an odometer that is lower than a distance which a part has counted.
    static let lowerOdometer: [UsedCarExplanation] = [
        .clusterReplaced, .ecuReplaced, .usedPart, .miles, .moduleReplaced, .greyImport,
    ]

    /// Whether a counted distance exceeds an odometer by more than 100 km and 1 %.
    static func exceeds(_ counted: Double, _ odometer: Double) -> Bool {
        counted > odometer * 1.01 + 100
    }

    /// Finding 1: a distance that the vehicle keeps is higher than the odometer on the dashboard, or the
    /// lifetime distance is higher than any odometer.
    private var shownIsLower: [UsedCarFinding] {
        let shown = distances.filter { $0.kind == .shown }
        let lower = shown.isEmpty ? [odometer].compactMap(\.self) : shown
        return lower.compactMap { low -> UsedCarFinding? in
            let higher = distances.filter { high in
                (low.kind == .shown ? high.kind != .shown : high.kind == .lifetime)
                    && Self.exceeds(high.kilometres, low.kilometres)
            }
            guard let high = higher.max(by: { $0.kilometres < $1.kilometres }) else { return nil }
            let mayBeMiles = Self.mayBeMiles(low.kilometres, of: high.kilometres)
            return UsedCarFinding(
                mayBeMiles ? .odd : .contradiction, "lifetime-distance",
                sentence("\(told(high)), but \(told(low))"), side(high), side(low),
                explains: Self.explanations(Self.lowerOdometer, mayBeMiles: mayBeMiles))
        }
    }

    /// Finding 2: odometers of modules differ by more than 2 % and 50 km.
    ///
    /// An odometer of the instruments below that of engine or gearbox is a contradiction, because that is the
    /// one which a buyer reads.
    private var odometersDiffer: [UsedCarFinding] {
        let modules = distances.filter { $0.kind == .cluster || $0.kind == .engine }
        var found: [(finding: UsedCarFinding, gap: Double)] = []
        for (place, one) in modules.enumerated() {
            for other in modules[(place + 1)...]
            where !Self.agree(one.kilometres, other.kilometres) {
                let (low, high) =
                    one.kilometres < other.kilometres ? (one, other) : (other, one)
                let mayBeMiles = Self.mayBeMiles(low.kilometres, of: high.kilometres)
                let isGrave = low.kind == .cluster && high.kind == .engine && !mayBeMiles
                found.append(
                    (
                        UsedCarFinding(
                            isGrave ? .contradiction : .odd, "odometers-differ",
                            sentence("\(told(high)), but \(told(low))"), side(high), side(low),
                            explains: Self.explanations(
                                [
                                    .clusterReplaced, .moduleReplaced, .ecuReplaced, .usedPart,
                                    .miles, .moduleAsleep, .greyImport,
                                ], mayBeMiles: mayBeMiles)), high.kilometres - low.kilometres
                    ))
            }
        }
        // One sentence is enough for many modules.
        let worst = found.min {
            ($0.finding.grade, -$0.gap) < ($1.finding.grade, -$1.gap)
        }
        return worst.map { [$0.finding] } ?? oneBelowShown
    }

    /// Finding 31: an odometer is lower than the one that was read from the same vehicle before.
    ///
    /// The database does not say of which module the earlier one was, and a used module brings its own, so that only
    /// the dashboard, or all odometers, contradict.
    private var fellSinceEarlier: [UsedCarFinding] {
        let odometers = distances.filter { $0.kind != .lifetime }
        guard let earlier = facts.earlierKilometres,
            !Distance(.engine, earlier, source: "database").isBlank,
            let low = odometers.min(by: { $0.kilometres < $1.kilometres }),
            Self.exceeds(earlier, low.kilometres)
        else { return [] }
        let fallen = odometers.filter { Self.exceeds(earlier, $0.kilometres) }
        let mayBeMiles = Self.mayBeMiles(low.kilometres, of: earlier)
        let isGrave =
            (fallen.count == odometers.count || fallen.contains { $0.kind == .shown })
            && !mayBeMiles
        return [
            UsedCarFinding(
                isGrave ? .contradiction : .odd, "odometer-fell",
                "The database has \(km(earlier)) of this vehicle, but \(told(low)).",
                .init("database", earlier, "km"), side(low),
                explains: Self.explanations(Self.lowerOdometer, mayBeMiles: mayBeMiles))
        ]
    }

    /// An odometer of a module that is far below the one on the dashboard.
    private var oneBelowShown: [UsedCarFinding] {
        guard let shown = distances.first(where: { $0.kind == .shown }) else { return [] }
        let lower = distances.filter {
            ($0.kind == .cluster || $0.kind == .engine) && $0.kilometres < shown.kilometres
                && !Self.agree($0.kilometres, shown.kilometres)
        }
        guard let low = lower.min(by: { $0.kilometres < $1.kilometres }) else { return [] }
        return [
            UsedCarFinding(
                .odd, "odometers-differ", sentence("\(told(shown)), but \(told(low))"),
                side(shown), side(low),
                explains: Self.explanations(
                    [
                        .moduleReplaced, .ecuReplaced, .usedPart, .clusterReplaced, .miles,
                        .moduleAsleep,
                    ], mayBeMiles: Self.mayBeMiles(low.kilometres, of: shown.kilometres)))
        ]
    }

    /// A distance that an ECU has counted since an event, which cannot be longer than the odometer.
    private struct Count {
        var words: String
        var source: String
        var kilometres: Double
        /// Whether the counter stands at its end, so that the distance is at least this or was never counted.
        var isFull = false
        /// Whether the other counters since the same event stand at their ends, too: an ECU that does not count shows
        /// that.
        var mayBeUnused = false
    }

    private func counts(_ ecu: UsedCarFacts.ECU) -> [Count] {
        var counts: [Count] = []
        if let cleared = ecu.clearedKilometres {
            let isFull = cleared >= 65_535
            // A full distance beside few warm-ups was never counted.
            if !isFull || ecu.clearedWarmUps ?? 255 >= 255 {
                counts.append(
                    Count(
                        words: "since codes were cleared", source: ecu.source("01:31"),
                        kilometres: cleared, isFull: isFull,
                        mayBeUnused: isFull && ecu.clearedWarmUps ?? 0 >= 255
                            && ecu.clearedMinutes ?? 0 >= 65_535))
            }
        }
        if let light = ecu.lightKilometres, light < 65_535 {
            counts.append(
                Count(
                    words: "with the check engine light on", source: ecu.source("01:21"),
                    kilometres: light))
        }
        if let distance = ecu.evaporativeKilometres, distance < 65_535 {
            counts.append(
                Count(
                    words: "since a decision of the evaporative monitor",
                    source: ecu.source("09:14"), kilometres: distance))
        }
        return counts
    }

    /// Finding 3: an ECU has counted more kilometres since codes were cleared than the odometer has.
    private var countedMore: [UsedCarFinding] {
        guard let odometer else { return [] }
        return facts.ecus.compactMap { ecu in
            // The longest distance of an ECU says all.
            guard let count = counts(ecu).max(by: { $0.kilometres < $1.kilometres }),
                Self.exceeds(count.kilometres, odometer.kilometres)
            else { return nil }
            // A counter is a lower bound, so an odometer in miles explains up to 1.6 times as much. PID A6 is
            // in km by SAE J1979, but some ECUs count miles there. Of a unit that the user named, only the exact
            // number of miles makes one doubt.
            let inMiles = odometer.kilometres * UsedCarFindings.kilometresPerMile
            let mayBeMiles =
                odometer.hasNamedUnit
                ? Self.agree(count.kilometres, inMiles) : !Self.exceeds(count.kilometres, inMiles)
            let least = count.isFull ? "at least " : ""
            return UsedCarFinding(
                count.mayBeUnused ? .note : mayBeMiles || count.isFull ? .odd : .contradiction,
                "counted-distance",
                sentence(
                    "an ECU (\(count.source)) has counted \(least)\(km(count.kilometres)) "
                        + "\(count.words), but \(told(odometer))"),
                .init(count.source, count.kilometres, "km"), side(odometer),
                explains: Self.explanations(Self.lowerOdometer, mayBeMiles: mayBeMiles)
                    + (count.isFull ? [.counterNotUsed] : []))
        }
    }

    /// Finding 4: the lifetime distance is far lower than the odometer.
    private var lifetimeIsLower: [UsedCarFinding] {
        guard let odometer else { return [] }
        return distances.compactMap { low in
            guard low.kind == .lifetime,
                odometer.kilometres > low.kilometres * 1.1 + 200
            else { return nil }
            return UsedCarFinding(
                .odd, "lifetime-younger", sentence("\(told(low)), but \(told(odometer))"),
                side(low), side(odometer),
                explains: Self.explanations(
                    [
                        .ecuReplaced, .ecuReprogrammed, .softwareUpdate, .usedPart,
                        .clusterReplaced, .miles,
                    ], mayBeMiles: Self.mayBeMiles(low.kilometres, of: odometer.kilometres)))
        }
    }

    /// Finding 5: two distances are in the ratio of mile and kilometre.
    private var milesFound: [UsedCarFinding] {
        inMiles.map { miles, kilometres in
            // SAE J1979 has kilometres; a dashboard and other modules may count either.
            let isOdd = miles.kind == .engine || miles.kind == .lifetime
            return UsedCarFinding(
                isOdd ? .odd : .note, "counts-miles",
                sentence(
                    "\(miles.source) may count miles: its number is that of \(kilometres.source) in miles"
                ),
                .init(miles.source, miles.kilometres, "mi"), side(kilometres),
                explains: [.miles, .clusterReplaced, .ecuReplaced, .usedPart])
        }
    }

    /// Finding 6: an odometer that says nothing.
    private var blankOdometers: [UsedCarFinding] {
        facts.distances.filter(\.isBlank).map { blank in
            UsedCarFinding(
                .note, "odometer-blank",
                "\(blank.source) has no odometer: its value is 0 or the end of its range.",
                .init(blank.source, blank.kilometres, "km"),
                explains: [.moduleAsleep, .counterNotUsed, .moduleReplaced, .ecuReplaced])
        }
    }

    /// A sentence with a capital letter and a period.
    func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + "."
    }
}
