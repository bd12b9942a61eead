/// The voltage while the starter turns.
struct CrankCourse: Sendable {
    /// How far the starter takes the voltage down at least, unlike lamps and pumps; unit: V.
    static let depth = 0.8
    /// The samples without which nothing is said.
    static let least = 6
    /// A starter turns for longer, and less is its inrush alone; unit: microseconds.
    static let shortest: Int64 = 150_000
    /// A starter that turns for longer is not told from another load; unit: microseconds.
    static let longest: Int64 = 3_000_000

    struct Dip: Hashable, Sendable {
        var samples: Int
        /// V between the inrush and the end.
        var plateau: Double
        /// Microseconds since the start of the trip.
        var from, to: Int64

        var isShort: Bool { to - from <= CrankCourse.longest }

        var rate: Double { to > from ? Double(samples - 1) * 1e6 / Double(to - from) : 0 }
    }

    /// The start with the most samples, of those which are short enough.
    private(set) var dip: Dip?
    /// The longest time between two readings around a start, at best.
    private(set) var gap: Int64?
    /// When the voltage was read before the engine ran.
    private var times: [Int64] = []
    /// The latest voltages at rest, at most 20.
    private var rest: [Double] = []
    private var samples: [(t: Int64, value: Double)] = []
    /// A dip that counts once the engine runs.
    private var ended: Dip?

    var isDipping: Bool { !samples.isEmpty }

    mutating func take(_ volts: Double, t: Int64) {
        times.append(t)
        if times.count > 1_024 { times.removeFirst(512) }
        let level = rest.sorted()[safe: rest.count / 2]
        if let level, volts < level - Self.depth {
            // A gap is another load, or another start.
            if let last = samples.last, t - last.t > 2_000_000 { samples = [] }
            if samples.count < 4_096 { samples.append((t, volts)) }
            return
        }
        close()
        rest.append(volts)
        if rest.count > 20 { rest.removeFirst() }
    }

    /// The engine runs: what was before was its start, unless the engine was still after it.
    mutating func engineRuns(at t: Int64, stillAt: Int64?) {
        close()
        if let stillAt { measureGap(from: stillAt, to: t) }
        if let ended, t - ended.to <= 20_000_000, (stillAt ?? 0) - ended.to <= 1_000_000,
            isBetter(ended)
        {
            dip = ended
        }
        ended = nil
        times = []
        rest = []
    }

    private func isBetter(_ other: Dip) -> Bool {
        guard let dip, dip.isShort == other.isShort else { return other.isShort || dip == nil }
        return other.samples > dip.samples
    }

    /// Around a start that lies between these times, or up to a second before.
    private mutating func measureGap(from stillAt: Int64, to end: Int64) {
        let before = times.lastIndex { $0 <= stillAt - 1_000_000 }
        guard let first = before ?? times.indices.first else { return }
        let around = times[first...] + [end]
        let widest = zip(around, around.dropFirst()).map { $1 - $0 }.max() ?? 0
        gap = min(gap ?? .max, widest)
    }

    private mutating func close() {
        var start = samples[...]
        samples = []
        // Glow plugs, lamps and pumps come before the starter, and take less.
        while let split = Self.fall(in: start) { start = start[split...] }
        guard let first = start.first, let last = start.last else { return }
        // The first sample may be the inrush, the last one its end.
        let inner = start.count > 4 ? start.dropFirst().dropLast() : start
        let sorted = inner.map(\.value).sorted()
        ended = Dip(
            samples: start.count, plateau: sorted[sorted.count / 2], from: first.t, to: last.t)
    }

    /// Where the mean falls most, if it falls by as much as a starter takes.
    private static func fall(in samples: ArraySlice<(t: Int64, value: Double)>) -> Int? {
        let total = samples.reduce(0) { $0 + $1.value }
        var before = 0.0
        var found: (place: Int, depth: Double)?
        for place in samples.indices.dropLast() {
            before += samples[place].value
            let count = Double(place - samples.startIndex + 1)
            let depth = before / count - (total - before) / (Double(samples.count) - count)
            if depth >= Self.depth, depth > found?.depth ?? 0 { found = (place + 1, depth) }
        }
        return found?.place
    }
}

extension Array {
    fileprivate subscript(safe place: Int) -> Element? {
        indices.contains(place) ? self[place] : nil
    }
}
