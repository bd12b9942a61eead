import OBDCore

/// The texts that an adapter prints, and their positions in a line.
///
/// Words are matched before hexadecimal digits (`FB ERROR`, `DATA…` begin with letters A–F), with blanks and
/// case aside, anywhere in the line: words may be glued to earlier data.
package enum AdapterWords {
    package enum Meaning: Hashable, Sendable {
        case status(AdapterStatus)
        /// After data: the line is damaged.
        ///
        /// Alone on a line: a status instead of data.
        case damaged(AdapterStatus)
        /// An event of the adapter's power supply, beside an answer; alone: a status instead of data.
        case alert(AdapterStatus)

        /// The status; nil for news.
        package var status: AdapterStatus? {
            switch self {
            case .status(let status), .damaged(let status): status
            case .alert: nil
            }
        }
    }

    /// Every text of the ELM327's data sheet, the more specific first, then those of other chips and
    /// of clones (``AdapterQuirk``).
    package static let table: [(text: String, meaning: Meaning)] =
        [
            ("UNABLETOCONNECT", .status(.unableToConnect)),
            ("NODATA", .status(.noData)),
            ("BUSBUSY", .status(.busBusy)),
            ("BUSERROR", .status(.busError)),
            ("CANERROR", .status(.canError)),
            ("<DATAERROR", .damaged(.dataError)),
            ("DATAERROR", .damaged(.dataError)),
            ("<RXERROR", .damaged(.rxError)),
            ("RXERROR", .damaged(.rxError)),
            ("BUFFERFULL", .status(.bufferFull)),
            ("FBERROR", .status(.feedbackError)),
            ("LVRESET", .status(.lowVoltageReset)),
            ("STOPPED", .status(.stopped)),
        ] + AdapterQuirk.words(alone: false).map { ($0.text, .status($0.status)) } + [
            ("LOWPOWERALERT", .alert(.lowPowerAlert)),
            ("LPALERT", .alert(.lowPowerAlert)),
            ("ACTALERT", .alert(.activityAlert)),
        ]

    /// Words that count only when they are the whole line.
    package static let wholeLines: [(text: String, meaning: Meaning)] =
        AdapterQuirk.words(alone: true).map { ($0.text, .status($0.status)) }

    /// How banners begin: the answer to `AT I`, or a sign that the adapter has restarted.
    package static let banners = ["ELM32"] + AdapterQuirk.banners

    /// Where a text is in a line, as offsets.
    package struct Match: Hashable, Sendable {
        package var meaning: Meaning
        package var start: Int
        package var end: Int
    }

    /// The first word of `line` (trimmed) that has a meaning.
    package static func find(in line: Span<UInt8>) -> Match? {
        for (text, meaning) in wholeLines where end(of: text, in: line, at: 0) == line.count {
            return Match(meaning: meaning, start: 0, end: line.count)
        }
        for (text, meaning) in table {
            if let start = position(of: text, in: line) {
                let end = end(of: text, in: line, at: start) ?? line.count
                return Match(meaning: meaning, start: start, end: end)
            }
        }
        if line.count > 0, line[0] == UInt8(ascii: "?"), !isDigits(line.extracting(1...)) {
            // Some adapters give a reason: `?WRONG HEXCHAR COUNT`. With digits it is a damaged line.
            return Match(meaning: .status(.unknownCommand), start: 0, end: line.count)
        }
        return errorNumber(in: line).map { start in
            let isFatal = end(of: "ERR94", in: line, at: start) != nil
            return Match(
                meaning: .status(isFatal ? .fatalCANError : .internalError), start: start,
                end: line.count)
        }
    }

    /// The parts of `line` before and after an alert.
    ///
    /// The adapter prints an alert by itself, so that data beside the alert only lost a line end. Some adapters
    /// print `!` before the alert.
    package static func besides(_ alert: Match, in line: Span<UInt8>) -> [Range<Int>] {
        var end = alert.start
        while end > 0, line[end - 1] == 0x20 || line[end - 1] == UInt8(ascii: "!") { end -= 1 }
        var start = alert.end
        while start < line.count, line[start] == 0x20 { start += 1 }
        return [0..<end, start..<line.count].filter { !$0.isEmpty }
    }

    /// The offset of `ERR` and two digits.
    private static func errorNumber(in line: Span<UInt8>) -> Int? {
        var from = 0
        while let start = position(of: "ERR", in: line, from: from) {
            if var end = end(of: "ERR", in: line, at: start) {
                while end < line.count, line[end] == 0x20 { end += 1 }
                if end + 1 < line.count, isDigit(line[end]), isDigit(line[end + 1]) {
                    return start
                }
            }
            from = start + 1
        }
        return nil
    }

    /// Whether a text consists of hexadecimal digits and blanks; false for an empty one.
    private static func isDigits(_ text: Span<UInt8>) -> Bool {
        !text.isEmpty && text.indices.allSatisfy { text[$0] == 0x20 || Hex.value(text[$0]) != nil }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Whether the line begins like a banner.
    package static func isBanner(_ line: Span<UInt8>) -> Bool {
        // A common clone ends its echo-less restart with the answer to the command before.
        let start = end(of: "OK", in: line, at: 0) ?? 0
        return banners.contains { end(of: $0, in: line, at: start) != nil }
    }

    /// Where `text` begins in `line`, blanks and case aside.
    package static func position(of text: String, in line: Span<UInt8>, from: Int = 0) -> Int? {
        var index = from
        while index < line.count {
            if line[index] != 0x20, end(of: text, in: line, at: index) != nil { return index }
            index += 1
        }
        return nil
    }

    /// Where `text` ends in `line` if it is at `index`, blanks and case aside.
    package static func end(of text: String, in line: Span<UInt8>, at index: Int) -> Int? {
        var index = index
        for wanted in text.utf8 {
            while index < line.count, line[index] == 0x20 || line[index] == 0x09 { index += 1 }
            guard index < line.count else { return nil }
            let byte = line[index]
            guard ((0x61...0x7A).contains(byte) ? byte - 0x20 : byte) == wanted else { return nil }
            index += 1
        }
        return index
    }

    /// The start of the text after `SEARCHING...`; nil if the line does not begin with it.
    package static func endOfSearching(_ line: Span<UInt8>) -> Int? {
        if let end = end(of: "SEARCHING", in: line, at: 0) { return skipDots(line, from: end) }
        // The word itself may have been read before: `...48 6B 10 41 00`.
        return line.count > 0 && line[0] == UInt8(ascii: ".") ? skipDots(line, from: 0) : nil
    }

    /// Whether a line reports a search for the protocol or a bus initialisation.
    package static func isSearch(_ line: Span<UInt8>) -> Bool {
        endOfSearching(line) != nil || busInit(line, isContinued: false) != nil
    }

    /// How a bus initialisation went.
    package enum BusInit: Hashable, Sendable {
        case open
        /// The search succeeded; `end` is the start of the text after it.
        ///
        /// `isSlow` means dots, at 5 baud.
        case done(end: Int, isSlow: Bool)
        case failed
    }

    /// Reads `BUS INIT: ...OK` and similar texts; nil if the line does not begin that way.
    ///
    /// - Parameter isContinued: the line before was an open `BUS INIT:`.
    package static func busInit(_ line: Span<UInt8>, isContinued: Bool) -> BusInit? {
        var start = 0
        if let end = end(of: "BUSINIT", in: line, at: 0) {
            start = end
        } else if !isContinued {
            return nil
        }
        let end = skipDots(line, from: start)
        if end == line.count { return .open }
        if let after = self.end(of: "OK", in: line, at: end) {
            let isSlow = (start..<end).contains { line[$0] == UInt8(ascii: ".") }
            return .done(end: after, isSlow: isSlow)
        }
        if self.end(of: "ERROR", in: line, at: end) != nil { return .failed }
        return start > 0 ? .done(end: end, isSlow: false) : nil
    }

    private static func skipDots(_ line: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < line.count {
            switch line[index] {
            case 0x20, 0x09, UInt8(ascii: "."), UInt8(ascii: ":"): index += 1
            default: return index
            }
        }
        return index
    }
}
