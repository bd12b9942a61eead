import Formats
import OBDCore
import SystemIO

/// A folder with a page to print for each vehicle.
package struct CarReports {
    private let folder: String

    /// Makes the folder if it is missing.
    package init(_ folder: String) throws(SystemError) {
        self.folder = folder
        try Files.makeFolder(folder)
    }

    /// Writes a page; returns its path.
    package func write(_ report: ConditionReport, label: String?, vin: String?) throws -> String {
        let path = free(name(label: label, vin: vin, time: report.time))
        var report = report
        report.head.label = label
        try OutputFile.write(path, bytes: report.page.bytes)
        return path
    }

    /// `2026-11-25-0915-bay-3`: sorts by time, and needs no quotes in a shell.
    private func name(label: String?, vin: String?, time: UTC) -> String {
        let clock = localTime(time)
        let moment = clock.prefix(10) + "-" + clock.dropFirst(11).prefix(5).filter { $0 != ":" }
        let words = [label, vin].compactMap(\.self).first { !$0.isEmpty } ?? "vehicle"
        let safe = words.unicodeScalars.map { scalar -> Character in
            scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_"
                ? Character(scalar) : "-"
        }
        return moment + "-"
            + safe.split(separator: "-").map { String($0) }.joined(separator: "-").prefix(60)
    }

    private func free(_ name: String) -> String {
        var number = 1
        while true {
            let path = "\(folder)/\(name)\(number == 1 ? "" : "-\(number)").html"
            if !Files.exists(path) { return path }
            number += 1
        }
    }
}
