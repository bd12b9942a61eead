import Accessory
import Diagnostics
import Formats
import Glibc
import OBDCore
import PIDTables
import Settings
import VehicleScan

/// The list of accessories that `dtc --batch` goes through.
struct CodeBatch {
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

    /// What is known of a vehicle besides its codes.
    struct Car: Hashable, Sendable {
        /// As `-d` or the list names it.
        var device: String
        /// What the list calls it.
        var label: String?
        var vin: String?
        /// Unit: km.
        var odometer: Double?
    }

    /// The columns of the table; they are a promise.
    static let columns = [
        "time", "device", "label", "vin", "odometerKm", "ecu", "ecuName", "light", "status", "code",
        "failureType", "statusByte", "description", "driveOn", "error",
    ]

    /// Opens the file of a table.
    ///
    /// - Returns: its descriptor, and whether its heading is there already.
    static func open(_ path: String, appends: Bool) throws -> (descriptor: Int32, hasHeading: Bool)
    {
        let ending = path.split(separator: "/").last?.split(separator: ".").dropFirst().last
        if let ending, ending.lowercased() != "csv" {
            throw Failure(
                "\(path): dtc writes CSV, not .\(ending)", hint: "Name a file that ends in .csv.",
                status: .usage)
        }
        let way = appends ? O_APPEND : O_TRUNC
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | way, 0o666)
        guard descriptor >= 0 else { throw Failure(outputFile: path, errno: errno) }
        guard appends, lseek(descriptor, 0, SEEK_END) > 0 else { return (descriptor, false) }
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        let heading = buffer.prefix(max(0, count)).prefix { $0 != 0x0D && $0 != 0x0A }
        guard heading.elementsEqual(columns.joined(separator: ",").utf8) else {
            close(descriptor)
            throw Failure(
                "\(path) is not a table of trouble codes, or has other columns",
                hint: "Write to a new file, or leave out --append.", status: .badData)
        }
        return (descriptor, true)
    }

    /// The rows of one vehicle: one for each code, and one for each ECU without codes.
    static func rows(
        _ scan: CodeScan, of car: Car, _ knowledge: CodeKnowledge, _ table: PIDTable, time: UTC
    ) -> [Row] {
        var rows: [Row] = []
        let codes = scan.codes
        for ecu in scan.ecus {
            let module = scan.modules.first { $0.module.responder == ecu }
            let light = scan.lampIsOn(ecu, table)
            let own = codes.filter { $0.ecu == ecu }
            if own.isEmpty {
                let error = problem(scan.absence(of: ecu, table), scan, ecu)
                rows.append(row(car, time, ecu, module?.name, light, nil, CodeFacts(), error))
            }
            for report in own {
                rows.append(
                    row(
                        car, time, ecu, module?.name, light, report, knowledge.facts(of: report),
                        nil))
            }
        }
        return rows
    }

    /// Why an ECU's list of codes is not known to be empty; nil where it is.
    static func problem(
        _ absence: CodeScan.Absence, _ scan: CodeScan, _ ecu: ECUAddress?
    ) -> String? {
        switch absence {
        case .noCodes: nil
        case .noStoredCodes where !scan.hasBrokenList(of: ecu): nil
        case .noStoredCodes: "no stored codes; another list is missing"
        case .announced, .refused, .broken, .unanswered:
            CodePrinter.text(absence, of: scan.modules.first { $0.module.responder == ecu })
        }
    }

    /// The row of a vehicle that could not be read.
    static func row(failed entry: Entry, _ failure: Failure, time: UTC) -> Row {
        row(
            Car(device: entry.accessory, label: entry.label), time, nil, nil, nil, nil,
            CodeFacts(), printable(failure.message))
    }

    private static func row(
        _ car: Car, _ time: UTC, _ ecu: ECUAddress?, _ name: String?, _ light: Bool?,
        _ report: CodeReport?, _ facts: CodeFacts, _ error: String?
    ) -> Row {
        var failureType: UInt8?
        if case .dtc(let code) = report?.code { failureType = code.failureType }
        return Row(
            "batchRow",
            [
                "time": .time(time), "device": .text(car.device), "label": .text(car.label),
                "vin": .text(car.vin), "odometerKm": .number(car.odometer),
                "ecu": .text(ecu?.description), "ecuName": .text(name), "light": .flag(light),
                "status": .text(report?.kind.rawValue), "code": .text(report?.code.text),
                "failureType": .hex(failureType), "statusByte": .hex(report?.statusByte),
                "description": .text(facts.text), "driveOn": .text(facts.driveOn?.rawValue),
                "error": .text(error),
            ])
    }
}
