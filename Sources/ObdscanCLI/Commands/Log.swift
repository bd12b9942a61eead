import ArgumentParser
import Diagnostics
import OBDCore
import Reports
import Settings
import SystemIO
import TripRecorder
import TripStore
import VehicleScan

/// `obdscan log`: records a trip.
struct LogCommand: RuledCommand {
    var speaksWhenQuiet: Bool { true }
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Record a trip to the database.",
        discussion: """
            Records until Ctrl-C, SIGTERM or --duration, and closes the trip. If the link is lost, \
            obdscan reconnects and continues the same trip, or begins a new one if the adapter is \
            in another vehicle then. Without signals it records every \
            current signal that the vehicle supports, and polls slow ones less often. With \
            --format json or csv it also prints every reading. Stored, pending and permanent \
            trouble codes are read at the start, when the check engine light or the number of \
            codes changes, after a pause, and before the end (--no-codes reads none).

            With --until-off the trip also ends when no ECU has answered for a minute (--silence), \
            or when speed and engine speed have been 0 for ten minutes (--standstill). A vehicle \
            that reports no engine speed, such as an electric one, counts as one whose engine is \
            off. A start-stop or hybrid vehicle ends its trip only after ten minutes at a \
            standstill. The voltage is ignored, because smart alternators lower it while the \
            engine runs. Engine and vehicle speed are always recorded.

            With --each-drive a trip ends when the vehicle is off, or when the link has been lost for \
            ten minutes. If the vehicle does not answer when a lost link is back, the time without a link \
            counts as silence; if it answers at once, a shorter loss ends no trip. obdscan then waits, \
            and the next drive is another trip. The services of the \
            package record in this way, so that --keep can delete old drives.

            Without --until-off polling pauses while the vehicle is off, so that its battery is \
            not drained and its bus can sleep (--no-battery-safe keeps polling). Off means that no \
            ECU has answered for a minute, or that speed and engine speed have been 0 for ten \
            minutes while the voltage at the adapter is below 12.8 V (25.6 V on 24 V supplies). A \
            hybrid or electric vehicle that is ready to drive stays above this voltage. During a pause \
            only the voltage is read, every 30 s. The vehicle is asked when the voltage changes by \
            0.3 V, and otherwise less and less often, down to once in 15 minutes. The same trip, or \
            with --each-drive a new one, continues as soon as an ECU answers or the engine or wheels \
            turn; the trip's events record the pause and its end. While the voltage is that low, engine and vehicle speed \
            are polled once a minute, even if other signals were named.

            Readings are on the disk within a second (--commit-every) and survive a power cut. \
            Each commit writes some pages, however little they hold, so a longer --commit-every \
            spares SD cards: at ten readings per second, 60s writes 6 MB an hour instead of 110. \
            A power cut then loses the readings of this time. A killed program loses those of \
            the last tenth of a second, because the others are in /dev/shm, too, until the next \
            obdscan takes them into the database. On a machine without such memory, a kill loses \
            as much as a power cut. Other programs see readings when they are committed. If the \
            disk is full, cannot be written, or another program locks the database, about \
            200,000 readings are held in memory and stored as soon as that works again. Those that are \
            still held at the end go to /dev/shm in the same way. Readings \
            that had to be dropped are noted as a gap. With --fast the system decides when data \
            reaches the disk: a killed program still loses nothing, but a power cut loses \
            everything since the last checkpoint, some megabytes. The database stays intact.

            -d may be repeated. Each device gets its own trip, and a device that hangs, is missing or \
            loses its link does not delay the others. A device that cannot start is tried again while \
            the others record: a missing adapter every 15 s, a vehicle that does not answer \
            every 3 minutes. Each line of json and csv then names its \
            device, and each device gets a summary. The exit code is 0 if all recordings ended \
            well, and otherwise that of the first device that failed.

            SIGUSR1 (pkill -USR1 obdscan) marks a moment: it adds a note to the trip, which \
            appears in trips show, reports and exports.

            With --gps the trip also records positions, from gpsd or from a receiver that speaks \
            NMEA 0183 (RMC, GGA, VTG) on a serial line, a pty, a pipe or in a file. \
            A file plays at the pace of its own times. Positions older than 5 s and sentences with a wrong checksum are left out. If the receiver is \
            missing or lost, obdscan keeps looking for it and records the drive without it; a \
            stretch without positions is noted as a gap.

            The package installs services for systemd. "obdscan setup --log-when-plugged" turns on \
            the one that logs the trips of a USB adapter. "systemctl --user enable --now \
            obdscan-serve" starts the web page at every login, and obdscan-publish delivers trips \
            in the same way; after "loginctl enable-linger" they start with the machine. For an \
            adapter on Wi-Fi or Bluetooth, "systemctl --user enable --now obdscan-log" runs "obdscan \
            log" with the device of the configuration. System services start with the machine \
            without a login: "sudo systemctl enable --now obdscan-log-as@USER" and \
            obdscan-publish-as@USER. All of them use the settings keep, keep-free, commit-every, \
            signals, pids and codes of the configuration; see obdscan-config(5).

            With --listen nothing is sent to the vehicle: the trip gets the values in the frames that \
            ECUs send by themselves, by a table or a DBC file (--table) or by SAE J1939. The trip begins with the first \
            such value; without one there is no trip. Values are stored as import \
            stores those of a log of the bus: a value when it changes, but a number at most once per \
            second and any other value at most ten times per second; a value that stays every five \
            seconds; the state "not available" once. Counters and checksums are stored only if they are \
            named. "obdscan pids show" says this for each signal of a table. Frames that came faster \
            than they were read are noted as a gap and counted at the end. Without --listen, can: and \
            slcan: devices hear the frames of such a table beside their requests, and store them by the \
            same rule: all, or those of the signals that are named. On SAE J1939 they listen first, and \
            request only the parameter groups that no ECU sends by itself. A group that is heard is stored \
            at the interval at which it would be requested, ten times per second at most unless an \
            interval was given; it is requested after it was silent for five of its usual intervals, and for a second at least.

            \(Self.ruleText)

            EXAMPLES
              obdscan log
              obdscan log --duration 30m rpm speed maf
              obdscan log rpm@10Hz speed@5Hz ect@5s
              obdscan log --each-drive --keep 365d
              obdscan log -d /dev/ttyUSB0 -d tcp:192.168.0.10:35000
              obdscan log -d can:can0 --listen --table car.dbc
              obdscan log -d can:can0 --table car.dbc rpm speed Dash.Odometer
              obdscan log --tag commute --db ~/trips.db
              obdscan log --gps gpsd://localhost
              obdscan log --gps "serial:/dev/ttyUSB1?baud=4800"
            """)

    @Argument(
        help: ArgumentHelp(
            "Signals to record (default: all); rpm@10Hz or ect@5s sets a rate.",
            discussion: """
                maf@fast and ect@slow are rates, too. `signals` in the configuration file changes the \
                default; the word all then records all.
                """,
            valueName: "signal"))
    var signals: [String] = []

    @Option(help: ArgumentHelp("Stop after this time: 90, 90s, 10m, 1h30m.", valueName: "time"))
    var duration: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Poll at this interval (default: without a pause).", valueName: "time"))
    var every: DurationArgument?

    @Flag(
        help: ArgumentHelp(
            "Report at the end where the time went.",
            discussion: "The report also has the pace, and advice for a better pace."))
    var why = false

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Read trouble codes (the default).",
            discussion: "`codes` in the configuration file changes the default."))
    var codes: Bool?

    @OptionGroup var listening: ListenOptions
    @OptionGroup var rest: RestOptions

    @Flag(help: "End when the vehicle is off.")
    var untilOff = false

    @Flag(help: "Begin a new trip with each drive.")
    var eachDrive = false

    @Option(
        help: ArgumentHelp(
            "End after this silence (default: 60s).",
            discussion: "It needs --until-off. Silence means that no ECU answers.",
            valueName: "time"))
    var silence: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "End after this standstill (default: 10m).",
            discussion: "It needs --until-off. Standstill means that speed and engine speed are 0.",
            valueName: "time"))
    var standstill: DurationArgument?

    @Option(
        name: .customLong("tag"),
        help: ArgumentHelp("Add a word to find the trip by; may be repeated.", valueName: "word"))
    var tags: [String] = []

    @Option(help: ArgumentHelp("Name the trip.", valueName: "text"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Delete drives that ended longer ago: 365d, off.",
            discussion: """
                A day (1d) is the shortest time. Drives with a name, a tag or a note stay, and those that \
                a configured sink still needs. obdscan trips undo can restore the deleted drives for a \
                week, unless db compact runs. Nothing is deleted while the clock is not set, or while by \
                the clock the newest drive ended more than 31 days ago. Looks at the start and then every \
                hour. The default is `keep` of the configuration file.
                """,
            valueName: "time"))
    var keep: LiftedLimit<AgeArgument>?

    @Option(
        help: ArgumentHelp(
            "Delete oldest drives to keep this free: 500MB, off.",
            discussion: """
                If the disk has less space, the drives that every configured sink has received are \
                deleted, the oldest first, until there is enough. Space that deleted trips left in the database \
                counts. Trips that were deleted before go first. trips undo cannot restore any of them, \
                because a trip that can be restored needs as much space as before. The rules of --keep \
                for names, tags, notes and the clock hold. Looks at the start and then every minute. The \
                default is `keep-free` of the configuration file.
                """,
            valueName: "size"))
    var keepFree: LiftedLimit<SpaceArgument>?

    @Option(
        help: ArgumentHelp(
            "Store readings at this interval (default: 1s).",
            discussion: """
                A power cut loses no more than this. `commit-every` in the configuration file changes \
                the default.
                """,
            valueName: "time"))
    var commitEvery: DurationArgument?

    @Flag(help: "Let the system decide when to write to the disk.")
    var fast = false

    @Option(
        help: ArgumentHelp(
            "Record positions from gpsd or an NMEA receiver.",
            discussion: """
                gpsd://HOST:PORT, serial:PATH?baud=RATE, or a path. The word off records none, even \
                if the configuration file names a source.
                """,
            valueName: "source"))
    var gps: String?

    @Option(
        name: [.short, .customLong("device")], help: VehicleOptions.deviceHelp,
        completion: .file())
    var device: [String] = []

    @OptionGroup var alarms: AlarmOptions
    @OptionGroup var link: LinkOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule(
            "--listen sends no requests, so --every, --until-off and --why do not go with it"
        ) {
            $0.listening.listen && ($0.every != nil || $0.untilOff || $0.why)
        },
        OptionRule(
            "--each-drive waits for the next drive, so --until-off, --listen and --no-battery-safe do not go with it"
        ) {
            $0.eachDrive && ($0.untilOff || $0.listening.listen || $0.rest.batterySafe == false)
        },
        OptionRule("--silence and --standstill belong to --until-off") {
            !$0.untilOff && ($0.silence != nil || $0.standstill != nil)
        },
        OptionRule("--commit-every is an hour at most") {
            $0.commitEvery.map { $0.duration > .seconds(3600) } ?? false
        },
        OptionRule("--gps follows one vehicle: name one device with -d") {
            $0.device.count > 1 && $0.gps != nil && $0.gps != "off"
        },
        OptionRule("--record writes one conversation: name one device with -d") {
            $0.device.count > 1 && $0.link.record != nil
        },
    ]

    func validate() throws {
        try checkRules()
        if let name { try TripReference.check(name: name) }
        try TripReference.check(tags: tags)
    }

    func run() throws {
        try LogFleet.check(device)
        let automatic = listening.listen ? [] : tables.automaticPacks
        let table = try loadTable(tables, adding: listening.table, automatic: automatic)
        let names = SignalNames(table)
        let alone =
            try listening.listen
            ? listening.heard(
                signals == ["all"] ? [] : signals, table, link.vehicleProtocol.vehicleProtocol)
            : nil
        var selected = try alone == nil ? selection(of: names) : []
        if untilOff && !selected.isEmpty {
            // The rule needs these signals; do not poll a record twice.
            for name in ["RPM", "VSS"] {
                let needed = try names.find(name)
                if !selected.contains(where: { $0.record?.dataID == needed.record?.dataID }) {
                    selected.append(needed)
                }
            }
        }
        let alarming = try alarms.find(names, UserSettings.current) { output.note($0) }
        if !selected.isEmpty {
            selected += alarming.asked.filter { one in
                !selected.contains { $0.asksTheSame(as: one) }
            }
        }
        let chosen = selected
        // Block signals before the writer's thread exists, because it inherits the mask.
        let inbox = try SignalInbox(SignalInbox.endings)
        let marks = try MarkSignals()
        let store = try link.database.openForTrips(
            limits: TripStore.Limits(isFast: fast), note: output.note)
        defer { store.closeFile() }
        let keeper = try LogKeeping(
            store: store, age: (keep ?? UserSettings.current.keep)?.limit,
            space: (keepFree ?? UserSettings.current.keepFree)?.limit,
            positions: UserSettings.current.keepPositions?.limit, output: output
        ).start()
        defer { keeper?.signal() }
        var plan = plan(table, chosen, PackChoice(tables, automatic, table), store, marks)
        if device.count < 2 {
            plan.trip.receiver = try PositionReceiver.chosen(gps) { [output] in output.note($0) }
        }
        plan.alarms = alarming.plan
        plan.heard = try alone ?? HeardSignals(beside: chosen, asking: link.ecu?.address, table)
        guard device.count < 2 else {
            try LogFleet(plan: plan, devices: device, link: link).run(inbox)
            return
        }
        let outcome = try LogRecording(
            plan: plan, vehicle: VehicleOptions(device: device.first, link: link),
            accessory: nil, inbox: inbox
        ).run()
        try outcome.printSummary(plan, of: nil)
        try plan.printer.finish(patience: outcome.patience, output)
        if let failure = outcome.failure { throw failure }
    }

    /// The signals to record; empty = all.
    private func selection(of names: SignalNames) throws -> [SelectedSignal] {
        if signals == ["all"] { return [] }
        guard signals.isEmpty else { return try signals.map { try names.findPaced($0) } }
        if UserSettings.current.signals == ["all"] { return [] }
        return try names.find(configured: UserSettings.current.signals, by: "signals")
    }

    private func plan(
        _ table: PIDTable, _ chosen: [SelectedSignal], _ packs: PackChoice,
        _ store: TripStore, _ marks: MarkSignals
    ) -> LogPlan {
        let endLimits = TripEndRule.Limits(
            // With a polling interval of two minutes, two minutes without an answer are normal.
            silence: silence?.duration ?? max(.seconds(60), (every?.duration ?? .zero) * 3),
            standstill: standstill?.duration ?? .seconds(600))
        var trip = TripRecording.Plan(
            store: store, every: every?.duration)
        trip.tags = tags
        trip.name = name
        trip.privacy = UserSettings.current.privacy
        trip.limits = .recording(
            every: commitEvery?.duration ?? UserSettings.current.commitEvery, to: store)
        return LogPlan(
            table: table, chosen: chosen, packs: packs, trip: trip, output: output,
            duration: duration?.duration, endLimits: untilOff ? endLimits : nil,
            splitsDrives: eachDrive,
            battery: eachDrive ? .init() : untilOff || listening.listen ? nil : rest.limits,
            readsCodes: (codes ?? UserSettings.current.codes ?? true) && !listening.listen,
            explains: why, marks: marks
        )
    }
}
