import Settings
import SystemIO

extension OutputFile {
    /// Writes what `body` writes to `path`, to standard output without one or for `-`.
    static func write(
        _ path: String?, _ body: (inout TextOutput) throws -> Void
    ) throws {
        if let path, path != "-", path != "/dev/stdout" { return try write(path, body) }
        var writer = TextOutput.standard
        try body(&writer)
        try writer.flush()
    }

    /// The recording that an accessory as `-d` takes it is read from; nil = it is none.
    static func replayed(_ accessory: String?) -> String? {
        accessory.flatMap { try? UserSettings.current.resolved($0) }?.transport.recording
    }
}

extension OutputFile {
    /// Refuses a file whose ending promises something else than a web page; none promises nothing.
    static func checkPage(_ path: String?) throws(Failure) {
        guard let path, let name = path.split(separator: "/").last,
            let ending = name.split(separator: ".").dropFirst().last,
            !["html", "htm"].contains(ending.lowercased())
        else { return }
        throw Failure(
            "\(path): the report is a web page, not .\(ending)",
            hint: "Name a file that ends in .html; a browser prints it to PDF.", status: .usage)
    }
}
