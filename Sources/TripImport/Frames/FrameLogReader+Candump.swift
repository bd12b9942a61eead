import OBDCore
import VehicleLink

/// Reads `candump` of can-utils: its log (`-l`, `-L`) and its output on a terminal.
///
/// ```
/// (1436509052.249713) can0 7E8#04410C1AF8000000
/// (1436509052.449847) can0 18DAF110#0641009839A013 R
/// (1436509052.650004) can0 7DF#R
/// (1436509052.650004) can0 7E8##100096202F18C313233343536
///  (000.100000)  can0  RX - -  7E8   [8]  03 41 0D 35 00 00 00 00   '.A.5....'
///  (2021-05-04 16:34:11.190458)  can0  7E8   [2]  41 0D
///   can0  7E8  [12]  00 09 62 F1 8C 31 32 33 34 35 36 AA
///   can0  7E8   [2]  35`0D
///   can0  7E8   [2]  00001101 00110101
/// DROPCOUNT: dropped 12 CAN frames on 'can0' socket (total drops 12)
/// 7E8#04410C1AF8
/// ```
/// The lines before the last one are of `-S`, which turns the order of the bytes, of `-i`, and of `-d`. The last form is
/// the argument of `cansend`, without an interface. Three digits are an identifier with 11 bits, eight digits one with 29 bits.
extension FrameLogReader {
    /// Whether each line is of candump.
    package static func isCandump(_ lines: [String]) -> Bool {
        var reader = FrameLogReader(.candump, needsTimes: false, skipsOthers: false)
        return lines.allSatisfy { line in
            if case .unreadable = reader.read(Array(line.utf8)[...]) { false } else { true }
        }
    }

    /// Whether a word is a frame as `cansend` takes it: `7E8#03410D32`, `7DF#R`.
    static func isFrame(_ word: ArraySlice<UInt8>) -> Bool {
        guard let mark = word.firstIndex(of: 0x23), mark < word.endIndex - 1,
            [3, 8].contains(mark - word.startIndex), word[..<mark].hexadecimal != nil
        else { return false }
        var reader = FrameLogReader(.candump, needsTimes: false, skipsOthers: false)
        if case .unreadable = reader.readCandump(word) { return false }
        return true
    }

    mutating func readCandump(_ line: ArraySlice<UInt8>) -> Line {
        // The details of an error (`-e`) are below its frame.
        if line.first == 0x09 { return .other }
        if line.contains(0x1B) { return readCandump(Self.withoutColours(line)[...]) }
        if line.starts(with: "DROPCOUNT: ".utf8) { return .other }
        var words = LineWords(line)
        guard var word = words.next() else { return .other }
        var time: Int64?
        if word.first == 0x28 {
            time = stamp(word, &words)
            guard time != nil, let next = words.next() else {
                return .unreadable("not a time and a frame")
            }
            word = next
        } else if needsTimes {
            return .unreadable(
                FrameLogForm(line: line) == .candump
                    ? "the frame has no time; candump -L writes one" : "not a frame of candump")
        }
        let isBare = time == nil && word.contains(0x23)
        let channel = isBare ? [] : word
        guard var text = isBare ? word : words.next() else {
            return .unreadable("not channel and frame")
        }
        let mark = text.firstIndex(of: 0x23)
        // `-x`: the direction and two flags.
        if mark == nil, text.elementsEqual("RX".utf8) || text.elementsEqual("TX".utf8) {
            _ = (words.next(), words.next())
            text = words.next() ?? []
        }
        let digits = mark.map { text[..<$0] } ?? text
        guard let id = digits.hexadecimal, digits.count == 8 || digits.count == 3 && id < 0x800
        else { return .unreadable("\"\(digits.string)\" is not a CAN identifier") }
        // Error frames have a flag above the 29 bits.
        if id > 0x1FFF_FFFF { return .other }
        var frame = LoggedFrame(
            time: time ?? 0, id: id, isExtended: digits.count == 8, data: InlineBytes(),
            channel: channel)
        frame.isTimed = time != nil
        guard let mark else { return readTerminal(frame, &words) }
        return readLog(frame, text[(mark + 1)...], &words)
    }

    /// The data after the first `#`.
    private func readLog(
        _ frame: LoggedFrame, _ text: ArraySlice<UInt8>, _ words: inout LineWords
    ) -> Line {
        var frame = frame
        var data = text
        var longest = ISO15765.frameLength
        // `##` and a digit with flags: CAN FD.
        if data.first == 0x23 {
            data = data.dropFirst()
            guard data.popFirst().flatMap(Hex.value) != nil else {
                return .unreadable("a CAN FD frame without its flags")
            }
            longest = LoggedFrame.longestFD
        }
        // Only a direction may follow.
        if words.next() != nil, words.next() != nil {
            return .unreadable("more than a frame")
        }
        guard
            !skipsOthers || frame.isExtended
                || LoggedFrame.isLikelyDiagnostic(frame.id, frame.isExtended)
                || LoggedFrame.mayBegin(data) || watched.contains(frame.id)
        else { return .frame(frame) }
        if data.first == 0x52, data.count <= 2 { return .remote(frame) }
        var high: UInt8?
        for byte in data {
            // Bytes may be separated by dots.
            if byte == 0x2E, high == nil { continue }
            // A length code above 8.
            if byte == 0x5F { break }
            guard let digit = Hex.value(byte), frame.data.count < longest else {
                return .unreadable("the frame's data are not hexadecimal, or too long")
            }
            if let first = high {
                frame.data.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else { return .unreadable("the frame ends in half a byte") }
        return .frame(frame)
    }

    /// `[8]  03 41 0D 35 00 00 00 00   '.A.5....'`, `[0]  remote request`.
    private func readTerminal(_ frame: LoggedFrame, _ words: inout LineWords) -> Line {
        var frame = frame
        guard let length = words.next(), FrameLogForm.isLength(length),
            let count = length.dropFirst().dropLast().decimal,
            // CAN FD has two digits.
            count <= (length.count == 4 ? LoggedFrame.longestFD : ISO15765.frameLength)
        else { return .unreadable("not a CAN identifier and a length") }
        while let word = words.next() {
            if frame.data.isEmpty, word.elementsEqual("remote".utf8) { return .remote(frame) }
            // Only the bytes as text may follow.
            if frame.data.count == Int(count) {
                return word.first == 0x27 ? .frame(frame) : .unreadable("more than a frame")
            }
            if word.count == 2, let byte = word.hexadecimal {
                frame.data.append(UInt8(byte))
                continue
            }
            // `-S`: the last byte first, with a mark between bytes.
            let bytes = word.split(separator: 0x60).reversed().map(Self.byte)
            guard bytes.count == 1 || bytes.count == Int(count) else {
                return .unreadable("the frame's data are not whole")
            }
            for byte in bytes {
                guard let byte, frame.data.count < Int(count) else {
                    return .unreadable("the frame's data are not hexadecimal")
                }
                frame.data.append(byte)
            }
        }
        guard frame.data.count == Int(count) else {
            return .unreadable("the frame has fewer bytes than its length")
        }
        return .frame(frame)
    }

    /// A byte in two hexadecimal or, with `-i`, eight binary digits; nil for anything else.
    private static func byte(_ word: ArraySlice<UInt8>) -> UInt8? {
        if word.count == 2 { return word.hexadecimal.map { UInt8($0) } }
        guard word.count == 8, word.allSatisfy({ $0 == 0x30 || $0 == 0x31 }) else { return nil }
        return word.reduce(0) { $0 << 1 | ($1 - 0x30) }
    }

    /// The time in parentheses, which consists of two words if it has a date.
    private mutating func stamp(
        _ word: ArraySlice<UInt8>, _ words: inout LineWords
    ) -> Int64? {
        if word.last == 0x29 {
            let digits = word.dropFirst().dropLast()
            guard digits.last != 0x2E, let time = digits.millionths else { return nil }
            sees(time)
            return time
        }
        guard let clock = words.next(), clock.last == 0x29,
            let day = UTC(word.dropFirst().string),
            let ofDay = WallClock.seconds(clock.dropLast().string)
        else { return nil }
        beginning = beginning ?? WallClock(day, seconds: 0)
        (isRelative, showsClock) = (true, true)
        let passed = day.microseconds - (beginning?.midnight.microseconds ?? 0)
        return passed + Int64((ofDay * 1e6).rounded())
    }

    /// The line without the escape sequences of `-c`.
    static func withoutColours(_ line: ArraySlice<UInt8>) -> [UInt8] {
        var plain: [UInt8] = []
        var isEscape = false
        for byte in line {
            if isEscape {
                if (0x40...0x7E).contains(byte), byte != 0x5B { isEscape = false }
            } else if byte == 0x1B {
                isEscape = true
            } else {
                plain.append(byte)
            }
        }
        return plain
    }
}
