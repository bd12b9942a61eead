import Diagnostics
import Formats
import OBDCore
import SystemIO
import TripStore

/// What a trip shows about the 12 V side, as text, JSON Lines or CSV.
package struct TripBattery {
    private let trip: TripSummary
    package let findings: [BatteryFinding]
    /// Whether a voltage and an engine speed were read at all.
    private let hasBoth: Bool

    /// Judges the voltages of a trip, by the ECU and at the adapter.
    package init(of readings: TripReadings, _ knowledge: DriveKnowledge) throws {
        trip = readings.trip
        let roles = TripDiagnosis.roles(readings, knowledge)
        let adapter = readings.signals.firstIndex {
            $0.dataID == nil && readings.table[$0.signal].id == Signal.adapterVoltage.id
        }
        let asked = try readings.timedNotes().filter { $0.text == TestedSteps.note(.loads) }
            .map { $0.time.microseconds(since: readings.trip.start) }
        var loads = asked[...]
        var answers = try Self.answers(readings)[...]
        // At each connection, the identity and the codes are read once.
        var watch = BatteryWatch(
            isPolled: readings.signals.contains {
                $0.dataID != nil && $0.frame == nil && $0.readings >= 10
            })
        let places = Array(roles.keys) + [adapter].compactMap(\.self)
        try readings.forEachNumber(of: places) { t, place, value in
            if let first = loads.first, first <= t {
                watch.takeLoads(t: first)
                loads.removeFirst()
            }
            while let first = answers.first, first <= t {
                watch.takeAnswer(t: first)
                answers.removeFirst()
            }
            if place == adapter {
                watch.take(adapterVoltage: value, t: t)
            } else if let quantity = roles[place] {
                watch.take(value, quantity, t: t)
            }
        }
        findings = watch.findings
        hasBoth = watch.hasBoth
    }

    /// When an ECU answered, whatever it said: one time of each minute at most, in order.
    private static func answers(_ readings: TripReadings) throws -> [Int64] {
        var minutes: Set<Int64> = []
        let places = readings.signals.indices.filter { readings.signals[$0].dataID != nil }
        try readings.forEachState(of: places) { t, _, _ in minutes.insert(t / 60_000_000) }
        try readings.forEachOtherRecord { time, record in
            let isAnswer =
                switch record {
                case .item, .codeList: true
                case .event(let event):
                    event.kind == .negativeResponse || event.kind == .decodeError
                case .note, .position: false
                }
            if isAnswer {
                minutes.insert(time.microseconds(since: readings.trip.start) / 60_000_000)
            }
        }
        return minutes.sorted().map { $0 * 60_000_000 }
    }

    /// Whether something is wrong, as far as it could be judged.
    package var isOff: Bool { findings.contains { $0.grade == .low || $0.grade == .high } }

    // MARK: For people

    package func text(_ output: OutputForm) -> String {
        guard !findings.isEmpty else {
            let why = hasBoth ? "too little" : "no"
            return lines(
                "12 V: nothing could be judged: \(why) voltage beside an engine speed was read.",
                .warning, output.palette, output.columns)
        }
        var rows = TextTable([("12 V", .left), ("VALUE", .right), ("", .left)], flexible: [2])
        for found in findings {
            let style: Style? =
                switch found.grade {
                case .good: .good
                case .low, .high: .warning
                case .unknown: nil
                }
            rows.add([
                .init(Self.names[found.part] ?? ""),
                .init(found.volts.map { "\(fixed($0, found.isFromAdapter ? 1 : 2)) V" } ?? "—"),
                .init(sentence(found, output.units), style),
            ])
        }
        return rows.text(output.palette, columns: output.columns)
    }

    private static let names: [BatteryFinding.Part: String] = [
        .rest: "before the start", .crank: "while starting", .charge: "engine running",
        .converter: "ready to drive",
    ]

    private func sentence(_ found: BatteryFinding, _ units: UnitSystem) -> String {
        var parts: [String] = []
        switch found.grade {
        case .good: parts.append("good")
        case .low: parts.append("low")
        case .high: parts.append("high")
        case .unknown: break
        }
        if let low = found.low, found.grade != .high { parts.append("\(fixed(low, 1)) V or more") }
        if let high = found.high { parts.append("\(fixed(high, 1)) V at most") }
        if found.part == .crank, found.volts != nil {
            if let celsius = found.temperature {
                parts.append("at " + shown(celsius, "°C", 0, units))
            }
            parts.append("\(found.samples) samples in \(fixed(found.seconds, 1)) s")
        }
        if found.isFromAdapter, found.volts != nil { parts.append("measured at the adapter") }
        let figures = parts.joined(separator: ", ")
        return figures.isEmpty ? found.text : "\(figures). \(found.text)"
    }

    // MARK: For programs

    /// The keys of the rows.
    package static let keys = [
        "trip", "part", "verdict", "text", "value", "unit", "low", "high", "samples", "seconds",
        "temperature", "source", "from", "to",
    ]

    package var rows: [Row] {
        findings.map { found in
            Row(
                "battery",
                [
                    "trip": .integer(trip.id), "part": .text(found.part.rawValue),
                    "verdict": .text(found.grade.rawValue), "text": .text(found.text),
                    "value": .number(found.volts, places: 2), "unit": .text("V"),
                    "low": .number(found.low, places: 2), "high": .number(found.high, places: 2),
                    "samples": .integer(found.samples),
                    "seconds": .number(found.seconds, places: 1),
                    "temperature": .number(found.temperature, places: 1),
                    "source": .text(found.isFromAdapter ? "adapter" : "ecu"),
                    "from": .time(trip.start.later(by: found.from)),
                    "to": .time(trip.start.later(by: found.to)),
                ])
        }
    }
}
