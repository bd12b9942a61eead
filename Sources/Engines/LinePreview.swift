import TripStore

/// The lines that a sink would get, without a server.
package struct LinePreview: Sendable {
    private let database: String
    private let selection: SinkSelection

    /// A preview of the trip database at `database`.
    package init(database: String, selection: SinkSelection) {
        self.database = database
        self.selection = selection
    }

    /// Calls `body` with the lines, batch by batch.
    package func forEach(_ body: ([UInt8]) throws -> Void) throws {
        try forEach(isJSON: false) { _, lines in try body(lines) }
    }

    /// The same lines, with the vehicle's name, and as JSON if `isJSON` is true.
    func forEach(isJSON: Bool, _ body: (String, [UInt8]) throws -> Void) throws {
        let store = try TripStore(path: database, access: .readOnly)
        var reader = LineReader(store, selection, isJSON: isJSON, makesOldPoints: true)
        for trip in try store.trips(.init(withScans: true)) {
            guard selection.covers(trip), let identity = selection.identity(of: trip) else {
                continue
            }
            for table in selection.tables {
                try reader.forEach(table, ofTrip: trip.id, identity) { bytes, _ in
                    try body(identity.vehicle, bytes)
                }
            }
            let ending = try reader.ending(of: trip, identity)
            if ending.count > 0 { try body(identity.vehicle, ending.bytes) }
        }
    }
}
