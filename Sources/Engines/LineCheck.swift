import OBDCore
import Publishing
import SystemIO
import TripStore

/// Compares the data on a server with the delivered data.
package struct LineCheck {
    package struct Count: Hashable, Sendable {
        /// The vehicle's name on the server.
        package var vehicle: String
        package var delivered: Int
        /// The number of readings on the server.
        package var found: Int
    }

    /// Why the server gives no count.
    package struct Problem: Error, Hashable, Sendable {
        package var words: String
        /// Whether this kind of server has no query for counts.
        package var isUnknown: Bool
    }

    private let address: SinkAddress
    private let setup: HTTPClient.Setup
    private let sink: String
    private let selection: SinkSelection
    private let database: String

    package init(
        address: SinkAddress, setup: HTTPClient.Setup, sink: String, selection: SinkSelection,
        database: String
    ) {
        self.address = address
        self.setup = setup
        self.sink = sink
        self.selection = selection
        self.database = database
    }

    /// Looks again each second, until `limit`, as long as a server holds fewer readings than were delivered: some
    /// servers show points seconds after they have accepted them.
    package static func settled(
        until limit: Instant, now: () -> Instant = SystemClock.now, pause: Duration = .seconds(1),
        _ look: () throws -> Result<[Count], Problem>
    ) rethrows -> Result<[Count], Problem> {
        while true {
            let result = try look()
            guard case .success(let counts) = result, now() < limit,
                counts.contains(where: { $0.found < $0.delivered })
            else { return result }
            var waiting = WaitList()
            waiting.add(deadline: now() + pause)
            waiting.wait()
        }
    }

    /// The counts of all vehicles with delivered data.
    package func run(_ deliveries: DeliveryStore) throws -> Result<[Count], Problem> {
        var reader = LineReader(
            try TripStore(path: database, access: .readOnly), selection)
        var delivered: [String: Int] = [:]
        for (key, progress) in try deliveries.progress(of: sink) {
            guard let cursor = progress.cursors[.readings] else { continue }
            try reader.forEach(
                .readings, ofTrip: key.trip, progress.identity, upTo: cursor
            ) { _, count in
                delivered[progress.identity.vehicle, default: 0] += count
            }
        }
        let client = try HTTPClient(setup)
        var counts: [Count] = []
        for vehicle in delivered.keys.sorted() {
            switch try found(of: vehicle, client) {
            case .success(let found):
                counts.append(
                    Count(vehicle: vehicle, delivered: delivered[vehicle] ?? 0, found: found))
            case .failure(let problem): return .failure(problem)
            }
        }
        return .success(counts)
    }

    private func found(of vehicle: String, _ client: HTTPClient) throws -> Result<Int, Problem> {
        // A vehicle's name contains no characters that a URL would have to escape.
        let export =
            "/api/v1/export?match%5B%5D=%7B__name__%3D%22obd_value%22%2Cvehicle%3D%22\(vehicle)%22%7D"
        var counter = TimestampCounter()
        let answer = client.get(address.url(export)) { counter.take($0) }
        switch answer {
        case .status(200, _, _): return .success(counter.count)
        case .status(404, _, _), .status(400, _, _): break
        case .none(let words)?: return .failure(Problem(words: words, isUnknown: false))
        case .status(let status, _, _)?:
            return .failure(Problem(words: "HTTP \(status)", isUnknown: false))
        case nil: return .failure(Problem(words: "it was stopped", isUnknown: false))
        }
        guard let database = address.value("db") else {
            return .failure(Problem(words: "this server cannot be asked", isUnknown: true))
        }
        let query =
            "/query?db=\(database)&q=SELECT%20count(%22value%22)%20FROM%20obd%20WHERE%20vehicle"
            + "%3D%27\(vehicle)%27"
        var bytes: [UInt8] = []
        let second = client.get(address.url(query)) { piece in
            if bytes.count < 65_536 { bytes.append(contentsOf: piece) }
        }
        guard case .status(200, _, _) = second else {
            return .failure(Problem(words: "this server cannot be asked", isUnknown: true))
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let mark = text.firstRange(of: "\"values\":[[") else { return .success(0) }
        let row = text[mark.upperBound...].prefix { $0 != "]" }.split(separator: ",")
        guard row.count == 2, let count = Int(row[1]) else {
            return .failure(
                Problem(words: "the answer of the server is not understood", isUnknown: true))
        }
        return .success(count)
    }
}
