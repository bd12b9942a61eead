import Accessory
import Publishing
import Settings
import VehicleReports
import VehicleScan

extension SettingsChecks {
    /// The checks for this program's transports and alarms.
    static let own = SettingsChecks(
        addressFault: { UserSettings.reasonAgainst(address: $0) },
        isCondition: { Alarm($0) != nil })
}

extension Failure {
    /// The configuration file at `path` is wrong.
    init(_ error: SettingsError, _ path: String) {
        if error.fault == .notUTF8 {
            self.init(
                "\(path) is not UTF-8 text", hint: "\"obdscan config edit\" opens it",
                status: .badConfiguration)
        } else {
            self.init(
                error.text(path), hint: "\"obdscan config edit\" opens it; see obdscan-config(5)",
                status: .badConfiguration)
        }
    }

    /// The configuration file at `path` was not changed.
    init(_ error: SettingsChangeError, _ path: String) {
        switch error {
        case .before(let error): self.init(error, path)
        case .after(let error):
            self.init(
                "the file cannot be changed like this: \(error.text(path))",
                hint: "nothing was written; \"obdscan config edit\" opens it",
                status: .badConfiguration)
        }
    }
}

extension SettingsError {
    /// The line in the file and its fault.
    fileprivate func text(_ path: String) -> String {
        line.map { "\(path):\($0): \(reason)" } ?? reason
    }

    private var reason: String {
        switch fault {
        case .notUTF8: "it is not UTF-8 text"
        case .syntax(let reason): reason
        case .unknown(let name, let near):
            "\"\(name)\" is not a setting" + (near.map { "; did you mean \($0)?" } ?? "")
        case .notATable(let name): "\(name) is not a table"
        case .notAText(let name): "\(name) has to be a text in quotes"
        case .notAList(let name): "\(name) has to be a list of texts"
        case .wrong(let name, let value, let fault): "\(name): \"\(value)\" \(fault.text)"
        case .inBraces(let name): "\(name) is in braces, which only an editor can change"
        }
    }
}

extension SettingFault {
    /// The text after the quoted value.
    var text: String {
        switch self {
        case .empty: "is empty"
        case .notOneOf(let words): "is not one of \(words.joined(separator: ", "))"
        case .notAProtocol: "is not a vehicle protocol"
        case .notAPath: "is not a path that begins with / or ~/"
        case .notAPositionSource: "is neither gpsd://HOST:PORT nor a path of a receiver"
        case .notOnOrOff: "is neither on nor off"
        case .noCondition: "names no condition"
        case .notACondition(let text): "has \"\(text)\", which is not a condition such as ECT>110"
        case .notBelowDev: "is not a path below /dev"
        case .noSignal: "names no signal"
        case .notANumber(let range):
            "is not a number from \(range.lowerBound) to \(range.upperBound)"
        case .notACurrency: "is not a currency"
        case .notASink(let fault): fault.text
        case .notAnIdentifier: "has characters other than a to z, 0 to 9, - and _"
        case .notADuration: "is not a time such as 5s"
        case .notAnAddress: "is not a device such as /dev/ttyUSB0 or tcp:HOST:PORT"
        case .address(let reason): "names no device: \(reason)"
        }
    }
}

extension SinkAddress.Fault {
    /// The text after the quoted address.
    var text: String {
        switch self {
        case .unknownScheme:
            "does not begin with \(SinkAddress.Kind.allCases.map { $0.rawValue + "://" }.joined(separator: ", "))"
        case .noHost: "names no host"
        case .badPort(let port): "has the port \"\(port)\", which is not a number from 1 to 65535"
        case .secret:
            "has a password or a token, which belongs in password-file or token-file"
        case .badCharacter: "has a blank or a control character"
        case .path: "has a path or a query, which a broker does not have"
        }
    }
}

extension SettingsKey {
    /// The meaning for people.
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
        "workshop": "the line about the workshop in reports",
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
