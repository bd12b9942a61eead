import Accessory
import ArgumentParser
import LocalLinks
import OBDCore
import ScanSession
import Settings

extension DialectChoice: Choice {}
extension ProtocolOption: ExpressibleByArgument {}

struct ECUOption: ExpressibleByArgument, Hashable, Sendable {
    /// The responder.
    var address: ECUAddress

    init?(argument: String) {
        guard let address = ECUAddress(argument) else { return nil }
        self.address = address
    }
}

/// A number that pairs an adapter: one to six digits.
struct PINOption: ExpressibleByArgument, Hashable, Sendable {
    var text: String

    init?(argument: String) {
        guard BLETransport.isPIN(argument) else { return nil }
        text = argument
    }
}

/// Options of every command that talks to one vehicle.
struct VehicleOptions: ParsableArguments {
    @Option(
        name: [.short, .customLong("device")], help: Self.deviceHelp, completion: .file())
    var device: String?

    @OptionGroup var link: LinkOptions

    init() {}

    /// The same link options with another device.
    init(device: String?, link: LinkOptions) {
        self.init()
        self.device = device
        self.link = link
    }

    /// The help of `-d`.
    static let deviceHelp = ArgumentHelp(
        "Use this device: /dev/ttyUSB0, tcp:HOST:PORT, a name.",
        discussion: """
            Forms: \(TransportRegistry.all.forms.map(\.short).joined(separator: ", ")), or a name \
            from `aliases` of the configuration file. Default: the environment variable \
            OBDSCAN_DEVICE, then `device` of the configuration file, then the only attached one.
            """,
        valueName: "device", visibility: .hidden)

    var adapter: DialectChoice { link.adapter }
    var vehicleProtocol: ProtocolOption { link.vehicleProtocol }
    /// The only ECU to ask.
    var ecu: ECUOption? { link.ecu }
    /// The file for the transcript.
    var record: String? { link.record }
    /// Whether transitions are printed.
    var traceStates: Bool { link.traceStates }
    /// The database for trips and known devices.
    var database: DatabaseOptions { link.database }
}

/// Options of links to devices, independent of the device.
struct LinkOptions: ParsableArguments {
    @Option(
        name: .customLong("adapter"),
        help: ArgumentHelp(
            "Set the adapter's dialect (default: detected).", valueName: "dialect",
            visibility: .hidden))
    var chosenAdapter: DialectChoice?

    @Option(
        name: .customLong("protocol"),
        help: ArgumentHelp(
            "Set the vehicle protocol (default: found by asking).",
            discussion: "It is auto, a number or letter as for ELM327 (1 to 9, A to C), or a name.",
            valueName: "protocol", visibility: .hidden))
    var chosenProtocol: ProtocolOption?

    @Option(
        help: ArgumentHelp(
            "Ask only this ECU: 7E8, 18DAF110, 10.", valueName: "id", visibility: .hidden))
    var ecu: ECUOption?

    @Option(
        help: ArgumentHelp(
            "Pair a Bluetooth LE adapter with this number.",
            discussion: "Without it the number is asked for on a terminal.",
            valueName: "number", visibility: .hidden))
    var pin: PINOption?

    @Option(
        help: ArgumentHelp(
            "Write every byte with its time to this file.",
            discussion:
                "obdscan-transcript(5) describes the file. An earlier recording is replaced; any other "
                + "file stays.",
            valueName: "file",
            visibility: .hidden),
        completion: .file())
    var record: String?

    @Flag(
        help: ArgumentHelp(
            "Print each transition of the state machine to stderr.", visibility: .hidden))
    var traceStates = false

    @OptionGroup var database: DatabaseOptions

    init() {}

    /// Options set by the program itself.
    init(
        vehicleProtocol: ProtocolOption? = nil, record: String? = nil, database: DatabaseOptions
    ) {
        chosenAdapter = nil
        chosenProtocol = vehicleProtocol
        ecu = nil
        pin = nil
        self.record = record
        traceStates = false
        self.database = database
    }

    var adapter: DialectChoice { chosenAdapter ?? UserSettings.current.adapter ?? .automatic }

    var vehicleProtocol: ProtocolOption {
        chosenProtocol ?? UserSettings.current.vehicleProtocol ?? .automatic
    }
}
