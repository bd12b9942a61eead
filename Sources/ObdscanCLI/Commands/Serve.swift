import Accessory
import ArgumentParser
import Dashboard
import Diagnostics
import Formats
import Glibc
import OBDCore
import Reports
import Settings
import Synchronization
import SystemIO
import TripRecorder
import VehicleScan
import WebServer

/// `obdscan serve`: shows the vehicle and the recorded trips in a browser.
struct ServeCommand: RuledCommand {
    var speaksWhenQuiet: Bool { true }
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Show the vehicle and recorded trips in a browser.",
        discussion: """
            The first line on standard output is the address to open. The page shows readings as \
            they come, trips with plots, track and exports, trouble codes and readiness. Without \
            an adapter it shows recorded trips. It only reads: no request can change anything in a \
            vehicle. Ctrl-C or SIGTERM ends it.

            The button Record of the page records a trip, as the log command does, until it is \
            pressed again; --log records from the start. A recording continues with a new trip when \
            another vehicle is connected. SIGUSR1 marks a moment with a note.

            Under /api/ are the objects that the other commands print with --format json, one per \
            line: /api/live (server-sent events), status, readings, devices, codes, \
            codes/explain, codes/frames, codes/history, report (a page), monitors, \
            monitors/trend, trips, trips/ID, trips/ID/plots, trips/ID/track, trips/ID/report and \
            trips/ID/export?format=csv|xlsx|json|gpx|kml|influx; \
            a report with ?format=pdf. \
            /metrics is for Prometheus. A POST to /api/recording/begin or /api/recording/end begins \
            or ends a recording.

            With --table, can: and slcan: devices also hear the frames that ECUs send by themselves, by \
            a table or a DBC file.

            By default it listens on the loopback address and answers only the user who started \
            it. On any other address a client needs a token. A new one is made at every start, or \
            it is taken from the environment variable OBDSCAN_TOKEN or from --token (other users \
            of this machine can see that in the list of processes). The printed address contains \
            the token for a browser; other programs send "Authorization: Bearer TOKEN". The \
            connection is not encrypted: outside a network that you trust, use a tunnel (ssh -L) \
            or a proxy with TLS.

            \(Self.ruleText)

            EXAMPLES
              obdscan serve                                  everything the vehicle has
              obdscan serve rpm speed coolant-temp -d sim:   a simulated vehicle
              obdscan serve --log                            record a trip meanwhile
              obdscan serve --offline                        trips only, no vehicle
              obdscan serve --listen 0.0.0.0:8327            for the phone beside the wheel
              obdscan serve --tiles 'https://tile.example.org/{z}/{x}/{y}.png'
              curl -s http://127.0.0.1:8327/api/readings     for programs
            """)

    @Argument(
        help: ArgumentHelp(
            "Signals to read (default: all); rpm@10Hz or ect@5s sets a rate.",
            discussion: "maf@fast and ect@slow are rates, too.",
            valueName: "signal"))
    var signals: [String] = []

    @Option(
        help: ArgumentHelp(
            "Use a list: driver, engine, fuel, emissions, ev.",
            discussion: "The configuration file can define more lists.",
            valueName: "view"))
    var view: String?

    @Option(
        help: ArgumentHelp(
            "Poll at this interval (default: without a pause).", valueName: "time"))
    var every: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Add a PID table or a DBC file; may be repeated.", valueName: "file"),
        completion: .file())
    var table: [String] = []

    @Option(
        help: ArgumentHelp(
            "Listen on this address.", discussion: "Port 0 is any free port.",
            valueName: "address:port"))
    var listen = "127.0.0.1:8327"

    @Option(
        help: ArgumentHelp(
            "Require this token; generate makes a new one.",
            discussion: "Default: the environment variable OBDSCAN_TOKEN.", valueName: "token"))
    var token: String?

    @Option(
        name: .customLong("host"),
        help: ArgumentHelp(
            "Accept requests for this host name; may be repeated.",
            valueName: "name"))
    var hosts: [String] = []

    @Option(
        help: ArgumentHelp(
            "Show tracks on the map tiles at this address.",
            discussion:
                "Browsers load them from there. With {z}, {x} and {y}: https://tile.example.org/{z}/{x}/{y}.png",
            valueName: "url"))
    var tiles: String?

    @Flag(help: "Show only recorded data; ask no vehicle.")
    var offline = false

    @Flag(
        name: .customLong("log"),
        help: "Record a trip from the start, as log does.")
    var records = false

    @OptionGroup var rest: RestOptions
    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule("--offline talks to no vehicle: leave -d, --log, --record and signals out") {
            $0.offline
                && ($0.vehicle.device != nil || $0.records || $0.vehicle.record != nil
                    || !$0.signals.isEmpty)
        }
    ]

    func run() throws {
        // Block signals before any thread and any slow step, so that Ctrl-C always ends the server
        // in order.
        let inbox = try SignalInbox(SignalInbox.endings)
        let marks = try MarkSignals()
        let automatic = tables.automaticPacks
        let table = try loadTable(tables, adding: self.table, automatic: automatic)
        let names = SignalNames(table)
        let listed = try view.map { try SignalViews.find($0, names, UserSettings.current) } ?? []
        let wanted = try listed + signals.map { try names.findPaced($0) }
        let heard = try HeardSignals(beside: wanted, asking: vehicle.ecu?.address, table)
        let place = try address()
        let source = try tileSource()
        let word = try chosenToken(place)
        let further = try furtherNames(place)
        // Report an unreadable database now and not on every page.
        if let file = vehicle.database.file, access(file, F_OK) == 0 {
            _ = try vehicle.database.open(.readOnly)
        }
        let listener = try Self.listener(place)

        let board = VehicleBoard(version: ObdscanCommand.configuration.version)
        let car = CurrentVehicle()
        let sources = WebSources(
            vehicle.database, units: output.units, printer: try PagePrinter.forWeb())
        let accessory = try chosenAccessory()
        let trips = try accessory.map { _ in try recorder(marks, board, table) }
        let routes = WebRoutes(
            rules: AccessRules(
                isLoopback: place.isLoopback, names: further, token: word,
                cookie: "obdscan-\(listener.port)", commands: WebRoutes.commands),
            users: place.isLoopback && word == nil ? [0, getuid()] : nil, board: board,
            questions: VehicleQuestions(car, board, sources), table: table, sources: sources,
            tiles: source, trips: trips)
        let feed = accessory.map { name in
            LiveFeed(
                board: board, vehicle: car, table: table, accessory: name,
                program: program(
                    wanted, heard, PackChoice(tables, automatic, table), table, name, trips))
        }
        try serve(listener, routes, feed, word, inbox, car)
    }

    private func serve(
        _ listener: WebListener, _ routes: WebRoutes, _ feed: LiveFeed?, _ word: AccessToken?,
        _ inbox: SignalInbox, _ car: CurrentVehicle
    ) throws {
        let feedInbox = try SignalInbox.relay()
        let server = try WebServer(listener, handler: routes)
        let thread = try feed.map { feed in try SystemThread { feed.run(feedInbox) } }
        defer {
            // End the browsers' connections first, because they wait for data of the vehicle.
            car.end()
            routes.sources.printer?.end()
            server.stop()
            feedInbox.pass(SIGTERM)
            thread?.join()
        }
        try announce(listener, word)
        var waiting = WaitList()
        _ = waiting.add(inbox.descriptor)
        waiting.wait()
        _ = inbox.next()
        // A second Ctrl-C ends the process at once.
        SignalInbox.letEndingsThrough()
    }

    /// How the feed polls `wanted`, or everything that the vehicle supports.
    private func program(
        _ wanted: [SelectedSignal], _ heard: HeardSignals?, _ packs: PackChoice,
        _ table: PIDTable, _ accessory: String, _ trips: TripSwitch?
    ) -> LiveFeed.Program {
        let (vehicle, output, limits) = (vehicle, output, rest.limits)
        let period = every?.duration
        // Those of the current session.
        let frames = SessionFrames()
        let isDriver = wanted.isEmpty && SignalViews.isDriver(view, UserSettings.current)
        return LiveFeed.Program(
            open: { queue, inbox, body in
                var needs = SessionNeeds(
                    sinks: (trips?.sinks ?? []) + [queue], reconnect: .always, inbox: inbox)
                needs.accessory = accessory
                needs.restsWhileVehicleIsOff = limits != nil
                let heard = heard?.fresh()
                needs.hear(heard)
                frames.current.withLock {
                    $0 = heard?.hasOwn == true ? heard?.listener.frames : nil
                }
                packs.add(to: &needs, for: wanted)
                try withVehicle(vehicle, output, table, needs, body)
            },
            setup: { connection in
                let own = try packs.settle(wanted, on: connection) { output.note($0) }
                var setup = try PollSetup.make(
                    own.signals, own.records, connection, every: period,
                    unknown: { output.note($0.text) })
                try setup.learnKind(connection)
                if isDriver { setup.keepDriver(table) }
                setup.protectBattery(limits, connection)
                setup.watchLight(connection)
                return setup
            },
            protectsBattery: limits != nil, isRecorded: vehicle.record != nil, trips: trips,
            heard: { frames.current.withLock { $0?.news(at: SystemClock.now()) } },
            note: { output.remark($0) })
    }

    /// Records trips in the database of the options, which is opened now if the first session is recorded.
    private func recorder(
        _ marks: MarkSignals, _ board: VehicleBoard, _ table: PIDTable
    ) throws -> TripSwitch {
        let (database, output, period) = (vehicle.database, output, every?.duration)
        let open: @Sendable () throws -> TripRecording.Plan = {
            try .opened(database, every: period) { output.remark($0) }
        }
        let first = WaitingPlan(records ? try open() : nil)
        return try TripSwitch(
            isOn: records,
            lights: UserSettings.current.codes ?? true ? LightChanges(table) : nil, marks: marks,
            plan: { try first.take() ?? open() },
            tell: { notice in
                guard let news = TripNews(notice) else { return }
                output.remark(news.text)
                switch news.kind {
                case .trouble: board.update { $0.storing = news.text }
                case .mended: board.update { $0.storing = nil }
                case .other: break
                }
            },
            marked: { output.remark(TripRecording.Mark.words($0)) })
    }

    private func announce(_ listener: WebListener, _ word: AccessToken?) throws {
        let place = listener.address
        let host =
            place.isAny ? MachineAddress.reachable(ofIPv6: place.host.contains(":")) : place.host
        let url =
            "http://\(ListenAddress.text(host, listener.port))/"
            + (word.map { "?token=\($0.word)" } ?? "")
        var writer = TextOutput.standard
        try writer.print(Row("serving", ["url": .text(url)]), output.format)
        if output.format == .text { try writer.writeLine(url) }
        try writer.flush()
        output.note(
            "Open it in a browser; Ctrl-C ends it."
                + (place.isLoopback ? "" : " The connection is not encrypted."))
        if !place.isLoopback { showPicture(of: url) }
    }

    /// Shows the address as a picture for the camera of a phone, if a person can see it.
    private func showPicture(of url: String) {
        guard output.format == .text, !output.quiet, !isASCIILocale(),
            let columns = terminalColumns(STDERR_FILENO),
            let lines = AddressPicture.lines(
                url, columns: columns, hasColours: output.colours(STDERR_FILENO))
        else { return }
        tellOnStandardError(lines.joined(separator: "\n") + "\n")
    }
}

// Evaluates the options.
extension ServeCommand {
    private func address() throws(Failure) -> ListenAddress {
        guard let place = ListenAddress(listen) else {
            throw Failure(
                "\"\(listen)\" is not an address and port to listen at",
                hint: "such as 127.0.0.1:8327, [::1]:8327 or 0.0.0.0:8327", status: .usage)
        }
        return place
    }

    private func tileSource() throws(Failure) -> TileSource? {
        guard let tiles else { return nil }
        guard let source = TileSource(tiles) else {
            throw Failure(
                "\"\(tiles)\" is not an address of map tiles",
                hint: "such as https://tile.example.org/{z}/{x}/{y}.png", status: .usage)
        }
        return source
    }

    /// The access token; nil = none.
    private func chosenToken(_ place: ListenAddress) throws(Failure) -> AccessToken? {
        let named = setting("OBDSCAN_TOKEN")
        guard let text = token ?? named ?? (place.isLoopback ? nil : "generate") else { return nil }
        if text == "generate" { return AccessToken(random: randomBytes(16)) }
        guard let word = AccessToken(text) else {
            throw Failure(
                "the token is not safe",
                hint: "\(AccessToken.shortest) to \(AccessToken.longest) letters, digits and "
                    + "-._~; --token generate makes a new one",
                status: .usage)
        }
        return word
    }

    /// Host names, besides addresses, that browsers may use for this machine.
    private func furtherNames(_ place: ListenAddress) throws(Failure) -> Set<String> {
        var names: Set<String> = []
        for text in hosts {
            guard let host = HostName(text), host.port == nil else {
                throw Failure(
                    "\"\(text)\" is not a name of a machine", hint: "--host car.local",
                    status: .usage)
            }
            names.insert(host.name)
        }
        // In a home network, the name in .local always leads to this machine.
        if !place.isLoopback, let own = MachineAddress.name {
            names.formUnion([own, own + ".local"])
        }
        return names
    }

    private static func listener(_ place: ListenAddress) throws(Failure) -> WebListener {
        do {
            return try WebListener(place)
        } catch {
            let hint: String?
            var status = ExitStatus.unavailable
            switch error.errno {
            case EADDRINUSE:
                hint =
                    "another program has the port: --listen \(ListenAddress.text(place.host, 0))"
                    + " takes any free one"
            case EADDRNOTAVAIL:
                hint = "it is not an address of this machine; 0.0.0.0 listens at all of them"
            case EACCES:
                hint = "ports below 1024 need privileges: use another port"
                status = .noPermission
            default: hint = nil
            }
            throw Failure(
                "\(place.text): \(SystemError.text(of: error.errno))", hint: hint, status: status)
        }
    }

    /// The device to read, by its name; nil = show recorded trips only.
    private func chosenAccessory() throws -> String? {
        if offline { return nil }
        if let text = vehicle.named(UserSettings.current) {
            _ = try UserSettings.current.resolved(text)
            return text
        }
        do {
            return "\(try AttachedAccessories.only())"
        } catch {
            if !signals.isEmpty || records || vehicle.record != nil { throw error }
            output.note(
                "\(error.message): showing recorded data only"
                    + (error.status == .usage ? "; name one with -d" : ""))
            return nil
        }
    }
}

/// The frames that the current session hears.
private final class SessionFrames: Sendable {
    let current = Mutex<HeardFrames?>(nil)
}
