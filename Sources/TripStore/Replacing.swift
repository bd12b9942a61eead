public import OBDCore
import SystemIO

/// Why a file is not imported again with other options: an earlier trip of it cannot be replaced.
public enum ReplacementFault: Error, Hashable, Sendable {
    /// The trip has a name, a tag or a note, or was split, joined or shifted.
    case edited(Int64)
    /// A sink got the trip, and would keep the readings under these times.
    case published(Int64)
    /// The earlier trips have more readings.
    case poorer([Int64], before: Int, now: Int)
}

extension TripImporter {
    /// Deletes the trips that earlier imports made of this file, so that no reading of it counts twice.
    ///
    /// Another table, another map of names or another day makes other trips of the same file. Which part of an
    /// earlier trip corresponds to which part of a new one cannot be known in every case, so trips are replaced as a
    /// whole, or not at all. The deletion is an edit that can be undone.
    ///
    /// - Parameters:
    ///   - new: the trips of this import.
    ///   - known: the trips of this file that are as they would be imported now.
    ///   - published: the trips of which a sink got anything.
    /// - Returns: the trips that were deleted.
    public mutating func replaceEarlier(
        ofFile file: String, by new: [Int64], keeping known: Set<Int64>, published: Set<Int64>,
        now: UTC
    ) throws -> [Int64] {
        try end()
        if new.isEmpty { return [] }
        let old = try database.values(
            Int64.self,
            "SELECT id FROM trip WHERE file = ? AND deleted IS NULL ORDER BY id", [file]
        ).filter { !new.contains($0) && !known.contains($0) }
        let joined = try database.values(
            Int64.self,
            """
            SELECT trip FROM trip_edit JOIN trip ON trip.id = trip_edit.trip
            WHERE action = 'join' AND json_extract(before, '$[1].trip.file') = ?
                AND trip.deleted IS NULL
            """, [file]
        ).filter { !known.contains($0) }
        if let trip = try joined.first ?? old.first(where: { try isEdited($0) }) {
            throw ReplacementFault.edited(trip)
        }
        if let trip = old.first(where: published.contains) {
            throw ReplacementFault.published(trip)
        }
        if old.isEmpty { return [] }
        let (before, after) = (try readings(of: old), try readings(of: new))
        if before > after { throw ReplacementFault.poorer(old, before: before, now: after) }
        try TripStore.hide(old, .delete, now: now, in: database)
        return old
    }

    private func isEdited(_ trip: Int64) throws -> Bool {
        try database.value(
            Bool.self,
            """
            SELECT name IS NOT NULL
                OR EXISTS (SELECT * FROM trip_tag WHERE trip_tag.trip = trip.id)
                OR EXISTS (SELECT * FROM note WHERE note.trip = trip.id)
                OR EXISTS (SELECT * FROM trip_edit WHERE trip_edit.trip = trip.id OR other = trip.id)
            FROM trip WHERE id = ?
            """, [trip]) ?? false
    }

    private func readings(of trips: [Int64]) throws -> Int {
        try trips.reduce(0) {
            try $0
                + (database.value(Int.self, "SELECT readings FROM trip WHERE id = ?", [$1]) ?? 0)
        }
    }
}

extension TripStore {
    /// The trips of which a sink got anything.
    public func publishedTrips() throws(StoreError) -> Set<Int64> {
        let path = DeliveryStore.path(of: self.path)
        guard Files.exists(path) else { return [] }
        let deliveries = try DeliveryStore(path: path, access: .readOnly)
        var found: Set<DeliveryStore.TripKey> = []
        for sink in try deliveries.sinks() {
            found.formUnion(try deliveries.progress(of: sink.name).keys)
        }
        return Set(
            try trips(TripFilter(withScans: true)).filter {
                found.contains(DeliveryStore.TripKey($0))
            }.map(\.id))
    }
}
