import Formats
import OBDCore
import SystemIO
import TripStore

/// The figures of batteries in words: for the terminal, pages, and the report of a trip.
struct EnergyTables {
    private let units: UnitSystem
    private let withVehicle: Bool

    init(_ units: UnitSystem, withVehicle: Bool = false) {
        self.units = units
        self.withVehicle = withVehicle
    }

    private typealias Heading = (title: String, alignment: TextTable.Alignment)

    // MARK: Numbers

    /// `12.31 ± 0.24 kWh`: with the places that the error leaves.
    static func text(_ figure: Estimated, _ unit: String, factor: Double = 1) -> String {
        let error = abs(figure.error * factor)
        let places = error >= 10 ? 0 : error >= 0.95 ? 1 : 2
        return "\(fixed(figure.value * factor, places)) ± \(fixed(error, places)) \(unit)"
    }

    /// `16.4 ± 0.4 kWh/100 km`, or miles per kilowatt-hour.
    func consumption(_ figure: Estimated) -> String {
        let conversion = units.conversion(from: "km")
        guard let conversion, figure.value > 0 else {
            return Self.text(figure, "kWh/100 km")
        }
        let value = 100 / figure.value * conversion.factor
        let per = Estimated(value, value * figure.deviation / figure.value)
        return Self.text(per, conversion.unit + "/kWh")
    }

    private func share(_ figure: Estimated) -> String {
        "\(fixed(figure.value * 100, 0)) ± \(fixed(max(1, figure.error * 100), 0)) %"
    }

    private static func gaps(_ seconds: Double, _ count: Int) -> String {
        seconds > 0 ? "\(durationText(seconds)) in \(counted(count, "gap")) not counted" : ""
    }

    private func way(_ kilometres: Double?) -> String {
        kilometres.map { shown($0, "km", 1, units) } ?? "—"
    }

    // MARK: Trips

    private var tripHeadings: [Heading] {
        let vehicle: [Heading] = withVehicle ? [("VEHICLE", .left)] : []
        return [("TRIP", .right), ("START", .left)] + vehicle + [
            ("USED", .right), ("DISTANCE", .right), ("CONSUMPTION", .right),
            ("REGENERATED", .right),
            ("CHARGED", .right), ("ODOMETER", .right), ("", .left),
        ]
    }

    private func texts(of energy: TripEnergy) -> [String] {
        let use = energy.use
        let start = String(localTime(energy.trip.start).prefix(16))
        let vehicle = withVehicle ? [energy.trip.vehicle ?? "—"] : []
        // Swift 6.2 does not find the type of the figures within a sum of arrays.
        let figures: [String] = [
            use.used.map { Self.text($0, "kWh") } ?? "—", way(use.distance?.value),
            use.per100km.map(consumption) ?? "—", use.regeneratedShare.map(share) ?? "—",
            use.charged.map { Self.text($0, "kWh") } ?? "—", way(energy.odometer),
            Self.gaps(use.gaps, use.gapCount),
        ]
        return [energy.trip.number, start] + vehicle + figures
    }

    func trips(_ trips: [TripEnergy]) -> TextTable {
        let odometer = withVehicle ? 8 : 7
        var table = TextTable(
            tripHeadings.map { ($0.title, $0.alignment) }, spare: [[odometer], [odometer - 2]])
        for energy in trips { table.add(texts(of: energy).map { .init($0) }) }
        return table
    }

    var tripHead: [HTMLText.Cell] { Self.head(tripHeadings) }

    func cells(of energy: TripEnergy) -> [HTMLText.Cell] {
        Self.cells(texts(of: energy), tripHeadings)
    }

    private static func head(_ headings: [Heading]) -> [HTMLText.Cell] {
        headings.map { heading in
            HTMLText.Cell(
                heading.title.prefix(1) + heading.title.dropFirst().lowercased(),
                heading.alignment == .right ? "n" : nil)
        }
    }

    private static func cells(_ texts: [String], _ headings: [Heading]) -> [HTMLText.Cell] {
        zip(texts, headings).map { text, heading in
            HTMLText.Cell(text, heading.alignment == .right ? "n" : nil)
        }
    }

    // MARK: Sessions

    private static let sessionHeadings: [Heading] = [
        ("TRIP", .right), ("CHARGING FROM", .left), ("TO", .left), ("ENERGY", .right),
        ("MEAN", .right), ("TOP", .right), ("CHARGE", .right), ("CURRENT", .left), ("", .left),
    ]

    private func texts(of one: TripEnergy.Session) -> [String] {
        let session = one.session
        let charge: String =
            if let from = session.chargeFrom, let to = session.chargeTo {
                "\(fixed(from, 0)) to \(fixed(to, 0)) %"
            } else { "—" }
        return [
            one.trip.number, String(localTime(one.start).prefix(16)),
            String(localTime(one.end).dropFirst(11).prefix(5)),
            session.energy.map { Self.text($0, "kWh") } ?? "—",
            session.meanPower.map { fixed($0, 1) + " kW" } ?? "—",
            session.topPower.map { fixed($0, 1) + " kW" } ?? "—", charge, Self.current(session),
            session.gaps > 0 ? "\(durationText(session.gaps)) without values" : "",
        ]
    }

    /// The kind of the current, with its reason.
    private static func current(_ session: ChargingSession) -> String {
        let most = fixed(ChargingSession.mostAlternating, 0)
        return switch session.reason {
        case .flag: "\(session.current?.rawValue ?? "") (the vehicle says so)"
        case .lowPower: "probably AC: never above \(most) kW"
        case .highPower: "probably DC: above \(most) kW on average"
        case .unclear: "AC or DC: above \(most) kW only for a time"
        case .unknown: "—"
        }
    }

    func sessions(_ sessions: [TripEnergy.Session]) -> TextTable {
        var table = TextTable(Self.sessionHeadings.map { ($0.title, $0.alignment) })
        for session in sessions { table.add(texts(of: session).map { .init($0) }) }
        return table
    }

    var sessionHead: [HTMLText.Cell] { Self.head(Self.sessionHeadings) }

    func cells(of session: TripEnergy.Session) -> [HTMLText.Cell] {
        Self.cells(texts(of: session), Self.sessionHeadings)
    }

    /// The power of sessions by state of charge.
    func curves(_ sessions: [TripEnergy.Session]) -> TextTable {
        let known = sessions.filter { $0.session.curve.count > 1 }
        guard !known.isEmpty else { return TextTable([]) }
        let charges = Set(known.flatMap { $0.session.curve.map(\.charge) }).sorted()
        var table = TextTable(
            [("CHARGE", .right)]
                + known.map { (String(localTime($0.start).dropFirst(5).prefix(11)), .right) })
        for charge in charges {
            let powers = known.map { one in
                one.session.curve.first { $0.charge == charge }.map { fixed($0.power, 1) + " kW" }
                    ?? ""
            }
            let range = "\(charge) to \(min(100, charge + ChargingSession.pointWidth)) %"
            table.add(([range] + powers).map { .init($0) })
        }
        return table
    }

    // MARK: Facts

    /// What is known of a vehicle's battery.
    func facts(_ vehicle: EnergyReport.Vehicle) -> [(name: String, value: String)] {
        var facts: [(name: String, value: String)] = []
        if vehicle.trips.count > 1 {
            if let used = vehicle.sum(\.used) {
                let per = vehicle.per100km.map { ", " + consumption($0) } ?? ""
                facts.append(("all trips", Self.text(used, "kWh") + per))
            }
            if let charged = vehicle.sum(\.charged) {
                facts.append(("charged", Self.text(charged, "kWh")))
            }
        }
        if let capacity = vehicle.capacity {
            facts.append(("capacity", Self.text(capacity)))
        } else if let reason = vehicle.noCapacity {
            facts.append(("capacity", "not known: \(reason)"))
        }
        // The newest trip that has the figure.
        if let cells = vehicle.trips.compactMap(\.use.cells).last { facts += Self.facts(cells) }
        if let isolation = vehicle.trips.compactMap(\.use.isolation).last {
            facts.append(("isolation", Self.text(isolation)))
        }
        return facts
    }

    /// The facts of a single trip, for its report and its summary.
    func facts(_ energy: TripEnergy) -> [(name: String, value: String)] {
        let use = energy.use
        var facts: [(name: String, value: String)] = []
        func add(_ name: String, _ value: String?) {
            if let value { facts.append((name, value)) }
        }
        add("Used", use.used.map { Self.text($0, "kWh") })
        add("Consumption", use.per100km.map(consumption))
        add("Regenerated", use.regeneratedShare.map(share))
        add("Charged", use.charged.map { Self.text($0, "kWh") })
        add("Not counted", use.gaps > 0 ? Self.gaps(use.gaps, use.gapCount) : nil)
        add("Capacity", use.capacity.map { Self.text($0) })
        let battery =
            (use.cells.map { Self.facts($0) } ?? [])
            + (use.isolation.map { [("isolation", Self.text($0))] } ?? [])
        for (name, value) in battery {
            add(name.prefix(1).uppercased() + name.dropFirst(), value)
        }
        return facts
    }

    /// `16.2 ± 0.3 kWh, 14.1 ± 0.4 kWh/100 km, charged 20.1 ± 0.4 kWh` for the summary of a trip.
    func line(_ use: BatteryUse) -> String? {
        let parts = [
            use.used.map { Self.text($0, "kWh") }, use.per100km.map(consumption),
            use.charged.map { "charged " + Self.text($0, "kWh") },
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// Nothing measures a battery from outside: its computer counts charge and derives the state of charge from it.
    private static func text(_ capacity: BatteryCapacity) -> String {
        let energy = capacity.energy.map { ", which takes \(text($0, "kWh")) to charge" } ?? ""
        return text(capacity.charge, "Ah") + energy + ", as the battery computer counts ("
            + counted(capacity.sessions, "session") + ")"
    }

    private static func facts(_ cells: BatteryUse.Cells) -> [(name: String, value: String)] {
        var facts: [(name: String, value: String)] = []
        if let rest = cells.rest, let grade = cells.grade {
            let words =
                switch grade {
                case .good: "good"
                case .fair: "more than new cells have"
                case .odd: "odd"
                case .strong: "much too large"
                }
            let step = cells.step.map { ", in steps of \(fixed($0, 0)) mV" } ?? ""
            facts.append(
                (
                    "cells at rest",
                    "\(fixed(rest, 0)) mV between highest and lowest\(step): \(words)"
                ))
        }
        if let slope = cells.slope, let intercept = cells.intercept {
            facts.append(
                (
                    "cells under load",
                    "\(text(intercept, "mV")) without current, and \(text(slope, "mV")) more per ampere"
                ))
        }
        if let weakest = cells.weakest, let share = cells.lowestShare {
            facts.append(
                (
                    "weakest cell",
                    "\(weakest): the lowest in \(fixed(share * 100, 0)) % of "
                        + "\(counted(cells.lowestCount, "reading")) in which cells differ"
                ))
        }
        return facts
    }

    private static func text(_ isolation: BatteryUse.Isolation) -> String {
        let words =
            switch isolation.grade {
            case .good: "good"
            case .odd: "odd: healthy batteries have 900 kΩ or more; have it measured"
            case .stop: "too low: do not touch orange cables; a specialist has to measure it"
            }
        return
            "\(fixed(isolation.middle, 0)) kΩ (lowest \(fixed(isolation.lowest, 0)) kΩ): \(words)"
    }

    /// What is missing, each reason once with its trips.
    func notes(_ trips: [TripEnergy]) -> [String] {
        var reasons: [(text: String, trips: [Int64])] = []
        for energy in trips {
            for figure in [BatteryUse.Figure.used, .per100Km, .regenerated, .sessions] {
                // A charging session has no consumption, so nothing is missing there.
                guard let reason = energy.use.missing[figure], reason != BatteryUse.hardlyMoved
                else { continue }
                let text = "\(Self.title(figure)) not known: \(reason)"
                if let place = reasons.firstIndex(where: { $0.text == text }) {
                    reasons[place].trips.append(energy.trip.id)
                } else {
                    reasons.append((text, [energy.trip.id]))
                }
            }
        }
        var notes = reasons.map { reason -> String in
            if trips.count == 1 {
                return reason.text.prefix(1).uppercased() + reason.text.dropFirst() + "."
            }
            let numbers = reason.trips.map(String.init).joined(separator: ", ")
            return "Trip \(numbers): \(reason.text)."
        }
        let offsets = trips.filter { abs($0.use.offset ?? 0) >= 0.05 }
        if !offsets.isEmpty {
            let largest = offsets.map { abs($0.use.offset ?? 0) }.max() ?? 0
            notes.append(
                "While the vehicle stood, the sensor showed up to \(fixed(largest, 1)) A. That is taken as its "
                    + "offset and subtracted.")
        }
        if !trips.allSatisfy({ $0.use.used == nil && $0.use.sessions.isEmpty }) {
            notes.append(
                "± is two standard deviations. Energy is counted at the battery, without the losses of a "
                    + "charger.")
        }
        return notes
    }

    private static func title(_ figure: BatteryUse.Figure) -> String {
        switch figure {
        case .used: "energy"
        case .per100Km: "consumption"
        case .regenerated: "the share that braking gave back"
        case .sessions: "charging"
        case .capacity: "capacity"
        case .cells: "cells"
        case .isolation: "isolation"
        }
    }
}
