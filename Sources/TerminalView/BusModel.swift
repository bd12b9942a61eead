import OBDCore

/// A view of a bus: the last frame of each identifier, the rate of frames, and the bytes that change.
package struct BusModel: Sendable {
    /// The frames of one identifier.
    package struct Row: Sendable {
        /// The identifier.
        package let id: ECUAddress
        /// The data of the last frame.
        package fileprivate(set) var data: [UInt8]
        /// The number of frames.
        package fileprivate(set) var frames = 1
        /// The bits that have changed, in the bytes of the longest frame.
        package fileprivate(set) var changed: [UInt8]
        /// When each byte last changed in a bit that was not known; nil = not yet.
        package fileprivate(set) var times: [Instant?]
        /// The bits whose changes are known, and not shown as new.
        fileprivate var known: [UInt8]
        /// The times of the latest frames, oldest first.
        fileprivate var latest: [Instant]

        /// When the last frame came.
        package var last: Instant { latest[latest.count - 1] }

        /// The mean time between the latest frames; nil before the second one.
        package var gap: Duration? {
            latest.count > 1 ? (last - latest[0]) / (latest.count - 1) : nil
        }

        /// Whether frames used to come and no longer do.
        package func isOver(at now: Instant) -> Bool {
            now - last > max(.seconds(1), (gap ?? .seconds(1)) * 5)
        }
    }

    /// The identifiers, in their order.
    package private(set) var rows: [Row] = []
    /// The number of frames of all identifiers.
    package private(set) var frames = 0
    /// The number of frames that were not read in time.
    package var lost = 0
    /// The number of rows above the screen.
    package private(set) var scrolled = 0
    private var places: [ECUAddress: Int] = [:]

    /// The frames over which a rate is taken.
    private static let latest = 16
    /// More identifiers than any bus has; a bus of random data may have more.
    private static let mostRows = 4_096

    /// A bus without a frame.
    package init() {}

    /// Takes a frame.
    package mutating func take(_ id: ECUAddress, _ data: [UInt8], at time: Instant) {
        frames += 1
        guard let place = places[id] else {
            add(id, data, at: time)
            return
        }
        rows[place].take(data, at: time, keeping: Self.latest)
    }

    private mutating func add(_ id: ECUAddress, _ data: [UInt8], at time: Instant) {
        guard rows.count < Self.mostRows else { return }
        let none = [UInt8](repeating: 0, count: data.count)
        let row = Row(
            id: id, data: data, changed: none, times: data.map { _ in nil }, known: none,
            latest: [time])
        let place = rows.firstIndex { id < $0.id } ?? rows.count
        rows.insert(row, at: place)
        for (index, row) in rows.enumerated().dropFirst(place) { places[row.id] = index }
    }

    /// Makes the bits that have changed so far known, so that only others are shown as new.
    package mutating func knowChanges() {
        for place in rows.indices {
            rows[place].known = rows[place].changed
            rows[place].times = rows[place].times.map { _ in nil }
        }
    }

    /// Forgets which bits have changed.
    package mutating func forgetChanges() {
        for place in rows.indices {
            let none = [UInt8](repeating: 0, count: rows[place].changed.count)
            (rows[place].known, rows[place].changed) = (none, none)
            rows[place].times = rows[place].times.map { _ in nil }
        }
    }

    /// Moves the screen of `room` rows down by `count` rows.
    package mutating func scroll(by count: Int, room: Int) {
        scrolled = max(0, min(scrolled + count, rows.count - room))
    }
}

extension BusModel.Row {
    fileprivate mutating func take(_ data: [UInt8], at time: Instant, keeping most: Int) {
        frames += 1
        if latest.count >= most { latest.removeFirst() }
        latest.append(time)
        guard data != self.data else { return }
        while changed.count < data.count {
            changed.append(0)
            known.append(0)
            times.append(nil)
        }
        for place in data.indices {
            // A byte that was not there before has changed as a whole.
            let difference = place < self.data.count ? data[place] ^ self.data[place] : 0xFF
            changed[place] |= difference
            if difference & ~known[place] != 0 { times[place] = time }
        }
        self.data = data
    }
}
