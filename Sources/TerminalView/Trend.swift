import OBDCore

/// Numbers of the last minutes, one a ``slot``, so that all trends show the same time.
public struct Trend: Hashable, Sendable {
    /// What one cell stands for.
    public static let slot = Duration.seconds(2)
    /// Slots that are kept.
    public static let length = 120
    /// However often a signal comes, this long a pause is none yet.
    private static let leastPause = Duration.seconds(3)

    private struct Point: Hashable {
        var slot: Int64
        var value: Double
        /// Whether nothing is known of the slots before it.
        var isBehindGap: Bool
    }

    private var points: [Point] = []
    private var newest: Instant?
    /// Between the last two numbers.
    private var interval: Duration?

    /// Takes a number; within a slot the last one counts.
    public mutating func take(_ value: Double, at now: Instant) {
        let slot = now.nanoseconds / Self.slot.nanoseconds
        let isBehindGap = isMissing(at: now)
        // One late number is an outage's end; two are a new pace.
        if let newest, !isBehindGap || points.last?.isBehindGap == true { interval = now - newest }
        newest = now
        if let last = points.last, last.slot == slot {
            points[points.count - 1].value = value
            return
        }
        points.append(Point(slot: slot, value: value, isBehindGap: isBehindGap))
        while let first = points.first, first.slot <= slot - Int64(Self.length) {
            // What holds on into the time that is kept is kept as well.
            guard points.count > 1, points[1].slot <= slot - Int64(Self.length) + 1 else { break }
            points.removeFirst()
        }
    }

    /// Whether a number is overdue: the link is lost, or the vehicle does not say it any more.
    private func isMissing(at now: Instant) -> Bool {
        guard let newest, let interval else { return false }
        return now - newest > max(Self.leastPause, interval * 3)
    }

    /// The last `count` slots, the newest last; nil where nothing was read.
    public func values(_ count: Int, at now: Instant) -> [Double?] {
        let current = now.nanoseconds / Self.slot.nanoseconds
        let first = current - Int64(count) + 1
        var values = [Double?](repeating: nil, count: max(0, count))
        for (place, point) in points.enumerated() {
            // A value holds until the next one, if that came in time.
            var end = point.slot
            if place + 1 < points.count {
                if !points[place + 1].isBehindGap { end = points[place + 1].slot - 1 }
            } else if !isMissing(at: now) {
                end = current
            }
            // One may have been read after the moment that is drawn.
            let (begin, last) = (max(first, point.slot), min(end, current))
            guard begin <= last else { continue }
            for slot in begin...last { values[Int(slot - first)] = point.value }
        }
        return values
    }

    /// The same in another unit.
    public mutating func convert(_ conversion: (Double) -> Double) {
        for place in points.indices { points[place].value = conversion(points[place].value) }
    }
}
