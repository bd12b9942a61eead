import Glibc

extension SettingsFile {
    /// Sets one setting to one value.
    static func set(_ name: String, to value: String) throws(Failure) {
        try change { $0.set(name, to: [value], isList: false) }
    }

    /// Removes one setting.
    static func remove(_ name: String) throws(Failure) {
        try change({ $0.set(name, to: nil, isList: false) }) { settings in
            SettingsKey.named(name)?.get(settings) == nil
                ? nil : "\(name) stands in a form that only an editor can change"
        }
    }

    /// Where the file is, or would be.
    static func existingPath() throws(Failure) -> String {
        guard let path else {
            throw Failure(
                "there is no home directory to keep the configuration in",
                hint: "set HOME or XDG_CONFIG_HOME", status: .cannotCreate)
        }
        return path
    }

    /// Changes the file's text; what would not be read back, or of which `fault` has something to say,
    /// is not written.
    static func change(
        _ body: (inout SettingsText) -> Void, fault: (Settings) -> String? = { _ in nil }
    ) throws(Failure) {
        let path = try existingPath()
        let before = access(path, F_OK) == 0 ? try contents(of: path) : []
        guard let read = String(validating: before, as: UTF8.self) else {
            _ = try parsed(before, path)
            return
        }
        var text = SettingsText(read)
        body(&text)
        var reason: String?
        do throws(Failure) {
            reason = fault(try parsed(Array(text.text.utf8), path))
        } catch {
            // What was wrong before is named by its own line, not by where that would have moved.
            _ = try parsed(before, path)
            reason = error.message
        }
        if let reason {
            throw Failure(
                "the file cannot be changed so: \(reason)",
                hint: "nothing was written; obdscan config edit opens it",
                status: .badConfiguration)
        }
        try makeFolder(of: path)
        try OutputFile.write(path, Array(text.text.utf8))
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
