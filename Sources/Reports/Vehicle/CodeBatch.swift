import Diagnostics
import Formats
import OBDCore
import PIDTables
import VehicleScan

/// The table of the codes of many vehicles: `dtc --batch`, `dtc --to`.
package struct CodeBatch {
    /// A vehicle of the batch, without its codes.
    package struct Car: Hashable, Sendable {
        /// The device in the form of `-d` or of the list.
        package var device: String
        /// The vehicle's label in the list.
        package var label: String?
        package var vin: String?
        /// Unit: km.
        package var odometer: Double?

        /// A vehicle of which only the device and the label are known.
        package init(device: String, label: String? = nil) {
            self.device = device
            self.label = label
        }
    }

    /// The subject of each row of a table.
    package enum Subject: CaseIterable {
        case code, vehicle

        /// The `kind` of these rows, where output mixes rows of several kinds.
        package var kind: String {
            switch self {
            case .code: "codeRow"
            case .vehicle: "vehicleRow"
            }
        }

        /// The columns of the table; they are stable, because users' programs depend on them.
        package var columns: [String] {
            let car = ["time", "device", "label", "vin", "odometerKm"]
            return switch self {
            case .code:
                car + [
                    "ecu", "ecuName", "light", "status", "code", "failureType", "statusByte",
                    "description", "driveOn", "error",
                ]
            case .vehicle: car + ["light", "codes", "driveOn", "unrated", "error"]
            }
        }
    }

    /// The rows of one vehicle: one for each code, and one for each ECU without codes.
    package static func rows(
        _ scan: CodeScan, of car: Car, _ knowledge: CodeKnowledge, _ table: PIDTable, time: UTC
    ) -> [Row] {
        var rows: [Row] = []
        let codes = scan.codes
        for ecu in scan.ecus {
            let name = scan.names.name(of: ecu)
            let light = scan.lampIsOn(ecu, table)
            let own = codes.filter { $0.ecu == ecu }
            if own.isEmpty {
                let error = problem(scan.absence(of: ecu, table), scan, ecu)
                rows.append(row(car, time, ecu, name, light, nil, CodeFacts(), error))
            }
            for report in own {
                // The lists are in the order of their importance: a code has one advice, whatever lists it is
                // in.
                let first = own.first { $0.fullText == report.fullText } ?? report
                let facts = knowledge.facts(of: first, isAlone: true)
                rows.append(row(car, time, ecu, name, light, report, facts, nil))
            }
        }
        return rows
    }

    /// One row about a vehicle, from its rows about codes; nil if there are none.
    package static func vehicle(_ rows: [Row]) -> Row? {
        guard let first = rows.first else { return nil }
        let result = CarResult(rows)
        func words(_ parts: [String], _ separator: String = " ") -> FieldValue {
            .text(parts.isEmpty ? nil : parts.joined(separator: separator))
        }
        // If codes could not be read, the list is not known to be empty.
        let isEmpty = result.codes.isEmpty && result.problems.isEmpty
        return Row(
            Subject.vehicle.kind,
            [
                "time": first["time"], "device": first["device"], "label": first["label"],
                "vin": first["vin"], "odometerKm": first["odometerKm"],
                "light": .flag(result.light),
                "codes": isEmpty ? .text("") : words(result.codes),
                "driveOn": .text(result.drive?.rawValue), "unrated": words(result.unrated),
                "error": words(result.problems, "; "),
            ])
    }

    /// Why an ECU without codes in the answers may still have some; nil if the ECU certainly has none.
    package static func problem(
        _ absence: CodeScan.Absence, _ scan: CodeScan, _ ecu: ECUAddress?
    ) -> String? {
        switch absence {
        case .noCodes: nil
        case .noStoredCodes where !scan.hasBrokenList(of: ecu): nil
        case .noStoredCodes: "no stored codes; another list did not come"
        case .announced, .refused, .notSettled, .broken, .unanswered:
            CodePrinter.text(absence, of: scan.modules.first { $0.module.responder == ecu })
        }
    }

    /// The row of a vehicle that could not be read.
    package static func row(failed car: Car, _ error: String, time: UTC) -> Row {
        row(car, time, nil, nil, nil, nil, CodeFacts(), printable(error))
    }

    private static func row(
        _ car: Car, _ time: UTC, _ ecu: ECUAddress?, _ name: String?, _ light: Bool?,
        _ report: CodeReport?, _ facts: CodeFacts, _ error: String?
    ) -> Row {
        var failureType: UInt8?
        if case .dtc(let code) = report?.code { failureType = code.failureType }
        // The state explains the advice. Users rely on the columns, so the state has none of its own.
        let state = report?.isActive == false ? "not active" : nil
        let words = [facts.text, state].compactMap(\.self)
        return Row(
            Subject.code.kind,
            [
                "time": .time(time), "device": .text(car.device), "label": .text(car.label),
                "vin": .text(car.vin), "odometerKm": .number(car.odometer),
                "ecu": .text(ecu?.description), "ecuName": .text(name), "light": .flag(light),
                "status": .text(report?.kind.rawValue), "code": .text(report?.code.text),
                "failureType": .hex(failureType), "statusByte": .hex(report?.statusByte),
                "description": .text(words.isEmpty ? nil : words.joined(separator: "; ")),
                "driveOn": .text(facts.driveOn?.rawValue),
                "error": .text(error),
            ])
    }
}

// The list of devices, and the order of reading.
extension CodeBatch {
    package struct Entry: Hashable, Sendable {
        /// The device or transcript as written.
        package var accessory: String
        package var label: String?

        package init(accessory: String, label: String? = nil) {
            self.accessory = accessory
            self.label = label
        }
    }

    /// Parses a list with one `DEVICE [LABEL]` per line; `#` begins a comment.
    package static func entries(_ text: some StringProtocol) -> [Entry] {
        var entries: [Entry] = []
        for line in text.trimmingPrefix("\u{FEFF}").split(whereSeparator: \.isNewline) {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            let comment = words.dropFirst().firstIndex { $0.hasPrefix("#") } ?? words.endIndex
            var label = words[1..<max(1, comment)].joined(separator: " ")[...]
            // Quotes around a label are not a part of it.
            if label.count > 1, label.first == "\"", label.last == "\"" {
                label = label.dropFirst().dropLast()
            }
            entries.append(
                Entry(accessory: String(first), label: label.isEmpty ? nil : String(label)))
        }
        return entries
    }

    /// The places of the list in groups; the places of one device are read one after the other.
    ///
    /// - Parameter devices: the identity of the device at each place; nil if several may use it at once.
    package static func groups(_ devices: [String?]) -> [[Int]] {
        var groups: [[Int]] = []
        var known: [String: Int] = [:]
        for (place, device) in devices.enumerated() {
            if let device, let group = known[device] {
                groups[group].append(place)
                continue
            }
            if let device { known[device] = groups.count }
            groups.append([place])
        }
        return groups
    }

    /// Whether one of these rows has a code, or names an ECU that could not be read.
    package static func hasFindings(_ rows: [Row]) -> Bool {
        rows.contains { !$0["code"].isNull || !$0["error"].isNull }
    }
}

/// Results that end in any order, and are written in the order of the list.
package struct OrderedResults<Result> {
    private var results: [Result?]
    private var written = 0

    /// No results yet, of `count`.
    package init(_ count: Int) { results = Array(repeating: nil, count: count) }

    /// Takes the result of a place.
    package mutating func take(_ result: Result, at place: Int) { results[place] = result }

    /// The results that can be written now, because all earlier ones were.
    package mutating func next() -> [Result] {
        let ready = results[written...].prefix { $0 != nil }.compactMap(\.self)
        written += ready.count
        return ready
    }

    /// The places whose results are missing.
    package var missing: [Int] { results.indices.filter { results[$0] == nil } }

    /// All results so far, in order.
    package var all: [Result] { results.compactMap(\.self) }
}

extension CodeBatch.Car {
    /// Reads the other facts about the vehicle that the table contains.
    ///
    /// - Returns: The requests whose answers are not part of any list of codes.
    package mutating func complete(
        _ connection: Vehicle, _ services: VehicleServices
    ) throws(VehicleError) -> [QueryResult] {
        vin = try connection.vin(by: services.profiles)?.text
        let found = try connection.odometer(in: services)
        odometer = found?.kilometres
        return found.map { [$0.asked] } ?? []
    }
}
