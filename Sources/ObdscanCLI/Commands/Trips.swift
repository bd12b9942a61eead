import ArgumentParser
import OBDCore
import TripExport
import TripStore

/// `obdscan trips`: recorded trips.
struct TripsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trips",
        abstract: "Recorded trips.",
        discussion: """
            EXAMPLES
              obdscan trips
              obdscan trips show 12
              obdscan trips list --latest 5 --format json
            """,
        subcommands: [TripsListCommand.self, TripsShowCommand.self, TripsDeleteCommand.self],
        defaultSubcommand: TripsListCommand.self)
}

/// `obdscan trips list`.
struct TripsListCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List trips, the earliest first.",
        discussion: """
            EXAMPLES
              obdscan trips list --vehicle 1HGCM82633A004352
              obdscan trips list --all --format json
            """)

    @Option(help: ArgumentHelp("The latest so many.", valueName: "count"))
    var latest: Int?

    @Option(help: ArgumentHelp("Of the vehicle with this VIN or name.", valueName: "vehicle"))
    var vehicle: String?

    @Flag(help: "Not only drives: also what was kept when codes were cleared.")
    var all = false

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try database.open(.readOnly)
        var filter = TripStore.TripFilter(purpose: all ? nil : .log)
        filter.latest = latest
        filter.vehicle = vehicle
        var writer = TextOutput.standard
        var printer = TripPrinter(output)
        for trip in try mapped({ () throws(StoreError) in try store.trips(filter) }) {
            try printer.print(trip, &writer)
        }
        try printer.finish(&writer)
    }
}

/// `obdscan trips show`.
struct TripsShowCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "A trip and the statistics of its signals.",
        discussion: """
            EXAMPLES
              obdscan trips show
              obdscan trips show 12 --format json
            """)

    @Argument(help: ArgumentHelp("The trip's number; the latest without.", valueName: "trip"))
    var trip: Int64?

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try database.open(.readOnly)
        let id = try trip ?? store.latestTrip()
        let readings = try mapped { () throws(StoreError) in try store.readings(ofTrip: id) }
        var writer = TextOutput.standard
        var printer = TripPrinter(output)
        try printer.print(readings.trip, &writer)
        try printer.finish(&writer)
        if output.format == .text { try writer.write("\n") }
        try printer.print(readings, &writer)
        try writer.flush()
    }
}

/// `obdscan trips delete`.
struct TripsDeleteCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete trips with all their readings.",
        discussion: """
            EXAMPLES
              obdscan trips delete 12 13 --yes
            """)

    @Argument(help: ArgumentHelp("Numbers of trips.", valueName: "trip"))
    var trips: [Int64]

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try database.open(.readWrite)
        let permission = WritePermission(yes: yes, force: true)
        try permission.checkThatSomebodyCanAnswer(for: "deleting trips")
        let summaries = try trips.map { id in
            try mapped { () throws(StoreError) in try store.trip(id) }
        }
        if !yes {
            var writer = TextOutput.standard
            var printer = TripPrinter(output)
            for summary in summaries { try printer.print(summary, &writer) }
            try printer.finish(&writer)
            guard try Confirmation(word: "delete").ask("Delete them for good?", interruptedBy: -1)
            else { throw Failure("nothing was deleted", status: .usage) }
        }
        for summary in summaries {
            try mapped { () throws(StoreError) in try store.deleteTrip(summary.id) }
        }
    }
}

extension TripStore {
    /// The number of the latest drive.
    func latestTrip() throws(Failure) -> Int64 {
        var filter = TripFilter()
        filter.latest = 1
        let found = try mapped { () throws(StoreError) in try trips(filter) }
        guard let latest = found.last else {
            throw Failure(
                "\(path): there are no trips yet", hint: "obdscan log records one",
                status: .noInput)
        }
        return latest.id
    }
}

/// Runs `body` and says what the database says in our words.
func mapped<Value>(_ body: () throws(StoreError) -> Value) throws(Failure) -> Value {
    do {
        return try body()
    } catch {
        throw Failure(error)
    }
}

/// Prints trips: a table for people, JSON Lines or CSV.
struct TripPrinter {
    private let output: OutputOptions
    private let palette: Palette
    private var rows = TextTable([
        ("TRIP", .right), ("START", .left), ("TIME", .right), ("DISTANCE", .right),
        ("READINGS", .right), ("VEHICLE", .left), ("", .left),
    ])
    private var hasHeading = false

    init(_ output: OutputOptions) {
        self.output = output
        palette = Palette(isOn: output.colours(1))
    }

    /// Prints a trip.
    mutating func print(_ trip: TripSummary, _ writer: inout TextOutput) throws(OutputError) {
        switch output.format {
        case .json: try writer.append { object(trip).append(to: &$0) }
        case .csv:
            try writer.append { bytes in
                if !hasHeading {
                    CSVRow.append(
                        ["id", "vin", "start", "end", "seconds", "distanceKm", "readings", "open"],
                        to: &bytes)
                }
                CSVRow.append(
                    [
                        String(trip.id), trip.vin ?? "", trip.start.text, trip.end.text,
                        fixed(trip.seconds, 1), trip.distance.map { fixed($0, 3) } ?? "",
                        String(trip.readings), trip.endReason == nil ? "true" : "false",
                    ], to: &bytes)
            }
            hasHeading = true
        case .text:
            let distance = trip.distance.map { kilometres in
                let conversion = output.units.conversion(from: "km")
                return fixed(conversion.map { $0(kilometres) } ?? kilometres, 1) + " "
                    + (conversion?.unit ?? "km")
            }
            rows.add([
                .init(String(trip.id), .bold), .init(localTime(trip.start)),
                .init(clockText(trip.seconds)), .init(distance ?? "—"),
                .init(String(trip.readings)), .init(trip.vehicleName ?? trip.vin ?? "—"),
                .init(trip.endReason == nil ? "being recorded" : ""),
            ])
        }
    }

    /// Prints the table.
    mutating func finish(_ writer: inout TextOutput) throws(OutputError) {
        if output.format == .text && !rows.isEmpty { try writer.write(rows.text(palette)) }
        try writer.flush()
    }

    /// Prints what the signals of a trip add up to.
    func print(_ readings: TripReadings, _ writer: inout TextOutput) throws(OutputError) {
        var rows = TextTable([
            ("ECU", .left), ("SIGNAL", .left), ("NAME", .left), ("READINGS", .right),
            ("MIN", .right), ("MEAN", .right), ("MAX", .right), ("UNIT", .left),
        ])
        for statistics in readings.signals {
            let signal = readings.table[statistics.signal]
            let conversion = output.units.conversion(from: signal.unit)
            let shown = { (value: Double?) in
                value.map { number in conversion.map { $0(number) } ?? number }
            }
            let unit = conversion?.unit ?? signal.unit
            if output.format == .json {
                var object = JSONObject()
                object.add("kind", "tripSignal")
                object.add("trip", Int(readings.trip.id))
                object.add("ecu", statistics.ecu?.description)
                object.add("service", statistics.dataID?.service.description)
                object.add("pid", statistics.dataID?.idText)
                object.add("signal", signal.id)
                object.add("name", signal.name)
                object.add("unit", unit.isEmpty ? nil : unit)
                object.add("readings", statistics.readings)
                object.add("min", shown(statistics.minimum))
                object.add("mean", shown(statistics.mean))
                object.add("max", shown(statistics.maximum))
                try writer.append { object.append(to: &$0) }
                continue
            }
            let places = decimals(forStep: signal.shownStep * (conversion?.factor ?? 1))
            let cell = { (value: Double?) in
                TextTable.Cell(shown(value).map { fixed($0, places) } ?? "")
            }
            rows.add([
                .init(statistics.ecu?.description ?? "—"), .init(signal.id, .bold),
                .init(signal.name), .init(String(statistics.readings)), cell(statistics.minimum),
                cell(statistics.mean), cell(statistics.maximum), .init(unit),
            ])
        }
        if output.format == .text && !rows.isEmpty { try writer.write(rows.text(palette)) }
    }

    private func object(_ trip: TripSummary) -> JSONObject {
        var object = JSONObject()
        object.add("kind", "trip")
        object.add("id", Int(trip.id))
        object.add("vin", trip.vin)
        object.add("start", trip.start)
        object.add("end", trip.end)
        object.add("seconds", (trip.seconds * 10).rounded() / 10)
        object.add("distanceKm", trip.distance.map { ($0 * 1000).rounded() / 1000 })
        object.add("readings", trip.readings)
        object.add("open", trip.endReason == nil)
        object.add("tags", trip.tags)
        return object
    }
}
