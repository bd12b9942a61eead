import Adapters
import OBDCore
import VehicleLink

/// Splits lines of a recording at the adapter's line ends that were lost.
///
/// Apps drop carriage returns, and readers join lines. This type does not guess. Each piece of the line has
/// to be proven by an identifier, a length, or consecutive segment numbers; otherwise the line stays as it
/// is. On a live link such a line counts as damaged, and the request is repeated.
struct JoinedLines {
    /// The digits of the line in upper case, and their offsets.
    private var digits: [UInt8] = []
    private var places: [Int] = []
    /// The digits that follow a blank.
    private var groupStarts: [Int] = []
    /// The digits that are followed by a colon.
    private var colons: [Int] = []
    private let length: Int

    /// Reads a line of digits, blanks and colons; nil for any other line.
    init?(_ text: Span<UInt8>) {
        length = text.count
        digits.reserveCapacity(text.count)
        places.reserveCapacity(text.count)
        var isBehindBlank = true
        for index in text.indices {
            let byte = text[index]
            if let value = Hex.value(byte) {
                if isBehindBlank { groupStarts.append(digits.count) }
                isBehindBlank = false
                digits.append(value)
                places.append(index)
            } else if isBlank(byte) {
                isBehindBlank = true
            } else if byte == UInt8(ascii: ":"), !digits.isEmpty {
                colons.append(digits.count)
            } else {
                return nil
            }
        }
    }

    // MARK: Segments

    /// The pieces of `0140:4902015756571:5A…`: the text before, the length, and each numbered segment.
    func segments() -> [Range<Int>]? {
        guard let first = colons.first, first >= 4, digits[first - 1] == 0,
            zip(colons, colons.dropFirst()).allSatisfy({ $0 < $1 })
        else { return nil }
        var pieces: [Range<Int>] = []
        if first > 4 { pieces.append(0..<first - 4) }
        pieces.append(first - 4..<first - 1)
        var expected: UInt8 = 0
        for (number, colon) in colons.enumerated() {
            guard digits[colon - 1] == expected else { return nil }
            let isLast = number + 1 == colons.count
            var end = isLast ? digits.count : colons[number + 1] - 1
            // The first segment after a length has six bytes.
            let full = pieces.last?.count == 3 ? 12 : 14
            var next: Range<Int>?
            if isLast {
                // Digits beyond a full segment are a line by themselves.
                if end - colon > full { next = colon + full..<end }
                guard (end - colon) % 2 == 0 || next != nil else { return nil }
                end = min(end, colon + full)
            } else if end - colon > full || digits[end] != (expected + 1) % 16 {
                // The length of the next message comes after the last segment.
                guard digits[end] == 0, end - colon >= 3, (end - colon - 3) % 2 == 0,
                    end - colon - 3 <= full
                else { return nil }
                next = end - 3..<end
                end -= 3
            } else if end - colon != full {
                return nil
            }
            pieces.append(colon - 1..<end)
            if let next { pieces.append(next) }
            expected = next != nil && !isLast ? 0 : (expected + 1) % 16
        }
        return cut(pieces)
    }

    // MARK: Frames

    /// `7E8 02 43 00 7EB 02 43 00`, `7EB064100…7E8064100…`: every frame.
    func frames() -> [Range<Int>]? {
        guard colons.isEmpty, digits.count >= 14 else { return nil }
        if let grouped = groupedFrames() { return cut(grouped) }
        guard let found = frames(from: 0) ?? framesOfOneSender(from: 0), found.count > 1 else {
            return nil
        }
        return cut(found)
    }

    /// The frames of a message from a single sender with any identifier.
    ///
    /// The identifier is repeated, and the frame numbers are consecutive.
    private func framesOfOneSender(from start: Int) -> [Range<Int>]? {
        guard start + 5 <= digits.count else { return nil }
        let id = start..<start + 3
        let frame = 3 + 2 * ISO15765.frameLength
        guard number(id) < 0x800, digits[start + 3] == 1, start + frame <= digits.count else {
            return nil
        }
        var found = [start..<start + frame]
        while let last = found.last, last.upperBound < digits.count {
            let place = last.upperBound
            let end = min(place + frame, digits.count)
            guard end - place >= 7, (end - place) % 2 == 1, digits[place] == digits[start],
                digits[place + 1] == digits[start + 1], digits[place + 2] == digits[start + 2],
                byte(place + 3) == 0x20 | UInt8(found.count % 16)
            else { return nil }
            found.append(place..<end)
        }
        return found
    }

    /// Frames whose identifiers are visible by the blanks: three digits are not a byte.
    private func groupedFrames() -> [Range<Int>]? {
        guard groupStarts.count > 1 else { return nil }
        let ends = groupStarts.dropFirst() + [digits.count]
        let groups = zip(groupStarts, ends).map { $0..<$1 }
        var found: [Range<Int>] = []
        for group in groups {
            switch group.count {
            case 3 where number(group) < 0x800: found.append(group)
            case 2:
                guard let last = found.last, last.count < 3 + 2 * ISO15765.frameLength else {
                    return nil
                }
                found[found.count - 1] = last.lowerBound..<group.upperBound
            // A whole frame without blanks; the next one begins after a blank.
            case 5...: if isFrame(group) { found.append(group) } else { return nil }
            default: return nil
            }
        }
        return found.count > 1 && found.allSatisfy(isFrame) ? found : nil
    }

    /// Whether the digits are an identifier and the number of bytes in its control byte.
    private func isFrame(_ range: Range<Int>) -> Bool {
        guard let start = endOfIdentifier(at: range.lowerBound, anyOf11: true),
            (range.upperBound - start) % 2 == 0
        else { return false }
        return lengths(at: start).contains((range.upperBound - start) / 2)
    }

    /// Whether a line may be joined: it is longer than an adapter's lines, or not divided into bytes.
    static func mayBe(_ line: HexLine) -> Bool {
        if line.segment != nil || line.count < 14 { return false }
        if line.oddAfterTwo > 0 || line.count > 24 { return true }
        // A frame of ISO 14230 with a length and something after it.
        if line.count == 24, line.byte(0) >= 0x80, line.byte(0) & 0x3F < 8 { return true }
        guard (0x7E8...0x7EF).contains(line.number(0, 3)) else { return false }
        return line.count > 19 || line.count % 2 == 0
    }

    /// The only way to split everything from `start` on into frames with usual identifiers; nil if there is
    /// none or more than one.
    private func frames(from start: Int) -> [Range<Int>]? {
        // From the end backwards: the number of ways to split the digits from each offset on into frames.
        var ways = [Int](repeating: 0, count: digits.count + 1)
        var ends = [Int](repeating: 0, count: digits.count + 1)
        ways[digits.count] = 1
        for place in stride(from: digits.count - 5, through: start, by: -1) {
            guard let data = endOfIdentifier(at: place, anyOf11: false) else { continue }
            for count in lengths(at: data) {
                let end = data + 2 * count
                guard end <= digits.count, ways[end] > 0 else { continue }
                ways[place] = min(2, ways[place] + ways[end])
                ends[place] = end
            }
        }
        guard ways[start] == 1 else { return nil }
        var found: [Range<Int>] = []
        var place = start
        while place < digits.count {
            found.append(place..<ends[place])
            place = ends[place]
        }
        return found
    }

    /// The start of the data field after an identifier that answers use.
    private func endOfIdentifier(at place: Int, anyOf11: Bool) -> Int? {
        if place + 8 <= digits.count,
            (0x18DA_F100...0x18DA_F1FF).contains(number(place..<place + 8))
        {
            return place + 8
        }
        guard place + 3 <= digits.count else { return nil }
        let id = number(place..<place + 3)
        return anyOf11 && id < 0x800 || (0x7E8...0x7EF).contains(id) ? place + 3 : nil
    }

    /// The possible lengths of a data field in bytes, padded or not; empty if it has no control byte.
    private func lengths(at data: Int) -> [Int] {
        guard data + 2 <= digits.count else { return [] }
        let control = digits[data] << 4 | digits[data + 1]
        switch control >> 4 {
        case 0 where control > 0 && control < ISO15765.frameLength:
            return control == 7 ? [8] : [Int(control) + 1, ISO15765.frameLength]
        case 1: return [ISO15765.frameLength]
        // The last consecutive frame may be shorter if it is not padded.
        case 2: return Array(2...ISO15765.frameLength)
        default: return []
        }
    }

    // MARK: Protocols before CAN

    /// The lines of `49 04 01 … 49 04 02 …` and `43 … 43 …` from protocols before CAN, with seven bytes each.
    func legacyLines() -> [Range<Int>]? {
        guard colons.isEmpty, digits.count >= 28, digits.count % 14 == 0,
            groupStarts.allSatisfy({ $0 % 2 == 0 })
        else { return nil }
        let starts = Array(stride(from: 0, to: digits.count, by: 14))
        switch ServiceShape.answering(with: byte(0))?.content {
        case .parts:
            let numbers = starts.map { byte($0 + 4) }
            guard starts.allSatisfy({ byte($0) == byte(0) && byte($0 + 2) == byte(2) }),
                zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 })
            else { return nil }
        case .codes:
            // A list of codes over CAN includes their number.
            guard starts.allSatisfy({ byte($0) == byte(0) }),
                digits.count / 2 != 2 + 2 * Int(byte(2))
            else { return nil }
        case .nothing, .free, .records, .codesOfKWP, .codesWithStatus, nil: return nil
        }
        return cut(starts.map { $0..<$0 + 14 })
    }

    /// `C2 33 F1 01 0C F3 83 F1 18 7F 01 12 1E`: frames of the K line or of J1850, each with a right check byte.
    ///
    /// The lengths and check bytes of the frames have to allow one way to split the line.
    func checkedFrames() -> [Range<Int>]? {
        guard colons.isEmpty, digits.count >= 20, digits.count % 2 == 0, digits.count <= 1024,
            groupStarts.allSatisfy({ $0 % 2 == 0 })
        else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).map { byte($0) }
        let splits = [false, true].compactMap { Self.split(bytes, hasCRC: $0) }
        guard splits.count == 1, let found = splits.first, found.count > 1 else { return nil }
        return cut(found.map { $0.lowerBound * 2..<$0.upperBound * 2 })
    }

    /// The only way to split bytes into frames that end with a sum, or with the CRC of J1850.
    private static func split(_ bytes: [UInt8], hasCRC: Bool) -> [Range<Int>]? {
        var ways = [Int](repeating: 0, count: bytes.count + 1)
        var next = [Int](repeating: 0, count: bytes.count + 1)
        ways[bytes.count] = 1
        for place in stride(from: bytes.count - 5, through: 0, by: -1) {
            for end in ends(of: bytes, from: place, hasCRC: hasCRC) where ways[end] > 0 {
                ways[place] = min(2, ways[place] + ways[end])
                next[place] = end
            }
        }
        guard ways[0] == 1 else { return nil }
        var found: [Range<Int>] = []
        var place = 0
        while place < bytes.count {
            found.append(place..<next[place])
            place = next[place]
        }
        return found
    }

    /// The possible ends of a frame with a header of requests or answers and a right check byte.
    private static func ends(of bytes: [UInt8], from place: Int, hasCRC: Bool) -> [Int] {
        let rest = bytes[place...]
        if bytes[place] >= 0x80 {
            guard !hasCRC, let layout = ISO14230.Layout(rest), let length = layout.dataLength,
                length > 0, layout.source == tester || bytes[place + 1] == tester
            else { return [] }
            let end = place + layout.headerLength + length
            guard end < bytes.count, Checksum.sum(bytes[place..<end]) == bytes[end] else {
                return []
            }
            return [end + 1]
        }
        switch (bytes[place], bytes[place + 1]) {
        case (0x48, 0x6B), (0x68, 0x6A): break
        case (0x41, 0x6B), (0x61, 0x6A): if !hasCRC { return [] }
        case (0x6C, tester): if !hasCRC { return [] }
        case (0x6C, _): if !hasCRC || bytes[place + 2] != tester { return [] }
        default: return []
        }
        var found: [Int] = []
        for check in place + 4..<min(place + 11, bytes.count) {
            let body = bytes[place..<check]
            let sum = hasCRC ? Checksum.crc8(body) : Checksum.sum(body)
            guard sum == bytes[check] else { continue }
            found.append(check + 1)
            // On PWM the tester acknowledges an answer with its address.
            if bytes[place] == 0x41, check + 1 < bytes.count, bytes[check + 1] == tester {
                found.append(check + 2)
            }
        }
        return found
    }

    /// The usual address of a tester.
    private static let tester: UInt8 = 0xF1

    // MARK: Requests

    /// The end of a request whose answer follows on the same line, as in `010C41 0C 17 06`; nil for any other
    /// line.
    ///
    /// - Parameters:
    ///   - known: the digits of the request, if known.
    ///   - isBehindPrompt: whether a prompt comes before the line.
    func endOfRequest(known: [UInt8] = [], isBehindPrompt: Bool = false) -> Int? {
        if isField, !(isBehindPrompt && isListBehindRequest) { return nil }
        let candidates =
            known.isEmpty ? requestLengths() : digits.starts(with: known) ? [known.count] : []
        for end in candidates where end < digits.count {
            let isEnd =
                if let colon = colons.first {
                    // Numbered segments after their length.
                    colon == end + 4 && digits[end] == 0 && digits[end + 3] == 0
                        && number(end..<end + 3) >= ISO15765.frameLength - 1
                        && isPositive(at: colon)
                } else { isAnswer(at: end) }
            // A damaged frame may begin here: its header must not be read as more of the request.
            if isEnd || hasHeader(at: end) || hasIdentifier(at: end) { return places[end] }
        }
        return nil
    }

    /// The possible numbers of digits of a request at the start of the line, including the answer count.
    private func requestLengths() -> [Int] {
        guard digits.count >= 6, let counts = ServiceShape.of(byte(0))?.request else { return [] }
        return counts.flatMap { [2 * $0, 2 * $0 + 1] }
    }

    /// Whether an answer to the request before it begins here and continues.
    private func isAnswer(at start: Int) -> Bool {
        if isPositive(at: start) || isCheckedFrame(at: start) || isProvenFrame(at: start) {
            return true
        }
        if byte(start) == 0x7F { return byte(start + 2) == byte(0) && digits.count - start == 6 }
        guard let frames = frames(from: start), let first = frames.first,
            let data = endOfIdentifier(at: first.lowerBound, anyOf11: false)
        else { return false }
        let service = data + (digits[data] == 1 ? 4 : 2)
        return isPositive(at: service) || byte(service) == 0x7F && byte(service + 2) == byte(0)
    }

    /// Whether the rest of the line is a frame, or a message of one sender, that answers the request.
    ///
    /// Any identifier is accepted: three digits, or eight digits between blanks.
    private func isProvenFrame(at start: Int) -> Bool {
        // If the line has blanks, one comes before an identifier.
        let isGroup = groupStarts.contains(start)
        guard isGroup || !groupStarts.contains(where: { $0 > start }) else { return false }
        if framesOfOneSender(from: start) != nil, isPositive(at: start + 7) { return true }
        let ends = [endOfIdentifier(at: start, anyOf11: true), endOfGroupedIdentifier(at: start)]
        return ends.contains { data in
            guard let data, data + 2 <= digits.count, (digits.count - data) % 2 == 0 else {
                return false
            }
            let control = Int(byte(data))
            let count = (digits.count - data) / 2
            guard (1..<ISO15765.frameLength).contains(control),
                count == control + 1 || count == ISO15765.frameLength
            else { return false }
            return isPositive(at: data + 2)
                || byte(data + 2) == 0x7F && byte(data + 4) == byte(0)
        }
    }

    /// The end of an identifier with 29 bits between blanks.
    private func endOfGroupedIdentifier(at place: Int) -> Int? {
        guard place + 8 <= digits.count, groupStarts.contains(place),
            groupStarts.contains(place + 8),
            !groupStarts.contains(where: { place < $0 && $0 < place + 8 }),
            number(place..<place + 8) < 1 << 29
        else { return nil }
        return place + 8
    }

    /// Whether a frame with an identifier for answers begins here, valid or not.
    private func hasIdentifier(at start: Int) -> Bool {
        digits.count - start >= 9 && endOfIdentifier(at: start, anyOf11: false) != nil
    }

    /// Whether an answer with the header of ISO 9141-2, ISO 14230-4 or J1850 begins here, valid or not.
    private func hasHeader(at start: Int) -> Bool {
        guard digits.count - start >= 8, byte(start + 6) == byte(0) &+ 0x40 else { return false }
        switch (byte(start), byte(start + 2)) {
        case (0x48, 0x6B), (0x41, 0x6B), (0x80..., Self.tester): return true
        default: return false
        }
    }

    /// Whether the rest of the line consists of frames of a protocol before CAN, with valid check bytes and an
    /// answer after the first header.
    private func isCheckedFrame(at start: Int) -> Bool {
        guard (digits.count - start) % 2 == 0, digits.count - start >= 10 else { return false }
        let bytes = stride(from: start, to: digits.count, by: 2).map { byte($0) }
        if hasHeader(at: start) {
            let splits = [false, true].compactMap { Self.split(bytes, hasCRC: $0) }
            if splits.count == 1, splits[0].count > 1 { return true }
        }
        guard let check = bytes.last else { return false }
        var header = 3
        if bytes[0] >= 0x80 {
            guard let layout = ISO14230.Layout(bytes), let length = layout.dataLength,
                layout.headerLength + length + 1 == bytes.count
            else { return false }
            header = layout.headerLength
        }
        let body = bytes.dropLast()
        let isCRC = bytes[0] < 0x80 && Checksum.crc8(body) == check
        guard Checksum.sum(body) == check || isCRC else { return false }
        let answer = start + 2 * header
        return isPositive(at: answer) || byte(answer) == 0x7F && byte(answer + 2) == byte(0)
    }

    private func isPositive(at start: Int) -> Bool {
        guard byte(start) == byte(0) &+ 0x40, let shape = ServiceShape.of(byte(0)) else {
            return false
        }
        let count = (digits.count - start) / 2
        let request = [byte(0), byte(2), byte(4)].prefix(1 + shape.selectorWidth)
        let match = shape.compare(
            Array(request), count: count, second: byte(start + 2), third: byte(start + 4))
        return match == .same && count >= shape.shortestAnswer
    }

    /// Whether the line is a data field as `AT CAF0` shows it: a control byte, an answer of that length, and
    /// padding.
    private var isField: Bool {
        let control = Int(byte(0))
        guard (1...7).contains(control), ServiceShape.isAnswer(byte(2)) else { return false }
        let end = 2 + 2 * control
        guard digits.count == end || end < digits.count && digits.count == 2 * ISO15765.frameLength
        else { return false }
        return stride(from: end, to: digits.count - 1, by: 2).allSatisfy { byte($0) == byte(end) }
    }

    /// Whether a line that looks like a data field is more likely a request for codes with its answer from
    /// before CAN.
    ///
    /// In `03 43 01 33 00 00 00 00`, three codes take six bytes. A list over CAN would include the number of
    /// codes.
    private var isListBehindRequest: Bool {
        guard digits.count == 16, ServiceShape.answering(with: byte(2))?.content == .codes,
            byte(2) == byte(0) &+ 0x40, byte(0) != 2 &+ 2 &* (byte(4) & 0x7F)
        else { return false }
        let end = 2 + 2 * Int(byte(0))
        return stride(from: end, to: digits.count - 1, by: 2).allSatisfy { byte($0) == 0 }
    }

    // MARK: Digits

    private func byte(_ place: Int) -> UInt8 {
        place + 1 < digits.count ? digits[place] << 4 | digits[place + 1] : 0
    }

    private func number(_ range: Range<Int>) -> UInt32 {
        digits[range].reduce(0) { $0 << 4 | UInt32($1) }
    }

    /// The ranges of digits as ranges of the line.
    private func cut(_ pieces: [Range<Int>]) -> [Range<Int>] {
        pieces.map { piece in
            let end = piece.upperBound < places.count ? places[piece.upperBound] : length
            return places[piece.lowerBound]..<end
        }
    }
}
