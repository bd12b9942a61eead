public import Diagnostics
public import OBDCore

extension TripStore {
    /// A condition: the ECU of row `m` did not clear its codes between that row and the time ?2.
    ///
    /// Clearing erases test results and the state of the monitors.
    private static let isNotCleared = """
        NOT EXISTS (SELECT 1 FROM event JOIN trip AS later ON later.id = event.trip
            WHERE event.kind = 'codesCleared' AND later.vehicle = trip.vehicle
                AND (event.ecu IS NULL OR m.ecu IS NULL OR event.ecu = m.ecu)
                AND later.start + event.t > trip.start + m.t AND later.start + event.t <= ?2)
        """

    /// The last result of each test of a vehicle at or before `time`, without tests that have not
    /// run since codes were cleared.
    ///
    /// `vehicle` is a VIN or a name.
    public func testResults(
        ofVehicle vehicle: String, at time: UTC
    ) throws(StoreError) -> [MonitorTestResult] {
        try read { database in
            let rows = try database.rows(
                """
                SELECT m.*, max(trip.start + m.t) AS time
                FROM monitor_test AS m JOIN trip ON trip.id = m.trip
                    JOIN vehicle ON vehicle.id = trip.vehicle
                WHERE deleted IS NULL AND (vin = ?1 OR vehicle.name = ?1)
                    AND trip.start + m.t <= ?2 AND \(Self.isNotCleared)
                GROUP BY m.ecu, m.mid, m.component, m.tid
                ORDER BY m.ecu, m.mid, m.component, m.tid
                """, [vehicle, time.microseconds])
            let results = try rows.map(MonitorTestResult.init)
            return results.filter { $0.passed != nil && $0.value != nil }
        }
    }

    /// The last monitor status of each ECU of a vehicle at or before `time`, since codes were
    /// cleared.
    ///
    /// `vehicle` is a VIN or a name.
    public func readiness(
        ofVehicle vehicle: String, at time: UTC
    ) throws(StoreError) -> [MonitorStatus] {
        try read { database in
            let rows = try database.rows(
                """
                SELECT m.ecu, m.monitor, m.supported, m.complete, m.sequence,
                    max(trip.start + m.t) AS time
                FROM monitor AS m JOIN trip ON trip.id = m.trip
                    JOIN vehicle ON vehicle.id = trip.vehicle
                WHERE deleted IS NULL AND (vin = ?1 OR vehicle.name = ?1)
                    AND m.scope = 'sinceClear' AND trip.start <= ?2
                    AND trip.start + m.t <= ?2 AND \(Self.isNotCleared)
                GROUP BY m.ecu, m.monitor ORDER BY m.ecu, m.sequence
                """, [vehicle, time.microseconds])
            return try rows.compactMap { row in
                try (row["monitor"] as MonitorStatus.Monitor?).map { monitor in
                    try MonitorStatus(
                        ecu: row["ecu"],
                        scope: .sinceClear, monitor: monitor, supported: row["supported"],
                        complete: row["complete"], line: 0)
                }
            }
        }
    }

    /// When obdscan cleared the codes of a vehicle, at or before `time`, the latest last; without an ECU,
    /// those of all.
    ///
    /// `vehicle` is a VIN or a name.
    public func clearings(
        ofVehicle vehicle: String, until time: UTC
    ) throws(StoreError) -> [(ecu: ECUAddress?, time: UTC)] {
        try read { database in
            let rows = try database.rows(
                """
                SELECT ecu, start + t AS time FROM event JOIN trip ON trip.id = trip
                    JOIN vehicle ON vehicle.id = trip.vehicle
                WHERE event.kind = 'codesCleared' AND deleted IS NULL
                    AND (vin = ?1 OR vehicle.name = ?1) AND start + t <= ?2
                ORDER BY start + t
                """, [vehicle, time.microseconds])
            return try rows.map { row in (try row["ecu"], try row["time"])
            }
        }
    }

    /// The last moment before obdscan cleared the codes of a vehicle the last time until `time`; nil if obdscan did
    /// not.
    ///
    /// The ECUs of a vehicle confirm one after the other, so that the first of one record counts.
    public func momentBeforeClearing(
        ofVehicle vehicle: String, until time: UTC
    ) throws(StoreError) -> UTC? {
        try read { database in
            try database.value(
                Int64.self,
                """
                SELECT min(start + t) FROM event JOIN trip ON trip.id = trip
                    JOIN vehicle ON vehicle.id = trip.vehicle
                WHERE event.kind = 'codesCleared' AND deleted IS NULL
                    AND (vin = ?1 OR vehicle.name = ?1) AND start + t <= ?2
                GROUP BY trip.id ORDER BY max(start + t) DESC LIMIT 1
                """, [vehicle, time.microseconds]
            ).map { UTC(microseconds: $0 - 1) }
        }
    }

    /// Whether the check engine light of each ECU of a vehicle was on when it was last read at or
    /// before `time`.
    ///
    /// `vehicle` is a VIN or a name.
    public func lights(
        ofVehicle vehicle: String, at time: UTC
    ) throws(StoreError) -> [(ecu: ECUAddress?, isOn: Bool)] {
        try read { database in
            // Newest trips first, and each from its end: a long trip has the light thousands of times.
            let trips = try database.cursor(
                """
                SELECT trip.id, channel, ecu, start FROM trip_channel
                    JOIN channel ON channel.id = channel JOIN trip ON trip.id = trip
                    JOIN vehicle ON vehicle.id = trip.vehicle
                WHERE deleted IS NULL AND (vin = ?1 OR vehicle.name = ?1) AND start <= ?2
                    AND service = 1 AND identifier = 1 AND signal = 'MIL' AND frame IS NULL
                ORDER BY start DESC
                """, [vehicle, time.microseconds])
            var lights: [(ecu: ECUAddress?, isOn: Bool)] = []
            while let row = try trips.next() {
                let ecu: ECUAddress? = try row["ecu"]
                if lights.contains(where: { $0.ecu == ecu }) { continue }
                let value = try database.value(
                    Double.self,
                    """
                    SELECT value FROM reading WHERE trip = ? AND channel = ? AND t <= ?
                        AND value IS NOT NULL ORDER BY t DESC, sequence DESC LIMIT 1
                    """,
                    [
                        try row["id"] as Int64, try row["channel"] as Int64,
                        time.microseconds(since: try row["start"]),
                    ])
                if let value { lights.append((ecu, value != 0)) }
            }
            return lights.sorted { $0.ecu?.description ?? "" < $1.ecu?.description ?? "" }
        }
    }

    /// The last values of PIDs of each ECU of a vehicle, in records that reach into a span of time.
    ///
    /// Numbers and codes of labels, of SAE J1979 and of SAE J1979-2; `vehicle` is a VIN or a name.
    public func values(
        ofVehicle vehicle: String, pids: [UInt8], from: UTC, until time: UTC
    ) throws(StoreError) -> [(ecu: ECUAddress?, pid: UInt8, value: Double)] {
        let plain = pids.map { String($0) }.joined(separator: ", ")
        let onUDS = pids.map { String(0xF400 + Int($0)) }.joined(separator: ", ")
        return try read { database in
            let trips = try database.cursor(
                """
                SELECT trip.id, channel, ecu, identifier, start FROM trip_channel
                    JOIN channel ON channel.id = channel JOIN trip ON trip.id = trip
                    JOIN vehicle ON vehicle.id = trip.vehicle
                WHERE deleted IS NULL AND (vin = ?1 OR vehicle.name = ?1)
                    AND start <= ?2 AND start + duration >= ?3 AND frame IS NULL
                    AND (service = 1 AND identifier IN (\(plain))
                        OR service = 34 AND identifier IN (\(onUDS)))
                ORDER BY start DESC, channel
                """, [vehicle, time.microseconds, from.microseconds])
            var values: [(ecu: ECUAddress?, pid: UInt8, value: Double)] = []
            while let row = try trips.next() {
                let ecu: ECUAddress? = try row["ecu"]
                let pid = UInt8(truncatingIfNeeded: try row["identifier"] as Int64)
                if values.contains(where: { $0.ecu == ecu && $0.pid == pid }) { continue }
                let value = try database.value(
                    Double.self,
                    """
                    SELECT value FROM reading WHERE trip = ? AND channel = ? AND t <= ?
                        AND value IS NOT NULL AND detail IS NULL
                    ORDER BY t DESC, sequence DESC LIMIT 1
                    """,
                    [
                        try row["id"] as Int64, try row["channel"] as Int64,
                        time.microseconds(since: try row["start"]),
                    ])
                if let value { values.append((ecu, pid, value)) }
            }
            return values
        }
    }

    /// What the odometer of a vehicle showed at the end of its last trip or scan before `time`;
    /// unit: km, nil if it is unknown.
    ///
    /// `vehicle` is a VIN or a name.
    public func odometer(ofVehicle vehicle: String, at time: UTC) throws(StoreError) -> Double? {
        try read { database in
            try database.value(
                Double.self,
                """
                SELECT odometer_end FROM trip JOIN vehicle ON vehicle.id = trip.vehicle
                WHERE deleted IS NULL AND (vin = ?1 OR vehicle.name = ?1)
                    AND odometer_end IS NOT NULL AND start + duration <= ?2
                ORDER BY start DESC LIMIT 1
                """, [vehicle, time.microseconds])
        }
    }

    /// The end of the first record after `time` in which lists of codes of a vehicle were read; nil if
    /// there is none.
    ///
    /// `vehicle` is a VIN or a name.
    public func firstScan(ofVehicle vehicle: String, after time: UTC) throws(StoreError) -> UTC? {
        try scan(of: vehicle, "start + duration > ?2 ORDER BY start", time)
    }

    /// Readings of a vehicle within this time before its newest one are the same visit; unit: µs.
    ///
    /// Two hours: in one visit several commands read the vehicle one after the other.
    public static let visit: Int64 = 2 * 3_600_000_000

    /// The last reading of codes in the visit before that of a reading at `time`.
    ///
    /// Without an earlier visit this is the first reading of the same visit. Nil if that reading is the only one.
    public func scanOfVisit(
        before time: UTC, ofVehicle vehicle: String
    ) throws(StoreError) -> UTC? {
        let begin = UTC(microseconds: time.microseconds - Self.visit)
        if let last = try lastScan(ofVehicle: vehicle, until: begin) { return last }
        guard let first = try firstScan(ofVehicle: vehicle, after: begin), first < time else {
            return nil
        }
        return first
    }

    /// When the codes of a vehicle were read the last time until `time`; nil if they were not.
    public func lastScan(ofVehicle vehicle: String, until time: UTC) throws(StoreError) -> UTC? {
        try scan(of: vehicle, "start + duration <= ?2 ORDER BY start DESC", time)
    }

    /// The end of the first reading of codes in an order.
    private func scan(
        of vehicle: String, _ order: String, _ time: UTC
    ) throws(StoreError) -> UTC? {
        try read { database in
            try database.value(
                Int64.self,
                """
                SELECT start + duration FROM trip JOIN vehicle ON vehicle.id = trip.vehicle
                WHERE deleted IS NULL AND (vin = ?1 OR vehicle.name = ?1)
                    AND EXISTS (SELECT * FROM code_list WHERE code_list.trip = trip.id)
                    AND \(order) LIMIT 1
                """, [vehicle, time.microseconds]
            ).map { UTC(microseconds: $0) }
        }
    }
}
