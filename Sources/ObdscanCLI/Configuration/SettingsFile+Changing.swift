import Glibc

extension SettingsFile {
    /// Sets one setting to one value.
    static func set(_ name: String, to value: String) throws(Failure) {
        try change(name, to: [value])
    }

    /// Removes one setting.
    static func remove(_ name: String) throws(Failure) { try change(name, to: nil) }

    /// Where the file is, or would be.
    static func existingPath() throws(Failure) -> String {
        guard let path else {
            throw Failure(
                "there is no home directory to keep the configuration in",
                hint: "set HOME or XDG_CONFIG_HOME", status: .cannotCreate)
        }
        return path
    }

    /// Sets one setting, or removes it (nil); what would not be read back so is not written.
    static func change(
        _ name: String, to values: [String]?, isList: Bool = false
    ) throws(Failure) {
        let path = try existingPath()
        let before = access(path, F_OK) == 0 ? try contents(of: path) : []
        var text = try text(before, path)
        do {
            try text.set(name, to: values, isList: isList)
            let settings = try parsed(text.bytes, path)
            if values == nil, SettingsKey.named(name)?.get(settings) != nil {
                throw TOMLText.Fault(
                    line: 1, reason: "\(name) is in braces, which only an editor can change")
            }
        } catch {
            // What was wrong before is named by its own line, not by where that would have moved.
            _ = try parsed(before, path)
            let reason = (error as? Failure)?.message ?? (error as? TOMLText.Fault)?.reason
            throw Failure(
                "the file cannot be changed so: \(reason ?? "\(error)")",
                hint: "nothing was written; obdscan config edit opens it",
                status: .badConfiguration)
        }
        if text.bytes == before { return }
        try makeFolder(of: path)
        try OutputFile.write(path, text.bytes)
    }

    /// Makes the folders of a path.
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
