import Accessory
import Formats
import Glibc
import OBDCore
import Settings
import VehicleReports

// The list of devices for `dtc --batch`.
extension CodeBatch {
    /// One line of the list.
    struct Entry: Hashable, Sendable {
        /// The device or transcript as written.
        var accessory: String
        /// The label in the list.
        var label: String?

        /// The argument for `-d`: as written, or with `replay:` before the path of a recording.
        var device: String {
            // Only recordings are files here: serial lines are device nodes, and names of devices
            // have no slash.
            guard let address = try? UserSettings.current.resolved(accessory) else {
                return CodeBatch.isFile(accessory) ? "replay:\(accessory)" : accessory
            }
            let path = address.transport.typedForm
            return CodeBatch.isFile(path) ? "replay:\(path)" : accessory
        }
    }

    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Parses a list with one `DEVICE [LABEL]` per line; `#` begins a comment.
    static func entries(_ text: some StringProtocol) -> [Entry] {
        var entries: [Entry] = []
        for line in text.trimmingPrefix("\u{FEFF}").split(whereSeparator: \.isNewline) {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            let comment = words.dropFirst().firstIndex { $0.hasPrefix("#") } ?? words.endIndex
            let label = words[1..<max(1, comment)].joined(separator: " ")
            entries.append(
                Entry(accessory: String(first), label: label.isEmpty ? nil : label))
        }
        return entries
    }

    /// The row of a vehicle that could not be read.
    static func row(failed entry: Entry, _ failure: Failure, time: UTC) -> Row {
        row(
            failed: Car(device: entry.accessory, label: entry.label), failure.message, time: time)
    }
}
