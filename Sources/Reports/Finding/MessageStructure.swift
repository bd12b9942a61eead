/// The structure that the frames of a message show without known values.
struct MessageStructure {
    /// Bits of counters and checksums, which prove a frame and measure nothing.
    private(set) var counters: BitMask
    /// The field that says what the other bits mean; nil if the message is not multiplexed.
    private(set) var mux: FieldPlace?

    /// The fewest frames that show anything.
    private static let fewest = 40

    init(_ frames: FrameStream) {
        counters = BitMask(bytes: frames.width)
        guard frames.count >= Self.fewest else { return }
        findCounters(frames)
        mux = Self.mux(frames, counters)
        if mux == nil { findChecksums(frames) }
    }

    // MARK: Counters

    /// A counter adds the same number in nearly every frame, and begins again after its highest value.
    private mutating func findCounters(_ frames: FrameStream) {
        for isLittle in [true, false] {
            for low in 0..<frames.width * 8 where low % 4 == 0 {
                for length in [16, 8, 6, 4, 3, 2] {
                    guard low % 8 + length <= (length == 16 ? 16 : 8),
                        low + length <= frames.width * 8, isLittle || length == 16
                    else { continue }
                    let place = FieldPlace(
                        isLittle: isLittle, low: low, length: length, isSigned: false,
                        width: frames.width)
                    guard !place.bits.meets(counters), Self.isCounter(frames, place) else {
                        continue
                    }
                    counters.formUnion(place.bits)
                    break
                }
            }
        }
    }

    private static func isCounter(_ frames: FrameStream, _ place: FieldPlace) -> Bool {
        let size = Int64(1) << Int64(place.length)
        var steps: [Int64: Int] = [:]
        var highest: Int64 = 0
        var last = frames.raw(0, place)
        var all = 0
        for index in 1..<min(frames.count, 2_000) {
            let value = frames.raw(index, place)
            steps[(value - last + size) % size, default: 0] += 1
            highest = max(highest, value)
            last = value
            all += 1
            if all == 100, steps.count > 50 { return false }
        }
        // A counter may leave out its highest value: 0 to 14. Then it has two steps.
        let usual = steps.filter { $0.key != 0 }.sorted { $0.value > $1.value }
        guard let first = usual.first, first.key == 1 || first.key == size - 1 || first.key == 2
        else { return false }
        let wrap = usual.dropFirst().first { $0.key == size - highest }
        let counted = first.value + (wrap?.value ?? 0)
        guard counted * 100 >= all * 90 else { return false }
        // The highest bit belongs to it only if it changes twice per round.
        let top = place.bit(place.length - 1)
        let changes = (1...all).reduce(0) {
            $0 + (frames.bit($1, top) == frames.bit($1 - 1, top) ? 0 : 1)
        }
        let step = first.key == 2 ? 2.0 : 1.0
        let expected = Double(all) * step * 2 / Double(size)
        return changes >= 4 && abs(Double(changes) - expected) <= expected * 0.3
    }

    // MARK: Checksums

    /// A checksum is the same whenever the rest of the frame is the same, and looks thrown by dice otherwise.
    private mutating func findChecksums(_ frames: FrameStream) {
        let count = min(frames.count, 2_000)
        var best: (byte: Int, rarest: Double)?
        for byte in 0..<frames.width where counters.bytes[byte] == 0 {
            var others = 0
            var flips = [Int](repeating: 0, count: 8)
            for index in 1..<count {
                guard isOther(frames, index, index - 1, byte) else { continue }
                others += 1
                let change = frames.byte(index, byte) ^ frames.byte(index - 1, byte)
                for bit in 0..<8 where change >> UInt8(bit) & 1 == 1 { flips[bit] += 1 }
            }
            // The highest bits of a number change rarely.
            let rarest = Double(flips.min() ?? 0) / Double(max(1, others))
            guard others >= 100, rarest >= 0.3, (flips.max() ?? 0) * 100 <= others * 75,
                rarest > best?.rarest ?? 0, isDetermined(frames, byte, count)
            else { continue }
            best = (byte, rarest)
        }
        // With a checksum, the other bytes follow from each other too: only one of them is it.
        guard let best else { return }
        for bit in 0..<8 { counters.insert(best.byte * 8 + bit) }
    }

    private func isOther(_ frames: FrameStream, _ one: Int, _ second: Int, _ byte: Int) -> Bool {
        (0..<frames.width).contains {
            $0 != byte && frames.byte(one, $0) != frames.byte(second, $0)
        }
    }

    /// Whether frames whose other bytes are the same have the same byte, and there are enough such frames.
    private func isDetermined(_ frames: FrameStream, _ byte: Int, _ count: Int) -> Bool {
        var known: [[UInt8]: UInt8] = [:]
        var last: [UInt8] = []
        // Only a rest that came back proves anything: a parked car repeats all its frames.
        var repeats = 0
        for index in 0..<count {
            var rest = Array(frames.data[index * frames.width..<(index + 1) * frames.width])
            let value = rest[byte]
            rest[byte] = 0
            if let before = known[rest] {
                guard before == value else { return false }
                if rest != last { repeats += 1 }
            }
            known[rest] = value
            last = rest
        }
        return repeats >= 30 && known.count >= 8
    }

    // MARK: Switches

    /// Frames of a multiplexed message are alike if they have the same value of the switch.
    private static func mux(_ frames: FrameStream, _ counters: BitMask) -> FieldPlace? {
        let count = min(frames.count, 3_000)
        var best: (place: FieldPlace, ratio: Double)?
        for low in stride(from: 0, to: frames.width * 8, by: 4) {
            for length in [2, 3, 4, 5, 6, 8] where low % 8 + length <= 8 {
                let place = FieldPlace(
                    isLittle: true, low: low, length: length, isSigned: false, width: frames.width)
                guard let ratio = ratio(frames, place, count, counters) else { continue }
                // A longer switch must be clearly better than a shorter one.
                if ratio < 0.5, ratio < (best?.ratio ?? 1) * 0.8, best?.ratio ?? 1 > 0.1 {
                    best = (place, ratio)
                }
            }
        }
        return best?.place
    }

    /// The changes between frames with the same value of a possible switch, for each change between frames that
    /// follow each other; nil if the field cannot be a switch.
    private static func ratio(
        _ frames: FrameStream, _ place: FieldPlace, _ count: Int, _ counters: BitMask
    ) -> Double? {
        var last: [Int64: Int] = [:]
        var uses: [Int64: Int] = [:]
        var same = 0
        var next = 0
        var pairs = 0
        var switches = 0
        let own = place.low / 8
        for index in 0..<count {
            let value = frames.raw(index, place)
            uses[value, default: 0] += 1
            if uses.count > 40 { return nil }
            if let before = last[value], index > 0 {
                if before != index - 1 { switches += 1 }
                pairs += 1
                for byte in 0..<frames.width where byte != own {
                    let now = frames.byte(index, byte)
                    let mask = ~counters.bytes[byte]
                    same += (now ^ frames.byte(before, byte)).maskedCount(mask)
                    next += (now ^ frames.byte(index - 1, byte)).maskedCount(mask)
                }
            }
            last[value] = index
        }
        // Most frames must change the switch, each value must come often, and the rest must differ.
        guard uses.count >= 2, pairs > 20, switches * 10 >= pairs * 3,
            uses.values.filter({ $0 >= 4 }).count * 10 >= uses.count * 8,
            Double(next) / Double(pairs) >= 2
        else { return nil }
        return Double(same) / Double(next)
    }
}

extension UInt8 {
    fileprivate func maskedCount(_ mask: UInt8) -> Int { (self & mask).nonzeroBitCount }
}
