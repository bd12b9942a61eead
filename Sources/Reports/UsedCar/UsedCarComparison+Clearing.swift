import OBDCore

/// Comparisons about a clear of codes, which hides faults.
extension UsedCarComparison {
    var clearingFindings: [UsedCarFinding] {
        facts.ecus.flatMap { ecu in
            [
                clearsDiffer(ecu), justCleared(ecu), monitorsTooEarly(ecu), noMonitor(ecu),
                permanentCodes(ecu), monitorsIncomplete(ecu), lightTime(ecu),
                lightLongerThanClear(ecu), batteryWasOff(ecu), codesWithoutLight(ecu),
                codesMissing(ecu),
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
        // Counters that do not belong to one clear do not say when that was.
        guard clearsDiffer(ecu) == nil else { return false }
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
            parts.append(SinceClear.running(minutes))
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

    /// Whether the engine runs for all of the distance, as far as is known.
    private var engineDrives: Bool { !facts.isHybrid && !facts.isElectric }

    /// Finding 25: a clear sets all of its counters to 0, so that they cannot differ more than one drive can:
    /// 200 km/h, a warm-up in a minute or in 500 m; and hardly 2,000 km for each warm-up, or 1 km/h.
    ///
    /// A counter of 0 beside others is one that is not used, or (minutes) that lost its battery.
    private func clearsDiffer(_ ecu: UsedCarFacts.ECU) -> UsedCarFinding? {
        let warmUps = ecu.clearedWarmUps ?? 0
        // A full distance beside few warm-ups was never counted.
        let kilometres = ecu.clearedKilometres.flatMap {
            $0 < 65_535 || warmUps >= 255 ? $0 : nil
        }
        let minutes = ecu.clearedMinutes.flatMap { $0 > 0 && $0 < 65_535 ? $0 : nil }
        func finding(
            _ pid: String, _ many: (Double, String?), _ manyText: String, _ few: String,
            _ fewValue: (Double, String?), _ fewText: String, _ reasons: [UsedCarExplanation]
        ) -> UsedCarFinding {
            UsedCarFinding(
                fewValue.0 == 0 ? .note : .odd, "clear-counters-differ",
                "Since codes were cleared, an ECU\(ecu.address.map { " (\($0))" } ?? "") has counted "
                    + "\(manyText), but \(fewValue.0 == 0 ? "" : "only ")\(fewText).",
                .init(ecu.source(pid), many.0, many.1),
                .init(ecu.source(few), fewValue.0, fewValue.1),
                explains: reasons + [.counterNotUsed, .ecuReprogrammed])
        }
        let least = ecu.clearedKilometres ?? 0 >= 65_535 ? "at least " : ""
        let most = warmUps >= 255 ? "at least " : ""
        let warmText = most + number(warmUps, "warm-up")
        if engineDrives, let kilometres, let minutes, kilometres > (minutes + 1) * 200 / 60 + 50 {
            return finding(
                "01:31", (kilometres, "km"), least + km(kilometres), "01:4E", (minutes, "min"),
                number(minutes, "minute") + " of running engine",
                [.newBattery, .softwareUpdate, .hybrid])
        }
        if warmUps >= 20, let minutes, minutes < warmUps {
            return finding(
                "01:30", (warmUps, nil), warmText, "01:4E", (minutes, "min"),
                number(minutes, "minute") + " of running engine", [.newBattery, .softwareUpdate])
        }
        if engineDrives, let kilometres, (1..<255).contains(warmUps),
            kilometres > (warmUps + 1) * 2_000
        {
            return finding(
                "01:31", (kilometres, "km"), least + km(kilometres), "01:30", (warmUps, nil),
                warmText, [.motorways, .newBattery, .softwareUpdate, .hybrid])
        }
        guard let kilometres else { return nil }
        if warmUps >= 20, kilometres < warmUps * 0.5 {
            return finding(
                "01:30", (warmUps, nil), warmText, "01:31", (kilometres, "km"), km(kilometres),
                [.standingWork, .shortTrips])
        }
        if let minutes, minutes >= 1_200, kilometres < minutes / 60 {
            return finding(
                "01:4E", (minutes, "min"), number(minutes, "minute") + " of running engine",
                "01:31", (kilometres, "km"), km(kilometres), [.standingWork])
        }
        return nil
    }

    /// Finding 26: no monitor has run, and no counter says for how long.
    private func noMonitor(_ ecu: UsedCarFacts.ECU) -> UsedCarFinding? {
        guard ecu.hasRunNoMonitor, ecu.clearedKilometres == nil, ecu.clearedWarmUps == nil,
            ecu.clearedMinutes == nil
        else { return nil }
        return UsedCarFinding(
            .note, "no-monitor-has-run",
            "No monitor that needs driving has run since codes were cleared or the battery was "
                + "off: a fault may be unseen. Some vehicles before 2001 forget their monitors when "
                + "the ignition is switched off.",
            .init(ecu.source("01:01"), ecu.incomplete.joined(separator: ", ")),
            explains: Self.reasons + [.shortTrips])
    }

    /// Finding 27: every monitor has run, and the counters say that codes were cleared just now.
    private func monitorsTooEarly(_ ecu: UsedCarFacts.ECU) -> UsedCarFinding? {
        let counters = [
            ecu.clearedKilometres.map { $0 < 5 }, ecu.clearedWarmUps.map { $0 == 0 },
            ecu.clearedMinutes.map { $0 < 10 },
        ].compactMap(\.self)
        guard ecu.hasRunEveryMonitor, counters.count > 1, counters.allSatisfy(\.self),
            let ago = clearedText(ecu)
        else { return nil }
        return UsedCarFinding(
            .odd, "monitors-too-early",
            "Every monitor has run, although codes were cleared \(ago) ago: monitors need longer.",
            .init(ecu.source("01:01"), "every monitor has run"),
            ecu.clearedKilometres.map { .init(ecu.source("01:31"), $0, "km") }
                ?? .init(ecu.source("01:30"), ecu.clearedWarmUps ?? 0),
            explains: [
                .newBattery, .ecuReplaced, .usedPart, .counterNotUsed, .softwareUpdate,
                .ecuReprogrammed, .emulator,
            ])
    }

    /// Finding 13: permanent codes stay after a clear, and are not stored, or the check engine light is off.
    private func permanentCodes(_ ecu: UsedCarFacts.ECU) -> UsedCarFinding? {
        let isOff = ecu.lightIsOn == false && !isLit
        guard isOff || ecu.storedCodes != nil else { return nil }
        let open = ecu.permanentCodes.filter { !(ecu.storedCodes ?? []).contains($0) }
        guard !open.isEmpty else { return nil }
        let codes = open.joined(separator: " ")
        return UsedCarFinding(
            .odd, "permanent-codes",
            (isOff
                ? "The check engine light is off, but permanent codes are stored (\(codes))"
                : "Permanent codes (\(codes)) are not among the stored codes")
                + ": somebody cleared codes, and the ECU has not proven the repair yet.",
            .init(ecu.source("0A"), codes),
            isOff
                ? .init(ecu.source("01:01"), "light off")
                : .init(ecu.source("03"), (ecu.storedCodes ?? []).joined(separator: " ")),
            explains: [
                .repair, .testDriveNotFinished, .inspection, .newBattery, .ecuReplaced, .usedPart,
            ])
    }

    /// Finding 28: codes are stored, and the check engine light is off.
    ///
    /// The light goes off before its code does if a fault goes away. It has been on then, and the code is not
    /// permanent. SAE J1939 has codes that never switch the light on.
    private func codesWithoutLight(_ ecu: UsedCarFacts.ECU) -> UsedCarFinding? {
        guard facts.isOnCAN != nil, ecu.lightIsOn == false, !isLit, let stored = ecu.storedCodes,
            !stored.isEmpty
        else { return nil }
        let permanent = stored.filter(ecu.permanentCodes.contains)
        let wasNeverOn = ecu.lightKilometres == 0 && ecu.lightMinutes ?? 0 == 0
        let codes = (permanent.isEmpty ? stored : permanent).joined(separator: " ")
        let addition =
            permanent.isEmpty
            ? wasNeverOn ? ", and has not been on since codes were cleared" : "" : ""
        return UsedCarFinding(
            wasNeverOn || !permanent.isEmpty ? .odd : .note, "codes-without-light",
            (permanent.isEmpty
                ? "Codes are stored (\(codes))" : "Codes are stored and permanent (\(codes))")
                + ", but the ECU does not switch the check engine light on\(addition).",
            .init(ecu.source("03"), codes), .init(ecu.source("01:01"), "light off"),
            explains: [.faultWentAway, .noLightForCode, .ecuReprogrammed, .emulator])
    }

    /// Finding 29: PID 01 counts codes that the list lacks.
    private func codesMissing(_ ecu: UsedCarFacts.ECU) -> UsedCarFinding? {
        guard facts.isOnCAN == true, let count = ecu.missingCount, count > ecu.codes.count else {
            return nil
        }
        return UsedCarFinding(
            .odd, "codes-missing",
            "An ECU (\(ecu.source("01:01"))) counts \(counted(count, "stored code")), but lists "
                + "\(ecu.codes.isEmpty ? "none" : "\(ecu.codes.count)").",
            .init(ecu.source("01:01"), Double(count)),
            .init(ecu.source("03"), Double(ecu.codes.count)),
            explains: [.emulator, .counterNotUsed, .ecuReprogrammed])
    }

    /// Finding 14: monitors that have not run in 500 km and 25 warm-ups; without one of these counters, in
    /// 1,000 km or 50 warm-ups.
    private func monitorsIncomplete(_ ecu: UsedCarFacts.ECU) -> UsedCarFinding? {
        let isLong =
            switch (ecu.clearedKilometres, ecu.clearedWarmUps) {
            case (let kilometres?, let warmUps?): kilometres > 500 && warmUps > 25
            case (let kilometres?, nil): kilometres > 1_000 && kilometres < 65_535
            case (nil, let warmUps?): warmUps > 50
            case (nil, nil): false
            }
        guard !ecu.incomplete.isEmpty, isLong else { return nil }
        let names = ecu.incomplete.joined(separator: ", ")
        let since = clearedText(ecu) ?? "a long time"
        return UsedCarFinding(
            ecu.lacksOnlyEvaporative ? .note : .odd, "monitors-incomplete",
            "Monitors have not run (\(names)) although codes were cleared \(since) ago.",
            .init(ecu.source("01:01"), names),
            ecu.clearedKilometres.map { .init(ecu.source("01:31"), $0, "km") }
                ?? .init(ecu.source("01:30"), ecu.clearedWarmUps ?? 0),
            // Only the evaporative monitor needs a certain level in the tank, warmth and air pressure.
            explains: [.shortTrips]
                + (ecu.lacksEvaporative ? [.tankFullOrEmpty, .frost, .height] : [])
                + [.newBattery, .ecuReplaced, .usedPart])
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
    /// distance and the time with the light.
    private func lightLongerThanClear(_ ecu: UsedCarFacts.ECU) -> UsedCarFinding? {
        if let light = ecu.lightKilometres, let cleared = ecu.clearedKilometres,
            light < 65_535, cleared < 65_535, light > cleared + 100
        {
            return UsedCarFinding(
                .odd, "light-longer-than-clear",
                "The check engine light was on for \(km(light)), but codes were cleared "
                    + "\(km(cleared)) ago, which also clears that distance.",
                .init(ecu.source("01:21"), light, "km"), .init(ecu.source("01:31"), cleared, "km"),
                explains: [.counterNotUsed, .ecuReprogrammed])
        }
        // Minutes of 0 are those of a battery that was off, or are not counted.
        guard let light = ecu.lightMinutes, let cleared = ecu.clearedMinutes, light < 65_535,
            cleared > 0, light > cleared + 120
        else { return nil }
        return UsedCarFinding(
            .odd, "light-longer-than-clear",
            "The check engine light was on for \(number(light, "minute")), but codes were cleared "
                + "\(number(cleared, "minute")) of running engine ago, which also clears that time.",
            .init(ecu.source("01:4D"), light, "min"), .init(ecu.source("01:4E"), cleared, "min"),
            explains: [.newBattery, .counterNotUsed, .ecuReprogrammed])
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
