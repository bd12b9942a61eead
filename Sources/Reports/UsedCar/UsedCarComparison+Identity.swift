import Diagnostics
import OBDCore

/// Identity: VINs, software and the kind of engine.
extension UsedCarComparison {
    var identityFindings: [UsedCarFinding] {
        otherVINs + blankVINs + checkDigit + modelYear + calibrations + softwareDates + engineKind
    }

    /// Each full VIN in an ECU, with its source.
    private var full: [(ecu: ECUAddress?, source: String, vin: VIN)] {
        facts.vins.compactMap { stored in
            guard case .vin(let vin) = stored.content else { return nil }
            return (stored.ecu, stored.source, vin)
        }
    }

    /// The number of ECUs that hold a VIN.
    private func holders(of vin: VIN) -> Int {
        Set(full.filter { $0.vin == vin }.map(\.ecu)).count
    }

    /// The VIN of the vehicle: that on the windscreen, or the one in most ECUs, or the first.
    private var main: (source: String, vin: VIN)? {
        if let windscreen = facts.windscreen { return ("windscreen", windscreen) }
        let most = full.map { holders(of: $0.vin) }.max()
        return full.first { holders(of: $0.vin) == most }.map { ($0.source, $0.vin) }
    }

    /// Finding 18: ECUs with another VIN.
    ///
    /// One such part may be used; several, or one with an odometer that disagrees, contradict.
    private var otherVINs: [UsedCarFinding] {
        guard let main else { return [] }
        let others = full.filter { $0.vin != main.vin }
        guard let first = others.first else { return [] }
        let ecus = Set(others.map(\.ecu))
        let hasOtherDistance = distances.contains { one in
            one.ecu != nil && ecus.contains(one.ecu)
                && distances.contains {
                    $0.ecu != one.ecu && !Self.agree($0.kilometres, one.kilometres)
                }
        }
        // The user may have misread a character on the windscreen.
        let mayBeMisread =
            facts.windscreen.map { shown in
                others.allSatisfy { Self.differences($0.vin, shown) < 3 }
            } ?? false
        let isGrave = (ecus.count > 1 || hasOtherDistance) && !mayBeMisread
        var seen: Set<VIN> = []
        let said = others.filter { seen.insert($0.vin).inserted }.map { one in
            let same = others.filter { $0.vin == one.vin }
            return same.map(\.source).joined(separator: ", ")
                + " \(same.count == 1 ? "has" : "have") the VIN \(one.vin.text)"
        }.joined(separator: " and ")
        return [
            UsedCarFinding(
                isGrave ? .contradiction : .odd, "vin-differs",
                "\(said), but \(facts.windscreen == nil ? "" : "the ")\(main.source) has \(main.vin.text)."
                    + (mayBeMisread ? " Read the windscreen again." : ""),
                .init(first.source, first.vin.text), .init(main.source, main.vin.text),
                explains: [
                    .usedPart, .moduleReplaced, .ecuReplaced, .clusterReplaced, .rebodied,
                ])
        ]
    }

    /// The number of characters that differ.
    private static func differences(_ one: VIN, _ other: VIN) -> Int {
        zip(one.text.utf8, other.text.utf8).count { $0 != $1 }
    }

    /// Finding 19: an ECU without a whole VIN.
    private var blankVINs: [UsedCarFinding] {
        facts.vins.compactMap { stored in
            switch stored.content {
            case .vin: nil
            case .blank:
                UsedCarFinding(
                    .note, "vin-blank", "\(stored.source) has a blank VIN.",
                    .init(stored.source, ""),
                    explains: [.vinNotWritten, .moduleReplaced, .ecuReplaced])
            case .broken(let text):
                UsedCarFinding(
                    .note, "vin-blank", "\(stored.source) does not have a whole VIN: \(text).",
                    .init(stored.source, text),
                    explains: [.vinNotWritten, .moduleReplaced, .ecuReplaced])
            }
        }
    }

    /// Whether the rules of North America apply: 49 CFR 565 gives these VINs a check digit and a year.
    private func isNorthAmerican(_ vin: VIN) -> Bool {
        vin.text.utf8.first.map { (UInt8(ascii: "1")...UInt8(ascii: "5")).contains($0) } ?? false
    }

    /// Finding 20: a VIN of North America with a wrong check digit.
    private var checkDigit: [UsedCarFinding] {
        var all = full.map { (source: $0.source, vin: $0.vin) }
        if let windscreen = facts.windscreen { all.insert(("windscreen", windscreen), at: 0) }
        var seen: Set<VIN> = []
        return all.compactMap { source, vin in
            // A serial number of zeros was masked: no vehicle has it.
            guard isNorthAmerican(vin), !vin.hasValidCheckDigit, !vin.text.hasSuffix("000000"),
                seen.insert(vin).inserted
            else {
                return nil
            }
            return UsedCarFinding(
                .odd, "vin-check-digit",
                "The check digit of the VIN \(vin.text) (\(source)) is wrong, and that of a vehicle "
                    + "built for North America is right.", .init(source, vin.text),
                explains: [.greyImport, .converted, .ecuReprogrammed])
        }
    }

    /// Finding 21: the model year requires what the vehicle lacks.
    private var modelYear: [UsedCarFinding] {
        guard !facts.isElectric, let main, isNorthAmerican(main.vin), main.vin.hasValidCheckDigit,
            let year = main.vin.northAmericanModelYear
        else { return [] }
        func finding(_ lack: String, _ side: UsedCarFinding.Side) -> UsedCarFinding {
            UsedCarFinding(
                .odd, "vin-year",
                "The VIN says model year \(year), but the vehicle \(lack).",
                .init(main.source, "\(year)"), side,
                explains: [
                    .greyImport, .converted, .ecuReprogrammed, .usedPart, .ecuReplaced, .emulator,
                ])
        }
        var found: [UsedCarFinding] = []
        if year >= 2008, facts.isOnCAN == false {
            found.append(finding("does not use CAN, as from 2008", .init("protocol", "not CAN")))
        } else if year >= 2010, facts.isOnCAN == true, facts.hasStoredList, !facts.hasPermanentList
        {
            found.append(
                finding(
                    "does not answer for permanent codes, as from 2010", .init("0A", "no answer")))
        }
        // The ECU of the engine watches for misfires.
        guard facts.isOnCAN != nil,
            let engine = facts.ecus.first(where: { $0.monitors.contains(.misfire) })
        else { return found }
        let monitors = facts.ecus.reduce(into: Set()) { $0.formUnion($1.monitors) }
        let source = engine.source("01:01")
        if engine.isCompression == false, year >= 2000,
            monitors.isDisjoint(with: [.catalyst, .heatedCatalyst])
        {
            found.append(
                finding(
                    "has no monitor of the catalyst, as from 2000", .init(source, "no catalyst"))
            )
        }
        if engine.isCompression == true, year >= 2013, !monitors.contains(.pmFilter) {
            found.append(
                finding(
                    "has no monitor of the particulate filter, as from 2013",
                    .init(source, "no particulate filter")))
        }
        return found
    }

    /// Finding 22: one calibration with two verification numbers.
    private var calibrations: [UsedCarFinding] {
        var known: [(id: String, number: String, source: String)] = []
        var found: [UsedCarFinding] = []
        for ecu in facts.ecus {
            for (id, number) in ecu.calibrations {
                let source = ecu.source("09:06")
                if Set(number.utf8).count == 1, number.hasPrefix("0") || number.hasPrefix("F") {
                    found.append(
                        UsedCarFinding(
                            .note, "calibration-number",
                            "\(source) has not computed the verification number of its software "
                                + "(\(number)).", .init(source, number),
                            explains: [.numberComputedLater]))
                    continue
                }
                guard let other = known.first(where: { $0.id == id && $0.number != number }) else {
                    known.append((id, number, source))
                    continue
                }
                found.append(
                    UsedCarFinding(
                        .odd, "calibration-number",
                        "The software \(id) has the verification number \(number) (\(source)), "
                            + "but \(other.number) (\(other.source)): its content differs.",
                        .init(source, number), .init(other.source, other.number),
                        explains: [.softwareUpdate, .numberComputedLater, .ecuReprogrammed]))
            }
        }
        return found
    }

    /// Finding 23: a module was programmed more than a year after it was made.
    private var softwareDates: [UsedCarFinding] {
        facts.dates.compactMap { dates in
            guard let made = dates.made, let programmed = dates.programmed,
                programmed.year > made.year + 1
            else { return nil }
            let place = dates.ecu.map { "\($0) " } ?? ""
            return UsedCarFinding(
                .note, "software-date",
                "The software of \(place.isEmpty ? "a module " : place)is of \(programmed.text), "
                    + "and the module was made on \(made.text).",
                .init(place + "22:F199", programmed.text), .init(place + "22:F18B", made.text),
                explains: [.campaign, .softwareUpdate, .ecuReprogrammed])
        }
    }

    /// Finding 24: an ECU with the monitors of a diesel engine and petrol as its fuel, or the other way.
    private var engineKind: [UsedCarFinding] {
        facts.ecus.compactMap { ecu in
            guard let isCompression = ecu.isCompression, let fuel = ecu.fuel,
                let burns = Self.isCompression(fuel: fuel), burns != isCompression
            else { return nil }
            return UsedCarFinding(
                .odd, "engine-kind",
                "The monitors of an ECU are those of a \(isCompression ? "diesel" : "petrol") "
                    + "engine, but its fuel is that of a \(burns ? "diesel" : "petrol") engine.",
                .init(ecu.source("01:01"), isCompression ? "compression" : "spark"),
                .init(ecu.source("01:51"), burns ? "diesel" : "petrol"),
                explains: [.emulator, .ecuReplaced, .converted])
        }
    }

    /// Whether a fuel of PID 51 ignites by compression; nil for fuels that say nothing about it.
    private static func isCompression(fuel: UInt64) -> Bool? {
        switch fuel {
        case 0x01, 0x05, 0x06, 0x11: false
        case 0x04, 0x13: true
        default: nil
        }
    }
}
