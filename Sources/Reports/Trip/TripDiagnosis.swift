import Diagnostics
import Formats
import OBDCore
import PIDTables
import SystemIO
import TripStore

/// The verdict about one trip, with its evidence, as text, JSON Lines or CSV.
package struct TripDiagnosis {
    private let trip: TripSummary
    package let verdict: DriveVerdict

    private let knowledge: DriveKnowledge

    /// Judges the readings of a trip, and what the ECUs noted.
    package init(
        of readings: TripReadings, in store: TripStore, _ knowledge: DriveKnowledge
    ) throws {
        trip = readings.trip
        self.knowledge = knowledge
        let record = try DriveRecord(of: readings, in: store)
        var watches = [DriveWatch()] + DriveWatch.later(seconds: trip.seconds)
        try Self.fill(&watches, readings, knowledge)
        verdict = DriveVerdict(
            watches[0], later: Array(watches[1...]), record: record,
            past: try DriveVerdict.Past(of: readings, record, in: store, knowledge),
            knowledge.causes)
    }

    /// Measures a trip.
    static func watch(
        _ readings: TripReadings, _ knowledge: DriveKnowledge
    ) throws -> DriveWatch {
        var watches = [DriveWatch()]
        try fill(&watches, readings, knowledge)
        return watches[0]
    }

    private static func fill(
        _ watches: inout [DriveWatch], _ readings: TripReadings, _ knowledge: DriveKnowledge
    ) throws {
        let roles = Self.roles(readings, knowledge)
        var quantities = [DriveQuantity?](repeating: nil, count: readings.signals.count)
        for (place, quantity) in roles { quantities[place] = quantity }
        try readings.forEachNumber(of: Array(roles.keys)) { t, place, value in
            guard let quantity = quantities[place] else { return }
            for index in watches.indices { watches[index].take(value, quantity, t: t) }
        }
    }

    /// The signals to use, all of one ECU: the one with most quantities, because another ECU's copy may be of
    /// another moment.
    static func roles(
        _ readings: TripReadings, _ knowledge: DriveKnowledge
    ) -> [Int: DriveQuantity] {
        typealias Choice = (place: Int, preference: Int)
        var byECU: [ECUAddress?: [DriveQuantity: Choice]] = [:]
        for (place, found) in readings.signals.enumerated()
        where found.frame == nil && found.minimum != nil {
            let name = readings.table[found.signal].id
            guard let id = found.dataID.map(knowledge.standard),
                let (quantity, preference) = knowledge.quantity(of: name, in: id)
            else { continue }
            if let other = byECU[found.ecu]?[quantity] {
                let isBetter =
                    preference == other.preference
                    ? found.readings > readings.signals[other.place].readings
                    : preference < other.preference
                if !isBetter { continue }
            }
            byECU[found.ecu, default: [:]][quantity] = (place, preference)
        }
        let best = byECU.max { one, other in
            let (left, right) = (one.value.count, other.value.count)
            // The order of a dictionary must not decide.
            return left == right ? (one.key?.value ?? 0) > (other.key?.value ?? 0) : left < right
        }
        return Dictionary(
            uniqueKeysWithValues: (best?.value ?? [:]).map { ($0.value.place, $0.key) })
    }

    // MARK: For people

    package func text(_ output: OutputForm) -> String {
        let palette = output.palette
        let style: Style =
            switch verdict.kind {
            case .nothing: .good
            case .cause, .several, .unclear, .untestable: .warning
            }
        var result = lines(
            "Trip \(trip.id): \(verdict.text)", style, palette, output.columns)
        if let since = verdict.since {
            result += lines(
                "The later part begins at \(clock(since)).", nil, palette, output.columns)
        }
        if verdict.kind != .unclear, !verdict.record.notes.isEmpty {
            let notes = "The vehicle says: " + verdict.record.notes.joined(separator: "; ") + "."
            result += lines(notes, nil, output.palette, output.columns)
        }
        for frame in verdict.past.frames {
            result += lines(text(frame, output.units), nil, palette, output.columns)
        }
        for (place, candidate) in verdict.causes.enumerated() {
            result += text(candidate, isFirst: place == 0, output)
        }
        let shown =
            verdict.kind == .unclear
            ? verdict.worst : verdict.causes.isEmpty ? verdict.features : []
        if !shown.isEmpty { result += "\n" + table(shown, output) }
        let missing = notTested
        if !missing.isEmpty {
            var rows = TextTable([("", .left), ("", .left), ("", .left)], flexible: [2])
            for (place, one) in missing.enumerated() {
                rows.add([
                    .init(place == 0 ? "Not tested" : "", .dim), .init(one.topic), .init(one.need),
                ])
            }
            result += "\n" + rows.text(palette, columns: output.columns)
            if missing.contains(where: { $0.need.contains("record ") }) {
                result += lines(
                    "Not every vehicle has all of these signals.", .dim, palette, output.columns)
            }
        }
        return result
    }

    /// The topics of which something was not measured, with the signals that would measure it, in the order of the
    /// table; at last those of which only the moments are missing.
    private var notTested: [(topic: String, need: String)] {
        var topics: [String] = []
        var needs: [String: [String]] = [:]
        for one in verdict.untested where one.measure.monitors.isEmpty {
            let topic = one.measure.topic
            if needs[topic] == nil { topics.append(topic) }
            let known = needs[topic] ?? []
            needs[topic] = known + signals(one.needs).filter { !known.contains($0) }
        }
        let judged = verdict.testedTopics
        var rows: [(String, String)] = topics.compactMap { topic in
            guard let signals = needs[topic], !signals.isEmpty else { return nil }
            return (
                topic,
                (judged.contains(topic) ? "for all of it record " : "record ")
                    + signals.joined(separator: ", ")
            )
        }
        let rest = topics.filter { needs[$0]?.isEmpty == true }
        let (partly, wholly) = (rest.filter(judged.contains), rest.filter { !judged.contains($0) })
        for (topics, need) in [
            (wholly, "no such moment in the drive, or too short"),
            (partly, "in part: some moments are missing or too short"),
        ] where !topics.isEmpty {
            rows.append((topics.joined(separator: ", "), need))
        }
        let monitors = verdict.untested.first { !$0.measure.monitors.isEmpty }
        // A vehicle has only some of these tests, so that one which was read is enough.
        if let topic = monitors?.measure.topic, !judged.contains(topic) {
            rows.append((topic, "read them: obdscan monitors"))
        }
        return rows
    }

    private func table(_ features: [DriveFeature], _ output: OutputForm) -> String {
        let hasPast = features.contains { $0.usual != nil }
        var rows = TextTable(
            [
                ("FROM", .left), ("DATA", .right), ("FEATURE", .left), ("VALUE", .right),
                ("HEALTHY", .left),
            ] + (hasPast ? [("OWN PAST", .left)] : []), flexible: [2])
        for feature in features {
            var cells: [TextTable.Cell] = [
                .init(feature.from > 0 ? clock(feature.from) : ""),
                .init(feature.seconds > 0 ? "\(fixed(feature.seconds, 0)) s" : ""),
                .init(feature.measure.name + source(of: feature)),
                .init(value(feature.value, feature, output.units)),
                .init(healthy(feature, output.units)),
            ]
            if hasPast { cells.append(.init(past(of: feature, output.units) ?? "")) }
            rows.add(cells)
        }
        return rows.text(output.palette, columns: output.columns)
    }

    /// What is usual for the vehicle: the mean of its own drives.
    private func past(of feature: DriveFeature, _ units: UnitSystem) -> String? {
        feature.usual.map { usual in
            let day = localTime(UTC(microseconds: usual.since)).prefix(10)
            return "\(value(usual.mean, feature, units)) in \(usual.drives) trips since \(day)"
        }
    }

    /// Where a value comes from that the trip itself does not have.
    private func source(of feature: DriveFeature) -> String {
        feature.frame.map { " (freeze frame of \($0))" } ?? ""
    }

    /// The moment in which a code was set.
    private func text(_ frame: FrozenMoment, _ units: UnitSystem) -> String {
        let words = [("", "rpm"), ("", "km/h"), ("coolant ", "°C"), ("load ", "%")]
        var figures = zip(FrozenMoment.described, words).compactMap { quantity, word in
            frame.values[quantity].map { word.0 + shown($0, word.1, 0, units) }
        }
        if let correction = frame.correction {
            figures.append("fuel correction " + shown(correction, "%", 1, units))
        }
        let day = frame.day.map { " (read on \($0))" } ?? ""
        let point = frame.point.map { ["set \($0)"] } ?? []
        return "Freeze frame of \(frame.code)\(day): "
            + (point + figures).joined(separator: ", ") + "."
    }

    /// A cause with the evidence for and against it, and the next test.
    private func text(
        _ candidate: DriveInference.Candidate, isFirst: Bool, _ output: OutputForm
    ) -> String {
        let cause = candidate.cause
        var result = "\n"
        if verdict.kind == .several {
            result += lines(
                "\(cause.name): \(DriveVerdict.tenths(candidate.probability))", .bold,
                output.palette, output.columns)
        }
        var rows = TextTable(
            [("", .left), ("", .left), ("", .right), ("", .left)], flexible: [1])
        if let noted = candidate.code {
            rows.add([
                .init("for"),
                .init(
                    "\(noted.code.code) \(noted.code.status.rawValue)"
                        + (noted.code.other.map { " on \($0.day)" } ?? "")),
                .init(""), .init(""),
            ])
        }
        for line in verdict.evidence(candidate) {
            let feature = line.feature
            rows.add([
                .init(line.isFor ? "for" : "against"),
                .init(feature.measure.name + source(of: feature) + time(of: feature)),
                .init(value(feature.value, feature, output.units)),
                .init(
                    "healthy \(healthy(feature, output.units))"
                        + (past(of: feature, output.units).map { ", own past \($0)" } ?? "")
                        + ", with this cause " + value(line.expected, feature, output.units)),
            ])
        }
        result += rows.text(output.palette, columns: output.columns)
        result += lines("Next: \(cause.next)", nil, output.palette, output.columns)
        if isFirst {
            let tests = verdict.tests
            for (other, test) in tests {
                let between =
                    tests.count > 1 ? "The test against \"\(other)\"" : "The test between them"
                result += lines("\(between): \(test)", nil, output.palette, output.columns)
            }
            if let separating = verdict.separating {
                result += lines(separating, nil, output.palette, output.columns)
            }
        }
        result += lines(
            "Driving on: \(Self.words[cause.drive] ?? cause.drive)", nil, output.palette,
            output.columns)
        return result
    }

    private static let words = [
        "stop": "stop now", "soon": "repair it soon", "weeks": "it can wait for weeks",
        "note": "no danger",
    ]

    private func time(of feature: DriveFeature) -> String {
        feature.seconds > 0
            ? " (\(clock(feature.from)), \(fixed(feature.seconds, 0)) s)" : ""
    }

    private func clock(_ t: Int64) -> String {
        String(localTime(trip.start.later(by: t)).dropFirst(11))
    }

    /// The preferred signals of quantities.
    private func signals(_ quantities: [String]) -> [String] {
        quantities.map { knowledge.signals(of: $0).first ?? $0 }
    }

    private func value(_ value: Double, _ feature: DriveFeature, _ units: UnitSystem) -> String {
        let measure = feature.measure
        let text = shown(value, measure.unit, measure.places, units)
        return measure.unit.isEmpty ? String(text.dropLast()) : text
    }

    private func healthy(_ feature: DriveFeature, _ units: UnitSystem) -> String {
        guard let limits = feature.measure.limit else { return "" }
        let conversion = units.conversion(from: feature.measure.unit)
        let text = { (value: Double) in
            let value = conversion.map { $0(value) } ?? value
            return fixed(
                value, value == value.rounded() ? 0 : max(1, feature.measure.places))
        }
        return limits.lowerBound < -30 || limits.lowerBound == 0
            ? "to \(text(limits.upperBound))"
            : "\(text(limits.lowerBound)) to \(text(limits.upperBound))"
    }

    // MARK: For programs

    /// The keys of the rows, each kind's in their order.
    package static let keys = [
        [
            "trip", "verdict", "text", "healthy", "other", "prior", "codes", "lamp", "frames",
            "points", "notTested",
        ],
        [
            "trip", "rank", "cause", "name", "probability", "severity", "severityUnit", "drive",
            "next", "separates",
        ],
        [
            "trip", "cause", "side", "feature", "name", "value", "unit", "healthyLow",
            "healthyHigh", "usual", "usualTrips", "usualSince", "frame", "expected", "weight",
            "from", "to", "seconds",
        ],
    ]

    package var rows: [Row] {
        let isUntestable = verdict.kind == .untestable
        let first = Row(
            "diagnosis",
            [
                "trip": .integer(trip.id), "verdict": .text(verdict.kind.rawValue),
                "text": .text(verdict.text),
                "healthy": .number(isUntestable ? nil : verdict.inference.healthy, places: 3),
                "other": .number(isUntestable ? nil : verdict.inference.other, places: 3),
                "prior": .text(prior),
                "codes": .objects(
                    verdict.record.codes.map { code in
                        [
                            "code": .text(code.code), "status": .text(code.status.rawValue),
                            "day": .text(code.other?.day),
                            "causes": .words(
                                verdict.causes.filter { $0.code?.code == code }.map(\.cause.id)),
                        ]
                    }),
                "lamp": .flag(verdict.record.isLampOn),
                "frames": .objects(
                    verdict.past.frames.map { frame in
                        [
                            "code": .text(frame.code), "day": .text(frame.day),
                            "point": .text(frame.place.map { "\($0)" }),
                            "engineSpeed": .number(frame.values[.engineSpeed], places: 0),
                            "speed": .number(frame.values[.speed], places: 0),
                            "coolant": .number(frame.values[.coolant], places: 0),
                            "load": .number(frame.values[.load], places: 1),
                            "correction": .number(frame.correction, places: 1),
                        ]
                    }),
                "points": .objects(
                    verdict.points.map { point in
                        [
                            "point": .text(point.name), "from": .time(time(point.from)),
                            "to": .time(time(point.to)),
                            "seconds": .number(point.seconds, places: 1),
                        ]
                    }),
                "notTested": .objects(
                    verdict.untested.map { one in
                        [
                            "feature": .text(one.measure.id), "cause": .text(nil),
                            "needs": .words(signals(one.needs)),
                        ]
                    }
                        + verdict.inference.untested.map { one in
                            [
                                "feature": .text(nil), "cause": .text(one.cause.id),
                                "needs": .words(one.missing),
                            ]
                        }),
            ])
        var rows = [first]
        for (place, candidate) in verdict.causes.enumerated() {
            rows.append(row(candidate, rank: place + 1))
            rows += verdict.evidence(candidate).map { row($0, of: candidate) }
        }
        guard verdict.causes.isEmpty else { return rows }
        return rows
            + verdict.features.map { feature in
                evidence(
                    feature, cause: nil,
                    side: verdict.worst.contains(feature)
                        ? "for" : feature.excess > 0 ? nil : "against", expected: nil, weight: nil)
            }
    }

    /// The facts about the vehicle that were known before its readings.
    private var prior: String {
        let record = verdict.record
        return record.complains && !record.stored.isEmpty
            ? "code" : record.isLampOn == true ? "lamp" : record.complains ? "test" : "none"
    }

    private func row(_ candidate: DriveInference.Candidate, rank: Int) -> Row {
        let cause = candidate.cause
        let other = cause.alike.first { alike in
            verdict.causes.contains { $0.cause.id == alike.cause }
        }
        return Row(
            "cause",
            [
                "trip": .integer(trip.id), "rank": .integer(rank), "cause": .text(cause.id),
                "name": .text(cause.name),
                "probability": .number(min(candidate.probability, 0.99), places: 2),
                "severity": .number(candidate.severity),
                "severityUnit": .text(cause.severityUnit), "drive": .text(cause.drive),
                "next": .text(cause.next), "separates": .text(other?.cause),
            ])
    }

    private func row(
        _ line: DriveVerdict.Evidence, of candidate: DriveInference.Candidate
    ) -> Row {
        evidence(
            line.feature, cause: candidate.cause.id, side: line.isFor ? "for" : "against",
            expected: line.expected, weight: line.weight)
    }

    private func evidence(
        _ feature: DriveFeature, cause: String?, side: String?, expected: Double?, weight: Double?
    ) -> Row {
        Row(
            "evidence",
            [
                "trip": .integer(trip.id), "cause": .text(cause), "side": .text(side),
                "feature": .text(feature.id), "name": .text(feature.measure.name),
                "value": .number(feature.value, places: 3), "unit": .text(feature.measure.unit),
                "healthyLow": .number(feature.measure.limit?.lowerBound),
                "healthyHigh": .number(feature.measure.limit?.upperBound),
                "usual": .number(feature.usual?.mean, places: 3),
                "usualTrips": .integer(feature.usual?.drives),
                "usualSince": .time(feature.usual.map { UTC(microseconds: $0.since) }),
                "frame": .text(feature.frame),
                "expected": .number(expected, places: 3), "weight": .number(weight, places: 2),
                "from": .time(time(feature.from)), "to": .time(time(feature.to)),
                "seconds": .number(feature.seconds, places: 1),
            ])
    }

    private func time(_ t: Int64) -> UTC { trip.start.later(by: t) }
}
