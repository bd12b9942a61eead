import OBDCore

/// Numbers of the last minutes, one per ``step``, so that all trends show the same time.
package struct Trend: Hashable, Sendable {
    /// The time of one cell of a sparkline.
    package static let slot = Duration.seconds(2)
    /// Only the last number of each step is kept.
    package static let step = Duration.seconds(1)
    /// The number of kept steps.
    package static let length = 600
    /// Shorter pauses are not gaps, even for a signal with a very short interval.
    private static let leastPause = Duration.seconds(3)

    /// Eight bytes, because there is one point per second and signal.
    private struct Point: Hashable {
        private static let gap: UInt32 = 0x8000_0000
        private var bits: UInt32
        var value: Float

        init(_ step: Int64, _ value: Double, isBehindGap: Bool) {
            bits = UInt32(clamping: step) & ~Self.gap | (isBehindGap ? Self.gap : 0)
            self.value = Float(value)
        }

        /// Time in seconds.
        var step: Int64 { Int64(bits & ~Self.gap) }
        /// Whether there is a gap before this point.
        var isBehindGap: Bool { bits & Self.gap != 0 }
    }

    /// A point of a graph.
    package struct Sample: Hashable, Sendable {
        /// Age relative to the drawn moment; unit: s.
        package var age: Double
        package var value: Double
        /// Whether there is a gap before this point.
        package var isBehindGap: Bool
    }

    private var points: [Point] = []
    private var newest: Instant?
    /// The time between the last two numbers.
    private var interval: Duration?

    /// Adds a number; within a step the last one counts.
    package mutating func take(_ value: Double, at now: Instant) {
        let step = now.nanoseconds / Self.step.nanoseconds
        let isBehindGap = isMissing(at: now)
        // One late number ends an outage; a second one shows a new interval.
        if let newest, !isBehindGap || points.last?.isBehindGap == true { interval = now - newest }
        newest = now
        if let last = points.last, last.step == step {
            points[points.count - 1].value = Float(value)
            return
        }
        points.append(Point(step, value, isBehindGap: isBehindGap))
        while let first = points.first, first.step <= step - Int64(Self.length) {
            // Keep the last older value, because it holds into the kept time.
            guard points.count > 1, points[1].step <= step - Int64(Self.length) + 1 else { break }
            points.removeFirst()
        }
    }

    /// Whether a number is overdue: the link is lost, or the vehicle stopped sending it.
    private func isMissing(at now: Instant) -> Bool {
        guard let newest, let interval else { return false }
        return now - newest > max(Self.leastPause, interval * 3)
    }

    /// The last `count` cells of this duration, the newest last; nil for cells without data.
    package func values(_ count: Int, per slot: Duration = slot, at now: Instant) -> [Double?] {
        let steps = max(1, slot.nanoseconds / Self.step.nanoseconds)
        let current = now.nanoseconds / Self.step.nanoseconds
        let first = current / steps - Int64(count) + 1
        var values = [Double?](repeating: nil, count: max(0, count))
        for (place, point) in points.enumerated() {
            // A value holds until the next one, if the next one came in time.
            var end = point.step
            if place + 1 < points.count {
                if !points[place + 1].isBehindGap { end = points[place + 1].step - 1 }
            } else if !isMissing(at: now) {
                end = current
            }
            // A point may be newer than the drawn moment.
            let (begin, last) = (max(first, point.step / steps), min(end, current) / steps)
            guard begin <= last, point.step <= current else { continue }
            for cell in begin...last { values[Int(cell - first)] = Double(point.value) }
        }
        return values
    }

    /// The numbers of the last `span`, the oldest first, including the value that holds at its
    /// start.
    ///
    /// If the newest number is not overdue, it is repeated at the drawn moment.
    package func samples(_ span: Duration, at now: Instant) -> [Sample] {
        let current = now.nanoseconds / Self.step.nanoseconds
        let first = current - span.nanoseconds / Self.step.nanoseconds
        var samples: [Sample] = []
        for (place, point) in points.enumerated() where point.step <= current {
            // A number holds until the next one, if the next one came in time.
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

    /// Converts the numbers to another unit.
    package mutating func convert(_ conversion: (Double) -> Double) {
        for place in points.indices {
            points[place].value = Float(conversion(Double(points[place].value)))
        }
    }
}
