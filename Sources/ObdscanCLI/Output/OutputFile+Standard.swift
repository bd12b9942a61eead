import Glibc
import Settings
import SystemIO

extension OutputFile {
    /// Writes the output of `body` to `path`, or to standard output if it is nil or `-`.
    static func write(
        _ path: String?, _ body: (inout TextOutput) throws -> Void
    ) throws {
        if let path, !isStandardOutput(path) { return try write(path, body) }
        var writer = TextOutput.standard
        try body(&writer)
        try writer.flush()
    }

    /// The recording that a device address names; nil = the address names no recording.
    static func replayed(_ accessory: String?) -> String? {
        accessory.flatMap { try? UserSettings.current.resolved($0) }?.transport.recording
    }
}

extension OutputFile {
    /// Refuses a file name extension other than that of a web page.
    static func checkPage(_ path: String?) throws(Failure) {
        try check(
            path, endsIn: ["html", "htm"], what: "the report is a web page",
            hint: "name a file that ends in .html or .pdf")
    }

    /// Refuses a file name extension other than that of a text.
    static func checkText(_ path: String?) throws(Failure) {
        try check(
            path, endsIn: ["txt", "text", "md", "log"], what: "a report about a problem is text",
            hint: "name a file that ends in .txt; \"obdscan dtc report\" makes a page about the "
                + "vehicle")
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
