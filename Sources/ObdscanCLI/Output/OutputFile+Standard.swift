import Settings
import SystemIO

extension OutputFile {
    /// Writes the output of `body` to `path`, or to standard output if it is nil or `-`.
    static func write(
        _ path: String?, _ body: (inout TextOutput) throws -> Void
    ) throws {
        if let path, path != "-", path != "/dev/stdout" { return try write(path, body) }
        var writer = TextOutput.standard
        try body(&writer)
        try writer.flush()
    }

    /// The recording that a device for `-d` replays; nil if it is not a recording.
    static func replayed(_ accessory: String?) -> String? {
        accessory.flatMap { try? UserSettings.current.resolved($0) }?.transport.recording
    }
}

extension OutputFile {
    /// Refuses a file name extension other than that of a web page.
    static func checkPage(_ path: String?) throws(Failure) {
        try check(
            path, endsIn: ["html", "htm"], what: "a web page",
            hint: "Name a file that ends in .html; a browser prints it to PDF.")
    }

    /// Refuses a file name extension other than that of a text.
    static func checkText(_ path: String?) throws(Failure) {
        try check(
            path, endsIn: ["txt", "text", "md", "log"], what: "text",
            hint: "Name a file that ends in .txt.")
    }

    /// A name without an ending is allowed.
    private static func check(
        _ path: String?, endsIn endings: [String], what: String, hint: String
    ) throws(Failure) {
        guard let path, let name = path.split(separator: "/").last,
            let ending = name.split(separator: ".").dropFirst().last,
            !endings.contains(ending.lowercased())
        else { return }
        throw Failure(
            "\(path): the report is \(what), not .\(ending)", hint: hint, status: .usage)
    }
}
