public import Diagnostics
import GRDB
public import OBDCore

/// A trouble code over all trips.
public struct CodeHistoryEntry: Hashable, Sendable {
    /// The vehicle; nil where it did not say.
    public var vin: String?
    /// Who reported it.
    public var ecu: ECUAddress?
    /// In which list.
    public var kind: CodeReport.Kind
    /// The code.
    public var code: CodeReport.Code
    /// When it was first reported.
    public var firstSeen: UTC
    /// When it was last reported.
    public var lastSeen: UTC
    /// How often it was reported.
    public var reports: Int
}

extension TripStore {
    /// Every code that trips which have ended reported, latest first.
    ///
    /// `vehicle` narrows it to the vehicle with this VIN or name.
    public func codeHistory(vehicle: String? = nil) throws(StoreError) -> [CodeHistoryEntry] {
        try read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT code.*, vin FROM code LEFT JOIN vehicle ON vehicle.id = code.vehicle
                    WHERE ?1 IS NULL OR vin = ?1 OR vehicle.name = ?1
                    ORDER BY code.last_seen DESC, code.code, code.id
                    """, arguments: [vehicle])
            return rows.compactMap { row in
                guard let kind = CodeReport.Kind(rawValue: row["kind"]),
                    let code = CodeReport.Code(
                        stored: row["code"], failureType: row["failure_type"], occurrences: nil,
                        conversionMethod: nil)
                else { return nil }
                return CodeHistoryEntry(
                    vin: row["vin"], ecu: (row["ecu"] as String?).flatMap { ECUAddress($0) },
                    kind: kind, code: code, firstSeen: UTC(microseconds: row["first_seen"]),
                    lastSeen: UTC(microseconds: row["last_seen"]), reports: row["reports"])
            }
        }
    }
}
