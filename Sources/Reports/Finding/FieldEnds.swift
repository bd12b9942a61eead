/// Finds where a field begins and ends, if only its most important bits are known.
struct FieldEnds {
    private let frames: FrameStream
    /// Bits of counters, checksums, and known signals.
    private let taken: BitMask
    /// How often each bit changed between frames.
    private let flips: [Int]
    private let pairs: [Int]
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
    func extended(_ core: FieldPlace) -> FieldPlace {
        var best = lengthenedDown(core)
        if core.isInOneByte {
            // The next byte of either order may continue the field.
            var other = core
            other.isLittle.toggle()
            other.low = Self.mirrored(core).low
            let second = lengthenedDown(other)
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

    private func lengthenedDown(_ core: FieldPlace) -> FieldPlace {
        var place = core
        while place.low > 0, place.length < FieldPlace.longest, carries(place) { lengthen(&place) }
        // The lowest bits may be noise; then a byte ends there.
        while place.low % 8 > 0, place.length < FieldPlace.longest {
            let next = below(place)
            guard !taken.contains(next), flips[next] * 4 >= flips[place.bit(0)] * 3,
                flips[next] * 5 >= pairs.count
            else { break }
            lengthen(&place)
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

    /// Whether the bit below a field is its next bit: if the field steps up by one, that bit goes from 1 to 0.
    private func carries(_ place: FieldPlace) -> Bool {
        let next = below(place)
        // The lower a bit of a number, the more often it changes.
        guard !taken.contains(next), flips[next] > 0,
            flips[next] * 5 >= flips[place.bit(0)] * 4
        else { return false }
        var agree = 0
        var differ = 0
        for index in pairs {
            let was = frames.bit(index - 1, next)
            let now = frames.bit(index, next)
            guard was != now else { continue }
            let step = frames.raw(index, place) - frames.raw(index - 1, place)
            guard abs(step) == 1 else { continue }
            if (step == 1) == was { agree += 1 } else { differ += 1 }
        }
        let excess = Double(agree - differ)
        return agree >= 8 && excess > 4 * Double(agree + differ).squareRoot()
            || agree >= 6 && differ == 0
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

    private func isCopy(_ one: Int, _ other: Int, inverted: Bool) -> Bool {
        guard flips[one] == flips[other], flips[one] > 0, (isSet[one] == isSet[other]) != inverted
        else { return false }
        return (0..<frames.count).allSatisfy {
            (frames.bit($0, one) == frames.bit($0, other)) != inverted
        }
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
