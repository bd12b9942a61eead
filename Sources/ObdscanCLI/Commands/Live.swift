import ArgumentParser
import Diagnostics
import Formats
import Glibc
import OBDCore
import PIDTables
import Reports
import ScanSession
import Settings
import SystemIO
import TerminalView
import TripRecorder
import VehicleScan

/// `obdscan live`: shows readings continuously.
struct LiveCommand: RuledCommand {
    var speaksWhenQuiet: Bool { true }
    static let configuration = CommandConfiguration(
        commandName: "live",
        abstract: "Show readings live: a full-screen view, or a line per reading.",
        discussion: """
            Without signals it shows every current signal that the vehicle supports. On a terminal \
            the view refreshes in place; press ? for its keys, q or Ctrl-C to end it. In a pipe, \
            or with --format json or csv, each reading is printed as a line as soon as it arrives. \
            A summary follows at the end.

            For a screen reader use --lines: it prints one line per reading on a terminal, too, \
            and redraws nothing. Each signal is then polled every five seconds, or at the interval \
            of --every. A terminal that cannot be drawn on (TERM is empty or dumb) gets the same lines.

            The key l begins to record a trip, as the log command does, and ends it; --log records \
            from the start. The trip continues after a lost link and is closed at the end. If the adapter \
            is in another vehicle then, the view and a new trip continue with that vehicle. A trip gets \
            the trouble codes, too, unless `codes` of the configuration is off or lines are \
            printed. The key m, or SIGUSR1, marks a moment with a note, which appears in trips show, \
            reports and exports.

            With --listen nothing is sent to the vehicle: the values come from the frames that ECUs send \
            by themselves, by a table or a DBC file (--table) or by SAE J1939. Values come and are \
            recorded as often as log stores them. Without --listen, can: and slcan: devices hear the \
            frames of such a table beside their requests: all, or those of the signals that are named.

            \(Self.ruleText)

            EXAMPLES
              obdscan live
              obdscan live rpm speed coolant-temp
              obdscan live --view driver
              obdscan live --log rpm speed maf
              obdscan live --alarm 'ECT>110' --alarm 'VPWR<11.8'
              obdscan live --lines --every 10s speed coolant-temp fuel-level
              obdscan live -d can:can0 --listen --table car.dbc
              obdscan live -d can:can0 --table car.dbc rpm speed Dash.Odometer
              obdscan live --duration 20s --why rpm speed maf
              obdscan live --duration 1m --format json > readings.jsonl
              obdscan live rpm | head
            """)

    @Argument(
        help: ArgumentHelp(
            "Signals to show (default: all); rpm@10Hz or ect@5s sets a rate.",
            discussion: "maf@fast and ect@slow are rates, too.",
            valueName: "signal"))
    var signals: [String] = []

    @Option(
        help: ArgumentHelp(
            "Use a list: driver, engine, fuel, emissions, ev.",
            discussion:
                "driver has the eight most important signals for the kind of vehicle. The "
                + "configuration file can define more lists.",
            valueName: "view"))
    var view: String?

    @Option(help: ArgumentHelp("Stop after this time: 90, 90s, 10m, 1h30m.", valueName: "time"))
    var duration: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Poll at this interval (default: without a pause).", valueName: "time"))
    var every: DurationArgument?

    @Flag(
        help: ArgumentHelp(
            "Print a line per reading, on a terminal, too.",
            discussion: "Each signal is polled every 5 s, or at the interval of --every.")
    )
    var lines = false

    @Flag(
        name: .customLong("log"),
        help: "Record a trip from the start; the key l ends it.")
    var records = false

    @Flag(
        help: ArgumentHelp(
            "Report at the end where the time went.",
            discussion: "The report also has the pace, and advice for a better pace."))
    var why = false

    @OptionGroup var listening: ListenOptions
    @OptionGroup var rest: RestOptions
    @OptionGroup var alarms: AlarmOptions
    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule("--listen sends no requests, so --view, --every and --why do not go with it") {
            $0.listening.listen && ($0.view != nil || $0.every != nil || $0.why)
        }
    ]

    func run() throws {
        var plan = try plan()
        var needs = SessionNeeds(reconnect: .always)
        // Block signals before any thread exists; otherwise they would stop the process while the
        // view is open.
        if plan.records { needs.inbox = try .ofProcess() }
        let screen = plan.isScreen ? try SignalInbox(SignalInbox.screen) : nil
        let recorder = plan.records ? try recorder(plan) : nil
        defer { recorder?.close() }
        if !plan.listensOnly {
            plan.packs.add(to: &needs, for: plan.wanted)
            needs.restsWhileVehicleIsOff = rest.limits != nil
        }
        let printer = LinePrinter()
        var until: Instant?
        var end = PollLoop.End.stopped
        repeat {
            plan.heard = plan.heard?.fresh()
            needs.hear(plan.heard)
            let queue = try BatchQueue(full: plan.isScreen ? .dropOldest : .refuse)
            let unsupported = try UnsupportedSignals(plan.table)
            needs.sinks = (recorder?.trip.trips.sinks ?? []) + [queue]
            if !plan.isScreen, !plan.wanted.isEmpty { needs.sinks.append(unsupported) }
            try withVehicle(vehicle, output, plan.table, needs) { connection in
                var view = try View(
                    plan: plan, setup: setup(plan, connection), queue: queue, screen: screen,
                    recorder: recorder, unsupported: unsupported, printer: printer)
                until = until ?? duration.map { SystemClock.now() + $0.duration }
                end = try show(&view, connection, until)
                if let words = end.words { output.note(words) }
                view.summary.statistics = connection.scan.statistics
                view.summary.explain(connection, all: why, tellsPace: output.verbose)
                view.summary.unsupported = unsupported.records
                try print(view.summary, printer, patience: end.patience)
                for trip in view.trips { output.note(PollSummary.line(trip, output)) }
                try check(end, of: connection)
            }
        } while !end.isLast
    }

    /// The session that the options ask for.
    private struct Plan {
        var table: PIDTable
        /// The signals to show, alarms' among them; empty = all.
        var wanted: [SelectedSignal]
        /// The broadcast signals, heard alone or beside polling.
        var heard: HeardSignals?
        var listensOnly: Bool
        var isDriver: Bool
        var alarms: (asked: [SelectedSignal], plan: AlarmPlan)
        var packs: PackChoice
        var automatic: [TablePack]
        var isScreen: Bool
        /// Whether a trip is or can be recorded.
        var records: Bool
        var period: Duration?
    }

    private func plan() throws -> Plan {
        let automatic = listening.listen ? [] : tables.automaticPacks
        let table = try loadTable(tables, adding: listening.table, automatic: automatic)
        let names = SignalNames(table)
        let alone =
            try listening.listen
            ? listening.heard(signals, table, vehicle.vehicleProtocol.vehicleProtocol) : nil
        var wanted = try view.map { try SignalViews.find($0, names, UserSettings.current) } ?? []
        if alone == nil { wanted += try signals.map { try names.findPaced($0) } }
        let isDriver = SignalViews.isDriver(view, UserSettings.current)
        if isDriver && !wanted.isEmpty {
            throw ValidationError("--view driver has its own signals: leave the others out")
        }
        let alarming = try alarms.find(names, UserSettings.current) { output.note($0) }
        if !wanted.isEmpty {
            let shown = wanted
            wanted += alarming.asked.filter { one in !shown.contains { $0.asksTheSame(as: one) } }
        }
        // The messages of `-v` would be written into the view.
        let isTold = (output.verbose || vehicle.traceStates) && isatty(STDERR_FILENO) == 1
        let isScreen = output.format == .text && !lines && !isTold && Terminal.takesScreens
        return Plan(
            table: table, wanted: wanted,
            heard: try alone ?? HeardSignals(beside: wanted, asking: vehicle.ecu?.address, table),
            listensOnly: alone != nil, isDriver: isDriver, alarms: alarming,
            packs: PackChoice(tables, automatic, table), automatic: automatic, isScreen: isScreen,
            records: records || isScreen,
            period: every?.duration ?? readingPace(isScreen: isScreen))
    }

    private func recorder(_ plan: Plan) throws -> LiveRecorder {
        let readsCodes = plan.isScreen && !plan.listensOnly && UserSettings.current.codes ?? true
        return try LiveRecorder(
            vehicle.database, output, every: plan.period,
            lights: readsCodes ? LightChanges(plan.table) : nil, isOn: records)
    }

    /// The signals to poll or to hear, and what the view watches besides.
    private func setup(_ plan: Plan, _ connection: Vehicle) throws -> PollSetup {
        if plan.listensOnly, let heard = plan.heard { return PollSetup(heard: heard.named) }
        let own = try plan.packs.settle(plan.wanted, on: connection) { output.note($0) }
        var setup = try PollSetup.make(
            own.signals, own.records, connection, every: plan.period,
            unknown: { output.note($0.text) })
        try connection.checkRecording(of: setup)
        if plan.isScreen || plan.isDriver { try setup.learnKind(connection) }
        if plan.isDriver {
            setup.keepDriver(plan.table, and: plan.alarms.asked.compactMap(\.signal))
        }
        setup.protectBattery(rest.limits, connection)
        setup.watchesVoltage = plan.isScreen
        if plan.isScreen { setup.watchLight(connection) }
        return setup
    }

    /// One vehicle's readings, on the screen or as lines.
    private struct View {
        let plan: Plan
        var setup: PollSetup
        let queue: BatchQueue
        let screen: SignalInbox?
        let recorder: LiveRecorder?
        let unsupported: UnsupportedSignals
        let printer: LinePrinter
        var summary = PollSummary(statistics: SessionStatistics())
        /// The trips that have ended.
        var trips: [TripSwitch.Ended] = []

        /// The signals that are heard beside polling or alone.
        var frames: HeardFrames? { plan.heard?.frames(of: setup) }
    }

    /// Shows readings until the user, the time or a failure ends that, within a trip if one is recorded.
    private func show(
        _ view: inout View, _ connection: Vehicle, _ until: Instant?
    ) throws -> PollLoop.End {
        guard let recorder = view.recorder else { return try watch(&view, connection, until) }
        let (end, trip) = try recorder.trip.trips.session(on: connection) {
            try watch(&view, connection, until)
        }
        if let trip, records, view.trips.isEmpty {
            view.summary.take(trip, output)
        } else {
            view.trips += trip.map { [$0] } ?? []
        }
        return end
    }

    private func watch(
        _ view: inout View, _ connection: Vehicle, _ until: Instant?
    ) throws -> PollLoop.End {
        let bell = view.plan.alarms.plan.bell(
            view.plan.table, output.units, for: view.setup, note: output.note
        ) { $0.print(output) }
        view.unsupported.begin(view.setup)
        view.setup.begin(on: connection.scan)
        guard let screen = view.screen, let recorder = view.recorder else {
            return try stream(view, connection, until, bell)
        }
        var live = LiveScreen(
            connection, queue: view.queue, signals: screen, setup: view.setup, form: output.form,
            codeWords: { try CodeWords(vehicle.database, connection) }, until: until, bell: bell,
            every: view.plan.period, trip: recorder.trip, automatic: view.plan.automatic,
            heard: view.frames)
        let end = try live.run()
        view.summary.dropped = live.dropped
        view.trips = live.ended
        return end
    }

    /// Throws the failure in the end of a poll.
    private func check(_ end: PollLoop.End, of connection: Vehicle) throws {
        if end == .finished, listening.listen {
            throw Failure(BusWatch.Fault.cannotListen, at: connection.accessory)
        }
        if end == .finished, connection.scan.statistics.readings == 0 {
            throw Failure(
                "\(connection.accessory): no ECU answered any of these signals",
                hint: "\"obdscan pids list --supported\" lists what the vehicle has",
                status: .unavailable)
        }
        if case .failed(let error) = end {
            throw Failure(error, at: connection.accessory)
        }
    }

    /// The interval when people read every line; nil = as fast as possible.
    private func readingPace(isScreen: Bool) -> Duration? {
        let isForPeople = lines || (isatty(STDOUT_FILENO) == 1 && !isScreen)
        return output.format == .text && isForPeople ? .seconds(5) : nil
    }

    private func print(
        _ summary: PollSummary, _ printer: LinePrinter, patience: Duration?
    ) throws {
        if output.format == .json {
            try printer.print { writer, _ in try writer.print(summary.row(), .json) }
        } else {
            // Write nothing to a terminal that hangs.
            for line in summary.lines where takesMore(STDERR_FILENO) { output.note(line) }
        }
        try printer.finish(patience: patience, output)
    }

    /// Prints a line per reading.
    private func stream(
        _ view: View, _ connection: Vehicle, _ until: Instant?, _ bell: AlarmNotifier?
    ) throws -> PollLoop.End {
        let (setup, printer, unsupported) = (view.setup, view.printer, view.unsupported)
        let isRecorded = connection.isRecorded
        let trips = view.recorder?.trip.trips
        let frames = view.frames
        var lines = try ReadingLines(output, table: connection.table)
        // A trip needs the vehicle's VIN and the names of its ECUs, and the output contains the same data.
        let isData = output.format != .text && trips != nil
        let tellsVehicle = { (item: DiagnosticItem) in
            guard isData, case .reading(let reading) = item else { return false }
            return [item].vin != nil || reading.isECUName
        }
        let identity =
            setup.listens ? nil : trips.map { _ in VINQuery(connection, by: setup.profiles) }
        var loop = PollLoop(
            connection, queue: view.queue, until: until, identity: identity, printer: printer)
        loop.others += trips.map { [($0.markDescriptor, $0.takeMarks)] } ?? []
        loop.others.append(
            (
                unsupported.descriptor,
                {
                    unsupported.note(connection.table, isRecorded: isRecorded)
                        .map { output.remark($0) }
                }
            ))
        let start = trips?.start
        var news = PollNews(accessory: connection.accessory)
        var bell = bell
        defer { if let text = frames?.lastNews() { output.remark(text) } }
        return try loop.run(every: frames.map { _ in .seconds(1) }) {
            if let text = frames?.news(at: SystemClock.now()) { output.remark(text) }
        } vehicle: { vin in
            trips?.take(vin)
        } event: { time, event in
            trips?.take(event, at: time)
            if let note = news.note(event) { output.remark(note) }
        } batch: { batch in
            // Batches before the start do not belong to the trip, so they are not printed either.
            if let start, batch.answered < start { return }
            if setup.listens, let vin = batch.items.vin { trips?.take(vin) }
            let time = connection.utc(batch.answered)
            try printer.print { writer, hasHeading in
                lines.hasHeading = hasHeading
                for item in batch.items where setup.wants(item) || tellsVehicle(item) {
                    try lines.print(item, at: time, to: &writer)
                }
                if let voltage = batch.voltage, setup.showsVoltage(connection.table) {
                    try lines.print(voltage: voltage, at: time, to: &writer)
                }
                hasHeading = lines.hasHeading
            }
            bell?.take(batch)
        }
    }
}
