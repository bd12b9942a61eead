import Formats
import OBDCore

/// Reads frames that programs print for people, each with its time.
///
/// ```
/// Timestamp: 1600000000.000300    ID: 18fef100    X Rx                DL:  3    f0 84 77     Channel: can0
/// 12:22:43.1281 0CF00400 [8] F1 9F 9F 1A 2B 00 FF FF
/// 820298   0x085: 7C 33 00
/// ```
/// The first is of python-can, whose letters are X for 29 bits, R for a remote frame, E for an error and F for
/// CAN FD; the second is of tools for RP1210 adapters, and may be in a line of a program's log; the third is of
/// sketches for small boards and counts milliseconds.
extension FrameLogReader {
    /// A frame in a printed line.
    private struct Printed {
        var time: Int64
        var isOfDay = false
        var digits: ArraySlice<UInt8>
        var isExtended: Bool?
        var isFrame = true
        var length: Int?
        var words: ArraySlice<ArraySlice<UInt8>>
        var channel: ArraySlice<UInt8> = []
    }

    /// Whether a line is a printed frame.
    static func isPrinted(_ words: [ArraySlice<UInt8>]) -> Bool { printed(words) != nil }

    mutating func readPrinted(_ line: ArraySlice<UInt8>) -> Line {
        guard let found = Self.printed(LineWords(line).rest) else {
            return .unreadable("not a time and a frame")
        }
        guard found.isFrame else { return .other }
        guard let id = found.digits.hexadecimal, id < 0x2000_0000 else {
            return .unreadable("\"\(found.digits.string)\" is not a CAN identifier")
        }
        let words = found.length.map { found.words.prefix($0) } ?? found.words
        guard words.allSatisfy({ $0.count <= 2 }), let data = frameBytes(words),
            data.count == found.length ?? data.count
        else { return .unreadable("the frame's data are not hexadecimal, or incomplete") }
        if found.isOfDay {
            (isRelative, countsFromMidnight) = (true, true)
        } else {
            sees(found.time)
        }
        return .frame(
            LoggedFrame(
                time: found.time, id: id,
                isExtended: found.isExtended ?? (found.digits.count > 4 || id > 0x7FF),
                data: data, channel: found.channel))
    }

    private static func printed(_ words: [ArraySlice<UInt8>]) -> Printed? {
        guard words.count >= 2 else { return nil }
        if words[0].elementsEqual("Timestamp:".utf8) { return printedByPython(words) }
        if let time = words[0].decimal, time < 1 << 43, words[1].last == 0x3A,
            words[1].starts(with: "0x".utf8)
        {
            return Printed(
                time: time * 1000, digits: words[1].dropFirst(2).dropLast(), words: words[2...])
        }
        let place = words.indices.dropLast(2).first { index in
            isTimeOfDay(words[index]) && FrameLogForm.isLength(words[index + 2])
                && [3, 4, 8].contains(words[index + 1].count)
                && words[index + 1].hexadecimal != nil
        }
        guard let place, let time = DateText.timeOfDay(words[place].string)?.seconds else {
            return nil
        }
        return Printed(
            time: Int64((time * 1e6).rounded()), isOfDay: true, digits: words[place + 1],
            length: words[place + 2].dropFirst().dropLast().decimal.map { Int($0) },
            words: words[(place + 3)...])
    }

    /// `12:22:43.1281`.
    private static func isTimeOfDay(_ word: ArraySlice<UInt8>) -> Bool {
        word.count >= 8 && word.count { $0 == 0x3A } == 2
            && word.allSatisfy { $0 >= 0x30 && $0 <= 0x3A || $0 == 0x2E }
    }

    private static func printedByPython(_ words: [ArraySlice<UInt8>]) -> Printed? {
        guard let id = words.firstIndex(where: { $0.elementsEqual("ID:".utf8) }),
            let length = words.firstIndex(where: { $0.elementsEqual("DL:".utf8) }),
            id + 2 < length, length + 1 < words.count, let time = words[1].millionths,
            let count = words[length + 1].decimal, count <= LoggedFrame.longestFD
        else { return nil }
        let letters = words[(id + 2)..<length].map(\.string)
        var found = Printed(
            time: time, digits: words[id + 1], isExtended: letters.first == "X",
            isFrame: !letters.contains("R") && !letters.contains("E"), length: Int(count),
            words: words[(length + 2)...])
        if let channel = words.lastIndex(where: { $0.elementsEqual("Channel:".utf8) }),
            channel + 1 < words.count
        {
            found.channel = words[channel + 1]
        }
        return found
    }
}
