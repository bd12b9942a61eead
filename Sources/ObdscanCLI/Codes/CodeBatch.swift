import Accessory
import Diagnostics
import Glibc
import OBDCore
import Settings
import TripExport
import VehicleScan

/// The list of accessories that `dtc --batch` goes through.
struct CodeBatch {
    /// One line of the list.
    struct Entry: Hashable, Sendable {
        /// The accessory or transcript as written.
        var accessory: String
        /// What the list calls it.
        var label: String?

        /// What `-d` takes: as written, or `replay:` in front of the path of a recorded conversation.
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

    /// Reads a list: `ACCESSORY [LABEL]` a line, `#` begins a comment.
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

    /// The CSV lines of one vehicle: one a code, one of kind `none` for each ECU without codes.
    static func lines(
        _ scan: CodeScan, accessory: String, label: String?, vin: String?, texts: CodeTexts,
        table: PIDTable, time: UTC
    ) -> [CodeBatchCSV.Line] {
        var lines: [CodeBatchCSV.Line] = []
        let codes = scan.codes
        for ecu in scan.ecus {
            let own = codes.filter { $0.ecu == ecu }
            var line = CodeBatchCSV.Line(accessory: accessory)
            line.time = time
            line.label = label
            line.vin = vin
            line.ecu = ecu?.description
            if own.isEmpty {
                let absence = scan.absence(of: ecu, table)
                switch absence {
                case .noCodes: line.kind = "none"
                case .noStoredCodes where !scan.hasBrokenList(of: ecu): line.kind = "none"
                case .noStoredCodes: line.error = "no stored codes; another list did not come"
                case .announced, .refused, .broken, .unanswered:
                    line.error = CodePrinter.text(
                        absence, of: scan.modules.first { $0.module.responder == ecu })
                }
                lines.append(line)
            }
            for report in own {
                line.kind = report.kind.rawValue
                line.code = report.code.text
                line.description = texts.text(of: report.code)
                line.failureType = nil
                if case .dtc(let dtc) = report.code { line.failureType = dtc.failureType }
                line.statusByte = report.statusByte
                lines.append(line)
            }
        }
        return lines
    }

    /// The CSV line of an accessory that failed.
    static func line(failed entry: Entry, _ failure: Failure, time: UTC) -> CodeBatchCSV.Line {
        var line = CodeBatchCSV.Line(accessory: entry.accessory)
        line.time = time
        line.label = entry.label
        line.error = printable(failure.message)
        return line
    }
}
