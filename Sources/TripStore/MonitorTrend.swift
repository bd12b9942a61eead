public import Diagnostics
import GRDB
public import OBDCore

/// A test result of service 06 and when it was read.
public struct MonitorTrendPoint: Hashable, Sendable {
    /// When.
    public var time: UTC
    /// In which trip.
    public var trip: Int64
    /// The vehicle; nil where it did not say.
    public var vin: String?
    /// The result; its raw bytes are left out.
    public var result: MonitorTestResult

    /// How far the value is from its nearest limit; negative beyond it, nil without limits.
    ///
    /// Unit: that of the result.
    public var margin: Double? {
        guard let value = result.value else { return nil }
        let margins = [result.min.map { value - $0 }, result.max.map { $0 - value }]
        return margins.compactMap { $0 }.min()
    }

    /// The same as a share of the allowed range, 0.5 in its middle; nil without two limits.
    public var relativeMargin: Double? {
        guard let margin, let low = result.min, let high = result.max, high > low else {
            return nil
        }
        return margin / (high - low)
    }
}

extension TripStore {
    /// Every test result, test by test, earliest first; results that were not run are left out.
    ///
    /// `vehicle` narrows it to the vehicle with this VIN or name.
    public func monitorTrend(vehicle: String? = nil) throws(StoreError) -> [MonitorTrendPoint] {
        try read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT m.*, trip.start + m.t AS time, vin FROM monitor_test AS m
                        JOIN trip ON trip.id = m.trip
                        LEFT JOIN vehicle ON vehicle.id = trip.vehicle
                    WHERE deleted IS NULL AND m.value IS NOT NULL AND m.passed IS NOT NULL
                        AND (?1 IS NULL OR vin = ?1 OR vehicle.name = ?1)
                    ORDER BY vin, m.ecu, m.mid, m.component, m.tid, time
                    """, arguments: [vehicle])
            return rows.map { row in
                var result = MonitorTestResult(
                    ecu: (row["ecu"] as String?).flatMap { ECUAddress($0) }, tid: row["tid"],
                    raw: InlineBytes(), line: 0)
                result.mid = row["mid"]
                result.monitor = row["monitor"]
                result.test = row["test"]
                result.component = row["component"]
                result.value = row["value"]
                result.min = row["minimum"]
                result.max = row["maximum"]
                result.unit = row["unit"]
                result.passed = row["passed"]
                return MonitorTrendPoint(
                    time: UTC(microseconds: row["time"]), trip: row["trip"], vin: row["vin"],
                    result: result)
            }
        }
    }
}
