/// Finds where a field begins and ends, if only its most important bits are known.
struct FieldEnds {
    private let frames: FrameStream
    /// Bits of counters, checksums, and known signals.
    private let taken: BitMask
    /// How often each bit changed between frames.
    private let flips: [Int]
    private let pairs: [Int]
    /// Whether a frame follows the one before it without a gap.
    private var isNear = [false]
    /// For each bit, whether it is set in the first frame.
    private let isSet: [Bool]

    init(_ frames: FrameStream, taken: BitMask) {
        self.frames = frames
        self.taken = taken
        let limit = max(frames.usualGap * 3, 1)
        var flips = [Int](repeating: 0, count: frames.width * 8)
        var pairs: [Int] = []
        for index in 1..<max(1, frames.count) {
            let isNear = frames.times[index] - frames.times[index - 1] <= limit
            if isNear { pairs.append(index) }
            self.isNear.append(isNear)
            for byte in 0..<frames.width {
                var change = frames.byte(index, byte) ^ frames.byte(index - 1, byte)
                while change != 0 {
                    flips[byte * 8 + change.trailingZeroBitCount] += 1
                    change &= change - 1
                }
            }
        }
        self.flips = flips
        self.pairs = pairs
        isSet = (0..<frames.width * 8).map { frames.count > 0 && frames.bit(0, $0) }
    }

    /// The field around `core`.
    ///
    /// - Parameter lowest: the lowest end of the field that the course shows.
    func extended(_ core: FieldPlace, lowest: Int) -> FieldPlace {
        var best = lengthenedDown(core, lowest)
        if core.isInOneByte {
            // The next byte of either order may continue the field.
            var other = core
            other.isLittle.toggle()
            other.low = Self.mirrored(core).low
            let second = lengthenedDown(other, other.low)
            if second.length > best.length { best = second }
        }
        return lengthenedUp(best)
    }

    /// The same bits of one byte in the other order.
    static func mirrored(_ place: FieldPlace) -> FieldPlace {
        var other = place
        other.isLittle.toggle()
        other.low = (place.width - 1 - place.low / 8) * 8 + place.low % 8
        return other
    }

    // MARK: Downwards

    /// What the frames show about the bit below a field.
    private enum Boundary {
        /// The bit is the next one of the number.
        case inside
        /// The bit changes without regard to the number.
        case end
        case unknown
    }

    /// The field with the bits below `core` that belong to its number, apart from what a course shows.
    ///
    /// - Parameter lowest: the end that the course shows; it decides where the frames show nothing.
    private func lengthenedDown(_ core: FieldPlace, _ lowest: Int) -> FieldPlace {
        var place = core
        while place.low > 0, place.length < FieldPlace.longest {
            let next = below(place)
            if taken.contains(next) { break }
            switch boundary(place) {
            case .inside: lengthen(&place)
            case .end: return place
            case .unknown:
                // The lowest bits may be noise; then a byte ends there.
                let isNoise =
                    place.low % 8 > 0 && flips[next] * 4 >= flips[place.bit(0)] * 3
                    && flips[next] * 5 >= pairs.count
                guard place.low > lowest || isNoise else { return place }
                lengthen(&place)
            }
        }
        return place
    }

    private func below(_ place: FieldPlace) -> Int {
        FieldPlace.bit(place.low - 1, place.isLittle, place.width)
    }

    private func lengthen(_ place: inout FieldPlace) {
        place.low -= 1
        place.length += 1
    }

    /// Whether the bit below a field is its next bit.
    ///
    /// A number is twice its upper part plus its lowest bit, and what moves the number does not depend on that bit.
    /// So where the bit rises by one, the upper part is lower by a half in the mean, however much the number moves or
    /// trembles. A bit of something else leaves the upper part as it is. The slope of the upper part over the bit, both
    /// compared with the frames before and after, is therefore -1/2 or 0.
    private func boundary(_ place: FieldPlace) -> Boundary {
        let next = below(place)
        // The lower a bit of a number, the more often it changes.
        if flips[next] * 4 < flips[place.bit(0)] || flips[next] == 0 { return .end }
        var agree = 0
        var differ = 0
        var bends: [(bit: Double, upper: Double)] = []
        bends.reserveCapacity(pairs.count)
        for index in pairs {
            let was = frames.bit(index - 1, next)
            let now = frames.bit(index, next)
            let value = frames.raw(index, place)
            let step = value - frames.raw(index - 1, place)
            if was != now, abs(step) == 1 {
                if (step == 1) == was { agree += 1 } else { differ += 1 }
            }
            guard index + 1 < frames.count, isNear[index + 1] else { continue }
            let after = frames.bit(index + 1, next)
            bends.append(
                (
                    Double((now ? 2 : 0) - (was ? 1 : 0) - (after ? 1 : 0)) / 2,
                    Double(step + value - frames.raw(index + 1, place)) / 2
                ))
        }
        // A step of the upper part by one takes the bit the other way.
        let excess = Double(agree - differ)
        let isRare = flips[next] * 5 < flips[place.bit(0)] * 4
        let isCarry = agree >= 8 && excess > 4 * Double(agree + differ).squareRoot()
        if !isRare, isCarry || agree >= 6 && differ == 0 { return .inside }
        // Where the number jumps, it shows nothing about its lowest bit.
        let limit = max(4, 6 * bends.map { abs($0.upper) }.median)
        var (both, bit, upper, count) = (0.0, 0.0, 0.0, 0.0)
        for bend in bends where abs(bend.upper) <= limit {
            both += bend.bit * bend.upper
            bit += bend.bit * bend.bit
            upper += bend.upper * bend.upper
            count += 1
        }
        guard bit > 0 else { return .unknown }
        let slope = both / bit
        let rest = max(0, upper - slope * both) / bit
        let error = (rest / count).squareRoot() * 1.3
        if -slope > 0.25, -slope > 4 * error { return .inside }
        // A number that stays at few values has some of its bits change without the others.
        let isNone = abs(slope) < max(3 * error, 0.03)
        return flips[next] >= 8 && error < 0.08 && isNone ? .end : .unknown
    }

    // MARK: Upwards

    private func lengthenedUp(_ field: FieldPlace) -> FieldPlace {
        var place = field
        while place.low + place.length < place.width * 8, place.length < FieldPlace.longest {
            let next = FieldPlace.bit(place.low + place.length, place.isLittle, place.width)
            let top = place.bit(place.length - 1)
            guard !taken.contains(next) else { break }
            if place.isSigned {
                if !isCopy(next, top, inverted: false) {
                    // A sign that is the opposite of the next bit is half of the range, added to a number.
                    guard isCopy(next, top, inverted: true) else { break }
                    place.isSigned = false
                }
            } else if flips[next] == 0 {
                // Bits that were never set may belong to larger values, up to the end of the byte.
                guard (place.low + place.length) % 8 != 0, !isSet[next] else { break }
            } else {
                guard isNextAbove(place, next) else { break }
            }
            place.length += 1
        }
        return place
    }

    /// Whether a bit changes only when the number below it goes through its whole range.
    private func isNextAbove(_ place: FieldPlace, _ next: Int) -> Bool {
        let half = Int64(1) << Int64(place.length - 1)
        var agree = 0
        var differ = 0
        for index in pairs where frames.bit(index - 1, next) != frames.bit(index, next) {
            let step = frames.raw(index, place) - frames.raw(index - 1, place)
            let isUp = frames.bit(index, next)
            if isUp ? step < -half : step > half { agree += 1 } else { differ += 1 }
        }
        return agree > 0 && differ * 20 <= agree
    }

    /// Whether a bit is the same as another one, or the opposite, in nearly every frame.
    private func isCopy(_ one: Int, _ other: Int, inverted: Bool) -> Bool {
        guard flips[one] > 0, flips[other] > 0 else { return false }
        var differ = 0
        for frame in 0..<frames.count
        where (frames.bit(frame, one) == frames.bit(frame, other)) == inverted {
            differ += 1
        }
        // A number that is sometimes larger needs both bits.
        return differ * 20 <= frames.count
    }

    /// The fields with bits above that never change, the highest of which is 1 or ends a byte.
    func withConstants(_ field: FieldPlace) -> [FieldPlace] {
        guard !field.isSigned else { return [] }
        var place = field
        var hasOnes = false
        var found: [FieldPlace] = []
        while place.length < FieldPlace.longest,
            place.low + place.length < place.width * 8
        {
            let next = FieldPlace.bit(place.low + place.length, place.isLittle, place.width)
            guard flips[next] == 0, !taken.contains(next) else { break }
            hasOnes = hasOnes || isSet[next]
            place.length += 1
            if hasOnes, isSet[next] || (place.low + place.length) % 8 == 0 { found.append(place) }
        }
        return found
    }
}
