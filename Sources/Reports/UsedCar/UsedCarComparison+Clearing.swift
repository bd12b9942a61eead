import OBDCore

/// What a clear of codes hides.
extension UsedCarComparison {
    var clearingFindings: [UsedCarFinding] {
        facts.ecus.flatMap { ecu in
            [
                justCleared(ecu), permanentCodes(ecu), monitorsIncomplete(ecu), lightTime(ecu),
                lightLongerThanClear(ecu), batteryWasOff(ecu),
            ].compactMap(\.self)
        }
    }

    private static let reasons: [UsedCarExplanation] = [
        .repair, .inspection, .newBattery, .softwareUpdate, .ecuReplaced,
    ]

    /// Whether a fault may not have shown since codes were cleared: less than 100 km, 5 warm-ups or 120
    /// minutes.
    ///
    /// The battery was off if only the minutes are 0.
    private func isRecent(_ ecu: UsedCarFacts.ECU) -> Bool {
        if let kilometres = ecu.clearedKilometres {
            // A new vehicle has counted all its life.
            if let odometer, odometer.kilometres <= kilometres * 1.01 + 20 { return false }
            if kilometres < 100 { return true }
        }
        // An ECU that does not count warm-ups or minutes may say 0.
        let isFar = ecu.clearedKilometres ?? 0 >= 100
        func isFew(_ count: Double?, _ limit: Double) -> Bool {
            count.map { $0 < limit && !(isFar && $0 == 0) } ?? false
        }
        return isFew(ecu.clearedWarmUps, 5) || isFew(ecu.clearedMinutes, 120)
    }

    /// `34 km, 2 warm-ups and 40 minutes of running engine`; nil if no ECU was cleared recently.
    var clearedAgo: String? {
        facts.ecus.first(where: isRecent).flatMap(clearedText)
    }

    private func clearedText(_ ecu: UsedCarFacts.ECU) -> String? {
        var parts: [String] = []
        if let kilometres = ecu.clearedKilometres, kilometres < 65_535 {
            parts.append(km(kilometres))
        }
        if let warmUps = ecu.clearedWarmUps, warmUps < 255 {
            parts.append(number(warmUps, "warm-up"))
        }
        if let minutes = ecu.clearedMinutes, minutes < 65_535 {
            parts.append(number(minutes, "minute") + " of running engine")
        }
        guard let last = parts.popLast() else { return nil }
        return parts.isEmpty ? last : parts.joined(separator: ", ") + " and " + last
    }

    /// Finding 12: codes were cleared a short time ago.
    private func justCleared(_ ecu: UsedCarFacts.ECU) -> UsedCarFinding? {
        guard isRecent(ecu), let ago = clearedText(ecu) else { return nil }
        let (source, value, unit): (String, Double, String?) =
            if let kilometres = ecu.clearedKilometres, kilometres < 65_535 {
                ("01:31", kilometres, "km")
            } else if let warmUps = ecu.clearedWarmUps, warmUps < 255 {
                ("01:30", warmUps, nil)
            } else {
                ("01:4E", ecu.clearedMinutes ?? 0, "min")
            }
        let isUnlearnt = !ecu.longTrims.isEmpty && ecu.longTrims.allSatisfy { $0 == 0 }
        return UsedCarFinding(
            .note, "just-cleared",
            "Codes \(facts.ecus.count > 1 ? ecu.address.map { "of \($0) " } ?? "" : "")were cleared "
                + "\(ago) ago: a fault may be unseen."
                + (isUnlearnt ? " The long-term fuel trim is exactly 0, as after a clear." : ""),
            .init(ecu.source(source), value, unit), explains: Self.reasons)
    }

    /// Whether any ECU has the check engine light on.
    private var isLit: Bool { facts.ecus.contains { $0.lightIsOn == true } }

    /// Finding 13: permanent codes stay after a clear, and the check engine light is off.
    private func permanentCodes(_ ecu: UsedCarFacts.ECU) -> UsedCarFinding? {
        guard !ecu.permanentCodes.isEmpty, ecu.lightIsOn == false, !isLit else { return nil }
        let codes = ecu.permanentCodes.joined(separator: " ")
        return UsedCarFinding(
            .odd, "permanent-codes",
            "The check engine light is off, but permanent codes are stored (\(codes)): somebody "
                + "cleared codes, and the ECU has not proven the repair yet.",
            .init(ecu.source("0A"), codes), .init(ecu.source("01:01"), "light off"),
            explains: [
                .repair, .testDriveNotFinished, .inspection, .newBattery, .ecuReplaced, .usedPart,
            ])
    }

    /// Finding 14: monitors that have not run in 500 km and 25 warm-ups.
    private func monitorsIncomplete(_ ecu: UsedCarFacts.ECU) -> UsedCarFinding? {
        guard !ecu.incomplete.isEmpty, let kilometres = ecu.clearedKilometres,
            let warmUps = ecu.clearedWarmUps, kilometres > 500, warmUps > 25
        else { return nil }
        let names = ecu.incomplete.joined(separator: ", ")
        let since = clearedText(ecu) ?? "a long time"
        return UsedCarFinding(
            ecu.lacksOnlyEvaporative ? .note : .odd, "monitors-incomplete",
            "Monitors have not run (\(names)) although codes were cleared \(since) ago.",
            .init(ecu.source("01:01"), names), .init(ecu.source("01:31"), kilometres, "km"),
            explains: [.shortTrips, .tankFullOrEmpty, .frost, .height, .ecuReplaced, .usedPart])
    }

    /// Finding 15: the check engine light was on, and is off without codes.
    private func lightTime(_ ecu: UsedCarFacts.ECU) -> UsedCarFinding? {
        guard ecu.lightIsOn == false, !isLit, facts.ecus.allSatisfy({ $0.codes.isEmpty }) else {
            return nil
        }
        let kilometres = ecu.lightKilometres.flatMap { $0 < 65_535 ? $0 : nil } ?? 0
        let minutes = ecu.lightMinutes.flatMap { $0 < 65_535 ? $0 : nil } ?? 0
        guard kilometres > 0 || minutes > 0 else { return nil }
        let isFar = kilometres > 0
        return UsedCarFinding(
            .note, "light-was-on",
            "The check engine light was on for "
                + (isFar ? km(kilometres) : number(minutes, "minute"))
                + ", and is off without codes.",
            .init(
                ecu.source(isFar ? "01:21" : "01:4D"), isFar ? kilometres : minutes,
                isFar ? "km" : "min"), .init(ecu.source("01:01"), "light off"),
            explains: [.faultWentAway, .repair])
    }

    /// Finding 16: the light was on for longer than the time since codes were cleared, which also clears the
    /// distance with the light.
    private func lightLongerThanClear(_ ecu: UsedCarFacts.ECU) -> UsedCarFinding? {
        guard let light = ecu.lightKilometres, let cleared = ecu.clearedKilometres,
            light < 65_535, cleared < 65_535, light > cleared + 100
        else { return nil }
        return UsedCarFinding(
            .odd, "light-longer-than-clear",
            "The check engine light was on for \(km(light)), but codes were cleared "
                + "\(km(cleared)) ago, which also clears that distance.",
            .init(ecu.source("01:21"), light, "km"), .init(ecu.source("01:31"), cleared, "km"),
            explains: [.counterNotUsed, .ecuReprogrammed])
    }

    private func wasWithoutBattery(_ ecu: UsedCarFacts.ECU) -> Bool {
        ecu.clearedMinutes == 0 && ecu.clearedKilometres ?? 0 > 0 && ecu.clearedWarmUps ?? 0 > 0
    }

    /// Finding 17: only the minutes since codes were cleared are 0.
    private func batteryWasOff(_ ecu: UsedCarFacts.ECU) -> UsedCarFinding? {
        guard wasWithoutBattery(ecu), let kilometres = ecu.clearedKilometres else { return nil }
        return UsedCarFinding(
            .note, "battery-was-off",
            "The minutes since codes were cleared are 0, but not the distance, as after the battery "
                + "was disconnected.", .init(ecu.source("01:4E"), 0, "min"),
            .init(ecu.source("01:31"), kilometres, "km"),
            explains: [.newBattery, .repair, .counterNotUsed])
    }

    private func number(_ value: Double, _ word: String) -> String {
        counted(Int(value.rounded()), word)
    }
}
