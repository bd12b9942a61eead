import Accessory
import Adapters
import Diagnostics
import OBDCore
import ScanSession
import SystemIO
import VehicleScan

/// The content of a bug report, and the data to leave out.
package struct ReportBundle {
    private var redaction = Redaction()

    package init(_ address: AccessoryAddress?) {
        guard let address else { return }
        for part in address.transport.personalParts { redaction.add(part) }
        for accessory in AccessoryManager().attached() where accessory.address == address {
            if let number = accessory.serialNumber { redaction.add(number) }
        }
    }

    /// Asks for details that help readers of the report, and collects the personal data to remove.
    package mutating func ask(_ connection: Vehicle, _ services: VehicleServices) throws {
        let queries: [DiagnosticQuery] = [
            .information(0x02), .information(0x04), .information(0x06), .information(0x0A),
            .readiness, .storedCodes, .pendingCodes, .permanentCodes,
        ]
        for query in queries {
            for asked in try connection.ask(query, in: services) {
                for case .reading(let reading) in asked.answer.items {
                    guard Self.personal.contains(connection.table[reading.signal].name),
                        case .text(let text) = reading.value
                    else { continue }
                    redaction.add(text)
                }
            }
        }
    }

    /// Signals whose text identifies a single vehicle.
    private static let personal: Set<String> = [
        "Vehicle identification number", "Engine serial number", "ECU serial number",
    ]

    /// The report.
    ///
    /// - Parameters:
    ///   - findings: the findings of `doctor`, a line each.
    ///   - recording: the bytes of a transcript; empty if no link was opened.
    ///   - home: the folder whose name is removed; nil = there is none.
    package func text(
        findings: [String], recording bytes: [UInt8], version: String, home: String?
    ) -> String {
        var text = """
            obdscan report
            VIN, serial numbers, Bluetooth addresses and the home folder are replaced by X.

            program: obdscan \(version)
            system: \(systemName())
            time: \(SystemClock.utc)

            == doctor

            """
        let recording = Result { () throws(TranscriptError) in try Transcript(parsing: bytes) }
        // One list of secrets for the whole report, whatever link they came from.
        var redaction = redaction
        if case .success(let transcript) = recording {
            for secret in IdentityAnswers.secrets(in: transcript) { redaction.add(secret) }
        }
        for finding in findings { text += redaction.applied(to: finding) }
        text += "\n== conversation\n\n"
        do throws(TranscriptError) {
            let transcript = try recording.get()
            let clean = IdentityAnswers.removed(from: transcript, redaction)
            text += String(decoding: clean.text, as: UTF8.self)
            if transcript.chunks.isEmpty { text += "(nothing was said)\n" }
        } catch {
            // No connection was opened.
            text += bytes.isEmpty ? "(nothing was said)\n" : "(unreadable: \(error.reason))\n"
        }
        guard let home, home.utf8.count > 1 else { return text }
        return text.replacingAll(home, by: "~")
    }
}

extension String {
    /// Every occurrence of `text` replaced.
    fileprivate func replacingAll(_ text: String, by other: String) -> String {
        var result: [UInt8] = []
        var rest = Array(utf8)[...]
        let wanted = Array(text.utf8)
        while !rest.isEmpty {
            if rest.starts(with: wanted) {
                result += other.utf8
                rest = rest.dropFirst(wanted.count)
            } else {
                result.append(rest.removeFirst())
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
