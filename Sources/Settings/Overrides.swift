/// Command line options and environment variables that override the configuration file.
package enum Overrides {
    private static let options: [String: [String]] = [
        "device": ["--device"], "adapter": ["--adapter"], "protocol": ["--protocol"],
        "units": ["--units"], "database": ["--db"], "gps": ["--gps"],
    ]
    private static let variables = ["device": "OBDSCAN_DEVICE", "database": "OBDSCAN_DB"]

    /// Whether a command ignores the file's value of the setting `name`.
    ///
    /// `isSet` returns whether an environment variable has a value.
    package static func cover(
        _ name: String, _ arguments: [String], isSet: (String) -> Bool
    ) -> Bool {
        if let variable = variables[name], isSet(variable) { return true }
        guard let options = options[name] else { return false }
        for (place, word) in arguments.enumerated() {
            if word == "--" { return false }
            if options.contains(where: { word.hasPrefix($0 + "=") }) { return true }
            // `doctor` has a flag --adapter, which does not select the dialect.
            let isNamed = options.contains(word) || (name == "device" && isShortDevice(word))
            if isNamed, place + 1 < arguments.count {
                let value = arguments[place + 1]
                if value == "-" || !value.hasPrefix("-") { return true }
            }
        }
        return false
    }

    /// `-d`, or combined flags that end in it.
    private static func isShortDevice(_ word: String) -> Bool {
        word.hasPrefix("-") && !word.hasPrefix("--") && word.hasSuffix("d")
    }
}
