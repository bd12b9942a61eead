import Accessory
import ArgumentParser
import Formats
import Glibc
import LocalLinks
import OBDCore
import Reports
import Simulator
import SystemIO

/// `obdscan simulate`: serves a simulated vehicle to any scan tool.
struct SimulateCommand: RuledCommand {
    var speaksWhenQuiet: Bool { true }
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Serve a simulated vehicle to any scan tool.",
        discussion: """
            The first line on standard output is the address, which -d takes. It serves until \
            Ctrl-C or SIGTERM. On RFCOMM, a service record (Serial Port Profile) announces the \
            channel if bluetoothd runs. The vehicle can have options, as in \
            sim:petrol?latency=20ms&protocol=7&ecus=3&seed=1; others are frozen=true, engine=off \
            and codes=P0301,U0100.

            \(Self.ruleText)

            EXAMPLES
              obdscan simulate                               on a pty
              obdscan simulate --tcp 35000 diesel            as a Wi-Fi adapter
              obdscan simulate --tcp 0.0.0.0:35000           for a phone in the same network
              obdscan simulate diesel --doip                 as a gateway for DoIP
              obdscan simulate --personality clone-1.5       a cheap adapter with its faults
              obdscan simulate --personality slcan           ECUs and an slcan adapter
              obdscan simulate --can vcan0                   ECUs on a CAN interface
              obdscan simulate --ble                         as a Bluetooth LE adapter
              obdscan simulate --faults all:0.001            a bad link
              obdscan simulate --show petrol > my.vehicle    start your own vehicle file
              obdscan simulate --vehicle my.vehicle          serve it
              obdscan simulate --list                        what can be simulated
            """)

    @Argument(
        help: ArgumentHelp("Vehicle, with options after a question mark."))
    var scenario = "petrol"

    @Flag(help: "Serve on a pseudo terminal (the default).")
    var pty = false

    @Option(
        help: ArgumentHelp("Make a symbolic link to the pseudo terminal.", valueName: "path"),
        completion: .file())
    var link: String?

    @Option(
        help: ArgumentHelp(
            "Serve on this port, or address and port.",
            discussion: "The address is 127.0.0.1 where none is named; port 0 is any free one.",
            valueName: "port|address:port"))
    var tcp: ServedHost?

    @Option(
        defaultAsFlag: ServedGateway.usual,
        help: ArgumentHelp(
            "Serve as a DoIP gateway.",
            valueName: "address"))
    var doip: ServedGateway?

    @Option(help: ArgumentHelp("Serve on this Bluetooth RFCOMM channel.", valueName: "channel"))
    var rfcomm: UInt8?

    @Option(
        help: ArgumentHelp(
            "Serve the ECUs on this CAN interface.",
            discussion: "Such as vcan0; several testers may use it.",
            valueName: "interface"))
    var can: String?

    @Option(
        defaultAsFlag: ServedName.usual,
        help: ArgumentHelp(
            "Serve as a Bluetooth LE adapter.",
            discussion: "Phones see this name. BlueZ serves it on this machine's controller.",
            valueName: "name"))
    var ble: ServedName?

    @Option(
        help: ArgumentHelp(
            "Answer after this time, such as 20ms; 0 is at once.",
            valueName: "time"))
    var latency: String?

    @Option(help: ArgumentHelp("Set the adapter's line rate in bit/s.", valueName: "rate"))
    var baud: String?

    @Option(help: ArgumentHelp("Simulate this adapter; --list names them.", valueName: "name"))
    var personality: String?

    @Option(
        help: ArgumentHelp(
            "Write each request to the vehicle to this file.",
            discussion: "Each line has the header and the bytes.",
            valueName: "file"),
        completion: .file())
    var requests: String?

    @Option(
        help: ArgumentHelp(
            "Serve your own vehicle from this file.",
            discussion: "obdscan-vehicle(5) describes the file.",
            valueName: "file"),
        completion: .file(extensions: ["vehicle"]))
    var vehicle: String?

    @Option(
        help: ArgumentHelp(
            "Damage the link, for example drop:0.001,cut:0.01.",
            discussion: "Each number is the share of bytes or lines that are damaged.",
            valueName: "list"))
    var faults: String?

    @Option(
        help: ArgumentHelp(
            "Repeat drive and faults of this number.",
            valueName: "number"))
    var seed: String?

    @Flag(help: "Check the vehicle's file, and serve nothing.")
    var lint = false

    @Flag(help: "Print a built-in vehicle's file, to start your own.")
    var show = false

    @Flag(help: "List scenarios, adapters and options.")
    var list = false

    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule("choose one of --pty, --tcp, --doip, --rfcomm, --can and --ble") {
            $0.places.count { $0 } > 1
        },
        OptionRule("--personality is for adapters, and --doip serves a gateway") {
            $0.doip != nil && $0.personality != nil
        },
        OptionRule("--can serves ECUs without an adapter: leave --personality out") {
            $0.can != nil && $0.personality != nil
        },
        OptionRule("--rfcomm takes a channel from 1 to 30") {
            $0.rfcomm.map { !(1...30).contains($0) } ?? false
        },
    ]

    private var places: [Bool] {
        [pty || link != nil, tcp != nil, doip != nil, rfcomm != nil, can != nil, ble != nil]
    }

    func run() throws {
        if list {
            try Pager.print(output) { try printList(&$0) }
            return
        }
        if show {
            try printFile()
            return
        }
        let options = try simulatorOptions()
        if lint {
            try printSummary(of: options)
            return
        }
        let signals = try SignalInbox(SignalInbox.endings)
        let log: RequestLog
        do throws(SystemError) {
            log = try RequestLog(path: requests)
        } catch {
            throw Failure(outputFile: requests ?? "", errno: error.errno)
        }
        try serve(options, signals, log)
    }

    private func simulatorOptions() throws -> SimulatorOptions {
        var options = try SimulatorLink.options(scenario)
        if let vehicle {
            options.vehicle = try SimulatorLink.vehicle(reading: vehicle)
            options.scenario = vehicle
        }
        if let faults { try options.set("faults", to: faults) }
        if let seed { try options.set("seed", to: seed) }
        if let latency { try options.set("latency", to: latency) }
        if let baud { try options.set("baud", to: baud) }
        if let personality { try options.set("personality", to: personality) }
        if doip != nil { options.personality = SimulatorOptions.doip }
        if can != nil {
            try options.set("personality", to: SimulatedCANDevice.Kind.records.rawValue)
        }
        return options
    }
}

// Serving.
extension SimulateCommand {
    /// Warns of a host that others can reach.
    private func warn(of host: ServedHost) {
        if host.isLoopback { return }
        output.note(
            "Warning: every program in the network of \(host.address) can connect, ask the "
                + "simulated vehicle anything and clear its codes.")
    }

    private func serve(
        _ options: SimulatorOptions, _ signals: borrowing SignalInbox, _ log: RequestLog
    ) throws {
        let device = try options.device(at: SystemClock.now())
        let summary = device.summary
        let server = VehicleServer(
            place, scheme: Self.scheme(of: options), stop: signals.descriptor, log: log,
            announce: { try announce($0, summary) },
            lacksRecord: { fault in
                let reason =
                    switch fault {
                    case .unavailable: "bluetoothd does not run"
                    case .refused(let words): "BlueZ refused it: \(words)"
                    }
                output.note("No service record: \(reason); give the channel to every client.")
            })
        try server.serve(device)
    }

    /// The prefix of an address for this kind of adapter; nil = none.
    private static func scheme(of options: SimulatorOptions) -> String? {
        switch SimulatedCANDevice.Kind(rawValue: options.personality) {
        case .slcan, .slcanSilent, .slcanQueued: "slcan:"
        case .records, nil: nil
        }
    }

    private var place: ServingPlace {
        if let tcp { return .tcp(tcp) }
        if let doip { return .doip(doip.host) }
        if let rfcomm { return .rfcomm(channel: rfcomm) }
        if let can { return .can(interface: can) }
        if let ble { return .ble(name: ble.name) }
        return .pty(link: link)
    }

    private func announce(_ address: String, _ summary: String) throws(OutputError) {
        var writer = TextOutput.standard
        // Print the plain address, because scripts open it.
        try writer.write(bytes: Array((address + "\n").utf8))
        try writer.flush()
        output.note(summary)
        switch place {
        case .tcp(let host) where !host.isLoopback, .doip(let host) where !host.isLoopback:
            warn(of: host)
            let known = host.isWildcard ? "ADDRESS:\(address.split(separator: ":").last ?? "")" : ""
            let scheme = address.prefix { $0 != ":" }
            output.note(
                "connect with: \"obdscan live -d "
                    + (known.isEmpty ? address : "\(scheme):\(known)")
                    + "\"")
        case .pty, .tcp, .doip, .can:
            output.note("connect with: \"obdscan live -d \(address)\"")
        case .rfcomm(let channel):
            output.note(
                "connect from another machine with: \"obdscan live -d rfcomm:ADDRESS/\(channel)\"")
        case .ble(let name):
            output.note(
                "Choose the Bluetooth LE adapter \"\(name)\" in the phone's app, or connect from "
                    + "another machine with: \"obdscan live -d \(address)\"")
        }
        output.note("stop with Ctrl-C")
    }
}

// Lists what can be simulated.
extension SimulateCommand {
    /// Prints the scenario file of the vehicle.
    private func printFile() throws {
        guard let text = Scenario.text(of: scenario) else {
            throw Failure(LocalLinkFault.options(.unknownScenario(scenario)))
        }
        var writer = TextOutput.standard
        try writer.write(bytes: Array(text))
        try writer.flush()
    }

    /// Prints a summary of a scenario file in one line.
    private func printSummary(of options: SimulatorOptions) throws {
        let simulated = try SimulatedVehicle(options)
        var writer = TextOutput.standard
        try writer.writeLine(
            "\(options.scenario): \(simulated.title); "
                + "\(simulated.ecus.count) emissions ECUs, \(simulated.modules.count) modules")
        try writer.flush()
    }

    private func printList(_ writer: inout TextOutput) throws(OutputError) {
        let groups = [
            ("scenario", SimulatorCatalogue.scenarios),
            ("personality", SimulatorCatalogue.personalities),
            ("option", SimulatorCatalogue.options),
        ]
        var rows = RowWriter(output.format, columns: ["kind", "name", "title"])
        for (index, (kind, entries)) in groups.enumerated() {
            for entry in entries {
                try writer.print(
                    Row(kind, ["name": .text(entry.name), "title": .text(entry.title)]), &rows)
            }
            guard output.format == .text else { continue }
            var table = TextTable([(kind.uppercased(), .left), ("", .left)])
            for entry in entries { table.add(["\(entry.name)", "\(entry.title)"]) }
            try writer.write((index > 0 ? "\n" : "") + table.text(output.palette()))
        }
    }
}

extension ServedHost: ExpressibleByArgument {
    /// `PORT` or `ADDRESS:PORT`.
    public init?(argument: String) { self.init(argument, port: nil) }
}

extension ServedName: ExpressibleByArgument {}
extension ServedGateway: ExpressibleByArgument {}
