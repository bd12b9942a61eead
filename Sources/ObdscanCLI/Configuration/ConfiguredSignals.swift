import PIDTables
import Reports
import Settings
import VehicleScan

extension SettingsChecks {
    /// The checks for this program's transports and alarms.
    static let own = SettingsChecks(
        addressFault: { UserSettings.reasonAgainst(address: $0) },
        isCondition: { Alarm($0) != nil })
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
        return try names.find(configured: listed, by: "views.\(name)", called: "the view \(name)")
    }
}

extension SignalNames {
    /// The signals that a setting lists, with their intervals; throws a ``Failure`` that names the setting and
    /// its file.
    func find(
        configured signals: [String], by setting: String, called words: String? = nil
    ) throws(Failure) -> [SelectedSignal] {
        do throws(SignalError) {
            return try signals.map { (signal) throws(SignalError) in try findPaced(signal) }
        } catch {
            let failure = Failure(error)
            let source = SettingsFile.source(of: setting).map { " of \($0)" } ?? ""
            throw Failure(
                "\(failure.message); \(words ?? setting)\(source) names it", hint: failure.hint,
                status: failure.status)
        }
    }
}
