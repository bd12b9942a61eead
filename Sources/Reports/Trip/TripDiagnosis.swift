import Diagnostics
import Formats
import OBDCore
import SystemIO
import TripStore

/// The verdict about one trip, with its evidence, as text, JSON Lines or CSV.
package struct TripDiagnosis {
    private let trip: TripSummary
    package let verdict: DriveVerdict

    /// Judges the readings of a trip.
    package init(of readings: TripReadings) throws {
        trip = readings.trip
        let roles = Self.roles(readings)
        var quantities = [DriveQuantity?](repeating: nil, count: readings.signals.count)
        for (place, quantity) in roles { quantities[place] = quantity }
        var watch = DriveWatch()
        try readings.forEachNumber(of: Array(roles.keys)) { t, place, value in
            if let quantity = quantities[place] { watch.take(value, quantity, t: t) }
        }
        verdict = DriveVerdict(watch)
    }

    /// The signals to use, all of one ECU: the one with most quantities, because another ECU's copy may be of
    /// another moment.
    private static func roles(_ readings: TripReadings) -> [Int: DriveQuantity] {
        var byECU: [ECUAddress?: [DriveQuantity: Int]] = [:]
        for (place, found) in readings.signals.enumerated()
        where found.frame == nil && found.minimum != nil {
            guard let quantity = quantity(found, readings.table) else { continue }
            let other = byECU[found.ecu]?[quantity].map { readings.signals[$0].readings } ?? 0
            if found.readings > other { byECU[found.ecu, default: [:]][quantity] = place }
        }
        let best = byECU.max { one, other in
            let (left, right) = (one.value.count, other.value.count)
            // The order of a dictionary must not decide.
            return left == right ? (one.key?.value ?? 0) > (other.key?.value ?? 0) : left < right
        }
        return Dictionary(uniqueKeysWithValues: (best?.value ?? [:]).map { ($0.value, $0.key) })
    }

    private static func quantity(_ found: TripSignal, _ table: PIDTable) -> DriveQuantity? {
        guard let dataID = found.dataID else { return nil }
        let id: UInt32
        switch dataID.service {
        case .currentData: id = dataID.id
        case .readData where dataID.id & 0xFF00 == 0xF400: id = dataID.id & 0xFF
        default: return nil
        }
        let name = table[found.signal].id
        return DriveQuantity.allCases.first { $0.signal == name && $0.pid == id }
    }

    // MARK: For people

    package func text(_ output: OutputForm) -> String {
        let palette = output.palette
        let style: Style =
            switch verdict.kind {
            case .nothing: .good
            case .unclear, .untestable: .warning
            }
        var result = lines(
            "Trip \(trip.id): \(verdict.text)", style, palette, output.columns)
        let shown = verdict.kind == .unclear ? verdict.worst : verdict.features
        if !shown.isEmpty {
            var rows = TextTable(
                [
                    ("FROM", .left), ("DATA", .right), ("FEATURE", .left), ("VALUE", .right),
                    ("HEALTHY", .left),
                ], flexible: [2])
            for feature in shown {
                rows.add([
                    .init(clock(feature.from)), .init("\(fixed(feature.seconds, 0)) s"),
                    .init(feature.limits.name),
                    .init(value(feature.value, feature.limits.unit, output.units)),
                    .init(healthy(feature, output.units)),
                ])
            }
            result += "\n" + rows.text(palette, columns: output.columns)
        }
        let missing = verdict.untested
        if !missing.isEmpty {
            var rows = TextTable([("", .left), ("", .left)], flexible: [1])
            for one in missing {
                rows.add([.init("Not tested", .dim), .init(reason(one))])
            }
            result += "\n" + rows.text(palette, columns: output.columns)
        }
        return result
    }

    private func reason(_ one: DriveVerdict.Untested) -> String {
        let needs = one.needs.map(\.signal).joined(separator: ", ")
        return "\(one.id.limits.name): "
            + (needs.isEmpty
                ? "not long enough, or not in this vehicle or drive" : "needs \(needs)")
    }

    private func clock(_ t: Int64) -> String {
        String(localTime(trip.start.later(by: t)).dropFirst(11))
    }

    private func value(_ value: Double, _ unit: String, _ units: UnitSystem) -> String {
        shown(value, unit, unit == "rpm" ? 0 : unit == "V" ? 2 : 1, units)
    }

    private func healthy(_ feature: DriveFeature, _ units: UnitSystem) -> String {
        let limits = feature.limits.healthy
        let conversion = units.conversion(from: feature.limits.unit)
        let text = { (value: Double) in
            let value = conversion.map { $0(value) } ?? value
            return fixed(value, value == value.rounded() ? 0 : 1)
        }
        return limits.lowerBound < -30 || limits.lowerBound == 0
            ? "to \(text(limits.upperBound))"
            : "\(text(limits.lowerBound)) to \(text(limits.upperBound))"
    }

    // MARK: For programs

    /// The keys of the rows, each kind's in their order.
    package static let keys = [
        ["trip", "verdict", "text", "points", "notTested"],
        [
            "trip", "side", "feature", "name", "value", "unit", "healthyLow", "healthyHigh", "from",
            "to", "seconds",
        ],
    ]

    package var rows: [Row] {
        let first = Row(
            "diagnosis",
            [
                "trip": .integer(trip.id), "verdict": .text(verdict.kind.rawValue),
                "text": .text(verdict.text),
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
                            "feature": .text(one.id.rawValue),
                            "needs": .words(one.needs.map(\.signal)),
                        ]
                    }),
            ])
        return [first]
            + verdict.features.map { feature in
                Row(
                    "evidence",
                    [
                        "trip": .integer(trip.id),
                        "side": .text(
                            verdict.worst.contains(feature)
                                ? "for" : feature.excess > 0 ? nil : "against"),
                        "feature": .text(feature.id.rawValue), "name": .text(feature.limits.name),
                        "value": .number(feature.value, places: 2),
                        "unit": .text(feature.limits.unit),
                        "healthyLow": .number(feature.limits.healthy.lowerBound),
                        "healthyHigh": .number(feature.limits.healthy.upperBound),
                        "from": .time(time(feature.from)), "to": .time(time(feature.to)),
                        "seconds": .number(feature.seconds, places: 1),
                    ])
            }
    }

    private func time(_ t: Int64) -> UTC { trip.start.later(by: t) }
}

extension DriveQuantity {
    /// The PID of service 01 that has the quantity.
    fileprivate var pid: UInt32 {
        switch self {
        case .speed: 0x0D
        case .engineSpeed: 0x0C
        case .coolant: 0x05
        case .shortTrim1: 0x06
        case .longTrim1: 0x07
        case .shortTrim2: 0x08
        case .longTrim2: 0x09
        case .fuelStatus: 0x03
        case .fuelType: 0x51
        case .ethanol: 0x52
        case .voltage: 0x42
        case .manifold: 0x0B
        case .barometric: 0x33
        case .ambient: 0x46
        case .intakeAir: 0x0F
        }
    }
}
