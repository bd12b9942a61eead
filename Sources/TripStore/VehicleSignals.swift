public import Diagnostics
public import OBDCore

extension TripStore {
    /// The signals of these trips, each with its ECU; freeze frames are left out.
    public func signals(
        ofTrips trips: [Int64]
    ) throws(StoreError) -> [(ecu: ECUAddress?, signal: Signal)] {
        try read { database in
            let list = trips.map(String.init).joined(separator: ",")
            let rows = try database.rows(
                """
                SELECT * FROM channel WHERE frame IS NULL AND coalesce(service, 1) <> 2 AND id IN
                    (SELECT channel FROM trip_channel WHERE trip IN (\(list)))
                ORDER BY id
                """)
            var labels: [Int64: [(code: UInt64, label: String)]] = [:]
            for row in try database.rows(
                "SELECT channel, code, label FROM channel_label ORDER BY channel, code")
            {
                guard let code = UInt64(exactly: try row["code"] as Int64) else { continue }
                labels[try row["channel"], default: []].append((code, try row["label"]))
            }
            return try rows.map { row in
                (
                    try row["ecu"],
                    try Signal(
                        id: row["signal"], name: row["name"], bitOffset: 0, bitLength: 0,
                        kind: row["kind"] ?? .bytes, unit: row["unit"],
                        labels: labels[row["id"]] ?? [])
                )
            }
        }
    }
}
