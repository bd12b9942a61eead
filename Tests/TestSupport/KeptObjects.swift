import Foundation

/// Keeps the objects that the program printed, so that `scripts/test` can compare them with the schema
/// by a foreign validator.
///
/// The environment variable `OBDSCAN_OBJECTS` names the folder; without it nothing is kept.
package enum KeptObjects {
    /// Readings of one output that are kept; there may be hundreds of thousands.
    private static let mostReadings = 200
    private static let path = ProcessInfo.processInfo.environment["OBDSCAN_OBJECTS"].map {
        "\($0)/\(ProcessInfo.processInfo.processIdentifier).jsonl"
    }

    /// Keeps the whole lines of `text` that are objects.
    package static func keep(_ text: String) {
        guard let path, text.contains("{\"kind\":") else { return }
        var readings = 0
        var kept = ""
        // A process that was killed leaves half a line at the end.
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        where line.hasPrefix("{\"kind\":") {
            if line.hasPrefix("{\"kind\":\"reading\"") {
                readings += 1
                if readings > mostReadings { continue }
            }
            kept += line + "\n"
        }
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard file >= 0 else { return }
        defer { close(file) }
        // Appended in one piece: other threads keep theirs, too.
        _ = kept.withCString { write(file, $0, strlen($0)) }
    }
}
