/// Command line options and environment variables that override the configuration file.
package enum Overrides {
    /// Whether a command ignores the file's value of the setting `name`.
    ///
    /// `isSet` returns whether an environment variable has a value.
    package static func cover(
        _ name: String, _ arguments: [String], isSet: (String) -> Bool
    ) -> Bool {
        guard let key = SettingsKey.named(name) else { return false }
        if let variable = key.variable, isSet(variable) { return true }
        let options = key.options
        for (place, word) in arguments.enumerated() {
            if word == "--" { return false }
            if options.contains(where: { word.hasPrefix($0 + "=") }) { return true }
            if key.isFlag, options.contains(word) { return true }
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
