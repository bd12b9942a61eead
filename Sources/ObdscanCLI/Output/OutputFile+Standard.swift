import Glibc
import Settings
import SystemIO

extension OutputFile {
    /// Writes what `body` writes to `path`, to standard output without one or for `-`.
    static func write(
        _ path: String?, _ body: (inout TextOutput) throws -> Void
    ) throws {
        if let path, !isStandardOutput(path) { return try write(path, body) }
        var writer = TextOutput.standard
        try body(&writer)
        try writer.flush()
    }

    /// Whether a path means standard output.
    static func isStandardOutput(_ path: String) -> Bool { path == "-" || path == "/dev/stdout" }

    /// The ending of a file's name, in small letters: `csv`; empty where it has none.
    ///
    /// Nil for standard output, devices and pipes, whose names promise nothing.
    static func ending(of path: String) -> String? {
        var status = stat()
        if path == "-" || path.hasPrefix("/dev/") || path.hasPrefix("/proc/self/fd/")
            || stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
        {
            return nil
        }
        let name = path.split(separator: "/").last ?? ""
        return name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    }

    /// The recording that an accessory as `-d` takes it is read from; nil = it is none.
    static func replayed(_ accessory: String?) -> String? {
        accessory.flatMap { try? UserSettings.current.resolved($0) }?.transport.recording
    }
}

extension OutputFile {
    /// Refuses a file whose ending means something else than a web page.
    static func checkPage(_ path: String?) throws(Failure) {
        try check(
            path, endsIn: ["html", "htm"], what: "the report is a web page",
            hint: "Name a file that ends in .html; a browser prints it to PDF.")
    }

    /// Refuses a file whose ending means something else than text.
    static func checkText(_ path: String?) throws(Failure) {
        try check(
            path, endsIn: ["txt", "text", "md", "log"], what: "the report is text",
            hint: "Name a file that ends in .txt.")
    }

    static func check(
        _ path: String?, endsIn endings: [String], what: String, hint: String
    ) throws(Failure) {
        guard let path, let ending = ending(of: path), !endings.contains(ending) else { return }
        throw Failure(
            "\(path): \(what)" + (ending.isEmpty ? "" : ", not .\(ending)"),
            hint: hint, status: .usage)
    }
}
