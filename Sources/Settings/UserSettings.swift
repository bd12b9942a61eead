import Formats
import OBDCore
import Reports
import ScanSession
import TripRecorder
import TripStore

/// The settings in the user's configuration file (obdscan-config(5)).
///
/// Options and environment variables override the settings.
package struct UserSettings: Hashable, Sendable {
    /// The device to use without `-d`.
    package var device: String?
    package var adapter: DialectChoice?
    package var vehicleProtocol: ProtocolOption?
    package var units: UnitSystem?
    package var database: String?
    /// The source of positions for `log`.
    package var gps: String?
    /// Whether to pause polling while the vehicle is parked.
    package var batterySafe: Bool?
    package var alarms: [String] = []
    /// The program to run when an alarm begins.
    package var alarmCommand: String?
    /// The device node of the adapter whose trips are recorded whenever it is plugged in.
    package var logWhenPlugged: String?
    /// The age from which `log` deletes drives.
    package var keep: LiftedLimit<AgeArgument>?
    /// The space for which `log` deletes the oldest delivered drives.
    package var keepFree: LiftedLimit<SpaceArgument>?
    /// The age from which `log` deletes the positions of drives.
    package var keepPositions: LiftedLimit<AgeArgument>?
    /// The positions that no trip records.
    package var privacy = PositionPrivacy()
    /// Whether a file says that trips have all positions.
    package var isNothingPrivate = false
    /// The interval at which `log` stores readings.
    package var commitEvery: Duration?
    /// The signals that `log` records, with their rates; empty = all.
    package var signals: [String] = []
    /// Files and folders of PID tables to add.
    package var pids: [String] = []
    /// Whether `log` reads trouble codes.
    package var codes: Bool?
    package var aliases: [String: String] = [:]
    /// The names of vehicles by VIN, for sinks.
    package var vehicles: [String: String] = [:]
    /// Lists of signals by name, for `live --view`.
    package var views: [String: [String]] = [:]
    /// Data about engines and prices by VIN; the empty VIN is for all vehicles.
    package var fuel: [String: FuelProfile] = [:]
    /// The sinks for trips, by name.
    package var publish: [String: PublishSettings] = [:]

    /// The workshop for reports, line by line: name, address, telephone.
    package var workshop: [String] = []
    /// The path of the workshop's logo for reports.
    package var logo: String?

    package init() {}
}

/// The vehicle protocol in options and settings.
package struct ProtocolOption: Hashable, Sendable {
    /// The protocol; nil = detect it.
    package var vehicleProtocol: VehicleProtocol?

    package static let automatic = ProtocolOption(vehicleProtocol: nil)

    private init(vehicleProtocol: VehicleProtocol?) {
        self.vehicleProtocol = vehicleProtocol
    }

    /// `auto`, a digit or a name; nil for anything else.
    package init?(argument: String) {
        if argument == "auto" || argument == "0" {
            vehicleProtocol = nil
        } else if let found = VehicleProtocol(argument) {
            vehicleProtocol = found
        } else {
            return nil
        }
    }

    /// The default value in the help.
    package var defaultValueDescription: String { "auto" }

    package static var allValueStrings: [String] { ["auto"] + VehicleProtocol.allCases.map(\.name) }
}
