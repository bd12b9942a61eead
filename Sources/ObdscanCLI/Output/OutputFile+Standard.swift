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
