import OBDCore

/// Numbers of the last minutes, one a ``step``, so that all trends show the same time.
public struct Trend: Hashable, Sendable {
    /// What one cell of a small picture stands for.
    public static let slot = Duration.seconds(2)
    /// What is kept of each of these is its last number.
    public static let step = Duration.seconds(1)
    /// Steps that are kept.
    public static let length = 600
    /// However often a signal comes, so long a pause is none yet.
    private static let leastPause = Duration.seconds(3)

    /// Eight bytes: there is one a second and signal.
    private struct Point: Hashable {
        private static let gap: UInt32 = 0x8000_0000
        private var bits: UInt32
        var value: Float

        init(_ step: Int64, _ value: Double, isBehindGap: Bool) {
            bits = UInt32(clamping: step) & ~Self.gap | (isBehindGap ? Self.gap : 0)
            self.value = Float(value)
        }

        /// Seconds of the clock.
        var step: Int64 { Int64(bits & ~Self.gap) }
        /// Whether nothing is known of the steps before it.
        var isBehindGap: Bool { bits & Self.gap != 0 }
    }

    /// A number of a graph.
    public struct Sample: Hashable, Sendable {
        /// How long before the moment that is drawn; unit: s.
        public var age: Double
        /// The number.
        public var value: Double
        /// Whether nothing is known of the time before it.
        public var isBehindGap: Bool
    }

    private var points: [Point] = []
    private var newest: Instant?
    /// Between the last two numbers.
    private var interval: Duration?

    /// Takes a number; within a step the last one counts.
    public mutating func take(_ value: Double, at now: Instant) {
        let step = now.nanoseconds / Self.step.nanoseconds
        let isBehindGap = isMissing(at: now)
        // One late number is an outage's end; two are a new pace.
        if let newest, !isBehindGap || points.last?.isBehindGap == true { interval = now - newest }
        newest = now
        if let last = points.last, last.step == step {
            points[points.count - 1].value = Float(value)
            return
        }
        points.append(Point(step, value, isBehindGap: isBehindGap))
        while let first = points.first, first.step <= step - Int64(Self.length) {
            // What holds on into the time that is kept is kept as well.
            guard points.count > 1, points[1].step <= step - Int64(Self.length) + 1 else { break }
            points.removeFirst()
        }
    }

    /// Whether a number is overdue: the link is lost, or the vehicle does not say it any more.
    private func isMissing(at now: Instant) -> Bool {
        guard let newest, let interval else { return false }
        return now - newest > max(Self.leastPause, interval * 3)
    }

    /// The last `count` cells of so long a time, the newest last; nil where nothing was read.
    public func values(_ count: Int, per slot: Duration = slot, at now: Instant) -> [Double?] {
        let steps = max(1, slot.nanoseconds / Self.step.nanoseconds)
        let current = now.nanoseconds / Self.step.nanoseconds
        let first = current / steps - Int64(count) + 1
        var values = [Double?](repeating: nil, count: max(0, count))
        for (place, point) in points.enumerated() {
            // A value holds until the next one, if that came in time.
            var end = point.step
            if place + 1 < points.count {
                if !points[place + 1].isBehindGap { end = points[place + 1].step - 1 }
            } else if !isMissing(at: now) {
                end = current
            }
            // One may have been read after the moment that is drawn.
            let (begin, last) = (max(first, point.step / steps), min(end, current) / steps)
            guard begin <= last, point.step <= current else { continue }
            for cell in begin...last { values[Int(cell - first)] = Double(point.value) }
        }
        return values
    }

    /// The numbers of the last `span`, the oldest first, and the one that holds on into it.
    ///
    /// The newest is repeated at the moment that is drawn while it is not overdue.
    public func samples(_ span: Duration, at now: Instant) -> [Sample] {
        let current = now.nanoseconds / Self.step.nanoseconds
        let first = current - span.nanoseconds / Self.step.nanoseconds
        var samples: [Sample] = []
        for (place, point) in points.enumerated() where point.step <= current {
            // A number holds until the next one, if that came in time.
            let next = place + 1 < points.count ? points[place + 1] : nil
            let holdsOn = next.map { $0.step > first && !$0.isBehindGap } ?? true
            guard point.step >= first || holdsOn else { continue }
            samples.append(
                Sample(
                    age: Double(current - point.step), value: Double(point.value),
                    isBehindGap: point.isBehindGap))
        }
        if let last = samples.last, last.age > 0, !isMissing(at: now) {
            samples.append(Sample(age: 0, value: last.value, isBehindGap: false))
        }
        return samples
    }

    /// The same in another unit.
    public mutating func convert(_ conversion: (Double) -> Double) {
        for place in points.indices {
            points[place].value = Float(conversion(Double(points[place].value)))
        }
    }
}
