import Glibc
import Settings
import SystemIO

/// The configuration file of this user.
enum SettingsFile {
    /// The path; nil without a home directory.
    static var path: String? {
        if let folder = environment("XDG_CONFIG_HOME"), folder.hasPrefix("/") {
            return folder + "/obdscan/config.toml"
        }
        return environment("HOME").map { $0 + "/.config/obdscan/config.toml" }
    }

    /// The path of the settings for all users; the variable is for tests.
    static var systemPath: String {
        setting("OBDSCAN_SYSTEM_CONFIG") ?? "/etc/obdscan/config.toml"
    }

    /// The settings in `bytes`, the contents of `path`; throws a ``Failure`` that names the wrong
    /// line.
    static func parsed(_ bytes: [UInt8], _ path: String) throws(Failure) -> UserSettings {
        do throws(SettingsError) {
            return try SettingsText.read(bytes, .own).faultless()
        } catch {
            throw Failure(error, at: path)
        }
    }

    /// Sets settings to one value each, or removes them (nil): all of them or none.
    static func set(_ settings: [(name: String, value: String?)]) throws(Failure) {
        try change(settings.map { ($0.name, $0.value.map { [$0] }, false) })
    }

    /// Sets one setting to one value.
    static func set(_ name: String, to value: String) throws(Failure) {
        try set([(name, value)])
    }

    static func remove(_ name: String) throws(Failure) { try set([(name, nil)]) }

    /// The path of the file, which may not exist yet.
    static func existingPath() throws(Failure) -> String {
        guard let path else {
            throw Failure(
                "there is no home directory to keep the configuration in",
                hint: "set HOME or XDG_CONFIG_HOME", status: .cannotCreate)
        }
        return path
    }

    /// Sets one setting or removes it (nil); refuses text that could not be read back as the same
    /// value.
    static func change(
        _ name: String, to values: [String]?, isList: Bool = false
    ) throws(Failure) {
        try change([(name, values, isList)])
    }

    private static func change(
        _ settings: [(name: String, values: [String]?, isList: Bool)]
    ) throws(Failure) {
        let path = try existingPath()
        try makeFolder(of: path)
        // Another obdscan may change another setting at this moment.
        let lock: FileLock
        do throws(SystemError) {
            lock = try FileLock(beside: path)
        } catch {
            throw Failure(outputFile: path + ".lock", errno: error.errno)
        }
        defer { withExtendedLifetime(lock) {} }
        let before = access(path, F_OK) == 0 ? try contents(of: path) : []
        var after = before
        do throws(SettingsChangeError) {
            for (name, values, isList) in settings {
                after = try SettingsText.changed(after, name, to: values, isList: isList, .own)
            }
        } catch {
            throw Failure(error, at: path)
        }
        if after == before { return }
        do throws(FileError) {
            try OutputFile.write(path, bytes: after, isPrivate: true)
        } catch {
            throw Failure(error)
        }
    }

    /// Creates the folders of a path.
    static func makeFolder(of path: String) throws(Failure) {
        let parts = path.split(separator: "/").dropLast()
        var folder = ""
        for part in parts {
            folder += "/" + part
            if mkdir(folder, 0o700) != 0, errno != EEXIST {
                throw Failure(outputFile: folder, errno: errno)
            }
        }
    }
}

/// The only code that reads the file; commands pass the settings on as a value.
extension UserSettings {
    private static let read: Result<SettingsText.Contents, Failure> = Result {
        () throws(Failure) in
        let below = try Self.system.get()
        guard let path = SettingsFile.path, access(path, F_OK) == 0 else {
            var contents = SettingsText.Contents()
            contents.settings = below
            return contents
        }
        let bytes = try contents(of: path)
        do throws(SettingsError) {
            return try SettingsText.read(bytes, .own, over: below)
        } catch {
            throw Failure(error, at: path)
        }
    }

    /// The settings for all users of the computer.
    private static let system: Result<UserSettings, Failure> = Result { () throws(Failure) in
        let path = SettingsFile.systemPath
        guard access(path, R_OK) == 0 else { return UserSettings() }
        return try SettingsFile.parsed(try contents(of: path), path)
    }

    /// The settings of this user, if all of them are valid.
    static var loaded: Result<UserSettings, Failure> {
        Result { () throws(Failure) in
            let contents = try read.get()
            do throws(SettingsError) {
                return try contents.faultless()
            } catch {
                throw Failure(error, at: SettingsFile.path ?? "")
            }
        }
    }

    /// The valid settings; faults are reported before any command runs.
    static var current: UserSettings {
        switch read {
        case .success(let contents): contents.settings
        case .failure: UserSettings()
        }
    }

    /// Throws the first fault of the file, ignoring settings that the command line or the
    /// environment overrides.
    static func check(for arguments: [String]) throws(Failure) {
        let fault = try read.get().faults.first {
            !Overrides.cover($0.name, arguments) { setting($0) != nil }
        }
        if let fault { throw Failure(fault.error, at: SettingsFile.path ?? "") }
    }
}
