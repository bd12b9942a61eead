import VehicleScan

/// Lists of signals that belong together: `live --view engine`.
enum SignalViews {
    /// Those that come with the program.
    static let builtIn: [(name: String, signals: [String])] = [
        ("engine", ["RPM", "VSS", "LOAD_PCT", "ECT", "IAT", "TP", "MAP", "MAF", "SPARKADV"]),
        ("fuel", ["FLI", "FUEL_RATE", "SHRTFT1", "LONGFT1", "LAMBDA", "MAF", "VSS"]),
        (
            "emissions",
            ["RPM", "ECT", "SHRTFT1", "LONGFT1", "O2S11", "O2S12", "EGR_PCT", "EVAP_PCT"]
        ),
        ("ev", ["VSS", "VPWR", "BAT_PWR", "FLI"]),
    ]

    /// The signals of a view: the user's own go before those of the program.
    static func signals(_ name: String, _ settings: Settings) throws(Failure) -> [String] {
        if let own = settings.views[name] { return own }
        if let view = builtIn.first(where: { $0.name == name }) { return view.signals }
        let known = builtIn.map(\.name) + settings.views.keys.sorted()
        throw Failure(
            "no view is called \"\(name)\"", hint: "known views: " + known.joined(separator: ", "),
            status: .usage)
    }

    /// The same as signals of a table, each with its pace; a ``Failure`` that names the view where it
    /// has another.
    static func find(
        _ name: String, _ names: SignalNames, _ settings: Settings
    ) throws(Failure) -> [SelectedSignal] {
        let listed = try signals(name, settings)
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
