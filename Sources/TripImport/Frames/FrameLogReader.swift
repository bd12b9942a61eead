import Formats
import OBDCore

/// Reads the lines of a log of frames.
struct FrameLogReader {
    /// The content of a line.
    enum Line {
        case frame(LoggedFrame)
        /// A heading, a comment, an event, a remote or an error frame.
        case other
        /// Any other line.
        case unreadable(String)
    }

    let form: FrameLogForm
    /// When the log begins, in local time, if its head contains that.
    private(set) var beginning: WallClock?
    /// Whether times count from the beginning of the log; nil until a line shows it.
    private(set) var isRelative: Bool?

    // ASC.
    private var isHex = true
    private var isDelta = false
    private var lastTime: Int64 = 0
    // TRC: letters that name the columns.
    private var columns = Array("NOdIL".utf8)
    // GVRET.
    private var hasDirection = false

    init(_ form: FrameLogForm) { self.form = form }

    mutating func read(_ line: ArraySlice<UInt8>) -> Line {
        switch form {
        case .candumpLog: readCandumpLog(line)
        case .candumpScreen: readCandumpScreen(line)
        case .asc: readASC(line)
        case .trc: readTRC(line)
        case .gvret: readGVRET(line)
        case .crtd: readCRTD(line)
        case .pythonCAN: readPythonCAN(line)
        }
    }

    /// Times from 2001 on are absolute; smaller ones count from the beginning.
    private mutating func sees(_ time: Int64) {
        if isRelative == nil { isRelative = time < 978_307_200_000_000 }
    }

    // MARK: candump

    private mutating func readCandumpLog(_ line: ArraySlice<UInt8>) -> Line {
        var words = LineWords(line)
        guard let clock = words.next(), let channel = words.next(), let text = words.next(),
            clock.first == 0x28, clock.last == 0x29,
            let time = clock.dropFirst().dropLast().millionths, let hash = text.firstIndex(of: 0x23)
        else { return .unreadable("not time, channel and frame") }
        let digits = text[..<hash]
        guard let id = digits.hexadecimal, digits.count == 3 || digits.count == 8 else {
            return .unreadable("\"\(digits.string)\" is not a CAN identifier")
        }
        sees(time)
        // This flag marks an error frame.
        if id & 0x2000_0000 != 0 { return .other }
        let isExtended = digits.count == 8
        var data = text[(hash + 1)...]
        guard LoggedFrame.mayBeDiagnostic(id, isExtended) else {
            return .frame(
                LoggedFrame(
                    time: time, id: id, isExtended: isExtended, data: InlineBytes(),
                    channel: channel))
        }
        if data.first == 0x52 { return .other }
        // `##` and a digit with flags: CAN FD.
        if data.first == 0x23 { data = data.dropFirst(2) }
        var bytes = InlineBytes()
        var high: UInt8?
        for byte in data where byte != 0x2E {
            guard let digit = Hex.value(byte), bytes.count < 64 else {
                return .unreadable("the frame's data are not hexadecimal")
            }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else { return .unreadable("the frame ends in half a byte") }
        return .frame(
            LoggedFrame(
                time: time, id: id, isExtended: isExtended, data: bytes, channel: channel))
    }

    private mutating func readCandumpScreen(_ line: ArraySlice<UInt8>) -> Line {
        var words = LineWords(line)
        guard var word = words.next() else { return .other }
        guard word.first == 0x28 else {
            return .unreadable("the frame has no time; candump -L writes one")
        }
        // `(2021-05-04 16:34:11.190458)` consists of two words.
        var time: Int64?
        if word.last == 0x29 {
            time = word.dropFirst().dropLast().millionths
        } else if let clock = words.next(), clock.last == 0x29,
            let day = UTC(word.dropFirst().string),
            let ofDay = WallClock.seconds(clock.dropLast().string)
        {
            beginning = beginning ?? WallClock(day, seconds: 0)
            let passed = day.microseconds - (beginning?.midnight.microseconds ?? 0)
            time = passed + Int64((ofDay * 1e6).rounded())
            isRelative = true
        }
        guard let time, let channel = words.next() else { return .unreadable("not a time") }
        sees(time)
        var before: ArraySlice<UInt8>?
        while let next = words.next(), !FrameLogForm.isLength(next) { before = next }
        guard let digits = before, let id = digits.hexadecimal,
            digits.count == 3 || digits.count == 8
        else { return .unreadable("not a CAN identifier and a length") }
        word = digits
        var data: [ArraySlice<UInt8>] = []
        while let next = words.next(), next.count == 2 { data.append(next) }
        if data.isEmpty { return .other }
        guard let bytes = frameBytes(data) else {
            return .unreadable("the frame's data are not hexadecimal")
        }
        return .frame(
            LoggedFrame(
                time: time, id: id, isExtended: word.count == 8, data: bytes, channel: channel))
    }

    // MARK: Vector

    private mutating func readASC(_ line: ArraySlice<UInt8>) -> Line {
        let words = LineWords(line).rest
        guard let first = words.first else { return .other }
        guard first.first.map({ $0 >= 0x30 && $0 <= 0x39 }) ?? false else {
            let text = words.map { $0.string.lowercased() }
            if text.first == "date" { beginning = Self.date(words) ?? beginning }
            if text.first == "base", text.count >= 2 {
                isHex = text[1] == "hex"
                isDelta = text.contains("relative")
            }
            return .other
        }
        guard var time = first.millionths, words.count >= 2 else { return .other }
        if isDelta { time += lastTime }
        lastTime = time
        isRelative = true
        var rest = words.dropFirst()
        if rest.first?.string.uppercased() == "CANFD" {
            // Channel, direction, identifier, an optional name, two flags, length code, length,
            // data.
            rest = rest.dropFirst()
            guard rest.count >= 7, let channel = rest.first else { return .other }
            rest = rest.dropFirst(2)
            guard let (id, isExtended) = identifier(rest.removeFirst()) else { return .other }
            if let name = rest.first, name.string != "0", name.string != "1" {
                rest = rest.dropFirst()
            }
            guard rest.count >= 4, let length = rest[rest.startIndex + 3].decimal,
                rest.count >= 4 + length,
                let data = frameBytes(rest.dropFirst(4).prefix(Int(length)))
            else { return .unreadable("a CAN FD frame without its data") }
            return .frame(
                LoggedFrame(
                    time: time, id: id, isExtended: isExtended, data: data, channel: channel))
        }
        guard rest.count >= 4, let channel = rest.first, channel.decimal != nil else {
            return .other
        }
        rest = rest.dropFirst()
        guard let (id, isExtended) = identifier(rest.removeFirst()) else { return .other }
        // Rx or Tx, then d for data, r for remote.
        rest = rest.dropFirst()
        guard rest.first?.string.lowercased() == "d" else { return .other }
        rest = rest.dropFirst()
        guard let digits = rest.first,
            let length = isHex ? digits.hexadecimal.map({ Int64($0) }) : digits.decimal,
            length <= 8, rest.count > length,
            let data = frameBytes(rest.dropFirst().prefix(Int(length)), isHex: isHex)
        else { return .unreadable("a frame without its data") }
        return .frame(
            LoggedFrame(time: time, id: id, isExtended: isExtended, data: data, channel: channel))
    }

    /// Parses `7E8`, `18DAF110x`, or decimal numbers if the head says so.
    private func identifier(_ word: ArraySlice<UInt8>) -> (UInt32, Bool)? {
        let isExtended = word.last == 0x78 || word.last == 0x58
        let digits = isExtended ? word.dropLast() : word
        let id = isHex ? digits.hexadecimal : digits.decimal.flatMap { UInt32(exactly: $0) }
        guard let id, id < (isExtended ? 0x2000_0000 : 0x800) else { return nil }
        return (id, isExtended)
    }

    /// `date Sam Sep 30 10:06:13.191 PM 2017`.
    private static func date(_ words: [ArraySlice<UInt8>]) -> WallClock? {
        let text = words.dropFirst().map(\.string)
        guard let year = text.last(where: { $0.count == 4 && Int($0) != nil }),
            let clock = text.first(where: { $0.contains(":") }),
            var seconds = WallClock.seconds(clock),
            let month = text.indices.first(where: { index in
                LogClock.month(text[index]) != nil && index + 1 < text.count
                    && Int(text[index + 1]) != nil
            }), let number = LogClock.month(text[month]), let day = Int(text[month + 1]),
            let midnight = LogClock.day(year, number, day)
        else { return nil }
        let half = text.first { ["am", "pm"].contains($0.lowercased()) }?.lowercased()
        if half == "pm", seconds < 43_200 { seconds += 43_200 }
        if half == "am", seconds >= 43_200 { seconds -= 43_200 }
        return WallClock(midnight, seconds: seconds)
    }

    // MARK: PEAK

    private mutating func readTRC(_ line: ArraySlice<UInt8>) -> Line {
        if line.first == 0x3B {
            let text = line.string
            if let mark = text.firstIndex(of: "=") {
                let value = text[text.index(after: mark)...]
                switch text[..<mark].uppercased() {
                case ";$FILEVERSION":
                    switch value {
                    case "1.0": columns = Array("NOIL".utf8)
                    case "1.1": columns = Array("NOdIL".utf8)
                    case "1.2": columns = Array("NOBdIL".utf8)
                    case "1.3": columns = Array("NOBdIRL".utf8)
                    default: columns = Array("NOTIdL".utf8)
                    }
                case ";$STARTTIME":
                    // Days since 1899-12-30.
                    if let days = CSVNumber.decimal(value), (1...200_000).contains(days) {
                        let whole = days.rounded(.down)
                        beginning = WallClock(
                            UTC(microseconds: (Int64(whole) - 25_569) * 86_400_000_000),
                            seconds: ((days - whole) * 86_400 * 1000).rounded() / 1000)
                    }
                case ";$COLUMNS":
                    columns = value.utf8.filter { $0 != 0x2C && $0 != 0x20 && $0 != 0x44 }
                default: break
                }
            }
            return .other
        }
        var words = LineWords(line).rest[...]
        guard words.count > columns.count - 1 else {
            return words.isEmpty ? .other : .unreadable("a short line")
        }
        // Version 1.0 has no version line and no column for the direction.
        var time: Int64?
        var found: (id: UInt32, isExtended: Bool)?
        var length = 0
        var channel = ArraySlice<UInt8>()
        for column in columns {
            let word = words.removeFirst()
            switch column {
            case 0x4F:
                // Milliseconds.
                time = word.millionths.map { $0 / 1000 }
            case 0x54:
                guard ["DT", "FD", "FB", "FE", "BI"].contains(word.string) else { return .other }
            case 0x42: channel = word
            case 0x49:
                guard let id = word.hexadecimal else { return .other }
                found = (id, word.count > 4)
            case 0x64:
                guard ["rx", "tx"].contains(word.string.lowercased()) else { return .other }
            case 0x4C, 0x6C:
                guard let count = word.decimal, count <= 64 else { return .other }
                length = Int(count)
            default: break
            }
        }
        guard let time, let found, found.id < 0x2000_0000 else {
            return .unreadable("no time or identifier")
        }
        isRelative = true
        if words.first?.string == "RTR" { return .other }
        guard let data = frameBytes(words.prefix(length)), data.count == min(length, words.count)
        else { return .unreadable("the frame's data are not hexadecimal") }
        return .frame(
            LoggedFrame(
                time: time, id: found.id, isExtended: found.isExtended, data: data,
                channel: channel))
    }

    // MARK: tables

    private mutating func readGVRET(_ line: ArraySlice<UInt8>) -> Line {
        let cells = line.split(separator: 0x2C, omittingEmptySubsequences: false)
            .map { $0.trimmed(0x20) }
        guard let first = cells.first, let time = first.decimal else {
            let head = line.string.lowercased()
            hasDirection = head.contains(",dir,")
            return head.hasPrefix("time stamp") ? .other : .unreadable("not a time")
        }
        sees(time)
        let start = hasDirection ? 4 : 3
        guard cells.count > start + 1, let id = cells[1].hexadecimal, id < 0x2000_0000,
            let length = cells[start + 1].decimal, length <= 64,
            cells.count >= start + 2 + Int(length)
        else { return .unreadable("not identifier, bus, length and data") }
        let isExtended = ["true", "1"].contains(cells[2].string.lowercased())
        guard let data = frameBytes(cells[(start + 2)...].prefix(Int(length))) else {
            return .unreadable("the frame's data are not hexadecimal")
        }
        return .frame(
            LoggedFrame(
                time: time, id: id, isExtended: isExtended, data: data, channel: cells[start]))
    }

    private mutating func readCRTD(_ line: ArraySlice<UInt8>) -> Line {
        var words = LineWords(line)
        guard let clock = words.next(), let kind = words.next() else { return .other }
        guard let time = clock.millionths else { return .unreadable("not a time") }
        sees(time)
        let letters = kind.drop { $0 >= 0x30 && $0 <= 0x39 }
        guard letters.first == 0x52 || letters.first == 0x54,
            ["11", "29"].contains(letters.dropFirst().string)
        else { return .other }
        guard let id = words.next()?.hexadecimal, id < 0x2000_0000,
            let data = frameBytes(words.rest)
        else { return .unreadable("not an identifier and bytes") }
        return .frame(
            LoggedFrame(
                time: time, id: id, isExtended: letters.last == 0x39, data: data,
                channel: kind[..<letters.startIndex]))
    }

    private mutating func readPythonCAN(_ line: ArraySlice<UInt8>) -> Line {
        let cells = line.split(separator: 0x2C, omittingEmptySubsequences: false)
        guard let time = cells.first?.millionths else {
            return line.string.lowercased().hasPrefix("timestamp")
                ? .other : .unreadable("not a time")
        }
        sees(time)
        guard cells.count >= 7, cells[1].starts(with: "0x".utf8),
            let id = cells[1].dropFirst(2).hexadecimal, id < 0x2000_0000
        else { return .unreadable("not a CAN identifier") }
        if cells[3].string == "1" || cells[4].string == "1" { return .other }
        guard let data = base64(cells[6]) else { return .unreadable("the data are not base64") }
        return .frame(
            LoggedFrame(
                time: time, id: id, isExtended: cells[2].string == "1", data: data, channel: []))
    }

    private func base64(_ text: ArraySlice<UInt8>) -> InlineBytes? {
        var result = InlineBytes()
        var bits: UInt32 = 0
        var count = 0
        guard text.count % 4 == 0 else { return nil }
        var rest = text
        while rest.last == 0x3D { rest.removeLast() }
        guard text.count - rest.count <= 2 else { return nil }
        for byte in rest {
            let value: UInt8
            switch byte {
            case 0x41...0x5A: value = byte - 0x41
            case 0x61...0x7A: value = byte - 0x61 + 26
            case 0x30...0x39: value = byte - 0x30 + 52
            case 0x2B: value = 62
            case 0x2F: value = 63
            default: return nil
            }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                guard result.count < 64 else { return nil }
                result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return result
    }
}
