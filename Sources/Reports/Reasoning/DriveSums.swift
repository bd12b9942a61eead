/// A mean over a stretch.
struct DriveSum: Sendable {
    var count = 0.0
    var mean = 0.0
    private var squares = 0.0
    var seconds = 0.0
    var from: Int64 = 0
    var to: Int64 = 0

    mutating func add(_ value: Double, at t: Int64) {
        if count == 0 {
            from = t
        } else {
            // A gap adds no more than a reading of each second would.
            seconds += min(Double(t - to) / 1e6, 1)
        }
        to = t
        count += 1
        let step = value - mean
        mean += step / count
        squares += step * (value - mean)
    }

    var deviation: Double { count > 1 ? (squares / (count - 1)).squareRoot() : 0 }

    /// The deviation as a share of the mean; 0 for less than a minute.
    var unrest: Double { seconds >= 60 && mean > 0 ? deviation / mean : 0 }

    /// The standard error of a mean whose values are correlated over `tau` seconds.
    func error(tau: Double) -> Double {
        seconds > 0 ? deviation * (2 * tau / max(seconds, 2 * tau)).squareRoot() : .infinity
    }

    func measured(tau: Double) -> Measured? {
        guard count > 0 else { return nil }
        return Measured(
            value: mean, error: error(tau: tau), seconds: seconds, from: from, to: to)
    }
}

/// A mean at each operating point.
struct PlaceSums: Sendable {
    private var sums = [DriveSum](repeating: DriveSum(), count: DrivePlace.allCases.count)

    subscript(place: DrivePlace) -> DriveSum { sums[place.rawValue] }

    mutating func add(_ value: Double, _ now: DriveMoment) {
        guard let place = now.place else { return }
        sums[place.rawValue].add(value, at: now.t)
    }
}

/// A level that was exceeded for some seconds, 20 if nothing else is said.
struct DriveHeld: Sendable {
    private let seconds: Double
    private var start: Int64?
    private var least = Double.infinity
    private(set) var highest: Measured?

    init(seconds: Double = 20) { self.seconds = seconds }

    /// Takes a value; `breaks` begins again.
    mutating func add(_ value: Double, at t: Int64, breaks: Bool) {
        guard !breaks, let start else {
            self.start = t
            least = value
            return
        }
        least = min(least, value)
        guard Double(t - start) >= seconds * 1e6 else { return }
        if least > highest?.value ?? -.infinity {
            highest = Measured(value: least, seconds: seconds, from: start, to: t)
        }
        self.start = t
        least = value
    }
}

/// The lowest level that was not exceeded for some time, of which half counts, and that no longer rose.
struct DriveCeiling: Sendable {
    let seconds: Int64
    /// The highest value of each tenth of the time, with the readings that count.
    private var parts: [(start: Int64, highest: Double, counted: Int, all: Int)] = []
    private(set) var lowest: Measured?
    /// Whether the level did not rise in the latest span of this time.
    private(set) var isSettled = false

    init(seconds: Int64) { self.seconds = seconds }

    /// Takes a value; `breaks` begins again.
    mutating func add(_ value: Double, at t: Int64, breaks: Bool, counts: Bool) {
        if breaks {
            parts = []
            isSettled = false
            return
        }
        let length = seconds * 100_000
        guard var part = parts.last, t - part.start < length else {
            if parts.count == 10 { judge(t) }
            parts.append((t, value, counts ? 1 : 0, 1))
            if parts.count > 10 { parts.removeFirst() }
            return
        }
        part.highest = max(part.highest, value)
        part.all += 1
        if counts { part.counted += 1 }
        parts[parts.count - 1] = part
    }

    private mutating func judge(_ t: Int64) {
        guard let first = parts.first, let last = parts.last else { return }
        let highest = parts.reduce(first.highest) { max($0, $1.highest) }
        isSettled = last.highest <= first.highest + 2
        let counted = parts.reduce(0) { $0 + $1.counted }
        let all = parts.reduce(0) { $0 + $1.all }
        guard isSettled, 2 * counted >= all, highest < lowest?.value ?? .infinity else { return }
        lowest = Measured(value: highest, seconds: Double(seconds), from: first.start, to: t)
    }
}

/// Counts of values in steps, for quantiles without keeping the values.
struct DriveHistogram: Sendable {
    private let low, step: Double
    private var counts: [Int]
    private(set) var count = 0

    init(_ range: ClosedRange<Double>, step: Double) {
        low = range.lowerBound
        self.step = step
        counts = Array(repeating: 0, count: Int((range.upperBound - low) / step) + 1)
    }

    mutating func add(_ value: Double) {
        let place = ((value - low) / step).rounded()
        counts[Int(min(max(place, 0), Double(counts.count - 1)))] += 1
        count += 1
    }

    /// The value below which this share of the values lies.
    func quantile(_ share: Double) -> Double? {
        guard count > 0 else { return nil }
        var below = 0
        for (place, number) in counts.enumerated() {
            below += number
            if Double(below) >= share * Double(count) { return low + Double(place) * step }
        }
        return nil
    }
}

/// Crossings of a middle value.
struct DriveCrossings: Sendable {
    let middle: Double
    private(set) var readings = 0.0
    private(set) var crossings = 0.0
    private var isAbove: Bool?

    init(middle: Double) { self.middle = middle }

    mutating func add(_ value: Double) {
        let above = value > middle
        if let isAbove, isAbove != above { crossings += 1 }
        isAbove = above
        readings += 1
    }

    var share: Double { readings > 0 ? crossings / readings : 0 }
}

/// Quantities, one bit each: a set is asked for each reading.
struct QuantitySet: Sendable {
    private var bits: UInt64 = 0

    mutating func insert(_ quantity: DriveQuantity) { bits |= 1 << UInt64(quantity.place) }
    func contains(_ quantity: DriveQuantity) -> Bool { bits & (1 << UInt64(quantity.place)) != 0 }
}
