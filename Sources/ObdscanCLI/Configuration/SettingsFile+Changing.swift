import Glibc

extension SettingsFile {
    /// Sets one setting to one value.
    static func set(_ name: String, to value: String) throws(Failure) {
        try change { $0.set(name, to: [value], isList: false) }
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

    /// The file that a symbolic link leads to, so that the link stays one.
    private static func target(of path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    /// Changes the file's text; what would not be read back is not written.
    static func change(_ body: (inout SettingsText) -> Void) throws(Failure) {
        let path = target(of: try existingPath())
        var text = SettingsText("")
        if access(path, F_OK) == 0 {
            text = SettingsText(String(decoding: try contents(of: path), as: UTF8.self))
        }
        body(&text)
        _ = try parsed(Array(text.text.utf8), path)
        try makeFolder(of: path)
        let new = path + ".new"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(outputFile: new, errno: errno) }
        do throws(OutputError) {
            try writeAll(Array(text.text.utf8), to: descriptor)
        } catch {
            close(descriptor)
            unlink(new)
            throw Failure(outputFile: new, errno: EIO)
        }
        let isSafe = fsync(descriptor) == 0
        close(descriptor)
        guard isSafe, rename(new, path) == 0 else {
            throw Failure(outputFile: path, errno: errno)
        }
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
