public import Diagnostics
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
            let rows = try database.rows(
                """
                SELECT m.*, trip.start + m.t AS time, vin FROM monitor_test AS m
                    JOIN trip ON trip.id = m.trip
                    LEFT JOIN vehicle ON vehicle.id = trip.vehicle
                WHERE deleted IS NULL AND m.value IS NOT NULL AND m.passed IS NOT NULL
                    AND (?1 IS NULL OR vin = ?1 OR vehicle.name = ?1)
                ORDER BY vin, m.ecu, m.mid, m.component, m.tid, time
                """, [vehicle])
            return try rows.map { row in
                try MonitorTrendPoint(
                    time: row["time"], trip: row["trip"], vin: row["vin"],
                    result: MonitorTestResult(row))
            }
        }
    }
}

extension MonitorTestResult {
    /// The result in a row of `monitor_test`.
    init(_ row: Row) throws {
        let raw: [UInt8] = try row["raw"]
        try self.init(ecu: row["ecu"], tid: row["tid"], raw: InlineBytes(raw), line: 0)
        mid = try row["mid"]
        uas = try row["uas"]
        monitor = try row["monitor"]
        test = try row["test"]
        component = try row["component"]
        value = try row["value"]
        min = try row["minimum"]
        max = try row["maximum"]
        unit = try row["unit"]
        passed = try row["passed"]
    }
}
