import OBDCore

/// A table with one frame of a CAN bus per row, as many programs write it.
///
/// The columns show that a table is one: an identifier, and data in one cell or in a cell per byte. GVRET and
/// SavvyCAN, python-can, Kvaser, CSS Electronics and many scripts write such tables; some write them without
/// a heading.
package struct FrameTable: Hashable, Sendable {
    /// How cells with a time read.
    enum Time: Hashable {
        /// Numbers in units of this many microseconds.
        case number(microseconds: Double)
        /// A date or a time of day.
        case text
        /// Whole numbers without a unit.
        case unknown
        /// There is no time.
        case missing
    }

    /// How the bytes of a frame read.
    enum Bytes: Hashable {
        case hexadecimal, decimal, base64
    }

    var separator: UInt8
    var time: Time
    var timeColumn = 0
    var id: Int
    var isDecimalID = false
    var extended: Int?
    var channel: Int?
    var length: Int?
    /// The column with the data, or with their first byte.
    var data: Int
    /// The number of columns for bytes; 0 if one column has all data.
    var byteColumns = 0
    var bytes = Bytes.hexadecimal
    var remote: Int?
    var error: Int?
    /// Letters such as `R` and `X`.
    var flags: Int?
    /// The heading; empty if there is none.
    private var heading: [UInt8] = []

    /// The table in a file with this beginning; nil for anything else.
    init?(beginning: ArraySlice<UInt8>) {
        let lines = beginning.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).prefix(2_000)
        for (index, line) in lines.prefix(40).enumerated() {
            for separator in [0x2C, 0x3B, 0x09] as [UInt8] where line.contains(separator) {
                let rows = lines.dropFirst(index + 1)
                if let found = FrameTable(heading: line, separator, rows) {
                    self = found
                    return
                }
                if index == 0, let found = FrameTable(rows: lines[...], separator) {
                    self = found
                    return
                }
            }
        }
        return nil
    }

    /// Whether a line is the heading.
    func isHeading(_ line: ArraySlice<UInt8>) -> Bool {
        !heading.isEmpty && line.elementsEqual(heading)
    }

    // MARK: With a heading

    private static let ids: Set<String> = [
        "id", "canid", "arbitrationid", "identifier", "messageid", "msgid", "frameid", "address",
        "addr",
        "arbid", "cobid", "idhex", "canidhex", "arbitrationidhex", "canidentifier", "iddec",
        "canmsgid",
    ]
    private static let lengths: Set<String> = [
        "len", "dlc", "length", "datalength", "datalen", "canlen", "size", "datasize", "nbytes",
        "framelength", "payloadlength", "lth",
    ]
    private static let contents: Set<String> = [
        "data", "databytes", "payload", "datahex", "framedata", "bytes", "candata", "datafield",
        "payloadhex", "rawdata", "hexdata", "databyteshex",
    ]
    private static let times: [String] = [
        "timestampepoch", "timestamp", "timestampus", "timestampms", "timestamps", "timestampns",
        "timestampsec", "time", "timeus", "timems", "times", "timesec", "ts", "tsepoch",
        "timeoffset",
        "abstime", "absolutetime", "reltime", "relativetime", "systemtime", "hosttime", "datetime",
        "tsiso", "seconds", "elapsed",
    ]
    /// The units of clocks in microseconds.
    private static let clockUnits: [String: Double] = [
        "s": 1e6, "sec": 1e6, "seconds": 1e6, "epoch": 1e6, "ms": 1e3, "msec": 1e3, "us": 1,
        "µs": 1, "μs": 1, "usec": 1, "ns": 1e-3,
    ]
    private static let channels: Set<String> = [
        "channel", "bus", "canbus", "buschannel", "ch", "chn", "chan", "canchannel", "port",
        "interface",
        "busid",
    ]
    private static let extensions: Set<String> = [
        "extended", "ext", "ide", "isextended", "canext", "isextendedid", "xtd", "idtype",
        "frameformat",
        "format",
    ]

    private init?(
        heading line: ArraySlice<UInt8>, _ separator: UInt8, _ rows: ArraySlice<ArraySlice<UInt8>>
    ) {
        let cells = Self.cells(line, separator).map { $0.string }
        let names = cells.map { WideNames.letters(of: $0) }
        guard names.count >= 2, names.contains(where: { !$0.isEmpty }) else { return nil }
        func bare(_ index: Int) -> String {
            WideNames.letters(of: WideColumns.split(cells[index].withoutBlanks).name)
        }
        func column(_ wanted: Set<String>) -> Int? {
            names.indices.first { wanted.contains(names[$0]) || wanted.contains(bare($0)) }
        }
        guard let id = column(Self.ids) else { return nil }
        // A cell per byte: D1 to D8, Data0 to Data7, Byte 0 ...
        let first = names.indices.dropLast().first { index in
            guard let place = Self.byteNumber(names[index]), place < 2 else { return false }
            return Self.byteNumber(names[index + 1]) == place + 1
        }
        let content = names.indices.first { $0 != id && Self.contents.contains(bare($0)) }
        guard let data = first ?? content else { return nil }
        self.separator = separator
        self.id = id
        self.data = data
        if let first {
            byteColumns = names[first...].prefix { Self.byteNumber($0) != nil }.count
        }
        length = column(["datalength", "datalen"]) ?? column(Self.lengths)
        channel = column(Self.channels)
        extended = column(Self.extensions)
        remote = column(["remote", "rtr", "isremoteframe", "remoteframe"])
        error = column(["error", "iserrorframe", "errorframe"])
        flags = column(["flags", "flag"])
        heading = Array(line.trimmedAtEnd)
        let named = Self.times.lazy.compactMap { name in
            names.firstIndex(of: name) ?? names.indices.first { bare($0) == name }
        }.first
        // `Zeit [ms]`: the unit shows it in any language.
        let clock =
            named
            ?? cells.firstIndex {
                Self.clockUnits[WideColumns.split($0.withoutBlanks).unit.lowercased()] != nil
            }
        timeColumn = clock ?? 0
        time = .missing
        let sample = rows.map { Self.cells($0, separator) }
        let isGVRET = names.starts(with: ["timestamp", "id", "extended"]) && first != nil
        if let clock {
            time = Self.time(
                sample, clock, unit: WideColumns.split(cells[clock].withoutBlanks).unit,
                name: names[clock], isGVRET: isGVRET, ids: id)
        }
        // A tool for Windows whose clock counts milliseconds.
        if names.first == "parserflags", clock != nil { time = .number(microseconds: 1e3) }
        let isPythonCAN =
            names == [
                "timestamp", "arbitrationid", "extended", "remote", "error", "dlc", "data",
            ]
        study(sample, idUnit: cells[id].lowercased())
        if isPythonCAN { bytes = .base64 }
        // A table with an identifier and some data may be of anything.
        guard isPythonCAN || length != nil || sample.contains(where: isFrame) else { return nil }
    }

    /// Whether the cells of a row look like a frame.
    private func isFrame(_ row: [ArraySlice<UInt8>]) -> Bool {
        guard row.count > max(id, data) else { return false }
        let identifier =
            isDecimalID
            ? row[id].decimal.flatMap { UInt32(exactly: $0) } : row[id].withoutHexMark.hexadecimal
        guard let identifier, identifier < 0x2000_0000 else { return false }
        let words =
            byteColumns > 0 ? Array(row[data...].prefix(byteColumns)) : Self.words(row[data])
        if words.count == 1, byteColumns == 0 {
            let digits = words[0].withoutHexMark
            return digits.count >= 4 && digits.count % 2 == 0
                && digits.allSatisfy { Hex.value($0) != nil }
        }
        return words.count > 1 && words.allSatisfy { $0.isEmpty || $0.withoutHexMark.count <= 3 }
            && words.contains { !$0.isEmpty }
    }

    /// The bytes in a cell: `04 41`, `04-41`, `[4, 65]`.
    static func words(_ cell: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        cell.split(whereSeparator: { [0x20, 0x2C, 0x2D, 0x3A, 0x5B, 0x5D].contains($0) })
    }

    /// The number of `d1`, `byte0`, `data7`; nil for other names.
    private static func byteNumber(_ name: String) -> Int? {
        for word in ["databyte", "data", "byte", "db", "d", "b"] where name.hasPrefix(word) {
            guard let number = Int(name.dropFirst(word.count)), (0...64).contains(number) else {
                continue
            }
            return number
        }
        return nil
    }

    // MARK: Without a heading

    /// A table such as `1478198376.389427,0316,8,05,21,68,09,21,21,00,6f,R`.
    private init?(rows: ArraySlice<ArraySlice<UInt8>>, _ separator: UInt8) {
        let sample = rows.map { Self.cells($0, separator) }
        func place(_ row: [ArraySlice<UInt8>]) -> Int? {
            guard row.count >= 4, row[0].millionths != nil else { return nil }
            return (1..<min(6, row.count - 2)).first { index in
                guard Self.isIdentifier(row[index]), let length = row[index + 1].decimal,
                    (1...8).contains(length)
                else { return false }
                let data = row.dropFirst(index + 2)
                if data.first?.count == 2 * Int(length) {
                    return data.first?.allSatisfy { Hex.value($0) != nil } ?? false
                }
                let bytes = data.prefix(Int(length))
                return bytes.count == Int(length)
                    && bytes.allSatisfy { $0.count == 2 && $0.hexadecimal != nil }
            }
        }
        // A last line may be cut.
        let places = sample.prefix(20).dropLast(sample.count > 3 ? 1 : 0).map(place)
        guard sample.count >= 3, let found = places.first, let id = found,
            places.allSatisfy({ $0 == id })
        else { return nil }
        self.separator = separator
        self.id = id
        length = id + 1
        data = id + 2
        byteColumns = sample[0][id + 2].count == 2 ? 8 : 0
        time = Self.time(sample, 0, unit: "", name: "", isGVRET: false, ids: id)
        study(sample, idUnit: "")
    }

    /// `7E8`, `0316`, `18DAF110`, `0x7E8`.
    private static func isIdentifier(_ cell: ArraySlice<UInt8>) -> Bool {
        let digits = cell.withoutHexMark
        return (3...8).contains(digits.count) && digits.hexadecimal != nil
    }

    // MARK: Cells

    /// The cells of a row, without quotes and blanks around them.
    static func cells(_ line: ArraySlice<UInt8>, _ separator: UInt8) -> [ArraySlice<UInt8>] {
        var cells: [ArraySlice<UInt8>] = []
        var start = line.startIndex
        var isQuoted = false
        for place in line.indices {
            let byte = line[place]
            if byte == 0x22 { isQuoted.toggle() }
            if byte == separator, !isQuoted {
                cells.append(line[start..<place].trimmed(0x20).trimmed(0x22))
                start = place + 1
            }
        }
        cells.append(line[start...].trimmed(0x20).trimmed(0x22))
        return cells
    }

    /// Finds out whether identifiers and bytes are decimal.
    private mutating func study(_ sample: [[ArraySlice<UInt8>]], idUnit: String) {
        let identifiers = sample.compactMap { $0.count > id ? $0[id] : nil }
        let isPlain = identifiers.allSatisfy { cell in
            cell.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } && (cell.first != 0x30 || cell.count == 1)
        }
        // 2024 is 7E8: as a hexadecimal number, it would have more than 11 bits, and too few digits for 29.
        let isLong = identifiers.contains { $0.count == 4 || $0.count == 9 || $0.count == 10 }
        isDecimalID =
            idUnit.contains("dec") || (isPlain && isLong && !idUnit.contains("hex"))
        let cells = sample.flatMap { row in
            row.dropFirst(data).prefix(max(1, byteColumns)).flatMap { Self.words($0) }
        }
        let isByte = cells.allSatisfy { $0.count <= 3 && ($0.isEmpty || $0.decimal ?? 256 < 256) }
        if isByte, cells.contains(where: { $0.count == 3 }) { bytes = .decimal }
    }

    /// How the cells of the time column read.
    private static func time(
        _ sample: [[ArraySlice<UInt8>]], _ column: Int, unit: String, name: String, isGVRET: Bool,
        ids: Int
    ) -> Time {
        let cells = sample.compactMap { $0.count > column ? $0[column] : nil }
        guard let first = cells.first(where: { !$0.isEmpty }) else { return .unknown }
        guard let number = first.signedNumber else { return .text }
        let numbers = cells.compactMap { $0.signedNumber }
        let spacing =
            numbers.count > 1
            ? ((numbers.max() ?? 0) - (numbers.min() ?? 0)) / Double(numbers.count - 1) : 0
        if isGVRET {
            // No bus has more than 20,000 frames per second: some programs count milliseconds.
            return .number(microseconds: spacing < 50 && numbers.count >= 100 ? 1000 : 1)
        }
        if let scale = clockUnits[unit.lowercased()] { return .number(microseconds: scale) }
        for (ending, scale) in [("us", 1.0), ("ms", 1e3), ("ns", 1e-3), ("sec", 1e6)]
        where name.hasSuffix(ending) && !name.hasSuffix("status") {
            return .number(microseconds: scale)
        }
        let count = Set(sample.compactMap { $0.count > ids ? $0[ids] : nil }).count
        if first.contains(0x2E) || first.contains(0x2C) {
            // Where every second message has another identifier, the whole bus was recorded.
            return .number(microseconds: count >= 15 && spacing > 0.1 ? 1e3 : 1e6)
        }
        for scale in [1e6, 1e3, 1, 1e-3] where (978e12..<4_102e12).contains(abs(number) * scale) {
            return .number(microseconds: scale)
        }
        // Relative and without a unit: a bus has between 20 and 4,500 frames per second.
        if numbers.count >= 20, spacing > 0 {
            if spacing <= 50 { return .number(microseconds: 1e3) }
            if spacing >= 222, count >= 8 { return .number(microseconds: 1) }
        }
        return .unknown
    }
}

extension ArraySlice<UInt8> {
    /// The digits of `0x7E8` and `7E8h`.
    var withoutHexMark: ArraySlice<UInt8> {
        if starts(with: [0x30, 0x78]) || starts(with: [0x30, 0x58]) { return dropFirst(2) }
        return last == 0x68 || last == 0x48 ? dropLast() : self
    }

    /// A number with a sign and a decimal point or comma; nil for anything else.
    var signedNumber: Double? {
        guard let first, first == 0x2D || first == 0x2E || first >= 0x30 && first <= 0x39 else {
            return nil
        }
        return CSVNumber.decimal(string)
    }

    /// A number with a sign in millionths; nil for anything else.
    var signedMillionths: Int64? {
        first == 0x2D ? dropFirst().millionths.map { -$0 } : millionths
    }
}
