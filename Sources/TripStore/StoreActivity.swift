public import OBDCore

/// What a database says about the recorder.
public struct StoreActivity: Hashable, Sendable {
    /// Whether a process of this machine records a trip.
    public var isRecording = false
    /// When the newest drive had its last record.
    public var lastRecord: UTC?
    /// The newest fault of the link, and its time.
    public var fault: String?
    /// When the fault happened.
    public var faultTime: UTC?
}

extension TripStore {
    /// The trips in which a fault is searched; a fault of an earlier one is of no interest.
    private static let recentTrips = 5

    /// What the newest drives say about the recorder.
    public func activity() throws(StoreError) -> StoreActivity {
        try read { database in
            var activity = StoreActivity()
            let rows = try database.rows(
                """
                SELECT start + duration AS last, end_reason IS NULL AS is_open, writer FROM trip
                WHERE purpose = 'log' AND deleted IS NULL ORDER BY start DESC LIMIT \(Self.recentTrips)
                """)
            for row in rows {
                let end: Int64 = try row["last"]
                let last = activity.lastRecord?.microseconds ?? .min
                activity.lastRecord = UTC(microseconds: max(end, last))
                guard let writer: String = try row["writer"], try row["is_open"] as Bool else {
                    continue
                }
                if WriterIdentity(text: writer).isAlive { activity.isRecording = true }
            }
            let fault = try database.row(
                """
                SELECT start + t AS time, text FROM event JOIN trip ON trip.id = event.trip
                WHERE kind IN ('linkLost', 'linkError') AND trip.id IN (SELECT id FROM trip
                    WHERE purpose = 'log' AND deleted IS NULL ORDER BY start DESC
                    LIMIT \(Self.recentTrips))
                ORDER BY time DESC LIMIT 1
                """)
            if let fault {
                activity.fault = try fault["text"]
                activity.faultTime = try fault["time"]
            }
            return activity
        }
    }
}
