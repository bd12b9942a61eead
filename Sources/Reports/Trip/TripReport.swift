import Diagnostics
import Formats
import OBDCore
import PIDTables
import SystemIO
import TripStore

/// The page of `trips report`.
package struct TripReport {
    /// The PIDs that are plotted by default, if the trip has them.
    package static let favourites: [UInt32] = [0x0D, 0x0C, 0x05, 0x04, 0x11, 0x10, 0x5E, 0x2F]
    /// The greatest number of plotted signals.
    package static let mostPlots = 24

    package let page: HTMLPage

    /// A page about a trip, with plots of the signals in `names`.
    ///
    /// `signalNamed` returns the signal for a user's name.
    package init(
        _ readings: TripReadings, _ store: TripStore, _ units: UnitSystem, _ profile: FuelProfile,
        plotting names: [String] = [], signalNamed: (String) -> String? = { _ in nil }
    ) throws {
        let trip = readings.trip
        var others = Others()
        try readings.forEachOtherRecord { time, record in others.take(record, at: time) }
        let places = try Self.places(names, readings, signalNamed)
        let fuel = try TripFuel.use(of: readings, profile)

        var page = HTMLPage(
            title: trip.name ?? "Trip \(trip.number), \(localTime(trip.start))",
            lead: [trip.vehicleName, trip.vin, trip.accessory].compactMap(\.self)
                .joined(separator: " · "))
        let ecus = Set(readings.signals.compactMap(\.ecu) + others.ecus).sorted()
        // A single ECU is in the summary, and not in each row of each table.
        let ecuNames = try store.names(
            ofVehicle: trip.vin, onJ1939: readings.isOnJ1939 || others.isOnJ1939)
        let names = ECUColumn(isAlone: ecus.count < 2, names: ecuNames)
        let plots = try Self.plots(places, readings, units, ecuNames)
        let facts = Self.facts(trip, ecus, names, units)
        page.section("Summary") { $0.facts(facts) }
        if let fuel { Self.add(fuel, profile, units, to: &page) }
        let known = PIDTables.signalRoles()
        if let energy = try TripEnergy(readings, known), energy.isWorthShowing {
            Self.add(energy, units, to: &page)
        }
        let roles = try TripRole.all(of: readings, known)
        if !roles.isEmpty {
            page.section("Vehicle") { page in
                page.facts(
                    roles.map { role in
                        let title = role.role.title
                        return (
                            title.prefix(1).uppercased() + title.dropFirst(),
                            role.text(readings, units)
                        )
                    })
            }
        }
        if !others.points.isEmpty {
            let conversion = units.conversion(from: "km")
            page.section("Track") {
                TrackMap(others.points).append(
                    to: &$0, kilometre: conversion?.factor ?? 1, unit: conversion?.unit ?? "km")
            }
        }
        page.plots("Plots", plots)
        Self.addCodes(of: trip, others, store, ecus, names, to: &page)
        Self.addReadiness(others, names, to: &page)
        Self.addEvents(others, since: trip.start, names, to: &page)
        let notes = try store.notes(ofTrip: trip.id)
        if !notes.isEmpty {
            page.section("Notes") { page in
                for note in notes {
                    page.element("p", (note.time.map { localTime($0) + "  " } ?? "") + note.text)
                }
            }
        }
        let signals = try TripSignals(readings, units, ecuNames)
        let rows = Self.signalRows(signals.numbers, readings, units, names)
        if !rows.isEmpty {
            page.section("Signals") {
                $0.table(
                    [.init("Name")] + names.head + [
                        .init("Min", "n"), .init("Mean", "n"), .init("Max", "n"),
                        .init("Unit", "brief"), .init("Signal", "brief"), .init("Readings", "n"),
                    ], rows)
            }
        }
        if !signals.states.isEmpty {
            page.section("States, by time") {
                $0.facts(signals.states.map { ($0.name, $0.share) })
            }
        }
        if !signals.constants.isEmpty {
            page.section("Did not change") { $0.facts(signals.constants) }
        }
        self.page = page
    }

    // MARK: Other records

    private struct Others {
        var points: [TrackPoint] = []
        var monitors: [MonitorStatus] = []
        var codes: [CodeReport] = []
        var events: [(time: UTC, event: TripEvent)] = []
        var counts: [TripEvent.Kind: Int] = [:]

        /// Whether codes are of SAE J1939.
        var isOnJ1939: Bool {
            codes.contains { if case .j1939 = $0.code { true } else { false } }
        }

        /// The ECUs of codes, monitors and events.
        var ecus: [ECUAddress] {
            codes.compactMap(\.ecu) + monitors.compactMap(\.ecu) + events.compactMap(\.event.ecu)
        }

        mutating func take(_ record: TripRecord, at time: UTC) {
            switch record {
            case .position(let position): points.append(TrackPoint(position, time: time))
            case .event(let event):
                counts[event.kind, default: 0] += 1
                if events.count < 200 { events.append((time, event)) }
            case .item(.monitor(let status)):
                let known = monitors.firstIndex {
                    $0.ecu == status.ecu && $0.scope == status.scope
                        && $0.monitor == status.monitor
                }
                if let known { monitors[known] = status } else { monitors.append(status) }
            case .item(.code(let report)):
                let isKnown = codes.contains {
                    $0.ecu == report.ecu && $0.kind == report.kind && $0.code == report.code
                }
                if !isKnown { codes.append(report) }
            case .item, .note, .codeList: return
            }
        }
    }

    // MARK: Sections

    private struct ECUColumn {
        /// Whether only one ECU answered.
        var isAlone: Bool
        let names: ECUNames

        /// The heading of the column of ECUs; none if there is only one ECU.
        var head: [HTMLText.Cell] { isAlone ? [] : [.init("ECU")] }

        /// The cell below ``head``.
        func cell(_ ecu: ECUAddress?) -> [HTMLText.Cell] {
            isAlone ? [] : [.init(names.title(of: ecu, none: "—"), "line")]
        }
    }

    private static func facts(
        _ trip: TripSummary, _ ecus: [ECUAddress], _ names: ECUColumn, _ units: UnitSystem
    ) -> [(name: String, value: String)] {
        var facts: [(name: String, value: String)] = []
        func add(_ name: String, _ value: String?) {
            if let value { facts.append((name, value)) }
        }
        let shown = { (value: Double, unit: String) -> String in
            let conversion = units.conversion(from: unit)
            return fixed(conversion.map { $0(value) } ?? value, 1) + " "
                + (conversion?.unit ?? unit)
        }
        add("Begin", localTime(trip.start))
        add("End", trip.endReason == nil ? "still being recorded" : localTime(trip.end))
        add("Time", durationText(trip.seconds))
        add("Distance", trip.distance.map { shown($0, "km") })
        add("Moving", trip.movingSeconds.map(durationText))
        add("Idle", trip.idleSeconds.map(durationText))
        add("Average while moving", trip.averageSpeed.map { shown($0, "km/h") })
        add("Hard braking", trip.hardBrakings.map { "\($0)×" })
        add("Hard acceleration", trip.hardAccelerations.map { "\($0)×" })
        add("Odometer", trip.odometer.map { shown($0.upperBound, "km") })
        add("Readings", String(trip.readings))
        add(
            ecus.count > 1 ? "ECUs" : "ECU",
            ecus.isEmpty
                ? nil : ecus.map { names.names.title(of: $0) }.joined(separator: ", "))
        add("Ended", trip.endReason?.title)
        add("Tags", trip.tags.isEmpty ? nil : trip.tags.joined(separator: ", "))
        return facts
    }

    private static func add(
        _ fuel: FuelUse, _ profile: FuelProfile, _ units: UnitSystem, to page: inout HTMLPage
    ) {
        page.section("Fuel") { page in
            var facts: [(name: String, value: String)] = []
            let all: [(String, String?)] = [
                ("Fuel", TripFuel.amountText(fuel, units, profile)),
                ("Consumption", TripFuel.consumptionText(fuel, units)),
                ("Cost", TripFuel.costText(fuel, profile)),
                ("CO₂", TripFuel.carbonDioxideText(fuel.carbonDioxide)),
            ]
            for (name, value) in all { if let value { facts.append((name, value)) } }
            page.facts(facts)
            page.table(
                [.init("Method"), .init("Amount", "n"), .init("Data", "n"), .init("Remarks")],
                fuel.estimates.map { estimate in
                    [
                        .init(estimate.title, estimate == fuel.chosen ? nil : "dim"),
                        .init(TripFuel.amount(estimate.amount, fuel.unit, units), "n"),
                        .init(estimate.coverage.map { fixed($0 * 100, 0) + " %" } ?? "—", "n"),
                        .init(estimate.problems.map(\.title).joined(separator: ", ")),
                    ]
                })
        }
    }

    private static func add(_ energy: TripEnergy, _ units: UnitSystem, to page: inout HTMLPage) {
        let tables = EnergyTables(units)
        page.section("Energy") { page in
            page.facts(tables.facts(energy))
            let sessions = energy.sessions
            if !sessions.isEmpty {
                page.table(tables.sessionHead, sessions.map { tables.cells(of: $0) })
            }
            for note in tables.notes([energy]) { page.element("p", note, class: "dim") }
        }
    }

    /// Adds the codes in the trip, else those of the vehicle at the trip's end.
    private static func addCodes(
        of trip: TripSummary, _ others: Others, _ store: TripStore, _ ecus: [ECUAddress],
        _ names: ECUColumn, to page: inout HTMLPage
    ) {
        var names = names
        let texts = PIDTables.codeTexts()
        var codes = others.codes.map { (text: $0.fullText, status: $0.kindText, $0.ecu, $0.code) }
        var lead = "As read in this trip."
        if codes.isEmpty, let vin = trip.vin, let known = try? store.codeHistory(vehicle: vin) {
            let end = trip.end
            codes = known.filter { $0.isPresent(at: end) }.map {
                (text: $0.code.text, status: $0.kind.rawValue, $0.ecu, $0.code)
            }
            lead = "As known when the trip ended."
        }
        guard !codes.isEmpty else { return }
        names.isAlone = Set(codes.compactMap(\.2) + ecus).count < 2
        let rows = codes.map { text, status, ecu, code in
            [.init(text), .init(status)] + names.cell(ecu)
                + [.init(texts.text(of: code) ?? "")]
        }
        page.section("Codes") {
            $0.element("p", lead, class: "dim")
            $0.table(
                [.init("Code"), .init("Status")] + names.head + [.init("Meaning")], rows)
        }
    }

    private static func addReadiness(
        _ others: Others, _ names: ECUColumn, to page: inout HTMLPage
    ) {
        let rows = others.monitors.filter { $0.supported && $0.scope == .sinceClear }.map {
            status -> [HTMLText.Cell] in
            [.init(status.monitor.title)] + names.cell(status.ecu) + [
                status.complete == true ? .init("complete", "good") : .init("not complete", "warn")
            ]
        }
        guard !rows.isEmpty else { return }
        page.section("Readiness") {
            $0.element("p", "Monitors since codes were cleared, as last read.", class: "dim")
            $0.table([.init("Monitor")] + names.head + [.init("State")], rows)
        }
    }

    private static func addEvents(
        _ others: Others, since start: UTC, _ names: ECUColumn, to page: inout HTMLPage
    ) {
        guard !others.events.isEmpty else { return }
        let total = others.counts.values.reduce(0, +)
        page.section("What went wrong") { page in
            page.element(
                "p",
                others.counts.sorted { $0.value > $1.value }.map { "\($0.key.title): \($0.value)" }
                    .joined(separator: ", "))
            page.table(
                [.init("At", "n"), .init("What")] + names.head + [.init("Words")],
                others.events.map { time, event in
                    [
                        .init(
                            clockText(
                                Double(max(0, time.microseconds(since: start))) / 1e6), "n"),
                        .init(event.kind.title),
                    ] + names.cell(event.ecu) + [
                        .init(
                            event.text
                                + (event.duration.map { " (\(durationText($0.seconds)))" } ?? ""))
                    ]
                })
            if total > others.events.count {
                page.element("p", "and \(total - others.events.count) more", class: "dim")
            }
        }
    }

    private static func signalRows(
        _ numbers: [TripSignal], _ readings: TripReadings, _ units: UnitSystem, _ names: ECUColumn
    ) -> [[HTMLText.Cell]] {
        numbers.map { found in
            let signal = readings.table[found.signal]
            let conversion = units.conversion(from: signal.unit)
            let step = readings.step(of: found) * (conversion?.factor ?? 1)
            let number = { (value: Double?) -> HTMLText.Cell in
                .init(value.map { numberText(conversion?($0) ?? $0, step: step) } ?? "", "n")
            }
            return [.init(signal.name)] + names.cell(found.ecu) + [
                number(found.minimum), number(signal.isTotal ? nil : found.mean),
                number(found.maximum), .init(conversion?.unit ?? signal.unit, "brief"),
                .init(signal.id, "brief"), .init(String(found.readings), "n"),
            ]
        }
    }

    // MARK: Plots

    /// The indices of the signals to plot.
    package static func places(
        _ names: [String], _ readings: TripReadings, _ signalNamed: (String) -> String?
    ) throws(TripReportError) -> [Int] {
        let plottable = readings.signals.indices.filter {
            readings.signals[$0].frame == nil && readings.signals[$0].mean != nil
        }
        let roles = PIDTables.signalRoles()
        func measures(_ place: Int, _ role: SignalRole) -> Bool {
            roles.role(of: readings.table[readings.signals[place].signal]) == role
        }
        guard !names.isEmpty else {
            let usual = favourites.compactMap { id in
                plottable.first {
                    readings.signals[$0].dataID == DataID(.currentData, id)
                        || readings.signals[$0].dataID == DataID(.readData, 0xF400 | id)
                }
            }
            let charge = plottable.first { measures($0, .stateOfCharge) }
            return usual + [charge].compactMap(\.self).filter { !usual.contains($0) }
        }
        var found: [Int] = []
        for name in names {
            let wanted = name.lowercased()
            let matching = plottable.filter {
                let signal = readings.table[readings.signals[$0].signal]
                return [signal.id.lowercased(), signal.name.lowercased()].contains(wanted)
            }
            // The user's name may be an alias in the table.
            let alias = matching.isEmpty ? signalNamed(wanted) : nil
            let aliased =
                alias.map { id in
                    plottable.filter { readings.table[readings.signals[$0].signal].id == id }
                } ?? matching
            let measured =
                aliased.isEmpty
                ? SignalRole(rawValue: wanted).map { role in plottable.filter { measures($0, role) }
                }
                    ?? [] : aliased
            guard !measured.isEmpty else {
                throw .noNumbers(
                    trip: readings.trip.id, signal: name,
                    near: nearestName(
                        to: name,
                        among: plottable.map { readings.table[readings.signals[$0].signal].id }))
            }
            found += measured.filter { !found.contains($0) }
        }
        return Array(found.prefix(mostPlots))
    }

    /// The plots of the signals at `places`.
    package static func plots(
        _ places: [Int], _ readings: TripReadings, _ units: UnitSystem, _ names: ECUNames
    ) throws -> [LinePlot] {
        var plots: [Int: LinePlot] = [:]
        var conversions: [Int: UnitSystem.Conversion] = [:]
        for place in places {
            let found = readings.signals[place]
            let signal = readings.table[found.signal]
            let conversion = units.conversion(from: signal.unit)
            conversions[place] = conversion
            let several = places.contains {
                $0 != place && readings.table[readings.signals[$0].signal].id == signal.id
            }
            plots[place] = LinePlot(
                signal: signal.id,
                name: signal.name
                    + (several
                        ? ", \(names.title(of: found.ecu, none: "unknown ECU"))"
                        : ""),
                unit: conversion?.unit ?? signal.unit,
                places: decimals(forStep: readings.step(of: found) * (conversion?.factor ?? 1)),
                seconds: readings.trip.seconds)
        }
        try readings.forEachNumber(of: places) { t, place, value in
            plots[place]?.take(conversions[place]?(value) ?? value, at: Double(t) / 1e6)
        }
        return places.compactMap { plots[$0] }.filter { !$0.isEmpty }
    }
}

extension TripReadings {
    /// Whether the vehicle uses SAE J1939.
    var isOnJ1939: Bool {
        signals.contains { $0.dataID?.service == DataID.parameterGroups }
    }
}
