import TripStore

/// The lines that a sink would get, without a server.
public struct LinePreview: Sendable {
    private let database: String
    private let selection: SinkSelection

    /// A preview of the trip database at `database`.
    public init(database: String, selection: SinkSelection) {
        self.database = database
        self.selection = selection
    }

    /// Calls `body` with the lines, batch by batch.
    public func forEach(_ body: ([UInt8]) throws -> Void) throws {
        try forEach(isJSON: false) { _, lines in try body(lines) }
    }

    /// The same, with the vehicle's name, and as JSON where that is asked for.
    func forEach(isJSON: Bool, _ body: (String, [UInt8]) throws -> Void) throws {
        let store = try TripStore(path: database, access: .readOnly)
        for trip in try store.trips(.init(withScans: true)) {
            if let only = selection.trips {
                guard only.contains(trip.id) else { continue }
            } else if trip.purpose == .import {
                continue
            }
            guard let identity = selection.identity(of: trip) else { continue }
            for table in selection.tables {
                try store.forEachTail(ofTrip: trip.id, table) {
                    try body(
                        identity.vehicle,
                        isJSON
                            ? selection.objects(of: $0).bytes
                            : selection.lines(of: $0, identity).bytes)
                }
            }
        }
    }
}

extension TripStore {
    /// Calls `body` with a trip's rows of a table in parts, up to a cursor if there is one.
    func forEachTail(
        ofTrip id: Int64, _ table: TripTail.Table, upTo end: TripCursor? = nil,
        _ body: (TripTail) throws -> Void
    ) throws {
        var cursor = TripCursor()
        while true {
            let left = end.map { $0.rows - cursor.rows } ?? .max
            guard left > 0,
                let tail = try tail(
                    ofTrip: id, table, after: cursor, limit: min(left, LineSink.batchLines)),
                tail.cursor != cursor
            else { return }
            try body(tail)
            cursor = tail.cursor
        }
    }
}
