import ArgumentParser
import Diagnostics
import OBDCore
import Positioning
import Settings
import SystemIO
import TripRecorder
import TripStore
import VehicleScan

/// `obdscan log`: records a trip.
struct LogCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Record a trip to the database.",
        discussion: """
            Records until Ctrl-C, SIGTERM or --duration, and closes the trip. A lost link is had \
            back and the same trip goes on. Without signals everything current that the vehicle \
            supports is recorded, what changes slowly less often. With --format json or csv every \
            reading is printed as well.

            With --until-off the trip also ends when no ECU has answered for a minute (--silence), \
            or when speed and engine speed have been 0 for ten minutes (--standstill). A vehicle \
            that tells no engine speed, as electric ones do, counts as one whose engine stands; \
            start-stop and hybrid vehicles are driving as long as they move, or stand for less than \
            that. The voltage plays no part: smart alternators let it fall while the engine runs. \
            Engine and vehicle speed are recorded even if others were named.

            Without --until-off a vehicle that is off is asked for nothing (--no-battery-safe: it \
            is), so that its battery is not drained and its bus can sleep. Off means that no ECU has \
            answered for a minute, or that speed and engine speed have been 0 for ten minutes while \
            the voltage at the adapter is below 12.8 V (25.6 V of 24 V supplies), which it is in no \
            hybrid or electric vehicle that is ready to drive. Then only that voltage is read, every \
            30 s; the vehicle is asked when it changes by 0.3 V, and else ever more seldom, down to \
            once in 15 minutes. The same trip goes on as soon as an ECU answers or engine or wheels \
            turn; the trip's events tell both. Engine and vehicle speed are asked for once a minute \
            where others were named and the voltage is that low.

            What was recorded is on the disk within a second (--commit-every) and survives a power cut. \
            When the disk is full, cannot be written or another program holds the database, some \
            200,000 readings are held in memory, and stored as soon as that works again; what had to \
            be dropped is noted as a gap. --fast leaves it to the system when data reaches the disk: \
            a killed program loses nothing by it, a power cut everything since the last checkpoint, \
            some megabytes; the database stays sound. A longer --commit-every spares SD cards and \
            loses as much more.

            -d may be repeated: each accessory has its own trip, and one that hangs, is absent or loses \
            its link keeps no other waiting. Lines of json and csv then tell the accessory as it was \
            named, and there is a summary for each. The exit code is 0 when all ended in order, else \
            that of the first named one that did not.

            SIGUSR1 (pkill -USR1 obdscan) marks the moment: the trip gets a note, which trips show, \
            reports and exports hold.

            With --gps the trip also holds where the vehicle was: from gpsd, or from a receiver that \
            speaks NMEA 0183 (RMC, GGA, VTG) on a serial line, a pty, a pipe or in a file. Positions \
            that are older than 5 s when they come are left out, sentences with a wrong checksum \
            too. A receiver that is missing or lost is looked for again and keeps no drive from \
            being recorded; a stretch without positions is noted as a gap.

            EXAMPLES
              obdscan log
              obdscan log --duration 30m rpm speed maf
              obdscan log rpm@10Hz speed@5Hz ect@5s
              obdscan log --until-off --keep 365d
              obdscan log -d /dev/ttyUSB0 -d tcp:192.168.0.10:35000
              obdscan log --tag commute --db ~/trips.db
              obdscan log --gps gpsd://localhost
              obdscan log --gps "serial:/dev/ttyUSB1?baud=4800"
            """)

    @Argument(
        help:
            ArgumentHelp(
                "Signals to record; all without. rpm@10Hz, ect@5s, maf@fast or ect@slow tell how often.",
                valueName: "signal"))
    var signals: [String] = []

    @Option(help: ArgumentHelp("End after so long: 90, 90s, 10m, 1h30m.", valueName: "time"))
    var duration: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Ask for each signal so often, not as often as the link allows.", valueName: "time"))
    var every: DurationArgument?

    @Flag(help: "At the end tell how fast it was, where the time went and what would help.")
    var why = false

    @OptionGroup var rest: RestOptions

    @Flag(help: "End when the vehicle is off.")
    var untilOff = false

    @Option(
        help: ArgumentHelp(
            "With --until-off: off means no answer for so long (60s).", valueName: "time"))
    var silence: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "With --until-off: off means speed and engine speed 0 for so long (10m).",
            valueName: "time"))
    var standstill: DurationArgument?

    @Option(
        name: .customLong("tag"),
        help: ArgumentHelp("A word to find the trip by; may be repeated.", valueName: "word"))
    var tags: [String] = []

    @Option(help: ArgumentHelp("What the trip is called.", valueName: "text"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "First delete drives that ended longer ago and have no name, tag or note.",
            valueName: "time"))
    var keep: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Store what was read so often (1s): what a power cut may cost.", valueName: "time"))
    var commitEvery: DurationArgument?

    @Flag(help: "Leave it to the system when data reaches the disk.")
    var fast = false

    @Option(
        help: ArgumentHelp(
            "Record positions from gpsd://HOST:PORT, or NMEA 0183 from serial:PATH?baud=RATE or a "
                + "path; off: none, whatever the configuration says.",
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

    func validate() throws {
        if let name { try TripReference.check(name: name) }
        try TripReference.check(tags: tags)
        if !untilOff && (silence != nil || standstill != nil) {
            throw ValidationError("--silence and --standstill belong to --until-off")
        }
        if let commitEvery, commitEvery.duration > .seconds(3600) {
            throw ValidationError("--commit-every is an hour at most")
        }
        if device.count > 1 && gps != nil && gps != "off" {
            throw ValidationError("--gps tells where one vehicle is: name one accessory with -d")
        }
        if device.count > 1 && link.record != nil {
            throw ValidationError("--record keeps one conversation: name one accessory with -d")
        }
    }

    func run() throws {
        try LogFleet.check(device)
        let table = try loadTable(tables)
        let names = SignalNames(table)
        var selected = try signals.map { try names.findPaced($0) }
        if untilOff && !signals.isEmpty {
            // The rule needs them; nothing is asked twice.
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
        // Before the writer's thread exists: it inherits the mask.
        let inbox = try SignalInbox(SignalInbox.endings)
        let marks = try MarkSignals()
        let store = try link.database.open(
            .readWrite, limits: TripStore.Limits(isFast: fast))
        defer { store.closeFile() }
        try clearOld(store)
        if let note = store.advice { output.note(note) }
        var plan = plan(table, chosen, tables.packRecords(in: table), store, marks)
        if device.count < 2 {
            plan.trip.receiver = try PositionReceiver.chosen(gps) { [output] in output.note($0) }
        }
        plan.alarms = alarming.plan
        guard device.count < 2 else {
            try LogFleet(plan: plan, devices: device, link: link).run(inbox)
            return
        }
        let outcome = try LogRecording(
            plan: plan, vehicle: VehicleOptions(device: device.first, link: link),
            accessory: nil, inbox: inbox
        ).run()
        try summarise(outcome, plan.printer)
        if let failure = outcome.failure { throw failure }
    }

    private func plan(
        _ table: PIDTable, _ chosen: [SelectedSignal], _ packRecords: [PIDTable.Record],
        _ store: TripStore, _ marks: MarkSignals
    ) -> LogPlan {
        let endLimits = TripEndRule.Limits(
            // Whoever asks every two minutes hears nothing for two.
            silence: silence?.duration ?? max(.seconds(60), (every?.duration ?? .zero) * 3),
            standstill: standstill?.duration ?? .seconds(600))
        var trip = TripRecording.Plan(
            store: store, every: every?.duration, setupFault: setupFault)
        trip.tags = tags
        trip.name = name
        if let commitEvery { trip.limits.commitEvery = commitEvery.duration }
        return LogPlan(
            table: table, chosen: chosen, packRecords: packRecords, trip: trip, output: output,
            duration: duration?.duration, endLimits: untilOff ? endLimits : nil,
            battery: untilOff ? nil : rest.limits, explains: why, marks: marks)
    }

    /// Prints the figures.
    private func summarise(_ outcome: LogOutcome, _ printer: LinePrinter) throws {
        if output.format == .json {
            try printer.print { writer, _ in
                try writer.print(outcome.summary.row(), .json)
            }
        } else {
            for line in outcome.summary.lines { output.remark(line) }
        }
        try printer.finish(patience: outcome.patience, output)
    }

    /// Keeps the retention limit.
    private func clearOld(_ store: TripStore) throws {
        guard let keep else { return }
        let limit = UTC(
            microseconds: SystemClock.utc.microseconds - keep.duration.nanoseconds / 1000)
        let gone = try mapped { () throws(StoreError) in
            try store.deleteTrips(endedBefore: limit)
        }
        if !gone.isEmpty { output.note("\(gone.count) old trips were deleted (--keep).") }
    }
}
