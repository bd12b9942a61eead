public import Diagnostics
import Foundation
import GRDB
public import OBDCore

/// A test result of service 06 with the time of reading.
public struct MonitorTrendPoint: Hashable, Sendable {
    /// The time of reading.
    public var time: UTC
    /// The trip in which it was read.
    public var trip: Int64
    /// The vehicle; nil if its VIN is unknown.
    public var vin: String?
    /// The result.
    public var result: MonitorTestResult

    /// A result with the time of reading.
    public init(time: UTC, trip: Int64, vin: String?, result: MonitorTestResult) {
        self.time = time
        self.trip = trip
        self.vin = vin
        self.result = result
    }

    /// The lower limit; unit: that of the result, nil if the ECU has none.
    public var lowerLimit: Double? { result.hasLowerLimit ? result.min : nil }
    /// The upper limit; unit: that of the result, nil if the ECU has none.
    public var upperLimit: Double? { result.hasUpperLimit ? result.max : nil }

    /// The distance of the value from its nearest limit; negative beyond it, nil without limits.
    ///
    /// Unit: that of the result.
    public var margin: Double? {
        guard let value = result.value else { return nil }
        let margins = [lowerLimit.map { value - $0 }, upperLimit.map { $0 - value }]
        return margins.compactMap { $0 }.min()
    }

    /// The margin as a share of the allowed range, 0.5 in its middle; nil without two limits.
    ///
    /// A minimum of 0 without a lower limit counts as a limit.
    public var relativeMargin: Double? {
        guard let margin, let low = lowerLimit ?? (result.min == 0 ? 0 : nil),
            let high = upperLimit, high > low
        else { return nil }
        return margin / (high - low)
    }
}

extension TripStore {
    /// All results of tests that were run, grouped by test, earliest first.
    ///
    /// `vehicle` is a VIN or a name and restricts the result to that vehicle.
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
                return MonitorTrendPoint(
                    time: UTC(microseconds: row["time"]), trip: row["trip"], vin: row["vin"],
                    result: MonitorTestResult(row))
            }
        }
    }
}

extension MonitorTestResult {
    /// The result in a row of `monitor_test`.
    init(_ row: Row) {
        let raw: Data = row["raw"]
        self.init(
            ecu: (row["ecu"] as String?).flatMap { ECUAddress($0) }, tid: row["tid"],
            raw: InlineBytes(raw), line: 0)
        mid = row["mid"]
        uas = row["uas"]
        monitor = row["monitor"]
        test = row["test"]
        component = row["component"]
        value = row["value"]
        min = row["minimum"]
        max = row["maximum"]
        unit = row["unit"]
        passed = row["passed"]
    }
}
