import Formats
import FuelFigures
import OBDCore
import ScanSession

/// What the user's configuration file says (obdscan-config(5)).
///
/// Options and environment variables go before it.
public struct UserSettings: Hashable, Sendable {
    /// The accessory to use without `-d`.
    public var device: String?
    /// What the adapter speaks.
    public var adapter: DialectChoice?
    /// The vehicle protocol to use.
    public var vehicleProtocol: ProtocolOption?
    /// Units to show.
    public var units: UnitSystem?
    /// The database's file.
    public var database: String?
    /// Where `log` gets positions from.
    public var gps: String?
    /// Whether a parked vehicle is left alone.
    public var batterySafe: Bool?
    /// Conditions that the user wants to be told of.
    public var alarms: [String] = []
    /// The program to run when one of them begins.
    public var alarmCommand: String?
    /// The accessory whose trips are logged whenever it is plugged in: its path.
    public var logWhenPlugged: String?
    /// Accessories by names of the user's own.
    public var aliases: [String: String] = [:]
    /// Lists of signals by name, for `live --view`.
    public var views: [String: [String]] = [:]
    /// What is known of engines and prices, by VIN; an empty one is for all vehicles.
    public var fuel: [String: FuelProfile] = [:]
    /// Where trips are published, by name.
    public var publish: [String: PublishSettings] = [:]

    /// Who makes reports, line by line: name, address, telephone.
    public var workshop: [String] = []

    /// Nothing is set.
    public init() {}
}

/// Which vehicle protocol to use, as options and settings name it.
public struct ProtocolOption: Hashable, Sendable {
    /// Nil = find out.
    public var vehicleProtocol: VehicleProtocol?

    /// Finds the protocol out.
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

    /// The choice without an option.
    public var defaultValueDescription: String { "auto" }

    /// Every choice by its name.
    public static var allValueStrings: [String] { ["auto"] + VehicleProtocol.allCases.map(\.name) }
}
