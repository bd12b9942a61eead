import ArgumentParser
import Formats
import OBDCore
import PIDTables
import Reports
import Settings
import SystemIO
import TripRecorder
import TripStore
import VehicleScan

/// `obdscan diagnose`.
struct DiagnoseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnose",
        abstract: "Test the vehicle, or judge a trip: is something off, and why?",
        discussion: """
            EXAMPLES
              obdscan diagnose -d /dev/ttyUSB0
              obdscan diagnose --parked --say 'spd-say -w'
              obdscan diagnose --battery
              obdscan diagnose --trip latest
              obdscan diagnose causes vacuum-leak
            """,
        subcommands: [DiagnoseTestCommand.self, DiagnoseCausesCommand.self],
        defaultSubcommand: DiagnoseTestCommand.self)
}

/// `obdscan diagnose test`: what the readings of a vehicle or of a trip say about the vehicle.
struct DiagnoseTestCommand: RuledCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Test the vehicle with a coach, or judge a recorded trip.",
        discussion: """
            Without --trip it records a trip of the vehicle while a coach says what to do, and then \
            judges that trip. If no device is named by -d, OBDSCAN_DEVICE or the configuration \
            file, and no other option asks for a test, it judges the latest trip.

            The test has these steps, as far as they suit the vehicle: parked, ignition on with the \
            engine off, start, idle, 2,500 rpm, then on the road steady speed, full throttle twice \
            for four seconds, and rolling in gear. A cold engine is driven warm first. A step is \
            done only when the readings show it, and it is skipped when its time is over. --parked \
            has no driving and takes about 4 minutes. --quick reads codes and test results (service \
            06) and half a minute of readings as they are. --battery tests the 12 V side in about a \
            minute: before the start, while the starter turns, and charging.

            Drive safely and obey the law: listen to the sentences (--say), or let a passenger read \
            them. Full throttle is asked for only after steady speed, with the coolant from 70 to \
            107 °C, no stored or pending misfire code and no overboost. The test ends if the coolant \
            is above 115 °C or rises fast above 108 °C, if the engine turns faster than 5,500 rpm at \
            a standstill, if the vehicle moves in a parked step, and if the voltage is above 16.5 V \
            or the battery almost empty. Where the ECU counts the misfires of each cylinder (service \
            06), it ends if they are more than 5 % of the firings; where a pack has the oil pressure, \
            it ends below 29 kPa with a running engine. It ends, too, when it reads a new stored or \
            pending misfire code. It reads codes and counters when a step begins (not in those of the ignition and the start, \
            and never with --battery), after each pull, at steady speed and between pulls every 25 \
            seconds, and when the check engine light or the number of codes changes. A misfire at \
            full throttle may be noticed only after it. It only reads. A test that is broken off, \
            also by Ctrl-C, keeps its trip, prints what it has learnt, and exits with 75.

            It finds operating points in the readings of a trip of any driver: idle, 2,500 rpm at \
            a standstill, steady speed, full load, and ignition on with the engine off. There it \
            measures the fuel correction (short and long trim together), the air meter against \
            pressure and speed, oxygen sensors, coolant, voltage, pressures and the unrest of the \
            idle, and compares each with what healthy vehicles show and with what each \
            cause predicts. Trouble codes, the check engine light and results of monitors (service 06) \
            of the trip, or of the nearest scan of the vehicle within a week, are evidence, too.

            Earlier trips of the same vehicle show what is usual for it, from ten on (the latest 50; \
            not those before a clear, a repair or a pause of 60 days). A usual value speaks against a \
            cause, and one that has changed speaks for it; the limits of healthy vehicles stay. OWN \
            PAST is their mean. The first call measures these trips, and keeps that in the database. \
            The freeze frame of a stored code (obdscan dtc report keeps it) shows in which moment \
            the code was set. It counts as a value only where the trip itself has none.

            It names a cause only if a healthy vehicle is improbable, and if each feature that the \
            cause requires is there by more than its error. It gives the evidence for and against \
            the cause, and the next test. Causes that look alike are named together. Otherwise it says that something is \
            off, or that nothing is odd. A stored code, the light or a failed monitor is never \
            "nothing odd". "Nothing odd" is about this drive only: a fault that \
            did not show in this drive is not found. Features that were not tested are listed with \
            the signals that they need. Flexible fuels, gas and hybrids are not judged where their values differ. A \
            probability is never certainty: make the test before you buy a part.

            The voltage is judged only where it can show something. A battery shows its charge after \
            4 to 8 hours asleep; before that, driving adds 0.1 to 0.3 V and the ignition takes 0.1 \
            to 0.4 V. A start is judged from six readings in it, which needs about ten readings per \
            second. A smart regulator may hold the voltage low on purpose. Adapters may be off \
            by some tenths of a volt; the ECU's voltage (VPWR) corrects them. The ripple of a bad \
            diode is too fast to be seen.

            For most features record RPM, VSS, ECT, IAT, MAF, MAP, BARO, AAT, LOAD_PCT, LOAD_ABS, \
            SHRTFT1, LONGFT1, FUELSYSA, LAMBDA, the oxygen sensors, EVAP_PCT and VPWR, about once \
            a second.

            \(Self.ruleText)

            FILES
              ~/.local/share/obdscan/causes/*.causes
                Your own causes; one of the same name replaces a built-in one.

            EXAMPLES
              obdscan diagnose -d /dev/ttyUSB0
              obdscan diagnose --parked --say 'spd-say -w'
              obdscan diagnose --battery
              obdscan diagnose --trip latest
              obdscan diagnose --trip 12 --json
              obdscan log rpm vss ect iat maf map shrtft1 longft1 fuelsysa vpwr
            """)

    @Option(
        help: ArgumentHelp(
            "Judge this trip: its number, its name or latest.",
            discussion: "The option can be repeated.", valueName: "trip"))
    var trip: [TripReference] = []

    @Flag(help: "Test without driving, in about 4 minutes.")
    var parked = false

    @Flag(help: "Read what the vehicle says now, for half a minute.")
    var quick = false

    @Flag(
        help: ArgumentHelp(
            "Test or judge the 12 V side only.",
            discussion: "With --trip it judges the voltages of that trip."))
    var battery = false

    @Flag(help: "Coach the driver of an automatic transmission.")
    var automatic = false

    @Option(
        help: ArgumentHelp(
            "Speak each sentence by this program: 'spd-say -w'.",
            discussion: """
                The program and its arguments are separated by blanks, and the sentence is the last \
                argument. No shell reads it.
                """, valueName: "command"))
    var say: String?

    @Flag(help: "Exit with 1 if a cause is named, or something is off.")
    var exitCode = false

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule("--trip judges a recorded trip: leave -d, --parked, --quick and --say out") {
            !$0.trip.isEmpty
                && ($0.vehicle.device != nil || $0.parked || $0.quick || $0.say != nil)
        },
        OptionRule("--parked, --quick and --battery exclude each other") {
            [$0.parked, $0.quick, $0.battery].count { $0 } > 1
        },
        OptionRule("--automatic is for the drive of the whole test") {
            $0.automatic && ($0.parked || $0.quick || $0.battery || !$0.trip.isEmpty)
        },
        OptionRule("--say needs a program") { $0.say?.allSatisfy { $0 == " " } ?? false },
        OptionRule("the test chooses its ECU itself: leave --ecu out") { $0.vehicle.ecu != nil },
    ]

    private var course: Coach.Course {
        parked ? .parked : quick ? .quick : battery ? .battery : .guided
    }

    /// Whether the vehicle is tested, and not a recorded trip judged.
    private var isLive: Bool {
        guard trip.isEmpty else { return false }
        return parked || quick || battery || automatic || say != nil
            || vehicle.named(UserSettings.current) != nil
    }

    func run() throws {
        let knowledge = try DriveKnowledge(causes: try loadCauses())
        if isLive { return try test(knowledge) }
        let store = try vehicle.database.open(.readOnly)
        var isOff = false
        var printer = VerdictPrinter(output)
        let numbers =
            trip.isEmpty
            ? [try store.latestTrip()]
            : try trip.map { try $0.text == "last" ? store.latestTrip() : $0.number(in: store) }
        if trip.isEmpty {
            output.note("No device is named, so this is the latest trip; -d names one to test.")
        }
        for number in numbers {
            let readings = try store.readings(ofTrip: number)
            if battery {
                isOff = try printer.print(try TripBattery(of: readings, knowledge)) || isOff
            } else {
                isOff =
                    try printer.print(try TripDiagnosis(of: readings, in: store, knowledge))
                    || isOff
            }
        }
        try printer.flush()
        if exitCode && isOff { throw Failure.silent(.findings) }
    }

    private func test(_ knowledge: DriveKnowledge) throws {
        let table = try loadTable(tables, automatic: tables.automaticPacks)
        // Block signals before any thread exists, because it inherits the mask.
        let inbox = try SignalInbox.ofProcess()
        let plan = try TripRecording.Plan.opened(vehicle.database, every: nil, note: output.note)
        defer { plan.store.closeFile() }
        let outcome = try VehicleTest(
            course: course, isAutomatic: automatic, say: say, vehicle: vehicle, table: table,
            output: output, knowledge: knowledge, inbox: inbox, trip: plan,
            packs: tables.automaticPacks
        ).run()
        let readings = try plan.store.readings(ofTrip: outcome.trip)
        var printer = VerdictPrinter(output)
        try printer.print(
            TestedSteps(
                trip: outcome.trip, start: readings.trip.start, steps: outcome.steps,
                broken: outcome.broken))
        var isOff = false
        if course != .battery {
            isOff = try printer.print(try TripDiagnosis(of: readings, in: plan.store, knowledge))
        }
        if course != .quick {
            let found = try TripBattery(of: readings, knowledge)
            if course == .battery || !found.findings.isEmpty {
                isOff = try printer.print(found) || isOff
            }
        }
        try printer.flush()
        if var failure = outcome.failure {
            failure.status = .timedOut
            throw failure
        }
        if outcome.broken != nil { throw Failure.silent(.timedOut) }
        if exitCode && isOff { throw Failure.silent(.findings) }
    }
}

/// Prints what a test or a trip shows, in the format of the options.
private struct VerdictPrinter: ~Copyable {
    private let output: OutputOptions
    private var writer = TextOutput.standard
    private var table: RowWriter
    private var isFirst = true

    init(_ output: OutputOptions) {
        self.output = output
        table = RowWriter(
            output.format, kinds: TripDiagnosis.keys + [TripBattery.keys, TestedSteps.keys])
    }

    private mutating func print(_ text: String, _ rows: [Row]) throws {
        guard output.format == .text else {
            for row in rows { try writer.print(row, &table) }
            return
        }
        if !isFirst { try writer.write("\n") }
        isFirst = false
        try writer.write(text)
    }

    mutating func print(_ steps: TestedSteps) throws {
        try writer.write(output.format == .text ? "\n" : "")
        try print(steps.text(output.form), steps.rows)
    }

    /// Returns whether something is off.
    mutating func print(_ found: TripDiagnosis) throws -> Bool {
        try print(found.text(output.form), found.rows)
        return switch found.verdict.kind {
        case .cause, .several, .unclear: true
        case .nothing, .untestable: false
        }
    }

    /// Returns whether something is off.
    mutating func print(_ found: TripBattery) throws -> Bool {
        try print(found.text(output.form), found.rows)
        return found.isOff
    }

    mutating func flush() throws { try writer.flush() }
}

/// `obdscan diagnose causes`.
struct DiagnoseCausesCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "causes",
        abstract: "List the causes that diagnose knows, or explain one.",
        discussion: """
            EXAMPLES
              obdscan diagnose causes
              obdscan diagnose causes vacuum-leak
            """)

    @Argument(help: ArgumentHelp("Explain this cause.", valueName: "cause"))
    var cause: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
        let table = try loadCauses()
        guard let list = CauseList(table, id: cause) else {
            let known = table.causes.map(\.id)
            throw Failure(
                "the cause \"\(cause ?? "")\" is unknown",
                hint: (cause.flatMap { nearestName(to: $0, among: known) }
                    .map { "did you mean \($0)? " } ?? "")
                    + "list them: \"obdscan diagnose causes\"",
                status: .usage)
        }
        var writer = TextOutput.standard
        if output.format == .text {
            try writer.write(list.text(output.form))
        } else {
            var table = RowWriter(output.format, columns: CauseList.keys)
            for row in list.rows { try writer.print(row, &table) }
            try writer.append { table.finish(&$0) }
        }
        try writer.flush()
    }
}
