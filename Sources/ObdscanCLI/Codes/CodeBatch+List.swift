import Accessory
import Formats
import Glibc
import OBDCore
import Reports
import Settings

// The list of devices for `dtc --batch`.
extension CodeBatch.Entry {
    /// The argument for `-d`: as written, or with `replay:` before the path of a recording.
    var device: String {
        // Only recordings are files here: serial lines are device nodes, and names of devices have
        // no slash.
        guard let address = try? UserSettings.current.resolved(accessory) else {
            return Self.isFile(accessory) ? "replay:\(accessory)" : accessory
        }
        let path = address.transport.typedForm
        return Self.isFile(path) ? "replay:\(path)" : accessory
    }

    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}

extension CodeBatch {
    /// The row of a vehicle that could not be read.
    static func row(failed entry: Entry, _ failure: Failure, time: UTC) -> Row {
        row(
            failed: Car(device: entry.accessory, label: entry.label), failure.message, time: time)
    }
}
