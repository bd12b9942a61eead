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

/// The only code that reads the files; commands pass the settings on as a value.
extension UserSettings {
    /// A file of settings.
    private struct Source {
        var path: String
        var bytes: [UInt8]
        /// The settings of the file, and of the files that it overrides.
        var contents: SettingsText.Contents
    }

    /// The files that exist: that of all users, then this user's, which overrides it.
    private static let sources: Result<[Source], Failure> = Result { () throws(Failure) in
        var found: [Source] = []
        let own = SettingsFile.path.flatMap { access($0, F_OK) == 0 ? $0 : nil }
        let shared = SettingsFile.systemPath
        for path in [access(shared, R_OK) == 0 ? shared : nil, own].compactMap(\.self) {
            let bytes = try contents(of: path)
            do throws(SettingsError) {
                let below = found.last?.contents.settings ?? UserSettings()
                let contents = try SettingsText.read(bytes, .own, over: below)
                found.append(Source(path: path, bytes: bytes, contents: contents))
            } catch {
                throw SettingsFile.failure(error, at: path)
            }
        }
        return found
    }

    /// The settings of this user, if all of them are valid.
    static var loaded: Result<UserSettings, Failure> {
        Result { () throws(Failure) in
            try check { _ in false }
            return current
        }
    }

    /// The valid settings; faults are reported before any command runs.
    static var current: UserSettings {
        switch sources {
        case .success(let sources): sources.last?.contents.settings ?? UserSettings()
        case .failure: UserSettings()
        }
    }

    /// Throws the first fault of the files, ignoring settings that the command line or the
    /// environment overrides.
    static func check(for arguments: [String]) throws(Failure) {
        try check { Overrides.cover($0, arguments) { setting($0) != nil } }
    }

    private static func check(isCovered: (String) -> Bool) throws(Failure) {
        let sources = try sources.get()
        for (place, source) in sources.enumerated() {
            let stronger = sources[(place + 1)...]
            let fault = source.contents.faults.first { fault in
                !isCovered(fault.name)
                    && !stronger.contains { SettingsText.has(fault.name, in: $0.bytes) }
            }
            if let fault { throw SettingsFile.failure(fault.error, at: source.path) }
        }
    }

    /// The file that sets a setting; nil if none does.
    fileprivate static func source(of name: String) -> String? {
        (try? sources.get())?.last { SettingsText.has(name, in: $0.bytes) }?.path
    }
}

extension SettingsFile {
    /// A fault in one of the files; `config edit` opens only the user's own.
    fileprivate static func failure(_ error: SettingsError, at path: String) -> Failure {
        var failure = Failure(error, at: path)
        if path == systemPath {
            failure.hint = "it is for all users, and root may change it; see obdscan-config(5)"
        }
        return failure
    }

    /// What sets a setting although the user's own file does not: an environment variable or the file for all
    /// users; nil if nothing does.
    static func weakerSource(of name: String) throws(Failure) -> String? {
        if let variable = SettingsKey.named(name)?.variable, setting(variable) != nil {
            return variable
        }
        guard access(systemPath, R_OK) == 0,
            SettingsText.has(name, in: try contents(of: systemPath))
        else { return nil }
        return systemPath
    }

    /// The source of a setting: an environment variable or a file; nil if nothing sets it.
    static func source(of name: String) -> String? {
        if let variable = SettingsKey.named(name)?.variable, setting(variable) != nil {
            return variable
        }
        return UserSettings.source(of: name)
    }
}
