import Formats
import OBDCore
import VehicleLink

/// Reads the lines of a log of frames.
package struct FrameLogReader {
    package enum Line {
        case frame(LoggedFrame)
        /// A request for a frame, which has no data.
        case remote(LoggedFrame)
        /// A heading, a comment, an event or an error frame.
        case other
        case unreadable(String)
    }

    let form: FrameLogForm
    /// Identifiers at which diagnostics was found; frames of others are read only if they may begin a message.
    var watched: Set<UInt32> = []
    /// Whether a line without a time that can be read is of no use.
    let needsTimes: Bool
    /// Whether the data of frames that cannot be diagnostic may be left out.
    var skipsOthers: Bool
    /// When the log begins, in local time, if its head contains that.
    var beginning: WallClock?
    /// Whether times count from the beginning of the log; nil until a line shows it.
    var isRelative: Bool?
    /// Whether lines show a day and a time of day, so that ``beginning`` is the midnight before the first line.
    var showsClock = false

    // ASC.
    private var isHex = true
    private var isDelta = false
    private var lastTime: Int64 = 0
    /// When the first block of the log begins, until a line with a time shows from when times count.
    private var block: WallClock?
    // TRC: letters that name the columns. Version 1.0 has no line with its version.
    private var columns = Array("NOIL".utf8)
    // Tables.
    private var firstTime: Int64?
    /// Whether times count from midnight of the day on which the log begins.
    var countsFromMidnight = false

    /// A reader at the beginning of a log.
    ///
    /// Without `needsTimes`, frames may have no time. With `skipsOthers`, frames that cannot be diagnostic may
    /// have no data, which saves time.
    package init(_ form: FrameLogForm, needsTimes: Bool = true, skipsOthers: Bool = true) {
        self.form = form
        self.needsTimes = needsTimes
        self.skipsOthers = skipsOthers
    }

    /// Reads a line; blanks at its end and the carriage return of its line end are not part of it.
    package mutating func read(_ line: ArraySlice<UInt8>) -> Line {
        let line = line.trimmedAtEnd
        guard !line.isEmpty else { return .other }
        let found = readForm(line)
        if case .frame(let frame) = found, frame.time.magnitude > Self.longest {
            return .unreadable("no clock shows such a time")
        }
        return found
    }

    /// The time of a frame of this log, in the way in which the log shows it; nil if it shows none.
    package func shown(_ frame: LoggedFrame) -> RecordedTime? {
        guard frame.isTimed else { return nil }
        guard isRelative == true else { return .utc(UTC(microseconds: frame.time)) }
        if showsClock, let beginning {
            return .local(UTC(microseconds: beginning.midnight.microseconds + frame.time))
        }
        return countsFromMidnight ? .timeOfDay(frame.time) : .elapsed(frame.time)
    }

    /// Three thousand years, so that times can be added and subtracted; unit: µs.
    private static let longest: UInt64 = 100_000_000_000_000_000

    private mutating func readForm(_ line: ArraySlice<UInt8>) -> Line {
        switch form {
        case .candump: readCandump(line)
        case .asc: readASC(line)
        case .trc: readTRC(line)
        case .crtd: readCRTD(line)
        case .printed: readPrinted(line)
        case .table(let table): readTable(line, table)
        }
    }

    /// Times from 2001 on are absolute; smaller ones count from the beginning.
    mutating func sees(_ time: Int64) {
        if isRelative == nil { isRelative = time < 978_307_200_000_000 }
    }

    // MARK: Vector

    private mutating func readASC(_ line: ArraySlice<UInt8>) -> Line {
        let words = LineWords(line).rest
        guard let first = words.first else { return .other }
        guard first.first.map({ $0 >= 0x30 && $0 <= 0x39 }) ?? false else {
            let text = words.map { $0.string.lowercased() }
            if text.first == "date" {
                beginning = LogClock.beginning(in: line.string, isMonthFirst: nil) ?? beginning
            }
            if text.first == "base", text.count >= 2 {
                isHex = text[1] == "hex"
                isDelta = text.contains("relative")
            }
            if text.starts(with: ["begin", "triggerblock"]), isRelative == nil {
                block = LogClock.beginning(in: line.string, isMonthFirst: nil)
            }
            return .other
        }
        // A program in a language with decimal commas may write `0,3`.
        let clock = first.contains(0x2C) ? ArraySlice(first.map { $0 == 0x2C ? 0x2E : $0 }) : first
        guard var time = clock.millionths, words.count >= 2 else { return .other }
        if isDelta {
            let sum = time.addingReportingOverflow(lastTime)
            if sum.overflow { return .unreadable("no clock shows such a time") }
            time = sum.partialValue
        }
        lastTime = time
        isRelative = true
        if let block { takeBeginning(of: block, firstTime: time) }
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
            let frame = LoggedFrame(
                time: time, id: id, isExtended: isExtended, data: data, channel: channel)
            // A request has a length code, and no data.
            let isRequest = length == 0 && rest[rest.startIndex + 2].string != "0"
            return isRequest ? .remote(frame) : .frame(frame)
        }
        guard rest.count >= 4, let channel = rest.first, channel.decimal != nil else {
            return .other
        }
        rest = rest.dropFirst()
        let sender = rest.removeFirst()
        // Rx, Tx or TxRq, then d for data, r for remote.
        guard let direction = rest.popFirst(),
            ["rx", "tx", "txrq"].contains(direction.string.lowercased()),
            rest.popFirst()?.string.lowercased() == "d"
        else { return .other }
        guard let (id, isExtended) = identifier(sender) ?? namedIdentifier(rest) else {
            return .unreadable("\"\(sender.string)\" is not a CAN identifier")
        }
        // Length codes above 8 mean 8.
        guard let digits = rest.first,
            let code = isHex ? digits.hexadecimal.map({ Int64($0) }) : digits.decimal, code <= 15,
            rest.count > min(code, 8),
            let data = frameBytes(rest.dropFirst().prefix(Int(min(code, 8))), isHex: isHex)
        else { return .unreadable("a frame without its data") }
        return .frame(
            LoggedFrame(time: time, id: id, isExtended: isExtended, data: data, channel: channel))
    }

    /// Times count from the date in the head of the log, if the first block begins that much later, and otherwise from
    /// the beginning of that block: a program that converts a log writes the date of the conversion into the head.
    private mutating func takeBeginning(of block: WallClock, firstTime: Int64) {
        self.block = nil
        if let beginning, let from = beginning.time, let to = block.time,
            abs(to.microseconds(since: from) &- firstTime) <= 2_000_000
        {
            return
        }
        beginning = block
    }

    /// Parses `7E8`, `18DAF110x`, or decimal numbers if the head of the log has them.
    private func identifier(_ word: ArraySlice<UInt8>) -> (UInt32, Bool)? {
        let isExtended = word.last == 0x78 || word.last == 0x58
        let digits = isExtended ? word.dropLast() : word
        let id = isHex ? digits.hexadecimal : digits.decimal.flatMap { UInt32(exactly: $0) }
        guard let id, id < (isExtended ? 0x2000_0000 : 0x800) else { return nil }
        return (id, isExtended)
    }

    /// The identifier of a frame whose line begins with the name of its message; the identifier is decimal and
    /// follows the data: `Length = 0 BitCount = 0 ID = 2024`.
    private func namedIdentifier(_ words: ArraySlice<ArraySlice<UInt8>>) -> (UInt32, Bool)? {
        let text = words.map { $0.string }
        guard
            let mark = text.indices.dropLast(2).last(where: {
                text[$0...].starts(with: ["ID", "="])
            })
        else { return nil }
        var digits = text[mark + 2][...]
        let isExtended = digits.lowercased().hasSuffix("x")
        if isExtended { digits.removeLast() }
        guard let id = UInt32(digits), id < (isExtended ? 0x2000_0000 : 0x800) else { return nil }
        return (id, isExtended)
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
            } else if beginning == nil, text.lowercased().contains(" start time: ") {
                beginning = LogClock.beginning(in: text, isMonthFirst: nil)
            }
            return .other
        }
        var words = LineWords(line).rest[...]
        // Events, errors and states of the bus have other columns than frames.
        if let place = columns.firstIndex(of: 0x54), place < words.count,
            !["DT", "FD", "FB", "FE", "BI"].contains(words[place].string)
        {
            return .other
        }
        guard words.count > columns.count - 1 else {
            return words.isEmpty ? .other : .unreadable("a short line")
        }
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
            case 0x42: channel = word
            case 0x49:
                // FFFFFFFF is a state of the bus.
                guard let id = word.hexadecimal, id < .max else { return .other }
                found = (id, word.count > 4)
            case 0x64:
                guard ["rx", "tx"].contains(word.string.lowercased()) else { return .other }
            case 0x4C:
                // A data length code.
                guard let code = word.decimal, code <= 15 else { return .other }
                length = ISO15765.length(ofCode: Int(code))
            case 0x6C:
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

    private mutating func readTable(_ line: ArraySlice<UInt8>, _ table: FrameTable) -> Line {
        if table.isHeading(line) { return .other }
        let cells = FrameTable.cells(line, table.separator)
        let last = max(table.id, table.data, needsTimes ? table.timeColumn : 0)
        guard cells.count > last else {
            return .unreadable("not time, identifier and data")
        }
        func isSet(_ column: Int?) -> Bool {
            guard let column, column < cells.count else { return false }
            let text = cells[column].string.lowercased()
            return text == "1" || text == "true" || text.hasPrefix("ext") || text.contains("29")
                || text == "x"
        }
        var isExtended = isSet(table.extended)
        if let flags = table.flags, flags < cells.count {
            let letters = cells[flags].string.uppercased()
            if letters.contains("R") || letters.contains("E") { return .other }
            if letters.contains("X") { isExtended = true }
        }
        if isSet(table.remote) || isSet(table.error) { return .other }
        var digits = cells[table.id]
        if digits.last == 0x78 || digits.last == 0x58 {
            isExtended = true
            digits = digits.dropLast()
        }
        let found =
            table.isDecimalID
            ? digits.decimal.flatMap { UInt32(exactly: $0) } : digits.withoutHexMark.hexadecimal
        guard let id = found, id < 0x2000_0000 else {
            return .unreadable("\"\(cells[table.id].string)\" is not a CAN identifier")
        }
        isExtended = isExtended || id > 0x7FF || table.extended == nil && digits.count == 8
        let time: Int64?
        let clock = table.timeColumn < cells.count ? cells[table.timeColumn] : []
        switch self.time(clock, table.time) {
        case .success(let found): time = found
        case .failure(let fault):
            if needsTimes { return .unreadable(fault.reason) }
            time = nil
        }
        var length: Int?
        if let column = table.length, column < cells.count {
            guard let count = cells[column].decimal, count <= 64 else {
                return .unreadable("\"\(cells[column].string)\" is not a length")
            }
            length = Int(count)
        }
        guard let data = bytes(of: cells, table, length) else {
            return .unreadable("the frame's data cannot be read")
        }
        let channel = table.channel.flatMap { $0 < cells.count ? cells[$0] : nil } ?? []
        var frame = LoggedFrame(
            time: time ?? 0, id: id, isExtended: isExtended, data: data, channel: channel)
        frame.isTimed = time != nil
        return .frame(frame)
    }

    private func bytes(
        of cells: [ArraySlice<UInt8>], _ table: FrameTable, _ count: Int?
    ) -> InlineBytes? {
        if table.bytes == .base64 { return base64(cells[table.data]) }
        let isHex = table.bytes == .hexadecimal
        if table.byteColumns > 0 {
            let filled = cells[table.data...].prefix { !$0.isEmpty }
            guard let count else {
                return frameBytes(
                    filled.prefix(table.byteColumns).map(\.withoutHexMark), isHex: isHex)
            }
            let length = Self.length(count, present: filled.count)
            guard filled.count >= length else { return nil }
            return frameBytes(filled.prefix(length).map(\.withoutHexMark), isHex: isHex)
        }
        let cell = cells[table.data]
        // Some programs write one heading for all bytes.
        if let count, count > 1, cell.count <= 2 {
            let rest = cells[table.data...]
            let length = Self.length(count, present: rest.count)
            if rest.count >= length { return frameBytes(rest.prefix(length), isHex: isHex) }
        }
        let words = FrameTable.words(cell)
        var found: InlineBytes?
        if words.count == 1, let word = words.first?.withoutHexMark, word.count > 2, isHex {
            guard word.count % 2 == 0 else { return nil }
            found = frameBytes(
                stride(from: word.startIndex, to: word.endIndex, by: 2).map { word[$0..<$0 + 2] })
        } else {
            found = frameBytes(words.map(\.withoutHexMark), isHex: isHex)
        }
        guard let found, let count else { return found }
        let length = Self.length(count, present: found.count)
        // A program may write eight bytes for shorter frames.
        return found.count >= length ? InlineBytes(found.prefix(length)) : nil
    }

    /// The length of a frame with `present` bytes in a table, whose column may have the length or, for CAN FD, its
    /// code.
    private static func length(_ count: Int, present: Int) -> Int {
        // 12 bytes, or the code of 24.
        let isLength =
            count <= ISO15765.frameLength || count > 15
            || ISO15765.isLengthOfFD(count) && present != ISO15765.length(ofCode: count)
        return isLength ? count : ISO15765.length(ofCode: count)
    }

    private struct TimeFault: Error { var reason: String }

    /// The time of a cell in microseconds.
    private mutating func time(
        _ cell: ArraySlice<UInt8>, _ form: FrameTable.Time
    ) -> Result<Int64, TimeFault> {
        switch form {
        case .missing:
            return .failure(TimeFault(reason: "the table has no column with a time"))
        case .unknown:
            return .failure(
                TimeFault(reason: "the table does not say the unit of its times, such as us or ms"))
        case .number(let microseconds):
            let found: Int64?
            if microseconds == 1e6 {
                found =
                    cell.signedMillionths
                    ?? cell.signedNumber.flatMap { Int64(exactly: ($0 * 1e6).rounded()) }
            } else {
                found = cell.signedNumber.flatMap { Int64(exactly: ($0 * microseconds).rounded()) }
            }
            // Three thousand years, so that times can be added and subtracted.
            guard var time = found, time.magnitude < 100_000_000_000_000_000 else {
                return .failure(TimeFault(reason: "\"\(cell.string)\" is not a time"))
            }
            let first = firstTime ?? time
            firstTime = first
            // Some programs subtract the time of day since 1970 from a clock that counts from the start.
            if first < -978_307_200_000_000 { time = -first + (time - first) }
            sees(time)
            return .success(time)
        case .text:
            let text = cell.string
            if let found = DateText(text), found.days.count == 1, let day = found.days.first,
                let seconds = found.seconds
            {
                let ofDay = Int64((seconds * 1e6).rounded())
                if let zone = found.zone {
                    guard case .shift(let shift) = zone.meaning else {
                        return .failure(
                            TimeFault(reason: "the time zone \"\(zone.text)\" is not clear"))
                    }
                    isRelative = false
                    return .success(day.midnight.microseconds + ofDay - shift)
                }
                (isRelative, showsClock, countsFromMidnight) = (true, true, true)
                if beginning == nil { beginning = WallClock(day.midnight, seconds: nil) }
                let passed = day.midnight.microseconds - (beginning?.midnight.microseconds ?? 0)
                return .success(passed + ofDay)
            }
            if let found = DateText.timeOfDay(text) {
                (isRelative, countsFromMidnight) = (true, true)
                return .success(Int64((found.seconds * 1e6).rounded()))
            }
            return .failure(TimeFault(reason: "\"\(text)\" is not a time"))
        }
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
