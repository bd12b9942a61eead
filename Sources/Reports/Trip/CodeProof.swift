import Diagnostics
import Formats
import OBDCore

/// The proof that a code's fault is repaired, and how much of the proof exists.
///
/// A repair is proven if three things happened after codes were cleared: the monitor that tests the code has
/// run, the code did not return, and the results of its tests are within their limits.
package struct CodeProof: Hashable, Sendable {
    /// The state of the proof; the raw value is printed in `state`.
    package enum State: String, Hashable, Sendable {
        /// The code is stored or pending.
        case present
        /// Only the permanent code is left.
        case permanent
        /// The code is gone, but a part of the proof is missing.
        case unproven
        /// All three conditions hold.
        case proven
    }

    /// One of the three conditions, in words.
    package struct Part: Hashable, Sendable {
        /// The words, without a period.
        package var text: String
        /// Whether the condition holds; nil = not known.
        package var isMet: Bool?
    }

    package let state: State
    /// When codes were cleared; nil = not known.
    package let cleared: String?
    /// Whether the monitor has run since then.
    package let monitor: Part
    package let code: Part
    /// Whether the test results are within their limits; nil if the ECU has none.
    package let tests: Part?

    /// Whether a monitor or test for the code is known.
    package let isKnown: Bool

    /// The whole proof: `not proven: cleared at 15:55; Catalyst has not run since; …`.
    package var text: String {
        let isGone = state == .proven || state == .unproven
        let parts =
            isGone
            ? [cleared, monitor.text, code.text, tests?.text]
            : [code.text, monitor.text, tests?.text]
        return (state == .proven ? "proven: " : "not proven: ")
            + parts.compactMap(\.self).joined(separator: "; ")
    }
}

extension CodeProof {
    /// The known facts about the vehicle since its codes were cleared.
    struct Facts {
        var monitors: [MonitorStatus] = []
        var tests: [MonitorTestResult] = []
        var sinceClear: [SinceClear] = []
        /// When obdscan cleared codes, the latest last; without an ECU, the codes of all ECUs.
        var clearings: [(ecu: ECUAddress?, time: UTC)] = []
        var units = UnitSystem.metric
        var clock: (UTC) -> String = { $0.description }
    }

    /// The proof of a code of `ecu`.
    ///
    /// - Parameters:
    ///   - code: its statuses, and whether it is present.
    ///   - text: its meaning.
    ///   - monitors, tests: the monitors and tests of its family.
    ///   - showsInEveryDrive: whether a drive of any kind shows that the fault is gone.
    ///   - isGone: whether the code disappeared.
    ///   - lastSeen: when a code that is gone was last known to be there; nil = not known.
    ///   - facts: the known facts about the vehicle.
    init(
        of code: VehicleCondition.Code, text: String?, monitors: [MonitorStatus.Monitor],
        tests ranges: [ClosedRange<UInt8>], showsInEveryDrive: Bool = true, isGone: Bool,
        lastSeen: UTC?, _ facts: Facts
    ) {
        let counters = facts.sinceClear.first { $0.ecu == code.ecu }
        let events = facts.clearings.filter { clearing in
            (clearing.ecu == nil || code.ecu == nil || clearing.ecu == code.ecu)
                && lastSeen.map { clearing.time >= $0 } ?? true
        }
        // Monitors and counters begin again with the last clearing.
        let event = events.last
        let isRepeated = lastSeen != nil && events.count > 1
        // A stored code disappears by itself after forty warm-ups at the earliest (13 CCR 1968.2, UN R83).
        let isErased =
            event != nil
            || isGone && lastSeen != nil && code.kinds.contains(.stored)
                && counters?.warmUps.map { $0 < 40 } ?? false
        let isCleared = isGone ? isErased : event != nil || counters != nil
        let ago = counters.map { $0.text(facts.units) }
        if !isCleared {
            cleared = isGone ? "when codes were cleared is not known" : nil
        } else if let event {
            cleared =
                (isRepeated ? "codes were last cleared at " : "cleared at ")
                + facts.clock(event.time) + (ago.map { ", \($0) ago" } ?? "")
        } else {
            cleared = ago.map { (isGone ? "cleared " : "") + "\($0) ago" }
        }
        isKnown = !monitors.isEmpty
        monitor = Self.monitor(
            monitors, of: code.ecu, isGone && isCleared ? counters : nil,
            since: isGone && isCleared
                ? "since" : "since codes were cleared" + (cleared.map { " (\($0))" } ?? ""),
            isGone: isGone, showsInEveryDrive: showsInEveryDrive, facts)
        let present = code.kinds.filter { $0 != .permanent }.map(\.rawValue)
        let isPresent = !isGone && !present.isEmpty
        if isPresent {
            self.code = Part(
                text: "the code is \(present.joined(separator: " and "))", isMet: false)
        } else if isGone {
            self.code = Part(text: "no stored or pending code came back", isMet: true)
        } else {
            self.code = Part(text: "the vehicle keeps the permanent code", isMet: false)
        }
        let results = facts.tests.filter { result in
            result.ecu == code.ecu && result.judgement != nil
                && result.mid.map { mid in ranges.contains { $0.contains(mid) } } ?? false
                && result.concerns(text)
        }
        let own = Self.own(facts.monitors, monitors, of: code.ecu)
        // Results from before codes were cleared prove nothing afterwards.
        let isOlder = !own.isEmpty && own.allSatisfy { $0.complete != true }
        let said = Self.tests(results)
        tests = isOlder && said?.isMet == true ? nil : said
        if isPresent {
            state = .present
        } else if !isGone {
            state = .permanent
        } else {
            let isProven = isCleared && monitor.isMet == true && tests?.isMet ?? true
            state = isProven ? .proven : .unproven
        }
    }

    /// Monitors that run all the time, so that their flag is complete at once (SAE J1979).
    private static let continuous: Set<MonitorStatus.Monitor> = [
        .misfire, .fuelSystem, .components, .crankcaseVentilation,
    ]

    /// A drive for monitors that run all the time (13 CCR 1968.2 (d)(2.5)): 10 minutes, 5 of them at 40 km/h,
    /// which is more than 3 km.
    private static func isDriven(_ counters: SinceClear) -> Bool? {
        guard let minutes = counters.minutes, let kilometres = counters.kilometres else {
            return nil
        }
        return minutes >= 10 && kilometres >= 4 && counters.warmUps.map { $0 >= 1 } ?? true
    }

    /// The states of those of `monitors` that an ECU has.
    private static func own(
        _ known: [MonitorStatus], _ monitors: [MonitorStatus.Monitor], of ecu: ECUAddress?
    ) -> [MonitorStatus] {
        known.filter { status in
            status.isSinceClear(of: ecu) && monitors.contains { $0.includes(status.monitor) }
        }
    }

    private static func monitor(
        _ monitors: [MonitorStatus.Monitor], of ecu: ECUAddress?, _ counters: SinceClear?,
        since: String, isGone: Bool, showsInEveryDrive: Bool, _ facts: Facts
    ) -> Part {
        if monitors.isEmpty { return Part(text: "which monitor tests it is not known", isMet: nil) }
        let here = own(facts.monitors, monitors, of: ecu)
        let wanted = monitors.map(\.title).joined(separator: ", ")
        if here.isEmpty {
            return Part(
                text: !facts.monitors.contains(where: { $0.isSinceClear(of: ecu) })
                    ? "whether its monitor has run is not known (\(wanted))"
                    : "the ECU has no monitor for it (\(wanted))",
                isMet: nil)
        }
        let names = here.map(\.monitor.title).joined(separator: ", ")
        let open = here.filter { $0.complete != true }
        if !open.isEmpty {
            let names = open.map(\.monitor.title).joined(separator: ", ")
            return Part(
                text: "\(names) \(isPlural(open) ? "have" : "has") not run \(since)", isMet: false)
        }
        // The flag of a monitor that can be incomplete shows that the monitor has run.
        if !here.allSatisfy({ continuous.contains($0.monitor) }) {
            return Part(
                text: "\(names) \(isPlural(here) ? "have" : "has") run \(since)", isMet: true)
        }
        if !showsInEveryDrive {
            // A monitor that the ECU lacks still has a drive that tests the part.
            let hasDrive = monitors.contains { !continuous.contains($0) }
            return Part(
                text: "a code that was cleared comes back when the ECU tests the part again and "
                    + "finds the fault"
                    + (hasDrive ? "" : "; which drive that takes is not known for this code"),
                isMet: isGone ? nil : false)
        }
        let speed = facts.units.whole(40, "km/h")
        let drive =
            "\(names) \(isPlural(here) ? "are" : "is") tested all the time: the repair is proven by a "
            + "drive without the code (10 minutes with a warm engine, 5 of them at \(speed) or more, "
            + "and half a minute at idle), not by \"complete\""
        if !isGone { return Part(text: drive, isMet: false) }
        guard let counters, let isDriven = isDriven(counters) else {
            return Part(text: drive + "; how far it went since is not known", isMet: nil)
        }
        return Part(
            text: drive + "; since then it went \(counters.fullText(facts.units))", isMet: isDriven)
    }

    /// Whether the titles of monitors are a plural: `Components`.
    private static func isPlural(_ statuses: [MonitorStatus]) -> Bool {
        statuses.count > 1 || statuses.first?.monitor == .components
    }

    private static func tests(_ results: [MonitorTestResult]) -> Part? {
        guard !results.isEmpty else { return nil }
        let failed = results.filter { $0.passed == false }
        let count = results.count
        if failed.isEmpty {
            return Part(
                text: count == 1
                    ? "its test result is within its limits"
                    : "its \(count) test results are within their limits", isMet: true)
        }
        return Part(
            text: count == 1
                ? "its test result is beyond its limit"
                : "\(failed.count) of its \(count) test results \(failed.count == 1 ? "is" : "are") beyond "
                    + "the limits", isMet: false)
    }
}

extension MonitorStatus {
    /// Whether the status shows for a monitor of the ECU that it has run since codes were cleared.
    fileprivate func isSinceClear(of ecu: ECUAddress?) -> Bool {
        self.ecu == ecu && supported && scope == .sinceClear
    }
}

extension MonitorStatus.Monitor {
    /// Whether `other` tests the same, under its name in SAE J1979-2.
    fileprivate func includes(_ other: Self) -> Bool {
        switch self {
        case .egrVvt: [.egrVvt, .egr, .vvt].contains(other)
        case .oxygenSensor, .oxygenSensorHeater: other == self || other == .exhaustGasSensor
        default: other == self
        }
    }
}

extension MonitorTestResult {
    /// The cylinder, or the bank and sensor, of its monitor: `cylinder 1`, `bank 1 sensor 2`.
    var part: String? {
        let words = monitorTitle.split(separator: " ")
        if words.dropLast().last == "cylinder" { return words.suffix(2).joined(separator: " ") }
        guard let last = words.last, last.hasPrefix("B"), Int(last.dropFirst().prefix(1)) != nil
        else { return nil }
        return "bank " + last.dropFirst().replacing("S", with: " sensor ")
    }

    /// Whether the test may concern the part that the text of a code names.
    fileprivate func concerns(_ text: String?) -> Bool {
        guard let part, let text else { return true }
        return ["cylinder", "bank", "sensor"].allSatisfy { kind in
            guard let own = Self.number(of: kind, in: part),
                let wanted = Self.number(of: kind, in: text)
            else { return true }
            return own == wanted
        }
    }

    /// The number after a word: 2 for `sensor` in `(bank 1 sensor 2)`.
    private static func number(of kind: String, in text: String) -> Int? {
        let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
        let places = words.indices.filter { words[$0] == kind && $0 + 1 < words.endIndex }
        return places.lazy.compactMap { Int(words[$0 + 1]) }.first
    }
}
