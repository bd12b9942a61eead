import Formats
import FuelFigures
import OBDCore
import ScanSession

/// The settings in the user's configuration file (obdscan-config(5)).
///
/// Options and environment variables override the settings.
public struct UserSettings: Hashable, Sendable {
    /// The device to use without `-d`.
    public var device: String?
    /// The dialect of the adapter.
    public var adapter: DialectChoice?
    /// The vehicle protocol to use.
    public var vehicleProtocol: ProtocolOption?
    /// Units to show.
    public var units: UnitSystem?
    /// The database's file.
    public var database: String?
    /// The source of positions for `log`.
    public var gps: String?
    /// Whether to pause polling while the vehicle is parked.
    public var batterySafe: Bool?
    /// Conditions for alarms.
    public var alarms: [String] = []
    /// The program to run when an alarm begins.
    public var alarmCommand: String?
    /// The device node of the adapter whose trips are recorded whenever it is plugged in.
    public var logWhenPlugged: String?
    /// Devices by the user's names.
    public var aliases: [String: String] = [:]
    /// Lists of signals by name, for `live --view`.
    public var views: [String: [String]] = [:]
    /// Data about engines and prices by VIN; the empty VIN is for all vehicles.
    public var fuel: [String: FuelProfile] = [:]
    /// The sinks for trips, by name.
    public var publish: [String: PublishSettings] = [:]

    /// The workshop for reports, line by line: name, address, telephone.
    public var workshop: [String] = []

    /// No settings.
    public init() {}
}

/// The vehicle protocol in options and settings.
public struct ProtocolOption: Hashable, Sendable {
    /// The protocol; nil = detect it.
    public var vehicleProtocol: VehicleProtocol?

    /// Detects the protocol.
    public static let automatic = ProtocolOption(vehicleProtocol: nil)

    private init(vehicleProtocol: VehicleProtocol?) {
        self.vehicleProtocol = vehicleProtocol
    }

    /// `auto`, a digit or a name; nil for anything else.
    public init?(argument: String) {
        if argument == "auto" || argument == "0" {
            vehicleProtocol = nil
        } else if let found = VehicleProtocol(argument) {
            vehicleProtocol = found
        } else {
            return nil
        }
    }

    /// The default value in the help.
    public var defaultValueDescription: String { "auto" }

    /// The names of all choices.
    public static var allValueStrings: [String] { ["auto"] + VehicleProtocol.allCases.map(\.name) }
}
