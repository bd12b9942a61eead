/// Lists of signals that belong together: `live --view engine`.
package enum SignalViews {
    /// The views that the program provides.
    package static let builtIn: [(name: String, signals: [String])] = [
        // The vehicle decides about the signals.
        (driver, []),
        ("engine", ["RPM", "VSS", "LOAD_PCT", "ECT", "IAT", "TP", "MAP", "MAF", "SPARKADV"]),
        ("fuel", ["FLI", "FUEL_RATE", "SHRTFT1", "LONGFT1", "LAMBDA", "MAF", "VSS"]),
        (
            "emissions",
            ["RPM", "ECT", "SHRTFT1", "LONGFT1", "O2S11", "O2S12", "EGR_PCT", "EVAP_PCT"]
        ),
        ("ev", ["VSS", "VPWR", "ev-soc", "FLI"]),
    ]

    /// The view of the signals that a driver needs first, by what the vehicle is.
    package static let driver = "driver"

    /// Whether a name is that of the driver's view and not of a view of the user.
    package static func isDriver(_ name: String?, _ settings: UserSettings) -> Bool {
        name == driver && settings.views[driver] == nil
    }

    /// The signals of a view; the user's views have priority; nil = unknown.
    package static func signals(_ name: String, _ settings: UserSettings) -> [String]? {
        settings.views[name] ?? builtIn.first { $0.name == name }?.signals
    }
}
