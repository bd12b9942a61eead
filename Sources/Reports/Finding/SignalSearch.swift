/// Searches the bits of a bus for a signal whose course is known.
package struct SignalSearch {
    /// How a field of the bus gives the course.
    package struct Candidate: Sendable {
        package var stream: StreamID
        package var mux: FieldPlace?
        package var place: FieldPlace
        package var fit: LineFit
        /// The line with usual numbers, as far as they give the course as well.
        package var formula: Formula
        /// How much later than the frames the course shows a value; unit: seconds.
        package var lag: Double
        /// The share of the course's variance that the line explains.
        package var share: Double
        /// The share of samples that the field gives within their rounding and a tenth of a second.
        package var within: Double
        /// The part of the variance that neither the line nor the rounding of both explains.
        package var excess: Double
        package var samples: Int
        package var values: Int
        /// The time between frames that most do not exceed; unit: seconds.
        package var period: Double
        package var certainty = Certainty.likely
    }

    /// How far a candidate can be trusted.
    package enum Certainty: String, Sendable, CaseIterable {
        /// The field gives nearly every value within its rounding, and the course turns often enough.
        case high
        /// Another field, or a course that goes one way, leaves a doubt.
        case likely
    }

    package enum Outcome: Sendable {
        /// The course has too few values, or moves too little.
        case tooLittleMovement
        /// Too few of the values are at times of the log.
        case notInLog(Int)
        case nothing(best: [Candidate], chance: Double)
        case found([Candidate], chance: Double)
    }

    let course: KnownCourse
    /// The share of the course's variance that its rounding makes.
    private let rounding: Double
    private let times: [Int64]
    private let values: [Double]
    let streams: [MessageStream]

    /// Unit of all: 0.1 ms.
    private static let lags: [Int64] = stride(from: -10_000, through: 15_000, by: 1_000).map { $0 }

    /// - Parameter taken: the bits of each identifier that are known already.
    package init(
        _ recording: inout BusRecording, _ course: KnownCourse,
        taken: (StreamID) -> BitMask? = { _ in nil }
    ) {
        let inside = course.samples.filter {
            $0.time >= recording.start && $0.time <= recording.end + 1_500_000
        }
        self.course = KnownCourse(inside)
        let start = recording.start
        times = self.course.samples.map { ($0.time - start) / 100 }
        values = self.course.samples.map(\.value)
        let variance = values.variance
        rounding = variance > 0 ? self.course.step * self.course.step / 12 / variance : 0
        streams = recording.streams().map {
            var stream = $0
            if let known = taken($0.id) { stream.counters.formUnion(known) }
            if let mux = $0.mux { stream.counters.formUnion(mux.bits) }
            return stream
        }
    }

    package func run() -> Outcome {
        guard course.samples.count >= KnownCourse.fewest else {
            return .notInLog(course.samples.count)
        }
        guard course.movement != .none else { return .tooLittleMovement }
        var tops: [(stream: Int, lag: Int64, share: Double)] = []
        for (index, stream) in streams.enumerated() where stream.frames.count >= 8 {
            var best: (lag: Int64, share: Double) = (0, 0)
            for lag in Self.lags {
                let share = topShare(stream, lag)
                // Of equal lags the shortest.
                let gain = abs(lag) < abs(best.lag) ? -1e-9 : 1e-9
                if share > best.share + gain { best = (lag, share) }
            }
            if best.share > 0.3 { tops.append((index, best.lag, best.share)) }
        }
        tops.sort { $0.share > $1.share }
        var found: [Candidate] = []
        for top in tops.prefix(12) where top.share > 0.5 {
            found += candidates(streams[top.stream], top.lag)
        }
        found.sort { ($0.excess + 1 - $0.share) < ($1.excess + 1 - $1.share) }
        let chance = chance(tops.prefix(40).map { ($0.stream, $0.lag) })
        var claimed: [Candidate] = []
        for (place, candidate) in found.enumerated() {
            let next = found.indices.filter { $0 != place }.map { 1 - found[$0].share }.min() ?? 1
            if isClaimed(candidate, chance, next: next) { claimed.append(candidate) }
        }
        for place in claimed.indices {
            claimed[place].certainty = certainty(claimed[place], chance)
        }
        if claimed.isEmpty { return .nothing(best: found, chance: chance) }
        return .found(claimed, chance: chance)
    }

    /// Whether a candidate is the signal as far as its course can tell; silence comes before a guess.
    ///
    /// - Parameter next: the unexplained share of the best other candidate.
    private func isClaimed(_ candidate: Candidate, _ chance: Double, next: Double) -> Bool {
        let rest = 1 - candidate.share
        guard rest <= 0.1, abs(candidate.fit.scale) * 4 <= course.range else { return false }
        let isExact = candidate.within >= 0.85 && candidate.excess < 0.03
        let isNear = candidate.within >= 0.95 && candidate.excess < 0.15
        // Relatives of a signal need numbers that nobody chooses.
        let isUsual = candidate.formula.scaleRank <= 3 && candidate.formula.offsetRank <= 3
        let isTight = candidate.within >= 0.75 && rest <= 0.01 && isUsual
        let isAlone = candidate.within >= 0.75 && rest <= 0.07 && next >= 2.5 * rest && isUsual
        guard isExact || isNear || isTight || isAlone else { return false }
        // The share that a chance fit leaves unexplained, beyond the rounding that every field has.
        let rounding = max(0, rest - candidate.excess)
        let isOneWay = course.movement == .oneWay
        let limit = (isOneWay ? 0.05 : 0.3) * (1 - chance - rounding)
        return max(min(candidate.excess, rest), (isOneWay ? 0.02 : 0.1) * rounding) <= limit
    }

    private func certainty(_ candidate: Candidate, _ chance: Double) -> Certainty {
        let isExact = candidate.within >= 0.95 && candidate.excess < 0.01
        let isRich = candidate.samples >= 30 && candidate.values >= 8 && chance < 0.7
        return isExact && isRich && course.movement == .both ? .high : .likely
    }

    /// How well a field of an earlier search gives this course; nil if its frames are not there.
    package func check(_ found: Candidate) -> Check? {
        let stream = streams.first {
            $0.id.id == found.stream.id && $0.id.isExtended == found.stream.isExtended
                && $0.id.width == found.stream.width && $0.id.branch == found.stream.branch
        }
        guard let stream, course.samples.count >= KnownCourse.fewest else { return nil }
        let formula = LineFit(scale: found.formula.scale, offset: found.formula.offset)
        var best: Check?
        for lag in stride(from: Int64(-10_000), through: 15_000, by: 200) {
            let (raw, chosen) = samples(stream.frames, found.place, lag)
            guard raw.count >= KnownCourse.fewest else { continue }
            let error = formula.distances(raw, chosen).reduce(0, +) / Double(raw.count)
            if error < best?.error ?? .infinity {
                best = Check(
                    lag: Double(lag) / 10_000, error: error,
                    within: within(stream.frames, found.place, lag, formula), samples: raw.count)
            }
        }
        return best
    }

    /// How well a formula gives another course.
    package struct Check: Sendable {
        package var lag: Double
        /// The mean distance of values.
        package var error: Double
        package var within: Double
        package var samples: Int

        /// Whether the formula holds for the course.
        package var holds: Bool { within >= 0.8 }
    }

    private func shifted(_ lag: Int64) -> [Int64] { times.map { $0 - lag } }

    private func topShare(_ stream: MessageStream, _ lag: Int64) -> Double {
        let bits = BitCorrelation(stream.frames, shifted(lag))
        guard isEnough(bits) else { return 0 }
        var best = 0.0
        bits.search([values], without: stream.counters) { _, _, share in best = max(best, share) }
        return best
    }

    private func isEnough(_ bits: BitCorrelation) -> Bool {
        bits.frames.count >= KnownCourse.fewest && bits.frames.count * 2 >= times.count
    }

    /// The best share that other courses reach: the same one, moved in time.
    private func chance(_ tops: [(stream: Int, lag: Int64)]) -> Double {
        let count = values.count
        var others = (1...8).map { course.rotated(by: count * $0 / 9) }
        others.append(values.reversed())
        var best = 0.0
        for top in tops {
            let bits = BitCorrelation(streams[top.stream].frames, shifted(top.lag))
            guard isEnough(bits) else { continue }
            bits.search(others, without: streams[top.stream].counters) { _, _, share in
                best = max(best, share)
            }
        }
        return best
    }

    // MARK: One message

    private func candidates(_ stream: MessageStream, _ lag: Int64) -> [Candidate] {
        var taken = stream.counters
        var found: [Candidate] = []
        var lag = lag
        while found.count < 5 {
            guard let (core, lowest) = core(stream, &lag, taken) else { break }
            let ends = FieldEnds(stream.frames, taken: taken)
            let place = ends.extended(core, lowest: lowest)
            guard let candidate = candidate(stream, place, lag, ends) else { break }
            if candidate.share < 0.8 { break }
            found.append(candidate)
            taken.formUnion(candidate.place.bits)
        }
        return found
    }

    /// The bits of the best field without which the course is not there, and the lowest end that the course shows.
    private func core(
        _ stream: MessageStream, _ lag: inout Int64, _ taken: BitMask
    ) -> (core: FieldPlace, lowest: Int)? {
        guard var best = best(stream, lag, taken) else { return nil }
        let finer = finer(stream, best.place, lag)
        if finer != lag {
            lag = finer
            best = self.best(stream, lag, taken) ?? best
        }
        // Low bits that explain nothing are not known to belong to the field. Few values are explained by chance.
        let limit =
            (1 - best.share) * max(1.03, 1 + 8 / Double(values.count)) + rounding * 0.05 + 1e-7
        // The frames decide about bits below those that matter.
        let most = (1 - best.share) * 2 + rounding + 0.003
        var core = best.place
        var lowest = best.place.low
        for match in best.alike {
            var place = match.place
            // Fields in one byte were seen in one order only.
            if place.isInOneByte, place.isLittle != best.place.isLittle {
                place = FieldEnds.mirrored(place)
            }
            guard place.isLittle == best.place.isLittle, place.isSigned == best.place.isSigned,
                place.low + place.length == best.place.low + best.place.length
            else { continue }
            if 1 - match.share <= limit { lowest = max(lowest, place.low) }
            if 1 - match.share <= most, place.length < core.length { core = place }
        }
        return (core, lowest)
    }

    private func best(
        _ stream: MessageStream, _ lag: Int64, _ taken: BitMask
    ) -> (place: FieldPlace, share: Double, alike: [BitCorrelation.Match])? {
        let bits = BitCorrelation(stream.frames, shifted(lag))
        guard isEnough(bits) else { return nil }
        var matches: [BitCorrelation.Match] = []
        var best: BitCorrelation.Match?
        bits.search([values], without: taken) { _, place, share in
            let top = best?.share ?? 0
            if 1 - share <= (1 - top) * 2 + rounding + 0.003 {
                matches.append(BitCorrelation.Match(place: place, share: share))
            }
            if share > top { best = BitCorrelation.Match(place: place, share: share) }
        }
        guard let best, best.share > 0.5 else { return nil }
        return (best.place, best.share, matches)
    }

    /// The lag near `lag` at which a field gives the course best.
    private func finer(_ stream: MessageStream, _ place: FieldPlace, _ lag: Int64) -> Int64 {
        var best = (lag: lag, share: 0.0)
        for step in Int64(-5)...5 {
            let tried = lag + step * 200
            let (raw, chosen) = samples(stream.frames, place, tried)
            guard raw.count >= KnownCourse.fewest else { continue }
            let share = Self.share(raw, chosen)
            if share > best.share { best = (tried, share) }
        }
        return best.lag
    }

    /// The raw values of a field and the values of the course.
    private func samples(
        _ frames: FrameStream, _ place: FieldPlace, _ lag: Int64
    ) -> (raw: [Double], values: [Double]) {
        let pairs = pairs(frames, lag)
        return (pairs.map { Double(frames.raw($0.frame, place)) }, pairs.map { values[$0.sample] })
    }

    private func pairs(_ frames: FrameStream, _ lag: Int64) -> [(frame: Int, sample: Int)] {
        let limit = Int64(frames.usualGap) * 3 + 2_000
        var found: [(frame: Int, sample: Int)] = []
        var next = 0
        for (sample, time) in times.enumerated() {
            let time = time - lag
            if time < 0 { continue }
            while next < frames.count, Int64(frames.times[next]) <= time { next += 1 }
            guard next > 0, time - Int64(frames.times[next - 1]) <= limit else { continue }
            found.append((next - 1, sample))
        }
        return found
    }

    private static func share(_ raw: [Double], _ values: [Double]) -> Double {
        let count = Double(raw.count)
        let (meanX, meanY) = (raw.reduce(0, +) / count, values.reduce(0, +) / count)
        var (xx, yy, xy) = (0.0, 0.0, 0.0)
        for (x, y) in zip(raw, values) {
            xx += (x - meanX) * (x - meanX)
            yy += (y - meanY) * (y - meanY)
            xy += (x - meanX) * (y - meanY)
        }
        return xx > 0 && yy > 0 ? xy * xy / (xx * yy) : 0
    }

    private func candidate(
        _ stream: MessageStream, _ field: FieldPlace, _ lag: Int64, _ ends: FieldEnds
    ) -> Candidate? {
        let frames = stream.frames
        var place = field
        var (raw, chosen) = samples(frames, place, lag)
        guard let fit = LineFit(raw, chosen), fit.scale != 0 else { return nil }
        var formula = Formula(
            fit, raw, chosen, step: course.step, share: Self.share(raw, chosen))
        for wider in ends.withConstants(place) {
            // The bits that never change shift the offset.
            let (longer, _) = samples(frames, wider, lag)
            guard let other = LineFit(longer, chosen) else { continue }
            let second = Formula(
                other, longer, chosen, step: course.step, share: Self.share(longer, chosen))
            if second.offsetRank < formula.offsetRank
                || second.offsetRank == formula.offsetRank
                    && (wider.low + wider.length - 1) / 8 == (place.low + place.length - 1) / 8
            {
                (place, formula, raw) = (wider, second, longer)
            }
        }
        guard let last = LineFit(raw, chosen) else { return nil }
        let distances = last.distances(raw, chosen)
        let limit = distances.quantile(0.95)
        let mean = chosen.reduce(0, +) / Double(chosen.count)
        var (rest, all) = (0.0, 0.0)
        for index in raw.indices {
            if distances[index] <= limit { rest += distances[index] * distances[index] }
            all += (chosen[index] - mean) * (chosen[index] - mean)
        }
        let rounding = course.step * course.step + last.scale * last.scale
        let rest2 = distances.reduce(0) { $0 + $1 * $1 }
        let excess = all > 0 ? max(0, rest2 - rounding / 12 * Double(raw.count)) / all : 1
        return Candidate(
            stream: stream.id, mux: stream.mux, place: place, fit: last, formula: formula,
            lag: Double(lag) / 10_000, share: all > 0 ? 1 - rest / all : 0,
            within: within(frames, place, lag, last), excess: excess, samples: raw.count,
            values: Set(raw).count, period: Double(frames.usualGap) / 10_000)
    }

    /// The share of samples that values of the field around their time give within the rounding of both.
    private func within(
        _ frames: FrameStream, _ place: FieldPlace, _ lag: Int64, _ fit: LineFit
    ) -> Double {
        let pairs = pairs(frames, lag)
        let limit = course.step * 0.55 + abs(fit.scale) * 0.55 + course.range * 1e-3
        let window = UInt32(1_500)
        var hits = 0
        for (frame, sample) in pairs {
            let time = frames.times[frame]
            var lowest = Double.infinity
            var highest = -Double.infinity
            func see(_ index: Int) {
                let value = fit.value(Double(frames.raw(index, place)))
                lowest = min(lowest, value)
                highest = max(highest, value)
            }
            see(frame)
            var index = frame
            while index > 0, time - frames.times[index - 1] <= window {
                index -= 1
                see(index)
            }
            if index == frame, index > 0 { see(index - 1) }
            index = frame
            while index + 1 < frames.count, frames.times[index + 1] - time <= window {
                index += 1
                see(index)
            }
            if index == frame, index + 1 < frames.count { see(index + 1) }
            if values[sample] >= lowest - limit, values[sample] <= highest + limit { hits += 1 }
        }
        return pairs.isEmpty ? 0 : Double(hits) / Double(pairs.count)
    }
}
