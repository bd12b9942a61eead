import OBDCore

/// Counters for the life of an ECU, compared with the odometer.
extension UsedCarComparison {
    var counterFindings: [UsedCarFinding] {
        let exceeding = facts.ecus.compactMap(countersExceedCycles)
        guard let odometer else { return exceeding }
        return exceeding
            + facts.ecus.flatMap { ecu in
                [
                    fewCycles(ecu, odometer), noConditions(ecu, odometer),
                    manyCycles(ecu, odometer),
                    longRunTime(ecu, odometer), shortRunTime(ecu, odometer),
                ].compactMap(\.self)
            }
    }

    private static let younger: [UsedCarExplanation] = [
        .ecuReplaced, .ecuReprogrammed, .usedPart, .softwareUpdate, .moduleReplaced,
        .clusterReplaced,
    ]
    /// Reasons for a counter that needs at least this many kilometres.
    private func older(_ least: Double, _ odometer: Distance) -> [UsedCarExplanation] {
        Self.explanations(
            [
                .clusterReplaced, .ecuReplaced, .usedPart, .moduleReplaced, .delivery, .taxi,
                .standingWork, .miles, .greyImport,
            ], mayBeMiles: odometer.kilometres * UsedCarFindings.kilometresPerMile >= least)
    }
    /// The odometer above which the counter of ignition cycles may have passed its end: 65,535 cycles of
    /// 2.5 km.
    private static let mayRestart = 65_535 * 2.5

    /// Whether the counters of `ecu` are unused: they are all 0, while another ECU counts.
    private func isUnused(_ ecu: UsedCarFacts.ECU) -> Bool {
        ecu.countsNothing
            && facts.ecus.contains { $0.address != ecu.address && $0.ignitionCycles ?? 0 > 0 }
    }

    /// Finding 7: more than 60 km for each ignition cycle.
    private func fewCycles(
        _ ecu: UsedCarFacts.ECU, _ odometer: Distance
    ) -> UsedCarFinding? {
        guard let cycles = ecu.ignitionCycles, cycles < 65_535, !isUnused(ecu),
            // A new vehicle may have 0.
            cycles > 0 || odometer.kilometres > 3_000,
            cycles * 60 < odometer.kilometres
        else { return nil }
        return UsedCarFinding(
            .odd, "counters-younger",
            sentence(
                "an ECU has counted \(counted(Int(cycles), "ignition cycle")), but "
                    + told(odometer) + ": such drives are unusually long"),
            .init(counters(ecu), cycles), side(odometer),
            explains: Self.younger + [.motorways]
                + (odometer.kilometres > Self.mayRestart ? [.counterRestarted] : [])
                + (cycles == 0 ? [.counterNotUsed] : []))
    }

    /// Finding 8: the ECU has never seen a drive that counts for monitors.
    private func noConditions(
        _ ecu: UsedCarFacts.ECU, _ odometer: Distance
    ) -> UsedCarFinding? {
        // The engine of a plug-in hybrid may never run ten minutes; counters of 0 have a finding already.
        guard !facts.isHybrid, !facts.isElectric, ecu.conditions == 0, ecu.ignitionCycles ?? 0 > 0,
            odometer.kilometres > 3_000
        else { return nil }
        return UsedCarFinding(
            .odd, "counters-younger",
            sentence(
                "an ECU (\(counters(ecu))) has counted no drive of ten minutes, but "
                    + told(odometer)), .init(counters(ecu), 0), side(odometer),
            explains: Self.younger + [.shortTrips, .counterNotUsed])
    }

    /// Finding 9: less than 2.5 km for each ignition cycle.
    private func manyCycles(
        _ ecu: UsedCarFacts.ECU, _ odometer: Distance
    ) -> UsedCarFinding? {
        // A vehicle that was just delivered has many cycles and few km.
        guard let cycles = ecu.ignitionCycles, cycles < 65_535, cycles >= 200,
            odometer.kilometres < cycles * 2.5
        else { return nil }
        return UsedCarFinding(
            .odd, "counters-older",
            sentence(
                "an ECU has counted \(whole(cycles)) ignition cycles, but \(told(odometer)): "
                    + "such drives are unusually short"),
            .init(counters(ecu), cycles), side(odometer),
            explains: older(cycles * 2.5, odometer))
    }

    /// Finding 10: at 10 km/h the engine would have driven three times the odometer.
    private func longRunTime(
        _ ecu: UsedCarFacts.ECU, _ odometer: Distance
    ) -> UsedCarFinding? {
        guard let hours = hours(ecu), hours >= 50, hours * 10 > odometer.kilometres * 3 else {
            return nil
        }
        return UsedCarFinding(
            .odd, "counters-older",
            sentence("the engine has run \(whole(hours)) hours, but \(told(odometer))"),
            .init(ecu.source("01:7F"), hours, "h"), side(odometer),
            explains: older(hours * 10 / 3, odometer))
    }

    /// Finding 11: the engine would have driven faster than 200 km/h all its life.
    private func shortRunTime(
        _ ecu: UsedCarFacts.ECU, _ odometer: Distance
    ) -> UsedCarFinding? {
        // The engine of a hybrid stands still for much of the distance.
        guard !facts.isHybrid, !facts.isElectric, let hours = hours(ecu), hours > 0,
            odometer.kilometres > 3_000, hours * 200 < odometer.kilometres
        else { return nil }
        return UsedCarFinding(
            .odd, "counters-younger",
            sentence("the engine has run \(whole(hours)) hours, but \(told(odometer))"),
            .init(ecu.source("01:7F"), hours, "h"), side(odometer),
            explains: Self.younger + [.hybrid])
    }

    /// Finding 30: a counter that counts once in a driving cycle at most is above the ignition cycles.
    private func countersExceedCycles(_ ecu: UsedCarFacts.ECU) -> UsedCarFinding? {
        guard let cycles = ecu.ignitionCycles, cycles < 65_535, let other = ecu.highestCounter,
            other.count < 65_535, other.count > cycles * 1.02 + 5
        else { return nil }
        // Only the ignition cycles begin again at 0 after their end.
        let mayRestart = odometer.map { $0.kilometres > Self.mayRestart } ?? true
        return UsedCarFinding(
            .odd, "counters-exceed-cycles",
            "An ECU has counted \(counted(Int(cycles), "ignition cycle")), but \(other.name) is "
                + "\(whole(other.count)), which counts once in a driving cycle at most.",
            .init(counters(ecu), cycles), .init(counters(ecu), other.count),
            explains: (mayRestart ? [.counterRestarted] : [])
                + [.ecuReprogrammed, .softwareUpdate, .counterNotUsed, .emulator])
    }

    private func hours(_ ecu: UsedCarFacts.ECU) -> Double? {
        ecu.runSeconds.flatMap { $0 < 4_294_967_295 ? $0 / 3_600 : nil }
    }

    private func counters(_ ecu: UsedCarFacts.ECU) -> String {
        ecu.source(ecu.isCompression == true ? "09:0B" : "09:08")
    }

    private func whole(_ number: Double) -> String { "\(Int(number.rounded()))" }
}
