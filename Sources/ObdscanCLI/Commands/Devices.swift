import Accessory
import ArgumentParser
import Formats
import Glibc
import OBDCore
import Reports
import Settings
import SystemIO
import TripRecorder
import TripStore

/// `obdscan devices`: lists adapters.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List attached and known adapters.",
        discussion: """
            EXAMPLES
              obdscan devices
              obdscan devices --scan
              obdscan devices show /dev/ttyUSB0
              obdscan devices watch --format json
            """,
        subcommands: [
            DevicesListCommand.self, DevicesShowCommand.self, DevicesWatchCommand.self,
        ],
        defaultSubcommand: DevicesListCommand.self)
}

/// `obdscan devices list`.
struct DevicesListCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List attached adapters and those that were used before.",
        discussion: """
            Lists serial devices, the Bluetooth devices that BlueZ has connected or paired, and \
            CAN interfaces with their state. Adapters on the network are listed once they were \
            used. --doip asks the networks of this machine for vehicles with diagnostics over \
            Ethernet, which takes a second.

            With --scan it searches for Bluetooth devices in reach for 12 seconds. They have to be \
            in reach, powered, and not connected to a phone. obdscan setup pairs one.

            EXAMPLES
              obdscan devices list --format json
              obdscan devices list --doip
              obdscan devices list --scan
            """)

    @Flag(help: "Ask the networks for vehicles with DoIP, by broadcast.")
    var doip = false

    @Flag(help: "Search for Bluetooth devices in reach, which takes 12 seconds.")
    var scan = false

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        var writer = TextOutput.standard
        let gateways = doip ? try DoIPSearch.everybody() : []
        let found = try scan ? search() : []
        if try Self.printAll(database, output, &writer, gateways, found: found) == 0 {
            output.note("No adapter is attached, and none was used before.")
            output.note("hint: \(AttachedAccessories.advice)")
        }
    }

    private func search() throws -> [BluetoothPairing.Found] {
        let inbox = try SignalInbox.ofProcess()
        let found = try BluetoothSetup(output: output, inbox: inbox).search()
        if let address = found.first?.accessory.address {
            output.note("To pair one: \"obdscan setup -d \(address)\"")
        }
        return found
    }

    /// Prints attached, known and found adapters; returns their number.
    static func printAll(
        _ database: DatabaseOptions, _ output: OutputOptions, _ writer: inout TextOutput,
        _ gateways: [FoundGateway] = [], found: [BluetoothPairing.Found] = []
    ) throws -> Int {
        var printer = RowPrinter(AccessoryEntry.shape, output.form)
        let attached = AccessoryManager(asksBlueZ: true).attached(withHolders: true)
        for accessory in attached { try writer.print(AccessoryEntry(accessory), &printer) }
        let paired = BluetoothAccessories.paired()
        for accessory in paired { try writer.print(AccessoryEntry(paired: accessory), &printer) }
        let others = CANInterface.all().map { Accessory($0) } + gateways.map(\.accessory)
        for accessory in others { try writer.print(AccessoryEntry(accessory), &printer) }
        for device in found { try writer.print(AccessoryEntry(found: device), &printer) }
        let shown = attached + paired + others + found.map(\.accessory)
        for remembered in AdapterMemories.all(database.file)
        where !shown.contains(where: { $0.memoryKey == remembered.address }) {
            try writer.print(AccessoryEntry(remembered), &printer)
        }
        try writer.finish(&printer)
        try writer.flush()
        return printer.count
    }
}

/// `obdscan devices show`.
struct DevicesShowCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show everything that is known about one device.",
        discussion: """
            EXAMPLES
              obdscan devices show /dev/ttyUSB0
            """)

    @Argument(help: ArgumentHelp("Device to show, as for -d.", valueName: "device"))
    var accessory: String

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let address = try UserSettings.current.resolved(accessory)
        guard var entry = find(address) else {
            throw Failure(
                "\(accessory): no such device is attached or known",
                hint: "\"obdscan devices\" lists them", status: .unavailable)
        }
        if let remembered = AdapterMemories.all(database.file).first(where: {
            $0.address == entry.key
        }) {
            entry.remember(remembered)
        }
        var writer = TextOutput.standard
        var printer = RowPrinter(AccessoryEntry.shape, output.form)
        if output.format == .text {
            try writer.write(entry.text(output.palette()))
            try writer.flush()
        } else {
            try writer.print(entry, &printer)
            try writer.finish(&printer)
            try writer.flush()
        }
    }

    private func find(_ address: AccessoryAddress) -> AccessoryEntry? {
        let attached = AccessoryManager(asksBlueZ: true).attached(withHolders: true)
        let match = (attached + CANInterface.all().map { Accessory($0) })
            .first { address.transport.leads(to: $0) }
        if let match { return AccessoryEntry(match) }
        if let paired = BluetoothAccessories.paired().first(where: {
            address.transport.leads(to: $0)
        }) {
            return AccessoryEntry(paired: paired)
        }
        if let gateway = address.transport as? DoIPTransport, let host = gateway.host,
            let found = DoIPSearch.ask(host: host, port: gateway.port).first
        {
            return AccessoryEntry(found)
        }
        return AdapterMemories.all(database.file)
            .first { $0.address == "\(address)" || $0.address == accessory }
            .map { AccessoryEntry($0) }
    }
}

/// `obdscan devices watch`.
struct DevicesWatchCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print connects and disconnects as they happen.",
        discussion: """
            EXAMPLES
              obdscan devices watch
            """)

    @OptionGroup var output: OutputOptions

    func run() throws {
        let inbox = try SignalInbox(SignalInbox.endings)
        var watch: AccessoryWatch
        do {
            watch = try AccessoryWatch(AccessoryManager(asksBlueZ: true))
        } catch {
            throw Failure(
                "\(error.call): \(SystemError.text(of: error.errno))",
                hint: "\"obdscan devices list\" looks once, without watching", status: .unavailable)
        }
        var writer = TextOutput.standard
        while true {
            var waiting = WaitList()
            let signals = waiting.add(inbox.descriptor)
            let news = waiting.add(watch.descriptor)
            let reader = waiting.add(reader: STDOUT_FILENO, forRoom: false)
            waiting.wait()
            if waiting.isReady(signals), let number = inbox.next() { SignalInbox.die(of: number) }
            if waiting.isReady(reader) { throw OutputError.readerGone }
            guard waiting.isReady(news) else { continue }
            for change in watch.next() { try print(change, &writer) }
            try writer.flush()
        }
    }

    private func print(
        _ change: AccessoryChange, _ writer: inout TextOutput
    ) throws(OutputError) {
        let (accessory, event) =
            switch change {
            case .connected(let accessory): (accessory, "connected")
            case .disconnected(let accessory): (accessory, "disconnected")
            }
        let entry = AccessoryEntry(accessory)
        if output.format == .json {
            let device = AccessoryEntry.shape.row(entry)
            var row = Row(
                "deviceEvent", ["time": .time(SystemClock.utc), "event": .text(event)])
            for key in device.keys { row.add(key, device[key]) }
            try writer.print(row, .json)
        } else {
            try writer.writeLine(
                printable(
                    "\(localClock(SystemClock.utc))  \(event)  \(entry.id)  \(entry.name ?? "")"))
        }
    }
}
