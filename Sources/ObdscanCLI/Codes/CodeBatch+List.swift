import Accessory
import Formats
import Glibc
import OBDCore
import Settings
import VehicleReports

// The list of accessories that `dtc --batch` goes through.
extension CodeBatch {
    /// One line of the list.
    struct Entry: Hashable, Sendable {
        /// The accessory or transcript as written.
        var accessory: String
        /// What the list calls it.
        var label: String?

        /// What `-d` takes: as written, or `replay:` before the path of a recorded conversation.
        var device: String {
            // Nothing else is a file: serial lines are devices, and names of accessories have no slash.
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

    /// Reads a list: `DEVICE [LABEL]` a line, `#` begins a comment.
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
