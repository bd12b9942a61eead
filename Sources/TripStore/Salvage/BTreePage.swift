/// The readable part of one page of a table or an index.
///
/// The format is SQLite's (`fileformat2.html`, "B-tree Pages"): a header, an array of cell offsets,
/// then the cells.
struct BTreePage {
    /// The type of a page; the raw value is its first byte.
    enum Kind: UInt8 {
        case indexInterior = 0x02
        case tableInterior = 0x05
        case indexLeaf = 0x0A
        case tableLeaf = 0x0D
    }

    struct Record {
        /// Nil in an index, and therefore in a table without row ids.
        var rowID: Int64?
        var values: [SQLValue]
    }

    let kind: Kind
    /// The numbers of its child pages.
    private(set) var children: [Int] = []
    private(set) var records: [Record] = []
    private(set) var damagedCells = 0

    private let bytes: [UInt8]
    private let file: PageFile

    /// Reads a page; nil if it is not a page of a table or an index.
    init?(_ number: Int, in file: PageFile) {
        guard let bytes = file.page(number) else { return nil }
        self.bytes = bytes
        self.file = file
        let header = number == 1 ? 100 : 0
        guard bytes.count > header, let kind = Kind(rawValue: bytes[header]) else { return nil }
        self.kind = kind
        let isInterior = kind == .indexInterior || kind == .tableInterior
        let first = header + (isInterior ? 12 : 8)
        let count = Self.number(bytes, header + 3, 2)
        guard first + count * 2 <= file.usableSize else {
            damagedCells = 1
            return
        }
        for cell in 0..<count {
            let place = Self.number(bytes, first + cell * 2, 2)
            guard place >= first + count * 2, place < file.usableSize, read(at: place) else {
                damagedCells += 1
                continue
            }
        }
        if isInterior { addChild(Self.number(bytes, header + 8, 4)) }
    }

    private mutating func addChild(_ number: Int) {
        if number >= 1 && number <= file.pageCount {
            children.append(number)
        } else {
            damagedCells += 1
        }
    }

    /// Reads a cell; false if it is invalid.
    private mutating func read(at place: Int) -> Bool {
        var place = place
        if kind == .tableInterior || kind == .indexInterior {
            guard place + 4 <= bytes.count else { return false }
            addChild(Self.number(bytes, place, 4))
            place += 4
            if kind == .tableInterior { return true }
        }
        guard let length = Self.varint(bytes, &place), length >= 1,
            length <= file.pageCount * file.pageSize
        else { return false }
        var rowID: Int64?
        if kind == .tableLeaf {
            guard let number = Self.varint(bytes, &place) else { return false }
            rowID = number
        }
        guard let payload = payload(Int(length), at: place),
            let values = Self.values(payload)
        else { return false }
        records.append(Record(rowID: rowID, values: values))
        return true
    }

    /// The bytes of a record, which may continue in overflow pages.
    private func payload(_ length: Int, at place: Int) -> [UInt8]? {
        let usable = file.usableSize
        let most = kind == .tableLeaf ? usable - 35 : (usable - 12) * 64 / 255 - 23
        if length <= most {
            guard place + length <= min(usable, bytes.count) else { return nil }
            return Array(bytes[place..<place + length])
        }
        let least = (usable - 12) * 32 / 255 - 23
        let fitting = least + (length - least) % (usable - 4)
        let local = fitting <= most ? fitting : least
        guard place + local + 4 <= min(usable, bytes.count) else { return nil }
        var result = Array(bytes[place..<place + local])
        var next = Self.number(bytes, place + local, 4)
        while result.count < length {
            let end = min(4 + length - result.count, usable)
            guard next > 0, let page = file.page(next), page.count >= end else { return nil }
            result.append(contentsOf: page[4..<end])
            next = Self.number(page, 0, 4)
        }
        return result
    }

    // MARK: Records

    /// The values of a record; nil if its header does not match its length.
    static func values(_ record: [UInt8]) -> [SQLValue]? {
        var place = 0
        guard let header = varint(record, &place), header >= 1, header <= record.count else {
            return nil
        }
        var types: [Int64] = []
        while place < header {
            guard let type = varint(record, &place), types.count < 200 else { return nil }
            types.append(type)
        }
        guard place == header else { return nil }
        var values: [SQLValue] = []
        for type in types {
            guard let value = value(of: type, record, &place) else { return nil }
            values.append(value)
        }
        return place == record.count ? values : nil
    }

    private static func value(of type: Int64, _ record: [UInt8], _ place: inout Int) -> SQLValue? {
        let length: Int
        switch type {
        case 0: return .null
        case 1...4: length = Int(type)
        case 5: length = 6
        case 6, 7: length = 8
        case 8: return .integer(0)
        case 9: return .integer(1)
        case 12...: length = Int((type - 12) / 2)
        default: return nil
        }
        guard length <= record.count - place else { return nil }
        let bytes = record[place..<place + length]
        place += length
        switch type {
        case 1...6:
            let isNegative = (bytes.first ?? 0) & 0x80 != 0
            return .integer(bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) })
        case 7: return .real(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
        default:
            if type % 2 == 0 { return .blob(Array(bytes)) }
            return String(validating: bytes, as: UTF8.self).map { .text($0) }
        }
    }

    static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
        guard place >= 0, place + count <= bytes.count else { return 0 }
        return bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Reads a variable-length integer of one to nine bytes.
    static func varint(_ bytes: [UInt8], _ place: inout Int) -> Int64? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard place < bytes.count else { return nil }
            let byte = bytes[place]
            place += 1
            if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 { return Int64(bitPattern: value) }
        }
        return nil
    }
}
