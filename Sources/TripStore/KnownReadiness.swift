public import Diagnostics
import GRDB
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
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT m.*, max(trip.start + m.t) AS time
                    FROM monitor_test AS m JOIN trip ON trip.id = m.trip
                        JOIN vehicle ON vehicle.id = trip.vehicle
                    WHERE deleted IS NULL AND (vin = ?1 OR vehicle.name = ?1)
                        AND trip.start + m.t <= ?2 AND \(Self.isNotCleared)
                    GROUP BY m.ecu, m.mid, m.component, m.tid
                    ORDER BY m.ecu, m.mid, m.component, m.tid
                    """, arguments: [vehicle, time.microseconds])
            return rows.map(MonitorTestResult.init).filter { $0.passed != nil && $0.value != nil }
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
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT m.ecu, m.monitor, m.supported, m.complete, m.sequence,
                        max(trip.start + m.t) AS time
                    FROM monitor AS m JOIN trip ON trip.id = m.trip
                        JOIN vehicle ON vehicle.id = trip.vehicle
                    WHERE deleted IS NULL AND (vin = ?1 OR vehicle.name = ?1)
                        AND m.scope = 'sinceClear' AND trip.start <= ?2
                        AND trip.start + m.t <= ?2 AND \(Self.isNotCleared)
                    GROUP BY m.ecu, m.monitor ORDER BY m.ecu, m.sequence
                    """, arguments: [vehicle, time.microseconds])
            return rows.compactMap { row in
                MonitorStatus.Monitor(rawValue: row["monitor"]).map { monitor in
                    MonitorStatus(
                        ecu: (row["ecu"] as String?).flatMap { ECUAddress($0) },
                        scope: .sinceClear, monitor: monitor, supported: row["supported"],
                        complete: row["complete"], line: 0)
                }
            }
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
            try Row.fetchAll(
                database,
                sql: """
                    SELECT ecu, value, max(trip.start + t) AS time
                    FROM reading JOIN channel ON channel.id = channel JOIN trip ON trip.id = trip
                        JOIN vehicle ON vehicle.id = trip.vehicle
                    WHERE deleted IS NULL AND (vin = ?1 OR vehicle.name = ?1)
                        AND service = 1 AND identifier = 1 AND signal = 'MIL' AND frame IS NULL
                        AND trip.start + t <= ?2 AND value IS NOT NULL
                    GROUP BY ecu ORDER BY ecu
                    """, arguments: [vehicle, time.microseconds]
            ).map { row in
                ((row["ecu"] as String?).flatMap { ECUAddress($0) }, row["value"] as Double != 0)
            }
        }
    }
}
