import Accessory
import Adapters
import Diagnostics
import Glibc
import OBDCore
import PIDTables
import ScanSession
import SystemIO
import TripReports
import VehicleScan

/// The content of a bug report, without personal data.
struct ReportBundle {
    private var redaction = Redaction()

    /// A bundle about the device in `options`.
    init(_ options: VehicleOptions) {
        guard let address = try? options.address() else { return }
        for part in address.transport.personalParts { redaction.add(part) }
        for accessory in AccessoryManager().attached() where accessory.address == address {
            if let number = accessory.serialNumber { redaction.add(number) }
        }
    }

    /// Requests data that helps with a bug report, and collects the personal data to remove from
    /// it.
    mutating func ask(_ connection: Vehicle, _ services: VehicleServices) throws {
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
    func text(findings: [String], recording: String) throws(Failure) -> String {
        var text = """
            obdscan report
            VIN, serial numbers, Bluetooth addresses and the home folder are replaced by X.

            program: obdscan \(ObdscanCommand.configuration.version)
            system: \(Self.system)
            time: \(SystemClock.utc)

            == doctor

            """
        for finding in findings { text += redaction.applied(to: finding) }
        text += "\n== conversation\n\n"
        let bytes = try contents(of: recording)
        do {
            let transcript = try Transcript(parsing: bytes)
            let clean = IdentityAnswers.blanked(in: redaction.applied(to: transcript))
            text += String(decoding: clean.text, as: UTF8.self)
            if transcript.chunks.isEmpty { text += "(nothing was said)\n" }
        } catch {
            // No connection was opened.
            text += bytes.isEmpty ? "(nothing was said)\n" : "(unreadable: \(error.reason))\n"
        }
        guard let home = environment("HOME"), home.utf8.count > 1 else { return text }
        return text.replacingAll(home, by: "~")
    }

    private static var system: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "unknown" }
        let field = { (pointer: UnsafeRawPointer) in
            String(cString: pointer.assumingMemoryBound(to: CChar.self))
        }
        return withUnsafePointer(to: &name.sysname) { field($0) } + " "
            + withUnsafePointer(to: &name.release) { field($0) } + " "
            + withUnsafePointer(to: &name.machine) { field($0) }
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
