import Adapters
import ArgumentParser
import Diagnostics
import Formats
import Glibc
import OBDCore
import Reports
import ScanSession
import ScanTool
import SystemIO
import VehicleScan

/// `obdscan send`: sends raw commands.
struct SendCommand: ParsableCommand, OutputCommand {
    var speaksWhenQuiet: Bool { true }
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send raw adapter or OBD commands, one reply each.",
        discussion: """
            A command is an AT or ST command of the adapter, or a request to the vehicle in \
            hexadecimal. Without any they are read from standard input, line by line, with a \
            prompt on a terminal.

            Commands that only read are sent at once. Every other command needs a confirmation (or \
            --yes) and is never repeated. It is refused unless the vehicle proves that its engine \
            is off and that it does not move, or --force is given. The commands before a request \
            are taken into account: after AT CAF0 the first byte is a length, after AT SH the \
            address matters.

            Commands that listen to the bus (AT MA, AT MR, AT MT, STM) print each line as it \
            arrives, in JSON each frame, until Ctrl-C or --duration. Then obdscan stops the \
            adapter and waits for its prompt.

            EXAMPLES
              obdscan send "\(AdapterAction.readVoltage.command)" 010C 22F190
              obdscan send -d /dev/ttyUSB0
              echo 0902 | obdscan send --format json
              obdscan send --duration 10s "\(AdapterCommand.monitorEverything)"
            """)

    @Argument(help: ArgumentHelp("Commands to send.", valueName: "command"))
    var commands: [String] = []

    @Flag(help: "Do not ask before commands that may change something.")
    var yes = false

    @Flag(help: "Send them without proof that the vehicle stands still.")
    var force = false

    @Option(
        help: ArgumentHelp(
            "Stop listening after this time: 90s, 10m, 1h30m.",
            valueName: "time"))
    var duration: DurationArgument?

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        if let failure = RawCommand.unquoted(commands) { throw failure }
        let requests = try commands.map { try RawCommand($0) }
        let permission = WritePermission(yes: yes, force: force)
        let writing = RawCommand.firstWriting(
            of: requests, in: vehicle.vehicleProtocol.vehicleProtocol)
        if let writing {
            try permission.checkThatSomebodyCanAnswer(for: "\"\(writing.text)\"")
        }
        let table = try loadTable(tables)
        // Before a writing command, the vehicle must be identified, too.
        let isForAdapter =
            !requests.isEmpty && requests.allSatisfy { $0.isForAdapter && !$0.isMonitoring }
            && writing == nil
        var needs = SessionNeeds(vehicle: isForAdapter ? .unused : .optional)
        needs.asksForConsent = true
        needs.listens = requests.isEmpty || requests.contains(where: \.isMonitoring)
        try withVehicle(vehicle, output, table, needs) { connection in
            var run = try SendRun(
                connection: connection, permission: permission, output: output, table: table,
                duration: duration?.duration)
            if requests.isEmpty {
                try run.converse()
            } else {
                try run.send(requests)
            }
            if output.format != .text { try run.finish() }
            if let problem = run.lastProblem { throw problem }
        }
    }
}

/// Commands and their replies, over one connection.
private struct SendRun: ~Copyable {
    let connection: Vehicle
    let permission: WritePermission
    let output: OutputOptions
    /// One printer for all commands, because a table has one heading.
    private var printer: AnswerPrinter
    /// How long to listen to the bus; nil = until Ctrl-C.
    let duration: Duration?
    // Not `Failure?`, for the same reason as in AccessoryWatch.
    var lastProblem: Optional<Failure>
    /// The typed settings, to be restored after checking that the vehicle stands still.
    private var typed: TypedCommands
    private var writer: TextOutput
    /// Whether a signal ended the listening.
    private var isStopped: Bool

    init(
        connection: Vehicle, permission: WritePermission, output: OutputOptions, table: PIDTable,
        duration: Duration?
    ) throws(Failure) {
        printer = try AnswerPrinter(
            output, table: table, kinds: [["time", "command", "lines"]] + ItemRows.Keys.all)
        self.duration = duration
        self.connection = connection
        self.permission = permission
        self.output = output
        lastProblem = nil
        typed = TypedCommands()
        writer = .standard
        isStopped = false
        printer.names = connection.ecuNames
    }

    /// Prints a table's heading if there was no reply.
    mutating func finish() throws {
        try printer.finish(&writer)
    }

    /// Sends commands from standard input until its end.
    mutating func converse() throws {
        let isTerminal = isatty(STDIN_FILENO) == 1
        while true {
            if isTerminal { writeToStandardError("> ") }
            let line: String?
            do {
                line = try LineReader.next(STDIN_FILENO, interruptedBy: connection.interrupt)
            } catch {
                throw ScanError.interrupted
            }
            guard let line else {
                if isTerminal { writeToStandardError("\n") }
                return
            }
            let typed = line.trimmed
            if typed.isEmpty || typed.hasPrefix("#") { continue }
            if typed == "quit" || typed == "exit" { return }
            do {
                try send(RawCommand(typed))
            } catch let failure as Failure {
                // At a prompt, report a mistake and wait for the next line.
                if !isTerminal { throw failure }
                tellOnStandardError(failure.text)
            }
        }
    }

    /// Sends commands one after the other; Ctrl-C while one of them listens skips the rest.
    mutating func send(_ commands: [RawCommand]) throws {
        for (index, command) in commands.enumerated() {
            // Print each command before its answer, as recordings for `replay:` do.
            if commands.count > 1, output.format == .text, !output.quiet {
                try writer.writeLine("> \(printable(command.text))")
                try writer.flush()
            }
            try send(command)
            if isStopped, index + 1 < commands.count {
                let rest = commands[(index + 1)...].map(\.text).joined(separator: ", ")
                output.note("not sent: \(rest)")
                return
            }
        }
    }

    mutating func send(_ command: RawCommand) throws {
        if command.isForAdapter {
            do {
                try connection.checkThatItTakes(command.text)
            } catch {
                throw Failure(error, at: connection.accessory)
            }
        }
        if command.isMonitoring {
            try listen(command)
            return
        }
        let target = connection.ecu?.physicalRequest
        var consent: Consent?
        var asked: QueryResult
        do {
            asked = try connection.ask(command.request(target: target, nil))
        } catch .session(.refused(.needsConsent)) {
            try permission.checkThatSomebodyCanAnswer(for: "\"\(command.text)\"")
            consent = try permission.consent(
                to: "\(command.text) may change something.", word: "yes", connection,
                after: typed)
            asked = try connection.ask(command.request(target: target, consent))
        }
        if command.isForAdapter {
            let lines = asked.answer.reply.rawLines(without: command.text, banner: nil)
            typed.take(
                command.text, isConfirmed: AdapterCommand.isConfirmed(command.text, by: lines),
                withConsent: consent != nil)
        }
        try print(command, asked)
        lastProblem = connection.failure(of: asked)
    }

    /// Longer than any session; three years in seconds.
    private static let endless = Duration.seconds(100_000_000)

    /// Prints received frames line by line, and returns the adapter to its prompt.
    private mutating func listen(_ command: RawCommand) throws {
        let request = AdapterRequest.monitor(
            id: RequestID(rawValue: 0), text: command.text, atMost: duration ?? Self.endless)
        var writer = TextOutput.standard
        var isStopped = false
        var lost = 0
        if duration == nil, isatty(STDERR_FILENO) == 1 { output.note("Ctrl-C ends the listening.") }
        let answer = try connection.scan.listen(
            request, interruptedBy: connection.interrupt,
            isInterrupted: { isStopped = connection.inbox?.next() != nil || isStopped },
            heard: { events in
                for (time, event) in events {
                    switch (event, output.format) {
                    // Lines are printed as text, the frames in the lines otherwise.
                    case (.didLoseEvents(let count), .text): lost += count
                    case (.didLoseFrames(let count), .json), (.didLoseFrames(let count), .csv):
                        lost += count
                    case (.didProgress(.heard(let line)), .text):
                        try writer.writeLine(printable(line))
                    case (.didProgress(.heardFrame(let frame)), .json),
                        (.didProgress(.heardFrame(let frame)), .csv):
                        try printer.print(
                            ItemRows.frame(
                                id: frame.id, data: Array(frame.data), time: connection.utc(time)),
                            to: &writer)
                    default: continue
                    }
                }
                try writer.flush()
            })
        self.isStopped = isStopped
        if output.format != .text {
            try printer.printRest(
                of: QueryResult(answer: answer), at: connection.utc(answer.answered), to: &writer)
            try writer.flush()
        }
        lastProblem =
            lost == 0
            ? nil
            : Failure(
                "\(command.text): \(counted(lost, "line")) came faster than they were read, and are not printed",
                hint: "--record FILE keeps every byte", status: .cannotCreate)
    }

    private mutating func print(_ command: RawCommand, _ asked: QueryResult) throws {
        let link = connection.scan.link
        let lines =
            link?.capabilities.takesCommands ?? true
            ? asked.answer.reply.rawLines(
                without: command.text, banner: link?.identity.banner)
            : asked.answer.reply.messageLines
        if output.format == .text {
            for line in lines { try writer.writeLine(printable(line)) }
        } else {
            let time = connection.utc(asked.answer.answered)
            try printer.print(
                Row(
                    "reply",
                    [
                        "time": .time(time), "command": .text(command.text), "lines": .texts(lines),
                    ]), to: &writer)
            if let voltage = asked.answer.reply.voltage {
                try printer.print(voltage: voltage, at: time, to: &writer)
            }
            for item in asked.answer.items { try printer.print(item, at: time, to: &writer) }
            try printer.printRest(of: asked, at: time, to: &writer)
        }
        try writer.flush()
    }
}
