import Formats
import OBDCore

/// The formats of text files with frames of a CAN bus.
package enum FrameLogForm: Hashable, Sendable {
    /// candump's log and its output on a terminal.
    case candump
    case asc
    /// PEAK's TRC, 1.0 to 2.1.
    case trc
    case crtd
    /// Frames with their times as python-can, tools for RP1210 and sketches print them.
    case printed
    /// A table: GVRET, SavvyCAN, python-can, Kvaser, CSS Electronics and others.
    case table(FrameTable)

    /// The format of a file with this beginning; nil for anything else.
    package init?(beginning: [UInt8]) {
        var bytes = beginning.prefix(64 << 10)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        var seen = 0
        for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            guard seen < 40 else { break }
            seen += 1
            if let form = Self(line: line) {
                self = form
                return
            }
        }
        guard let table = FrameTable(beginning: bytes) else { return nil }
        self = .table(table)
    }

    /// The format of a log with this line; nil for most lines, and for tables.
    package init?(line: ArraySlice<UInt8>) {
        let line = line.contains(0x1B) ? FrameLogReader.withoutColours(line)[...] : line
        let lower = line.string.lowercased()
        let words = LineWords(line).rest
        // Version 1.0 has no line with its version.
        if lower.hasPrefix(";$fileversion=")
            || lower.hasPrefix("; ") && lower.contains(" start time: ")
            || Self.isOldTRC(words)
        {
            self = .trc
            return
        }
        if words.count == 1, FrameLogReader.isFrame(words[0]) {
            self = .candump
            return
        }
        guard words.count >= 2 else { return nil }
        if lower.hasPrefix("date "), words.count >= 5 || words.count == 3 {
            self = .asc
            return
        }
        if lower.hasPrefix("base hex") || lower.hasPrefix("base dec") || Self.isHeadlessASC(words) {
            self = .asc
            return
        }
        if FrameLogReader.isPrinted(words) {
            self = .printed
            return
        }
        if Self.isCandump(words) {
            self = .candump
            return
        }
        if words[0].millionths != nil, words[0].contains(0x2E), Self.isCRTD(words[1]) {
            self = .crtd
            return
        }
        return nil
    }

    /// `(1696758378.547717) can0 7E8#0341`, `can0  7E8   [8]  03 41`.
    private static func isCandump(_ words: [ArraySlice<UInt8>]) -> Bool {
        let isTimed = words[0].first == 0x28
        // A date and a time of day are two words.
        let rest = words.dropFirst(isTimed ? (words[0].last == 0x29 ? 1 : 2) : 0)
        // The interface is before the frame.
        guard let text = rest.dropFirst().first else { return false }
        if let mark = text.firstIndex(of: 0x23) {
            return isTimed
                || [3, 8].contains(mark - text.startIndex)
                    && text[..<mark].hexadecimal != nil
        }
        let place = rest.dropFirst().firstIndex(where: isLength)
        guard let place, place > rest.startIndex + 1 else { return false }
        return isTimed || rest[place - 1].hexadecimal != nil
    }

    /// `0.010000 1  7E8  Rx   d 8 04 41 0C 1A F8 00 00 00`, from a log whose head is lost.
    ///
    /// Only the head says whether numbers are hexadecimal; a byte such as `0C` or `04` shows it, too.
    private static func isHeadlessASC(_ words: [ArraySlice<UInt8>]) -> Bool {
        guard words.count >= 6, words[0].contains(0x2E), words[0].millionths != nil,
            words[1].decimal != nil, ["Rx", "Tx"].contains(words[3].string),
            words[4].elementsEqual("d".utf8), let length = words[5].decimal, length <= 8,
            words.count >= 6 + length
        else { return false }
        let bytes = words[6...].prefix(Int(length))
        return bytes.allSatisfy { $0.count == 2 && $0.hexadecimal != nil }
            && bytes.contains { $0.first == 0x30 || $0.decimal == nil }
    }

    /// `1) 1059 000007E8 8 04 41`: number, time in milliseconds, identifier, length and data.
    private static func isOldTRC(_ words: [ArraySlice<UInt8>]) -> Bool {
        guard words.count >= 4, words[0].last == 0x29, words[0].dropLast().decimal != nil,
            words[1].millionths != nil, [4, 8].contains(words[2].count),
            words[2].hexadecimal != nil, let length = words[3].decimal, length <= 8
        else { return false }
        return words.count == 4 + Int(length)
            && words.dropFirst(4).allSatisfy { $0.count == 2 && $0.hexadecimal != nil }
    }

    /// `[8]`, `[08]`.
    static func isLength(_ word: ArraySlice<UInt8>) -> Bool {
        word.first == 0x5B && word.last == 0x5D && word.count <= 4
            && word.dropFirst().dropLast().decimal != nil
    }

    /// `1R11`, `R29`, `T11`, `CXX`.
    static func isCRTD(_ word: ArraySlice<UInt8>) -> Bool {
        let kind = word.drop { $0 >= 0x30 && $0 <= 0x39 }.string
        return ["R11", "R29", "T11", "T29", "CXX", "CEV", "CVR"].contains(kind)
    }
}
