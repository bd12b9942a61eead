import Diagnostics
import Formats
import OBDCore

/// The counters of an ECU since its codes were cleared (PIDs 30, 31 and 4E).
package struct SinceClear: Hashable, Sendable {
    package var ecu: ECUAddress?
    /// Unit: km; nil if the ECU does not report it, or the counter is full.
    package var kilometres: Double?
    /// Warm-ups of the engine; nil as above.
    package var warmUps: Double?
    /// Unit: minutes with the engine running; nil as above.
    package var minutes: Double?

    package static let pids: [UInt8] = [0x30, 0x31, 0x4E]

    /// The counters of each ECU that reports any; a counter at its end (255 warm-ups, 65,535 km or minutes)
    /// counts no further and is left out (SAE J1979).
    static func all(_ items: some Sequence<DiagnosticItem>) -> [SinceClear] {
        all(
            items.compactMap { item in
                guard case .reading(let reading) = item, let pid = reading.currentPID,
                    reading.frame == nil, case .number(let value) = reading.value
                else { return nil }
                return (reading.ecu, pid, value)
            })
    }

    /// The counters of each ECU from values of PIDs.
    static func all(_ values: [(ecu: ECUAddress?, pid: UInt8, value: Double)]) -> [SinceClear] {
        var all: [SinceClear] = []
        for (ecu, pid, value) in values {
            guard Self.pids.contains(pid), value < (pid == 0x30 ? 255 : 65_535) else { continue }
            let known = all.firstIndex { $0.ecu == ecu }
            if known == nil { all.append(SinceClear(ecu: ecu)) }
            let place = known ?? all.count - 1
            switch pid {
            case 0x30: all[place].warmUps = value
            case 0x31: all[place].kilometres = value
            default: all[place].minutes = value
            }
        }
        return all
    }

    /// Whether most faults had no time to show since then: less than 100 km, 5 warm-ups or 120 minutes.
    ///
    /// Nobody drives more than 450 km in 120 minutes: such minutes began later, after the battery was off, or are
    /// those of the engine of a hybrid.
    var isRecent: Bool {
        kilometres.map { $0 < 100 } ?? false || warmUps.map { $0 < 5 } ?? false
            || minutes.map { $0 < 120 && kilometres ?? 0 <= 450 } ?? false
    }

    /// `12 km and 3 warm-ups`.
    func text(_ units: UnitSystem) -> String {
        var parts = [
            kilometres.map { units.whole($0, "km") }, warmUps.map { counted($0, "warm-up") },
        ]
        .compactMap(\.self)
        if parts.isEmpty {
            parts = [runningText ?? ""]
        }
        return parts.joined(separator: " and ")
    }

    /// `34 minutes of running engine`, from two hours on in hours.
    static func running(_ minutes: Double) -> String {
        (minutes < 120 ? counted(minutes, "minute") : counted(minutes / 60, "hour"))
            + " of running engine"
    }

    private var runningText: String? { minutes.map { Self.running($0) } }

    /// `12 km, 3 warm-ups and 34 minutes of running engine`.
    func fullText(_ units: UnitSystem) -> String {
        var parts = [
            kilometres.map { units.whole($0, "km") }, warmUps.map { counted($0, "warm-up") },
            runningText,
        ].compactMap(\.self)
        guard parts.count > 1, let last = parts.popLast() else { return parts.first ?? "" }
        return parts.joined(separator: ", ") + " and " + last
    }
}

/// `1 warm-up`, `3 warm-ups`.
func counted(_ number: Double, _ word: String) -> String {
    let whole = Int(number.rounded())
    return "\(whole) \(word)\(whole == 1 ? "" : "s")"
}

extension Reading {
    /// The PID, for a current value of SAE J1979 or SAE J1979-2; nil for others.
    var currentPID: UInt8? {
        switch dataID?.service {
        case .currentData: UInt8(exactly: dataID?.id ?? 0xFFFF)
        case .readData where dataID.map { $0.id & 0xFF00 == 0xF400 } ?? false:
            UInt8(truncatingIfNeeded: dataID?.id ?? 0)
        default: nil
        }
    }
}

extension UnitSystem {
    /// A value in a metric unit as a whole number in these units.
    package func whole(_ value: Double, _ unit: String) -> String {
        let conversion = conversion(from: unit)
        let shown = (conversion.map { $0(value) } ?? value).rounded()
        return "\(fixed(shown, 0)) \(conversion?.unit ?? unit)"
    }
}
