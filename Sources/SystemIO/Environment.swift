import Glibc

/// The value of an environment variable.
package func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}

/// The value of an environment variable; nil for an empty one.
package func setting(_ name: String) -> String? {
    environment(name).flatMap { $0.isEmpty ? nil : $0 }
}

/// Whether the terminal supports escape sequences: its kind is known, and is not `dumb`.
package var takesEscapes: Bool { !["", "dumb"].contains(environment("TERM") ?? "") }

/// `$XDG_DATA_HOME/obdscan`; nil without a home directory.
package func dataFolder() -> String? {
    if let folder = environment("XDG_DATA_HOME"), folder.hasPrefix("/") {
        return folder + "/obdscan"
    }
    return environment("HOME").map { $0 + "/.local/share/obdscan" }
}

/// Whether terminals of the locale do not accept UTF-8.
package func isASCIILocale() -> Bool {
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment($0) }
        .first { !$0.isEmpty }
    guard let name = name?.lowercased() else { return false }
    return !name.contains("utf-8") && !name.contains("utf8")
}

/// The arguments of a command without secrets.
package func loggable(_ arguments: [String]) -> [String] {
    var isSecret = false
    return arguments.map { argument in
        defer { isSecret = argument == "--token" }
        if isSecret { return "…" }
        return argument.hasPrefix("--token=") ? "--token=…" : argument
    }
}
