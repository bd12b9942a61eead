import ArgumentParser
import Formats
import OBDCore
import Reports
import SystemIO
import TripStore

struct TripsDriftCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "drift",
        abstract: "Show what has changed in a vehicle over its trips.",
        discussion: """
            Compares the features that diagnose measures in each trip (fuel correction, air meter, \
            pressures, sensors, coolant, voltage) with those of the vehicle's earlier trips, and sums \
            what exceeds chance. Trips of different outside temperatures are compared in steps of \
            10 °C. A change is announced only after 30 drives, and only if its sum is one that chance \
            reaches in about 70,000 drives, or a lower one that two features of one cause share. A \
            shift of four standard deviations is then found after five drives.

            Learning begins again after codes were cleared, after a pause of 60 days, and at a trip \
            with the tag repair (obdscan trips tag 12 repair). --baseline leaves earlier trips out.

            JSON and CSV have a row for the vehicle and one for each feature.

            EXAMPLES
              obdscan trips drift
              obdscan trips drift --vehicle "Van 1" --baseline 2026-06-01
            """)

    @Option(
        help: ArgumentHelp(
            "Choose by VIN or name (default: the newest known).",
            valueName: "vehicle"))
    var vehicle: String?

    @Option(
        help: ArgumentHelp("Leave out trips before this time.", valueName: "time"))
    var baseline: TripMoment?

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try database.open(.readOnly)
        let knowledge = try DriveKnowledge(causes: try loadCauses())
        let start = try baseline?.time()
        var filter = TripStore.TripFilter(withScans: true)
        filter.vehicle = try vehicle ?? latestVehicle(store)
        let report = try DriftReport(
            store.existing(filter), since: start, in: store, knowledge)
        var writer = TextOutput.standard
        if output.format == .text {
            try writer.write(report.text(output.form))
        } else {
            var rows = RowWriter(output.format, kinds: DriftReport.keys)
            for row in report.rows { try writer.print(row, &rows) }
            try writer.append { rows.finish(&$0) }
        }
        try writer.flush()
    }

    /// The vehicle of the newest trip that has one: trips of different vehicles must not be compared.
    private func latestVehicle(_ store: TripStore) throws -> String {
        let newest = try store.existing(TripStore.TripFilter())
            .filter { $0.vin != nil || $0.vehicleName != nil }
            .max { $0.id < $1.id }
        guard let known = newest?.vin ?? newest?.vehicleName else {
            throw Failure(
                "no trip has a vehicle",
                hint: "drift is found in one vehicle, which a trip knows by its VIN or name",
                status: .noInput)
        }
        return known
    }
}
