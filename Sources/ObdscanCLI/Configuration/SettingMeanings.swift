import Accessory
import Publishing
import Reports
import Settings
import VehicleScan

extension SettingsChecks {
    /// The checks for this program's transports and alarms.
    static let own = SettingsChecks(
        addressFault: { UserSettings.reasonAgainst(address: $0) },
        isCondition: { Alarm($0) != nil })
}

extension SettingsKey {
    var meaning: String {
        if name.hasPrefix("aliases.") { return "a device's name" }
        if name.hasPrefix("views.") { return "a list of signals" }
        if name.hasPrefix("publish.") { return "where trips are published" }
        let key = name.split(separator: ".").last.map(String.init) ?? name
        return Self.meanings[name.hasPrefix("fuel.") ? "fuel.\(key)" : key] ?? ""
    }

    private static let meanings = [
        "device": "the device to use without -d",
        "adapter": "the dialect of the adapter: auto, elm327, stn, golink or doip",
        "protocol": "the vehicle protocol: auto, 1 to 9, A to C, or a name",
        "units": "units to show: metric, uk, imperial or us",
        "database": "the database's file",
        "gps": "where log gets positions from, as --gps takes it",
        "battery-safe": "whether log and live leave a parked vehicle alone: on or off",
        "alarms": "conditions to warn of, such as ECT>110",
        "alarm-command": "the program to run when an alarm begins",
        "log-when-plugged":
            "the path of the adapter whose trips are logged whenever it is plugged in",
        "workshop": "name and address of the workshop in reports, with semicolons between lines",
        "logo": "the path of the workshop's logo for reports: PNG, JPEG or SVG",
        "fuel.price": "the price of a litre",
        "fuel.displacement": "the engine's displacement in litres",
        "fuel.efficiency":
            "the volumetric efficiency: the share of the displacement that the cylinders fill",
        "fuel.calibration": "the factor for calculated fuel",
        "fuel.currency": "the currency of prices",
        "fuel.type": "the fuel type",
    ]
}

extension SignalViews {
    /// The signals of a view with their intervals; throws a ``Failure`` for an unknown signal.
    static func find(
        _ name: String, _ names: SignalNames, _ settings: UserSettings
    ) throws(Failure) -> [SelectedSignal] {
        guard let listed = signals(name, settings) else {
            let known = builtIn.map(\.name) + settings.views.keys.sorted()
            throw Failure(
                "no view is called \"\(name)\"",
                hint: "known views: " + known.joined(separator: ", "), status: .usage)
        }
        do throws(SignalError) {
            return try listed.map { (signal) throws(SignalError) in try names.findPaced(signal) }
        } catch {
            let failure = Failure(error)
            let file = SettingsFile.path.map { " of \($0)" } ?? ""
            throw Failure(
                "\(failure.message); the view \(name)\(file) names it", hint: failure.hint,
                status: failure.status)
        }
    }
}
