import Accessory
import ArgumentParser
import Formats
import Glibc
import LocalLinks
import Reports
import Settings
import SystemIO

/// `obdscan setup`: finds the adapter, tests it, and saves it in the configuration.
struct SetupCommand: RuledCommand {
    var speaksWhenQuiet: Bool { true }
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Find the adapter, test it, and save it in the configuration.",
        discussion: """
            Takes the device of -d, or the only attached one, or asks which. If none is attached, it \
            searches for Bluetooth devices and lists their names. A Bluetooth adapter that is not \
            paired is paired: with the PIN 1234, then 0000, 6789 and 1111, else you are asked for \
            it. Then setup checks the adapter as `obdscan doctor` does, and writes it to the \
            configuration file, so that other commands need no -d. An adapter that works is saved even if the vehicle does not answer. For an adapter \
            that does not work, the fix is printed and nothing is saved.

            With --publish it asks for the destination of trips, tries it, and saves it.

            \(Self.ruleText)

            EXAMPLES
              obdscan setup
              obdscan setup -d tcp:192.168.0.10:35000
              obdscan setup -d bluetooth:OBDII
              obdscan setup -d /dev/ttyUSB0 --name van
              obdscan setup --publish mqtt://homeassistant.local
            """)

    @Option(
        name: [.short, .customLong("device")],
        help: ArgumentHelp("Use this device, as in other commands.", valueName: "device"),
        completion: .file())
    var device: String?

    @Option(
        help: ArgumentHelp(
            "Name the device; other commands take the name as -d.", valueName: "name"))
    var name: String?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Log a trip whenever this USB adapter is plugged in.",
            discussion: """
                Needs the udev rule and the service that the package installs (install.sh does it \
                when root runs it).
                """))
    var logWhenPlugged: Bool?

    @Option(
        defaultAsFlag: "",
        help: ArgumentHelp(
            "Set up the delivery of trips, not an adapter.",
            discussion: """
                Without an address it asks for one. --name names it (default: home); \
                OBDSCAN_PUBLISH_PASSWORD and OBDSCAN_PUBLISH_TOKEN hold secrets.
                """, valueName: "url"))
    var publish: String?

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    static let rules: [OptionRule<Self>] = [
        OptionRule("--publish sets up no adapter: leave -d and --log-when-plugged out") {
            $0.publish != nil && ($0.device != nil || $0.logWhenPlugged != nil)
        }
    ]

    func validate() throws {
        try checkRules()
        if let name, !SettingsKey.isBareName(name) {
            throw ValidationError("a name is made of letters, digits, - and _")
        }
    }

    func run() throws {
        if let publish {
            let inbox = try SignalInbox(SignalInbox.endings)
            return try PublishSetup(output: output, inbox: inbox).run(publish, name: name)
        }
        let table = try loadTable(tables)
        let inbox = try SignalInbox(SignalInbox.endings)
        let choice = SetupChoice(output: output, inbox: inbox)
        var chosen = try choice.choose(device)
        let printer = DoctorPrinter(output, further: [Self.keys])
        var path: String?
        var failure: Failure?
        var works = false
        while !works {
            try checkName(for: chosen)
            path = try plugPath(of: chosen)
            let run = DoctorRun(
                VehicleOptions(device: "\(chosen)", link: LinkOptions(database: database)), output,
                grades: false,
                tell: { check in
                    if check.step == .adapter, check.isFine { works = true }
                    try printer.print(check)
                }, tellGrade: { _ in })
            failure = try run.run(table)
            if works { break }
            guard device == nil, Confirmation.isPossible else {
                throw Failure.silent(failure?.status ?? .unavailable)
            }
            chosen = try choice.choose(nil, after: chosen)
        }
        try keep(chosen, logWhenPlugged: path)
        try tell(chosen, isVehicleThere: failure == nil, printer)
    }

    /// The device node that starts a recording when it appears; nil if the user wants no such start.
    private func plugPath(of address: AccessoryAddress) throws(Failure) -> String? {
        guard logWhenPlugged == true else { return nil }
        guard let node = address.transport.pluggedNode else {
            throw Failure(
                "\(address) is not a device that is plugged in",
                hint: "--log-when-plugged is for USB adapters such as /dev/ttyUSB0", status: .usage)
        }
        return node
    }

    /// Refuses a name that another device has.
    private func checkName(for address: AccessoryAddress) throws(Failure) {
        guard let name, let known = UserSettings.current.aliases[name],
            (try? TransportRegistry.all.address(known)) != address
        else { return }
        throw Failure(
            "\(name) is the name of \(known) already",
            hint: "choose another, or free it first: \"obdscan config unset aliases.\(name)\"",
            status: .usage)
    }

    private func keep(_ address: AccessoryAddress, logWhenPlugged path: String?) throws(Failure) {
        var settings: [(name: String, value: String?)] = [("device", name ?? "\(address)")]
        if let name { settings.insert(("aliases.\(name)", "\(address)"), at: 0) }
        if logWhenPlugged != nil { settings.append(("log-when-plugged", path)) }
        try SettingsFile.set(settings)
    }

    private static let keys = ["device", "name", "file"]

    private func tell(
        _ address: AccessoryAddress, isVehicleThere: Bool, _ printer: DoctorPrinter
    ) throws {
        let file = try SettingsFile.existingPath()
        guard output.format == .text else {
            let row = Row(
                "setup",
                ["device": .text("\(address)"), "name": .text(name), "file": .text(file)])
            return try printer.print(row)
        }
        var writer = TextOutput.standard
        let palette = output.palette()
        var rows = TextTable([("", .left), ("", .left)])
        if isVehicleThere {
            rows.add([.init("obdscan info", .bold), .init("adapter, vehicle, ECUs, VIN")])
            rows.add([.init("obdscan live", .bold), .init("readings as they change")])
            rows.add([.init("obdscan dtc", .bold), .init("trouble codes")])
            rows.add([.init("obdscan log", .bold), .init("record a trip")])
        } else {
            rows.add([
                .init("obdscan doctor", .bold),
                .init("check the vehicle, once the ignition is on"),
            ])
        }
        if let units = Self.usualUnits, UserSettings.current.units == nil {
            rows.add([
                .init("obdscan config set units \(units)", .bold), .init("miles and gallons"),
            ])
        }
        let saved =
            "Saved \(address) in \(file)" + (name.map { " as \($0)" } ?? "")
            + ". Other commands no longer need -d."
        try writer.write(
            "\n" + folded(saved, to: output.columns ?? .max).joined(separator: "\n") + "\n\n"
                + palette(.bold, "Next") + "\n" + rows.text(palette, indent: 2))
        try writer.flush()
    }

    /// The units of the locale's country, if they are not metric.
    private static var usualUnits: String? {
        let locale = ["LC_ALL", "LC_MEASUREMENT", "LANG"].lazy.compactMap { setting($0) }.first
        return locale.flatMap { ["en_US": "us", "en_GB": "uk"][$0.prefix(5)] }
    }
}
