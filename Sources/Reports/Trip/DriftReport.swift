import Formats
import OBDCore
import SystemIO
import TripStore

/// What has changed in a vehicle over its drives.
package struct DriftReport {
    let vin: String?
    let vehicle: String?
    let history: DriftHistory
    private let trips: [Int64: TripSummary]
    private let knowledge: DriveKnowledge

    /// Compares the features of all trips, the earliest first.
    ///
    /// - Parameter start: Earlier trips are not taken into account.
    package init(
        _ trips: [TripSummary], since start: UTC? = nil, in store: TripStore,
        _ knowledge: DriveKnowledge
    ) throws {
        let trips = trips.filter { trip in start.map { trip.start >= $0 } ?? true }
        let latest = trips.max { ($0.start, $0.id) < ($1.start, $1.id) }
        vin = latest?.vin
        vehicle = latest?.vehicle
        self.trips = Dictionary(trips.map { ($0.id, $0) }, uniquingKeysWith: { one, _ in one })
        self.knowledge = knowledge
        history = try DriftHistory(trips, in: store, knowledge)
    }

    // MARK: People

    private func place(_ trip: Int64) -> String {
        let day = trips[trip].map { " (\(String(localTime($0.start).prefix(10))))" } ?? ""
        return "trip \(trip)\(day)"
    }

    private func text(_ value: Double, _ change: DriftHistory.Change, _ units: UnitSystem) -> String
    {
        let measure = change.measure
        let text = shown(value, measure.unit, max(1, measure.places), units)
        return measure.unit.isEmpty ? String(text.dropLast()) : text
    }

    package func text(_ output: OutputForm) -> String {
        func line(_ sentence: String, _ style: Style? = nil) -> String {
            lines(sentence, style, output.palette, output.columns)
        }
        let name = vehicle.map { printable($0) + ": " } ?? ""
        guard let first = history.firstTrip else {
            return line("\(name)no drive shows a feature that could drift.", .warning)
        }
        let since = "since \(place(first))"
        var text = ""
        let changes = history.changes
        if history.missingDrives > 0 {
            text += line(
                "\(name)\(counted(history.drives, "drive")) \(since). "
                    + "\(history.missingDrives) more are needed before a change is more than chance.",
                .warning)
        } else if changes.isEmpty {
            let verdict = history.returned.isEmpty ? "nothing has drifted" : "no change has lasted"
            text += line(
                "\(name)\(verdict) in \(counted(history.drives, "drive")) \(since).", .good
            )
        } else {
            text += line(
                "\(name)\(counted(changes.count, "feature")) changed in "
                    + "\(counted(history.drives, "drive")) \(since).", .warning)
        }
        for change in changes {
            text += "\n"
            text += line(
                "\(change.measure.name) \(change.rises ? "rose" : "fell") from "
                    + "\(self.text(change.before, change, output.units)) "
                    + "(\(counted(change.drivesBefore, "drive"))) to "
                    + "\(self.text(change.since, change, output.units)) "
                    + "(\(counted(change.drivesSince, "drive")) since \(place(change.firstTrip))).",
                .bold)
            let names = change.causes.compactMap { id in
                knowledge.causes.causes.first { $0.id == id }?.name
            }
            if !names.isEmpty {
                text += line(
                    "It changed together with what one cause explains: "
                        + names.joined(separator: ", ") + ".")
            }
        }
        if !changes.isEmpty {
            text +=
                "\n"
                + line(
                    "A change is not a fault by itself: tyres, fuel, a new part or the season change "
                        + "readings, too. See obdscan diagnose --trip.")
        }
        for measure in history.returned {
            text += line("\(measure.name) had changed, and that change is gone.")
        }
        if history.missingDrives == 0, history.unjudged > 0 {
            text += line(
                "\(counted(history.unjudged, "other feature")) cannot be judged yet: fewer than "
                    + "\(DriftHistory.fewestDrives) drives have \(history.unjudged == 1 ? "it" : "them")."
            )
        }
        if let reset = history.reset {
            text += line("Earlier drives are not compared: \(reset.rawValue).")
        }
        return text
    }

    // MARK: Programs

    package static let keys = [
        ["vin", "vehicle", "firstTrip", "drives", "missingDrives", "reset", "changes"],
        [
            "vin", "feature", "name", "unit", "drives", "mean", "deviation", "rise", "fall",
            "changed", "before", "since", "drivesSince", "firstTrip", "announcedTrip", "causes",
        ],
    ]

    package var rows: [Row] {
        let changes = history.changes
        let first = Row(
            "drift",
            [
                "vin": .text(vin), "vehicle": .text(vehicle),
                "firstTrip": .integer(history.firstTrip), "drives": .integer(history.drives),
                "missingDrives": .integer(history.missingDrives),
                "reset": .text(history.reset?.rawValue), "changes": .integer(changes.count),
            ])
        return [first]
            + history.features.map { feature in
                let change = changes.first { $0.measure.id == feature.measure.id }
                let places = feature.measure.places + 1
                return Row(
                    "driftFeature",
                    [
                        "vin": .text(vin), "feature": .text(feature.measure.id),
                        "name": .text(feature.measure.name), "unit": .text(feature.measure.unit),
                        "drives": .integer(feature.drives),
                        "mean": .number(feature.mean, places: places),
                        "deviation": .number(feature.deviation, places: places),
                        "rise": .number(feature.rise, places: 2),
                        "fall": .number(feature.fall, places: 2),
                        "changed": .text(change.map { $0.rises ? "rose" : "fell" }),
                        "before": .number(change?.before, places: places),
                        "since": .number(change?.since, places: places),
                        "drivesSince": .integer(change?.drivesSince),
                        "firstTrip": .integer(change?.firstTrip),
                        "announcedTrip": .integer(change?.announcedTrip),
                        "causes": .words(change?.causes ?? []),
                    ])
            }
    }
}
