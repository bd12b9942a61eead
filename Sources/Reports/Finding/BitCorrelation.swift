/// How the bits of the frames at the times of a course go with each other and with the course.
///
/// A field is a sum of its bits with powers of two as weights. So its variance and its covariance with the course follow from
/// those of the bits, and each of the thousands of fields of a message costs a few additions.
struct BitCorrelation {
    /// A field and how well a straight line through its values gives the course.
    struct Match {
        var place: FieldPlace
        /// The share of the course's variance that the line explains: the square of the correlation.
        var share: Double
    }

    private let width: Int
    /// The frame of each sample that has one.
    let frames: [Int]
    /// The samples that have a frame.
    let samples: [Int]
    /// For each bit of the frame, the samples in which it is set.
    private var columns: [[UInt64]]
    private var counts: [Int]

    /// Takes the frame at or before each time; `times` are in 0.1 ms since the start of the recording.
    init(_ stream: FrameStream, _ times: [Int64]) {
        width = stream.width
        let limit = Int64(stream.usualGap) * 3 + 2_000
        var frames: [Int] = []
        var samples: [Int] = []
        var next = 0
        for (sample, time) in times.enumerated() {
            if time < 0 { continue }
            while next < stream.count, Int64(stream.times[next]) <= time { next += 1 }
            guard next > 0, time - Int64(stream.times[next - 1]) <= limit else { continue }
            frames.append(next - 1)
            samples.append(sample)
        }
        self.frames = frames
        self.samples = samples
        let words = (frames.count + 63) / 64
        columns = [[UInt64]](repeating: [], count: width * 8)
        counts = [Int](repeating: 0, count: width * 8)
        for byte in 0..<width {
            var bits = [UInt64](repeating: 0, count: words * 8)
            for (index, frame) in frames.enumerated() {
                var value = stream.byte(frame, byte)
                while value != 0 {
                    let bit = value.trailingZeroBitCount
                    bits[bit * words + index / 64] |= 1 << UInt64(index % 64)
                    value &= value - 1
                }
            }
            for bit in 0..<8 {
                let column = Array(bits[bit * words..<(bit + 1) * words])
                columns[byte * 8 + bit] = column
                counts[byte * 8 + bit] = column.reduce(0) { $0 + $1.nonzeroBitCount }
            }
        }
    }

    /// The bits that change among the samples.
    func isActive(_ bit: Int) -> Bool { counts[bit] > 0 && counts[bit] < frames.count }

    /// The covariances of bits of one order with those below them.
    private struct Order {
        var isLittle: Bool
        /// Whether a bit may be in a field.
        var isFree: [Bool]
        /// The covariance of bit `place` with bit `place - distance` is at `place * longest + distance`.
        var between: [Double]
    }

    private func order(_ isLittle: Bool, without taken: BitMask) -> Order {
        let bits = width * 8
        let longest = FieldPlace.longest
        let count = Double(frames.count)
        var order = Order(
            isLittle: isLittle, isFree: [], between: [Double](repeating: 0, count: bits * longest))
        for place in 0..<bits {
            let bit = FieldPlace.bit(place, isLittle, width)
            order.isFree.append(!taken.contains(bit))
            guard isActive(bit) else { continue }
            let column = columns[bit]
            for distance in 0..<min(longest, place + 1) {
                let other = FieldPlace.bit(place - distance, isLittle, width)
                guard isActive(other) else { continue }
                var both = 0
                if distance == 0 {
                    both = counts[bit]
                } else {
                    let second = columns[other]
                    for word in 0..<column.count {
                        both += (column[word] & second[word]).nonzeroBitCount
                    }
                }
                order.between[place * longest + distance] =
                    Double(both) - Double(counts[bit]) * Double(counts[other]) / count
            }
        }
        return order
    }

    /// The covariance of each bit with values, which have one for each sample of the course.
    private func covariances(_ values: [Double]) -> (bits: [Double], variance: Double) {
        let chosen = samples.map { values[$0] }
        let mean = chosen.reduce(0, +) / Double(max(1, chosen.count))
        var variance = 0.0
        for value in chosen { variance += (value - mean) * (value - mean) }
        var result = [Double](repeating: 0, count: width * 8)
        for bit in 0..<width * 8 where isActive(bit) {
            var sum = 0.0
            for (index, word) in columns[bit].enumerated() {
                var word = word
                while word != 0 {
                    sum += chosen[index * 64 + word.trailingZeroBitCount] - mean
                    word &= word - 1
                }
            }
            result[bit] = sum
        }
        return (result, variance)
    }

    /// Goes through all fields without `taken` bits, whose highest and lowest bit change among the samples.
    ///
    /// The courses have one value per sample each. `found` gets the number of the course, too.
    func search(
        _ courses: [[Double]], without taken: BitMask,
        _ found: (Int, FieldPlace, Double) -> Void
    ) {
        guard frames.count >= KnownCourse.fewest else { return }
        let known = courses.map { covariances($0) }
        for isLittle in [true, false] {
            let order = order(isLittle, without: taken)
            for (index, course) in known.enumerated() where course.variance > 0 {
                search(order, course.bits, course.variance) { found(index, $0, $1) }
            }
        }
    }

    private func search(
        _ order: Order, _ course: [Double], _ variance: Double,
        _ found: (FieldPlace, Double) -> Void
    ) {
        let bits = width * 8
        let longest = FieldPlace.longest
        let active = (0..<bits).map { isActive(FieldPlace.bit($0, order.isLittle, width)) }
        let own = (0..<bits).map { course[FieldPlace.bit($0, order.isLittle, width)] }
        for low in 0..<bits where active[low] && order.isFree[low] {
            var with = 0.0
            var spread = 0.0
            var weight = 1.0
            for high in low..<min(bits, low + longest) {
                guard order.isFree[high] else { break }
                defer { weight *= 2 }
                guard active[high] else { continue }
                var cross = 0.0
                var below = weight
                for distance in 1..<max(2, high - low + 1) where high - distance >= low {
                    below /= 2
                    cross += below * order.between[high * longest + distance]
                }
                let self2 = weight * weight * order.between[high * longest]
                let negative = spread + self2 - 2 * weight * cross
                let less = with - weight * own[high]
                if high > low, negative > 0 {
                    let place = FieldPlace(
                        isLittle: order.isLittle, low: low, length: high - low + 1, isSigned: true,
                        width: width)
                    found(place, less * less / (negative * variance))
                }
                spread += self2 + 2 * weight * cross
                with += weight * own[high]
                // The same field in the other order was seen already.
                let isDouble = !order.isLittle && low / 8 == high / 8
                if spread > 0, !isDouble {
                    let place = FieldPlace(
                        isLittle: order.isLittle, low: low, length: high - low + 1,
                        isSigned: false, width: width)
                    found(place, with * with / (spread * variance))
                }
            }
        }
    }
}
