import OBDCore

/// The contents of a stored trip, to recognise the trip when it is imported from a file.
struct StoredContents {
    typealias Sums = [ImportedTrip.Channel: ImportedTrip.Sum]

    /// The condition that a row of `trip` may hold a reading at `:first` as its first one.
    ///
    /// A day is the longest time between the start of a trip and its first reading.
    static let candidates = "start BETWEEN :first - 86400000000 AND :first AND readings > 0"
    /// The resolution of times in other formats; unit: µs.
    private static let timeResolution: Int64 = 1_000

    /// The totals of all readings.
    private(set) var all: Sums = [:]
    /// The totals without freeze frames, which a table with a column per signal leaves out.
    private(set) var course: Sums = [:]
    /// The first reading of all; unit: µs, nil without any.
    let first: Int64?
    /// The first reading that is not of a freeze frame; unit: µs, nil without any.
    private let firstOfCourse: Int64?

    /// Reads what trip `id` holds, which began at `start`; `schema` is the name of its database.
    init(
        of id: Int64, from start: Int64, in database: Database, schema: String = "main"
    ) throws {
        let rows = try database.cursor(
            """
            SELECT ecu, signal, frame, readings, numbers, total
                FROM \(schema).trip_channel JOIN \(schema).channel ON channel.id = channel
                WHERE trip = ?
            """, [id])
        let none = ImportedTrip.Sum(readings: 0, numbers: 0, total: 0)
        while let row = try rows.next() {
            let channel = try ImportedTrip.Channel(ecu: row["ecu"], signal: row["signal"])
            let sum = try ImportedTrip.Sum(
                readings: row["readings"], numbers: row["numbers"], total: row["total"])
            all[channel, default: none] += sum
            if try row.isNull("frame") { course[channel, default: none] += sum }
        }
        func first(_ condition: String) throws -> Int64? {
            try database.value(
                Int64.self,
                """
                SELECT t FROM \(schema).reading JOIN \(schema).channel ON channel.id = channel
                    WHERE trip = ? AND \(condition) ORDER BY t LIMIT 1
                """, [id]
            ).map { UTC(microseconds: start).later(by: $0).microseconds }
        }
        self.first = try first("true")
        firstOfCourse = try first("frame IS NULL")
    }

    /// Whether these are the readings of a trip with such totals and such a first reading, with or
    /// without those of freeze frames.
    func holds(_ sums: Sums, from time: Int64) -> Bool {
        func holds(_ stored: Sums, from first: Int64?) -> Bool {
            guard let first,
                UTC(microseconds: first).microseconds(since: UTC(microseconds: time)).magnitude
                    <= Self.timeResolution
            else { return false }
            return sums.allSatisfy { channel, sum in stored[channel].map(sum.isClose) ?? false }
                && stored.allSatisfy { channel, sum in sums[channel] != nil || sum.numbers == 0 }
        }
        return holds(all, from: first) || holds(course, from: firstOfCourse)
    }
}

extension StoredContents {
    /// The numbers of a stored trip, one by one: totals can agree by chance.
    struct Values {
        typealias Lists = [ImportedTrip.Channel: [Double]]

        /// All numbers in the order of time.
        private(set) var all: Lists = [:]
        /// The numbers without freeze frames.
        private(set) var course: Lists = [:]

        /// Reads the numbers of trip `id`; `schema` is the name of its database.
        init(of id: Int64, in database: Database, schema: String = "main") throws {
            let rows = try database.cursor(
                """
                SELECT ecu, signal, frame, value FROM \(schema).reading
                    JOIN \(schema).channel ON channel.id = channel
                    WHERE trip = ? AND value IS NOT NULL AND detail IS NULL ORDER BY t, sequence
                """, [id])
            while let row = try rows.next() {
                let channel = try ImportedTrip.Channel(ecu: row["ecu"], signal: row["signal"])
                let value: Double = try row["value"]
                all[channel, default: []].append(value)
                if try row.isNull("frame") { course[channel, default: []].append(value) }
            }
        }

        /// Whether these are the numbers, with or without those of freeze frames.
        func hold(_ lists: Lists) -> Bool {
            [all, course].contains { stored in
                lists.allSatisfy { channel, values in
                    values.isEmpty || stored[channel].map { Self.agree(values, $0) } ?? false
                }
            }
        }

        /// Whether each number is the other one, as far as one of the two is rounded.
        private static func agree(_ left: [Double], _ right: [Double]) -> Bool {
            guard left.count == right.count else { return false }
            let (first, second) = (decimals(left), decimals(right))
            // Numbers that were converted from other units and back have many decimal places.
            let isConverted = max(first, second) >= mostDecimals
            var unit = 1.0
            for _ in 0..<min(first, second) { unit /= 10 }
            for (one, other) in zip(left, right) {
                let difference: Double = abs(one - other)
                if difference <= unit * 0.500001 + abs(one) * 1e-12 { continue }
                guard isConverted, difference <= 0.01 * (1 + abs(one)) else { return false }
            }
            return true
        }

        private static let mostDecimals = 7

        /// The number of decimal places of the numbers.
        private static func decimals(_ values: [Double]) -> Int {
            var count = 0
            for value in values where count < mostDecimals {
                while count < mostDecimals {
                    var scaled = value
                    for _ in 0..<count { scaled *= 10 }
                    if abs(scaled - scaled.rounded()) <= abs(scaled) * 1e-12 { break }
                    count += 1
                }
            }
            return count
        }
    }
}
