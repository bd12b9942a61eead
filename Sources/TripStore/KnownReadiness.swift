public import Diagnostics
import GRDB
public import OBDCore

extension TripStore {
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
                        AND trip.start + m.t <= ?2
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
}
