import Accessory
import ArgumentParser
import DoIPWire
import Formats
import Glibc
import LocalLinks
import OBDCore
import Simulator
import SystemIO

/// `obdscan simulate`: the simulated vehicle for any scan tool.
struct SimulateCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Serve a simulated vehicle to any scan tool.",
        discussion: """
            The first line on standard output is the address, which -d takes. It serves until \
            Ctrl-C or SIGTERM. On RFCOMM, a service record (Serial Port Profile) announces the \
            channel if bluetoothd runs. The vehicle can have options, as in \
            sim:petrol?latency=20ms&protocol=7&ecus=3&seed=1; others are frozen=true, engine=off \
            and codes=P0301,U0100.

            EXAMPLES
              obdscan simulate                               on a pty
              obdscan simulate --tcp 35000 diesel            as a Wi-Fi adapter
              obdscan simulate --tcp 0.0.0.0:35000           for a phone in the same network
              obdscan simulate diesel --doip                 as a gateway for DoIP
              obdscan simulate --personality clone-1.5       a cheap adapter with its faults
              obdscan simulate --personality slcan           ECUs and an slcan adapter
              obdscan simulate --can vcan0                   ECUs on a CAN interface
              obdscan simulate --faults all:0.001            a bad link
              obdscan simulate --show petrol > my.vehicle   start your own vehicle file
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
            "Repeat drive and faults by a number.",
            valueName: "number"))
    var seed: String?

    @Flag(help: "Check the vehicle's file, and serve nothing.")
    var lint = false

    @Flag(help: "Print a built-in vehicle's file, to start your own.")
    var show = false

    @Flag(help: "List scenarios, adapters and options.")
    var list = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        let places = [pty || link != nil, tcp != nil, doip != nil, rfcomm != nil, can != nil]
        if places.count(where: { $0 }) > 1 {
            throw ValidationError("choose one of --pty, --tcp, --doip, --rfcomm and --can")
        }
        if doip != nil, personality != nil {
            throw ValidationError("--personality is for adapters, and --doip serves a gateway")
        }
        if can != nil, personality != nil {
            throw ValidationError("--can serves ECUs without an adapter: leave --personality out")
        }
        if let rfcomm, !(1...30).contains(rfcomm) {
            throw ValidationError("--rfcomm takes a channel from 1 to 30")
        }
    }

    func run() throws {
        if list {
            try printList()
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
        let log = try RequestLog(path: requests)
        do {
            try serve(options, signals, log)
        } catch let error as SystemError {
            throw Failure(error)
        } catch let fault as LocalLinkFault {
            throw Failure(fault)
        }
    }

    private func simulatorOptions() throws(Failure) -> SimulatorOptions {
        var options: SimulatorOptions
        do throws(LocalLinkFault) {
            options = try SimulatorLink.options(scenario)
            if let vehicle {
                options.vehicle = try SimulatorLink.vehicle(reading: vehicle)
                options.scenario = vehicle
            }
        } catch {
            throw Failure(error)
        }
        do throws(SimulatorError) {
            if let faults { try options.set("faults", to: faults) }
            if let seed { try options.set("seed", to: seed) }
            if let latency { try options.set("latency", to: latency) }
            if let baud { try options.set("baud", to: baud) }
            if let personality { try options.set("personality", to: personality) }
            if doip != nil { options.personality = SimulatorOptions.doip }
            if can != nil {
                try options.set(
                    "personality", to: SimulatedCANDevice.Kind.records.rawValue)
            }
            return options
        } catch {
            throw Failure(error)
        }
    }
}

// Serving.
extension SimulateCommand {
    private func serve(
        _ options: SimulatorOptions, _ signals: borrowing SignalInbox, _ log: RequestLog
    ) throws {
        let device: any SimulatedDevice
        do throws(SimulatorError) {
            device = try options.device(at: SystemClock.now())
        } catch {
            throw Failure(error)
        }
        try serve(device, Self.scheme(of: options), signals, log)
    }

    /// What comes before a place in an address of this kind; nil = nothing.
    private static func scheme(of options: SimulatorOptions) -> String? {
        switch SimulatedCANDevice.Kind(rawValue: options.personality) {
        case .slcan, .slcanSilent, .slcanQueued: "slcan:"
        case .records, nil: nil
        }
    }

    /// The ECUs on a CAN interface, until a signal comes or the interface goes.
    private func serve(
        _ device: SharedDevice<some SimulatedDevice>, onInterface name: String, _ stop: Int32,
        _ summary: String, _ note: () -> Void
    ) throws {
        do throws(AccessoryError) {
            guard
                var session = try CANTransport(interface: name).open(
                    within: .seconds(1), cancelledBy: nil)
            else { return }
            do {
                try announce("can:\(name)", summary)
                let end = try LocalLinks.serve(
                    device, on: &session, stop: stop, afterwards: note)
                if end == .stopped { return }
            } catch let error as SystemError {
                throw AccessoryError.system(
                    call: error.call, address: name, errno: error.errno)
            } catch {
                return
            }
            throw AccessoryError.can(.wentDown(interface: name))
        } catch {
            throw Failure(error)
        }
    }

    private func serve(
        _ simulated: some SimulatedDevice, _ scheme: String?, _ signals: borrowing SignalInbox,
        _ log: RequestLog
    ) throws {
        let device = SharedDevice(simulated)
        let summary = simulated.summary
        let stop = signals.descriptor
        let note = { log.add(device) }
        switch place {
        case .pty(let link):
            // The slave is held open here, so only a signal ends this, or the device itself: then
            // another terminal takes the place of the old one, as after a plug was pulled.
            var end = ServingEnd.deviceGone
            while end == .deviceGone {
                let terminal = try PseudoTerminal.open(link: link)
                try announce((scheme ?? "") + (link.map(absolute) ?? terminal.path), summary)
                var session = terminal.session()
                end = try LocalLinks.serve(device, on: &session, stop: stop, afterwards: note)
            }
        case .tcp(let host):
            let socket = try ListeningSocket.tcp(host)
            let address = scheme.map { socket.address.replacing("tcp:", with: $0) }
            try serve(device, on: socket, address, stop, summary, note)
        case .doip(let host):
            let socket = try ListeningSocket.tcp(host, scheme: "doip")
            let answerer = try DoIPAnswerer(socket.host ?? host) { bytes in
                device.look { $0.answer(toDatagram: bytes) }
            }
            try serve(device, on: socket, nil, stop, summary, note)
            _ = consume answerer
        case .can(let interface):
            try serve(device, onInterface: interface, stop, summary, note)
        case .rfcomm(let channel):
            let socket = try ListeningSocket.rfcomm(channel: channel)
            // Kept until serving ends: with whoever made it the record goes.
            let record = announceService(on: channel)
            try serve(device, on: socket, nil, stop, summary, note)
            _ = consume record
        }
    }

    /// As -d takes it from any folder; a name without a slash would be an alias.
    private func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        guard let folder = getcwd(nil, 0) else { return "./" + path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }

    /// Has BlueZ tell other machines the channel; without a record it has to be named to them.
    private func announceService(on channel: UInt8) -> SerialPortRecord? {
        do throws(SerialPortRecord.Fault) {
            return try SerialPortRecord(channel: channel, name: "OBDSCAN")
        } catch {
            let reason =
                switch error {
                case .unavailable: "bluetoothd does not run"
                case .refused(let words): "BlueZ refused it: \(words)"
                }
            output.note("No service record: \(reason); give the channel to every client.")
            return nil
        }
    }

    /// One host after another.
    private func serve(
        _ device: SharedDevice<some SimulatedDevice>, on socket: consuming ListeningSocket,
        _ address: String?, _ stop: Int32, _ summary: String, _ note: () -> Void
    ) throws {
        try announce(address ?? socket.address, summary)
        while var session = try socket.accept(stop: stop) {
            let end = try LocalLinks.serve(device, on: &session, stop: stop, afterwards: note)
            if end == .stopped { return }
        }
    }

    private var place: ServingPlace {
        if let tcp { return .tcp(tcp) }
        if let doip { return .doip(doip.host) }
        if let rfcomm { return .rfcomm(channel: rfcomm) }
        if let can { return .can(interface: can) }
        return .pty(link: link)
    }

    private func announce(_ address: String, _ summary: String) throws(OutputError) {
        var writer = TextOutput.standard
        // As it is: scripts open it.
        try writer.write(bytes: Array((address + "\n").utf8))
        try writer.flush()
        output.note(summary)
        switch place {
        case .tcp(let host) where !host.isLoopback, .doip(let host) where !host.isLoopback:
            output.note(
                "Warning: every program in the network of \(host.address) can connect, ask the "
                    + "simulated vehicle anything and clear its codes.")
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
        }
        output.note("stop with Ctrl-C")
    }
}

// What can be simulated.
extension SimulateCommand {
    /// The text of the vehicle's file.
    private func printFile() throws {
        guard let text = Scenario.text(of: scenario) else {
            throw Failure(.unknownScenario(scenario))
        }
        var writer = TextOutput.standard
        try writer.write(bytes: Array(text))
        try writer.flush()
    }

    /// What was read of a vehicle's file, in one line.
    private func printSummary(of options: SimulatorOptions) throws {
        let simulated: SimulatedVehicle
        do throws(SimulatorError) {
            simulated = try SimulatedVehicle(options)
        } catch {
            throw Failure(error)
        }
        var writer = TextOutput.standard
        try writer.writeLine(
            "\(options.scenario): \(simulated.title); "
                + "\(simulated.ecus.count) emissions ECUs, \(simulated.modules.count) modules")
        try writer.flush()
    }

    private func printList() throws(OutputError) {
        var writer = TextOutput.standard
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
        try writer.flush()
    }
}

/// Writes the requests that reach the vehicle, a line each: `7DF 010C`.
private final class RequestLog {
    private let descriptor: Int32
    private var written = 0

    init(path: String?) throws(Failure) {
        guard let path else {
            descriptor = -1
            return
        }
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        if descriptor < 0 { throw Failure(outputFile: path, errno: errno) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func add(_ device: SharedDevice<some SimulatedDevice>) {
        guard descriptor >= 0 else { return }
        let seen = written
        let (lines, count) = device.look { adapter in
            // An interrupted request is taken back before it was sent.
            let new = max(0, adapter.requestCount - seen)
            let lines = adapter.requests.suffix(new).map { request in
                request.header + " " + Hex.string(request.payload) + "\n"
            }
            return (lines.joined(), adapter.requestCount)
        }
        written = count
        let bytes = Array(lines.utf8)
        // A full disk is no reason to stop serving; the file then ends early.
        bytes.withUnsafeBytes { _ = write(descriptor, $0.baseAddress, $0.count) }
    }
}

extension ServedHost: ExpressibleByArgument {
    /// `PORT` or `ADDRESS:PORT`.
    public init?(argument: String) { self.init(argument, port: nil) }
}

/// Where a simulated DoIP gateway is served: `ADDRESS`, `PORT` or `ADDRESS:PORT`.
struct ServedGateway: ExpressibleByArgument, CustomStringConvertible {
    var host: ServedHost

    static let usual = ServedGateway(host: ServedHost(port: DoIPMessage.port))

    init(host: ServedHost) { self.host = host }

    init?(argument: String) {
        guard let host = ServedHost(argument, port: DoIPMessage.port) else { return nil }
        self.init(host: host)
    }

    var description: String { host.text }
}
