import OBDCore

/// Counts events over the last seconds.
package struct RateMeter: Hashable, Sendable {
    private static let slot = Duration.milliseconds(250).nanoseconds
    private static let slots: Int64 = 12
    private var counts: [Int] = []
    private var newest: Int64 = 0
    private var oldest: Int64 = 0

    package mutating func count(at now: Instant) {
        let current = now.nanoseconds / Self.slot
        if counts.isEmpty || current - newest >= Self.slots {
            counts = [0]
            (newest, oldest) = (current, current)
        }
        while newest < current {
            counts.append(0)
            newest += 1
        }
        let extra = counts.count - Int(Self.slots)
        if extra > 0 {
            counts.removeFirst(extra)
            oldest += Int64(extra)
        }
        counts[counts.count - 1] += 1
    }

    /// Events per second; the current slot is excluded because it is incomplete.
    package func perSecond(at now: Instant) -> Double {
        let current = now.nanoseconds / Self.slot
        let first = max(oldest, current - Self.slots)
        let span = current - first
        guard span > 0, !counts.isEmpty else { return 0 }
        var sum = 0
        for (index, count) in counts.enumerated() {
            let place = oldest + Int64(index)
            if place >= first && place < current { sum += count }
        }
        return Double(sum) / (Double(span) * Double(Self.slot) / 1e9)
    }
}
