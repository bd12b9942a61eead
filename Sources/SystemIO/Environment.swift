import Glibc

/// The value of an environment variable.
package func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}

/// The value of an environment variable; nil for an empty one.
package func setting(_ name: String) -> String? {
    environment(name).flatMap { $0.isEmpty ? nil : $0 }
}

/// Whether the terminal takes escape sequences: its kind is known, and is not `dumb`.
package var takesEscapes: Bool { !["", "dumb"].contains(environment("TERM") ?? "") }

/// `$XDG_DATA_HOME/obdscan`; nil without a home directory.
package func dataFolder() -> String? {
    if let folder = environment("XDG_DATA_HOME"), folder.hasPrefix("/") {
        return folder + "/obdscan"
    }
    return environment("HOME").map { $0 + "/.local/share/obdscan" }
}
