import ArgumentParser
import Engines
import Formats
import OBDCore
import Publishing
import Settings
import SystemIO
import TripStore

/// `obdscan publish`: sends recorded trips to time series engines and brokers.
struct PublishCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Deliver recorded trips to a time series engine or a broker.",
        discussion: """
            A sink is a destination of trips. log records trips in the database, and \
            publish delivers them from there, days later if necessary. Every reading arrives at \
            least once, in the order of its trip; a repeated reading is identical. The file \
            FILE.publish.db beside the database notes what each sink has received.

            EXAMPLES
              obdscan publish --to influx+http://localhost:8428
              obdscan publish --drain
              obdscan publish status
            """,
        subcommands: [
            PublishRunCommand.self, PublishStatusCommand.self, PublishRetryCommand.self,
            PublishForgetCommand.self, PublishCheckCommand.self,
        ],
        defaultSubcommand: PublishRunCommand.self)
}

extension PublishSettings.History: Choice {}
extension PublishSettings.Names: Choice {}

/// The sinks, and the data to send.
struct SinkOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Names of sinks of the configuration (default: all).", valueName: "sink"))
    var names: [String] = []

    @Option(
        help: ArgumentHelp(
            "Deliver to this address instead of the configured sinks.",
            discussion: """
                mqtt://HOST and mqtts://HOST publish states to a broker. traccar+http://HOST sends \
                positions to Traccar, and webhook+https://HOST/PATH posts the ends of trips, new trouble codes and \
                low batteries. abrp+https://api.iternio.com sends the newest state of an electric vehicle to \
                A Better Route Planner. influx+http://HOST:PORT and influx+https://… write line protocol to /write; \
                ?org=…&bucket=… writes to InfluxDB 2, ?db=…&api=3 to InfluxDB 3. A password or a \
                token comes from OBDSCAN_PUBLISH_PASSWORD or OBDSCAN_PUBLISH_TOKEN, an API key from \
                OBDSCAN_PUBLISH_API_KEY.
                """,
            valueName: "url"))
    var to: String?

    @Option(
        help: ArgumentHelp(
            "Name the vehicle like this (default: its name or VIN).",
            discussion: "All trips to deliver must be of one vehicle.", valueName: "name"))
    var id: String?

    @Option(
        help: ArgumentHelp("Trust only the certificates in this file.", valueName: "file"),
        completion: .file())
    var caFile: String?

    @Option(
        name: .customLong("signal"),
        help: ArgumentHelp("Deliver only this signal; may be repeated.", valueName: "signal"))
    var signals: [String] = []

    @Option(
        help: ArgumentHelp(
            "Send every reading to a broker: influx or json.",
            valueName: "form"))
    var history: PublishSettings.History?

    @Option(
        name: .customLong("names"),
        help: ArgumentHelp(
            "Name signals: own, vss or vss-core (default: own).",
            discussion: """
                vss uses the names of COVESA's overlay Vehicle.OBD, vss-core those of its core \
                catalogue where it has one. A signal without a name there is left out. Topics of a \
                broker keep our own names.
                """, valueName: "names"))
    var signalNames: PublishSettings.Names?

    @Flag(help: "Deliver positions, too; they show where somebody is.")
    var position = false

    @Flag(help: "Deliver texts and events, too.")
    var text = false

    func validate() throws {
        if to != nil && !names.isEmpty {
            throw ValidationError(
                "--to names where to deliver: leave out \(names.joined(separator: " ")); "
                    + "--trip chooses trips")
        }
        if let id, !PublishedName.isSlug(id) {
            throw ValidationError("--id takes a name of a to z, 0 to 9, - and _")
        }
        if to == nil
            && (id != nil || caFile != nil || !signals.isEmpty || position || text
                || history != nil || signalNames != nil)
        {
            throw ValidationError(
                "--id, --ca-file, --signal, --history, --names, --position and --text belong to --to; the configuration "
                    + "has the same settings for its sinks")
        }
    }

    func chosen() throws -> [ChosenSink] {
        guard let to else {
            return try ChosenSink.configured(names, UserSettings.current.publish, .ofProcess)
        }
        var settings = PublishSettings()
        settings.id = id
        settings.caFile = caFile
        settings.signals = signals
        settings.history = history
        settings.names = signalNames
        settings.hasPosition = position
        settings.hasText = text
        return [try ChosenSink(named: to, settings, .ofProcess)]
    }
}

extension SinkOptions {
    /// The sinks except brokers, which do not report the data that they received.
    ///
    /// - Parameter hold: whether only servers that can be asked what they hold are wanted.
    func servers(thatHoldReadings hold: Bool = false) throws -> [ChosenSink] {
        let chosen = try chosen().filter {
            hold ? $0.address.kind.isEngine : !$0.address.kind.isMQTT
        }
        if chosen.isEmpty {
            throw Failure(
                "none of the sinks reports \(hold ? "the readings that it holds" : "the lines that it refused")",
                hint: "name a sink whose address begins with influx+http", status: .usage)
        }
        return chosen
    }
}

extension DatabaseOptions {
    /// The file with the database's cursors; on a full disk, it may be in memory.
    func deliveries(
        _ access: TripStore.Access, orInMemory: Bool = false
    ) throws(Failure) -> (DeliveryStore, database: String) {
        // Opening the database first reports its own faults.
        let database = try open(.readOnly).path
        do throws(StoreError) {
            return (
                try DeliveryStore(
                    path: DeliveryStore.path(of: database), access: access, orInMemory: orInMemory),
                database
            )
        } catch .missing {
            throw Failure(
                "nothing was published from \(database)",
                hint: "\"obdscan publish --to URL\" delivers its trips", status: .noInput)
        } catch {
            throw Failure(error)
        }
    }
}

/// `obdscan publish [SINK…]`.
struct PublishRunCommand: ParsableCommand, OutputCommand {
    /// The lines to send are data.
    var speaksWhenQuiet: Bool { prints }

    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Deliver trips and follow the database.",
        discussion: """
            Without --drain it runs until it is interrupted, and delivers what log commits \
            within two seconds. A server that does not answer is tried again after 1 to 60 \
            seconds; meanwhile nothing is lost and other sinks continue.

            With --drain it ends when nothing is left. The exit code is 0 when everything was \
            delivered, 75 when something is left, 77 when the server refuses the user and 78 when \
            the configuration has to be changed.

            At the end it prints a table. DELIVERED and REFUSED count the lines or messages of this \
            run. HELD counts trips that are not delivered yet, because they have no VIN or name, or \
            their clock was not set. COMPLETE says, with --drain, whether nothing else is left. \
            Imported trips are delivered only with --trip; a note counts the others.

            With --print, a broker's topics and payloads are one per line; other sinks' lines are \
            printed as they are. Notes on standard error count the trips that are left out.

            EXAMPLES
              obdscan publish --to influx+http://localhost:8428 --drain
              obdscan publish fleet
            """)

    @OptionGroup var sinks: SinkOptions

    @Flag(help: "End when nothing is left.")
    var drain = false

    @Flag(name: .customLong("print"), help: "Print what would be sent, and connect to nothing.")
    var prints = false

    @Option(
        name: .customLong("trip"),
        help: ArgumentHelp(
            "Deliver only this trip; may be repeated.", valueName: "trip"))
    var trips: [TripReference] = []

    @Option(
        name: .customLong("resend"),
        help: ArgumentHelp(
            "Deliver this trip again; may be repeated.", valueName: "trip"))
    var again: [TripReference] = []

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        var chosen = try sinks.chosen()
        let reserve = database.file.map { SpaceReserve(beside: $0) }
        if !prints { reserve?.release() }
        let store = try database.open(.readOnly)
        var only: Set<Int64>?
        for trip in trips {
            only = (only ?? []).union([try store.trip(try trip.number(in: store)).id])
        }
        chosen = try chosen.filter { try checkNames(of: $0, only, store) }
        if prints { return try printLines(chosen, only) }
        let (deliveries, path) = try database.deliveries(.readWrite, orInMemory: true)
        for trip in again {
            let id = try trip.number(in: store)
            let key = DeliveryStore.TripKey(try store.trip(id))
            for sink in chosen { try deliveries.rewind(key, for: sink.name) }
        }
        reserve?.renew()
        try PublishRun(
            sinks: chosen, database: path, deliveries: deliveries, drains: drain, trips: only,
            output: output
        ).run()
    }

    /// Refuses to give one name to several vehicles, which a sink could not distinguish; false = the sink is left out,
    /// because it can have only one vehicle and other sinks must not stop.
    private func checkNames(
        of sink: ChosenSink, _ trips: Set<Int64>?, _ store: TripStore
    ) throws -> Bool {
        let selection = try sink.selection(trips: trips)
        let all = try store.trips(.init(withScans: true))
        let surplus = selection.surplusVehicles(in: all)
        if !surplus.isEmpty {
            let fault = SinkFault.severalVehicles(sink: sink.name, surplus)
            guard sinks.to == nil, try sinks.chosen().count > 1 else { throw fault }
            let words = fault.explanation
            output.note([words.message, words.hint].compactMap(\.self).joined(separator: "; "))
            return false
        }
        let found = selection.vehiclesOfOneName(in: all)
        guard let (name, vehicles) = found else { return true }
        let names = vehicles.joined(separator: ", ")
        guard let id = sink.settings.id else {
            let what = "\(vehicles.count) vehicles would be called \(name) there: \(names)"
            let vehicle = vehicles[0]
            let hint = "\"obdscan trips vehicle \(vehicle) NAME\" gives one of them another name"
            if sinks.to != nil { throw Failure(what, hint: hint, status: .usage) }
            output.note("\(what); \(hint)")
            return true
        }
        if sinks.to != nil {
            throw Failure(
                "--id \(id) would give one name to \(vehicles.count) vehicles: \(names)",
                hint: "without --id each has its own; --trip NUMBER delivers one trip under a name",
                status: .usage)
        }
        // Someone may have put the adapter into another vehicle, and its trips must not stop.
        output.note(
            "publish.\(sink.name).id gives one name to \(vehicles.count) vehicles: \(names); "
                + "\"obdscan config set publish.\(sink.name).id %VIN\" keeps them apart")
        return true
    }

    private func printLines(_ sinks: [ChosenSink], _ trips: Set<Int64>?) throws {
        let store = try database.open(.readOnly)
        let path = store.path
        var writer = TextOutput.standard
        for sink in sinks {
            let selection = try sink.selection(trips: trips)
            output.tell(selection.leftOut(of: try store.trips(.init(withScans: true))))
            guard sink.address.kind.isMQTT else {
                try LinePreview(database: path, selection: selection).forEach {
                    try writer.write(bytes: $0)
                }
                if let heartbeat = sink.heartbeat(version: ObdscanCommand.configuration.version) {
                    let machine = heartbeat.state(path, nil, sink: sink.name, hasHistory: true)
                    try writer.write(bytes: machine.line(tags: selection.machineTags))
                }
                continue
            }
            try MQTTPreview(sink.broker(selection, database: path, drains: true)).forEach {
                topic, payload in
                try writer.write(bytes: Array(topic.utf8) + [0x20] + payload + [0x0A])
            }
        }
        try writer.flush()
    }
}

/// `obdscan publish status`.
struct PublishStatusCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what each sink has received, and what is left.",
        discussion: """
            Readings that wait include those without a number, which are not sent. For Traccar, which gets \
            positions, and for a webhook, which gets events, the trips that wait are counted.

            EXAMPLES
              obdscan publish status
              obdscan publish status --format json
            """)

    @Flag(help: "Show the lines that were refused, too.")
    var refused = false

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let store = try database.open(.readOnly)
        let known = UserSettings.current.publish.filter { $0.value.to != nil }
        let isNew = !Files.exists(DeliveryStore.path(of: store.path))
        let status = try PublishStatus(
            store, isNew && !known.isEmpty ? nil : try database.deliveries(.readOnly).0,
            known: known)
        var writer = TextOutput.standard
        var list = RowPrinter(DeliveryRows.refusal, output.form)
        var rows = RowWriter(
            output.format, kinds: [DeliveryRows.sink.keys, DeliveryRows.refusal.keys])
        if output.format == .text {
            try writer.write(status.table.text(output.palette(), columns: output.columns))
        } else {
            for line in status.lines {
                try writer.print(DeliveryRows.sink.row(line), &rows)
            }
        }
        for line in refused ? status.lines : [] {
            for refusal in try status.deliveries?.refusals(of: line.sink.name) ?? [] {
                if output.format == .text {
                    try writer.print((line.sink.name, refusal), &list)
                } else {
                    try writer.print(DeliveryRows.refusal.row((line.sink.name, refusal)), &rows)
                }
            }
        }
        if output.format == .text {
            if list.count > 0 { try writer.writeLine("") }
            try writer.finish(&list)
        } else {
            try writer.append { rows.finish(&$0) }
        }
        try writer.flush()
        let held = try store.trips(.init(withScans: true)).filter {
            $0.purpose != .import && $0.readings > 0 && !$0.hasRightTime(now: SystemClock.utc)
        }
        if !status.lines.isEmpty {
            tell(
                held.filter { $0.isClockSet == false },
                because:
                    "the clock was not set: each is put right when the clock is set in the same boot"
            )
            tell(
                held.filter { $0.isClockSet != false },
                because: "their times are before 2026 or in the future")
        }
        if !refused, status.lines.contains(where: { $0.sink.refused > 0 }) {
            output.note("\"obdscan publish status --refused\" shows what was refused, and why")
        }
        for name in status.lines.filter({ !$0.isKnown }).map(\.sink.name) {
            output.note("\"obdscan publish forget \(name)\" removes \(name) from this list")
        }
    }

    /// Says why trips are not delivered, and how to move the times of one.
    private func tell(_ held: [TripSummary], because reason: String) {
        guard let newest = held.last(where: { $0.endReason != nil }) else { return }
        let trip = newest.number
        // Trips that cannot have happened then stay held.
        let isPlausible = PublishedTime.isPlausible(
            start: newest.start, end: newest.end, now: SystemClock.utc)
        output.note(
            "\(counted(held.count, "trip is", "trips are")) held, because \(reason). "
                + "\"obdscan trips shift \(trip) --by +2d\" moves the times of a trip"
                + (isPlausible ? ", --by 0s accepts them" : ""))
    }
}

/// `obdscan publish forget SINK`.
struct PublishForgetCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Forget what a sink has received, so that it gets everything again.",
        discussion: """
            The next publish delivers everything to it once more. What the server holds stays \
            there; Home Assistant forgets the vehicles.

            EXAMPLES
              obdscan publish forget fleet
            """)

    @Argument(help: ArgumentHelp("The sink's name or address.", valueName: "sink"))
    var sink: String

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let (deliveries, _) = try database.deliveries(.readWrite)
        let sinks = try deliveries.sinks()
        guard let known = sinks.first(where: { $0.name == sink }) else {
            throw Failure(
                "nothing was published to \"\(sink)\"",
                hint: sinks.isEmpty
                    ? nil : "known sinks: \(sinks.map(\.name).joined(separator: ", "))",
                status: .usage)
        }
        if known.isActive {
            throw Failure(
                "an obdscan publish delivers to \(sink)", hint: "end it first", status: .timedOut)
        }
        try forgetDevices(deliveries)
        _ = try deliveries.forget(sink)
        output.note("\(sink) is forgotten")
    }

    /// Removes a broker's vehicles from Home Assistant.
    private func forgetDevices(_ deliveries: DeliveryStore) throws {
        let vehicles = try deliveries.announcedVehicles(sink: sink)
        if vehicles.isEmpty { return }
        let known = UserSettings.current.publish
        let chosen =
            try known[sink] != nil
            ? ChosenSink.configured([sink], known, .ofProcess)[0]
            : ChosenSink(named: sink, PublishSettings(), .ofProcess)
        try MQTTSink.open()
        let broker = try chosen.broker(
            try chosen.selection(), database: deliveries.path, drains: true)
        if let fault = try broker.forget(vehicles, deliveries).explanation(of: chosen) {
            throw Failure(fault)
        }
    }
}

/// `obdscan publish retry [SINK…]`.
struct PublishRetryCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Send refused lines once more.",
        discussion: """
            EXAMPLES
              obdscan publish retry fleet
            """)

    @OptionGroup var sinks: SinkOptions
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let (deliveries, _) = try database.deliveries(.readWrite)
        try HTTPClient.open()
        for sink in try sinks.servers() {
            let result = try LineRetry(
                address: sink.address, setup: try sink.httpSetup(), sink: sink.name
            ).run(deliveries)
            if let end = result.end, let failure = end.explanation(of: sink).map({ Failure($0) }) {
                throw failure
            }
            let item = sink.address.kind.item
            output.note(
                "\(sink.name): " + counted(result.taken, item.one, item.several)
                    + " taken, \(result.left) refused again"
            )
            if result.left > 0 { throw Failure.silent(.timedOut) }
        }
    }
}

/// `obdscan publish check [SINK…]`.
struct PublishCheckCommand: ParsableCommand, OutputCommand {
    var speaksWhenQuiet: Bool { true }

    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Compare what a server holds with what was delivered.",
        discussion: """
            VictoriaMetrics answers 204 even for lines that it drops, because they are older than \
            its retention, say. The command asks VictoriaMetrics or InfluxDB 1 how many readings of each \
            vehicle it holds. The exit code is 1 when the server holds fewer after 15 s: a server may show \
            points seconds after it has accepted them.

            EXAMPLES
              obdscan publish check fleet
            """)

    @OptionGroup var sinks: SinkOptions
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    /// How long a server may take to show the points that it has accepted.
    private static let patience = Duration.seconds(15)

    func run() throws {
        let (deliveries, path) = try database.deliveries(.readOnly)
        try HTTPClient.open()
        var writer = TextOutput.standard
        var printer = RowPrinter(DeliveryRows.check, output.form)
        var isShort = false
        for sink in try sinks.servers(thatHoldReadings: true) {
            let check = LineCheck(
                address: sink.address, setup: try sink.httpSetup(), sink: sink.name,
                selection: try sink.selection(), database: path)
            let result = try LineCheck.settled(until: SystemClock.now() + Self.patience) {
                try check.run(deliveries)
            }
            switch result {
            case .failure(let problem):
                throw Failure(
                    "\(sink.name): \(problem.words)",
                    hint: problem.isUnknown
                        ? "only VictoriaMetrics and InfluxDB 1 can be asked" : nil,
                    status: problem.isUnknown ? .usage : .timedOut)
            case .success(let counts):
                for count in counts {
                    try writer.print((sink.name, count), &printer)
                    isShort = isShort || count.found < count.delivered
                }
            }
        }
        try writer.finish(&printer)
        try writer.flush()
        if isShort { throw Failure.silent(.findings) }
    }
}
