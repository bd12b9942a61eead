import Diagnostics
import Formats
import OBDCore

/// The result for one vehicle of a batch, in one line for people.
package struct CarResult {
    /// The user's label of the vehicle, else its VIN, else the device.
    package let name: String
    /// The user's label; nil = none.
    package let label: String?
    /// The VIN; nil if it is not known.
    package let vin: String?
    /// Each code once, in the order of the reports.
    package let codes: [String]
    /// Whether the check engine light is on according to any ECU; nil if no ECU reports it.
    package let light: Bool?
    /// The most severe advice.
    package let drive: DriveAdvice?
    /// The codes about which nothing is known.
    package let unrated: [String]
    /// The parts that could not be read, with the reason.
    package let problems: [String]
    /// Whether at least one ECU was read.
    package let isRead: Bool

    /// The result from the table rows of one vehicle.
    package init(_ rows: [Row]) {
        func texts(_ key: String) -> [String] { rows.compactMap { $0[key].shown } }
        let label = texts("label").first
        let vin = texts("vin").first
        self.vin = vin
        self.label = label
        name =
            label.map { $0 + (vin.map { " (\($0))" } ?? "") } ?? vin
            ?? texts("device").first ?? "vehicle"
        /// Each code once, with its failure type.
        func codes(_ rows: [Row]) -> [String] {
            rows.compactMap { row in
                row["code"].shown.map { $0 + (row["failureType"].shown.map { "-\($0)" } ?? "") }
            }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        }
        self.codes = codes(rows)
        let lights = texts("light")
        light = lights.contains("true") ? true : lights.isEmpty ? nil : false
        unrated = codes(rows.filter { $0["driveOn"].isNull })
        drive = texts("driveOn").compactMap { DriveAdvice(rawValue: $0) }.min()
        isRead = rows.contains { !$0["ecu"].isNull || $0["error"].isNull }
        problems = rows.compactMap { row in
            row["error"].shown.map { error in (row["ecu"].shown.map { "\($0) " } ?? "") + error }
        }
    }

    /// The line, such as `bay 3 (5XX…): P0301 P0420; check engine light on; drive on: soon`.
    package var text: String {
        var parts: [String] = []
        if !codes.isEmpty { parts.append(codes.joined(separator: " ")) }
        if codes.isEmpty && problems.isEmpty { parts.append("no codes") }
        if light == true { parts.append("check engine light on") }
        if let drive { parts.append("drive on: \(drive.words)") }
        if !unrated.isEmpty, drive != .stop {
            let named = drive == nil ? "" : " with \(unrated.joined(separator: " "))"
            parts.append("drive on\(named): \(DriveAdvice.unknown)")
        }
        let said = (parts + problems).joined(separator: "; ")
        return said.hasPrefix("\(name): ") ? said : "\(name): \(said)"
    }
}

/// Counts the results of many vehicles.
package struct CarTally {
    package init() {}

    package private(set) var cars = 0
    private var withCodes = 0
    private var unread: [String] = []
    private var doubtful = 0
    private var places: [String: Int] = [:]
    private var remarks: Set<String> = []

    /// The remark about a vehicle; nil if the user has read the same about an earlier one.
    package mutating func news(_ remark: String?) -> String? {
        remark.flatMap { remarks.insert($0).inserted ? $0 : nil }
    }

    /// Counts one vehicle.
    ///
    /// - Returns: The place of an earlier vehicle with the same VIN.
    @discardableResult
    package mutating func count(_ result: CarResult) -> Int? {
        cars += 1
        if !result.codes.isEmpty {
            withCodes += 1
        } else if !result.isRead {
            unread.append(result.name)
        } else if !result.problems.isEmpty {
            doubtful += 1
        }
        guard let vin = result.vin else { return nil }
        defer { places[vin] = cars }
        return places[vin]
    }

    /// The counts in words, such as 12 vehicles: 7 with codes, 4 without, 1 not read (bay 3).
    package var sentence: String {
        let without = cars - withCodes - unread.count - doubtful
        let parts = [
            (withCodes, "with codes"), (without, "without"), (doubtful, "not known"),
            (unread.count, "not read (\(unread.joined(separator: ", ")))"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return counted(cars, "vehicle")
            + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")) + "."
    }
}
