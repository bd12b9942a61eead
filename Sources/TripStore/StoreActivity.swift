public import Diagnostics
public import OBDCore

/// The state of the recorder, from the database.
public struct StoreActivity: Hashable, Sendable {
    /// Whether a process of this machine records a trip.
    public var isRecording = false
    /// When the newest drive had its last record; nil without one, or if its clock was not set.
    public var lastRecord: UTC?
    /// The kind of the newest fault of the link; its text may contain an address or a path.
    public var fault: TripEvent.Kind?
    /// When the fault happened; nil if the clock was not set.
    public var faultTime: UTC?
}

extension TripStore {
    /// The trips in which a fault is searched; a fault of an earlier one is of no interest.
    private static let recentTrips = 5

    /// The state of the recorder, from the newest drives.
    public func activity() throws(StoreError) -> StoreActivity {
        try read { database in
            var activity = StoreActivity()
            // A drive without a set clock begins in 1970, so its start says nothing of its age.
            let writers = try database.values(
                String.self,
                """
                SELECT writer FROM trip WHERE purpose = 'log' AND deleted IS NULL
                    AND end_reason IS NULL AND writer IS NOT NULL
                """)
            activity.isRecording = writers.contains { WriterIdentity(text: $0).isAlive }
            let recent = """
                (SELECT trip.id, start, duration, place, clock IS NOT 'unset' AS is_timed
                FROM trip JOIN \(Trips.places) AS places ON places.id = trip.id
                WHERE purpose = 'log' AND deleted IS NULL
                ORDER BY place DESC, trip.id DESC LIMIT \(Self.recentTrips))
                """
            let drives = try database.rows(
                """
                SELECT start + duration AS last, is_timed FROM \(recent)
                ORDER BY place DESC, id DESC
                """)
            if let newest = drives.first, try newest["is_timed"] {
                let timed = try drives.filter { try $0["is_timed"] }
                activity.lastRecord = try timed.map { try $0["last"] as Int64 }.max()
                    .map { UTC(microseconds: $0) }
            }
            let fault = try database.row(
                """
                SELECT kind, start + t AS time, is_timed
                FROM \(recent) AS recent JOIN event ON event.trip = recent.id
                WHERE kind IN ('linkLost', 'linkError') ORDER BY place DESC, id DESC, t DESC LIMIT 1
                """)
            if let fault {
                activity.fault = try fault["kind"]
                if try fault["is_timed"] { activity.faultTime = try fault["time"] }
            }
            return activity
        }
    }
}
