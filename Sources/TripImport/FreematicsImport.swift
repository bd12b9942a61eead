import Diagnostics
import Formats
import OBDCore

/// Reads Freematics' logs: each line has milliseconds, a key and values.
///
/// Keys 100 to 1FF are PIDs of service 01, A to D a position, 10 and 11 (F in older logs) the GPS
/// time and date. Old logs have words as keys; in them, milliseconds count from the line before, and from
/// power-up in lines with `#`.
struct FreematicsImport: CSVImport {
    var csv = CSVReader()
    private(set) var skipped = SkippedLines()
    private var time: LogClock
    var clock: LogClock? { time }
    var assumesBeginning: Bool { satelliteStart == nil && time.assumesBeginning }
    private var signals: [String: (signal: SignalIndex, dataID: DataID?)] = [:]
    private var hasBegun = false
    /// The beginning of the file, kept until it is long enough to search for a time; then nil.
    private var beginning: [UInt8]? = []
    private static let lookAhead = 64 << 10
    private var counter = Counter()
    /// UTC at power-up, known after the first GPS time.
    private var satelliteStart: UTC?
    private var day: UTC?
    /// The GPS time of day in milliseconds, and milliseconds since power-up.
    private var ofDay: (time: Int64, passed: UInt64)?
    private var place = Place()

    /// The parts of a position, which are on lines of their own.
    private struct Place {
        var latitude, longitude, altitude, speed: Double?
        var moment: UTC?
    }

    private struct Counter {
        var isDelta = false
        var passed: UInt64 = 0

        /// Milliseconds since power-up for the first cell of a line; nil if the cell is not a number.
        mutating func read(_ cell: String) -> UInt64? {
            guard isDelta else { return UInt64(cell) }
            let isAbsolute = cell.hasPrefix("#")
            guard let number = UInt64(isAbsolute ? String(cell.dropFirst()) : cell),
                number < 1 << 40
            else { return nil }
            passed = isAbsolute ? number : passed + number
            return passed
        }
    }

    /// The words that old logs have as keys, and their numbers in newer ones.
    private static let words: [String: UInt32] = [
        "UTC": 0x10, "DTE": 0x11, "LAT": 0x0A, "LNG": 0x0B, "ALT": 0x0C, "SPD": 0x0D,
    ]
    private static let otherWords: Set<String> = [
        "ACC", "GYR", "MAG", "SAT", "CRS", "BAT", "TMP", "HDG", "ORI", "RSS",
    ]

    /// The key in the second cell; nil if the cell is not a key.
    private static func key(_ cell: String) -> UInt32? {
        if let found = words[cell] { return found }
        guard (1...3).contains(cell.utf8.count) else { return nil }
        return UInt32(cell, radix: 16)
    }

    init(_ time: LogClock) {
        self.time = time
        self.time.form = .sinceStart(second: 0.001)
    }

    /// Whether a file with this beginning has such lines.
    static func begins(_ bytes: [UInt8]) -> Bool {
        var csv = CSVReader(bytes.prefix { $0 < 0x80 })
        var rows = 0
        while rows < 8, let row = csv.next() {
            guard row.count >= 3,
                UInt64(row[0].hasPrefix("#") ? String(row[0].dropFirst()) : row[0]) != nil,
                otherWords.contains(row[1]) || row.count == 3 && key(row[1]) != nil,
                row[2].utf8.first.map({ (0x30...0x39).contains($0) || $0 == 0x2D }) ?? false
            else { return rows > 2 && row.count < 3 }
            rows += 1
        }
        return rows > 0
    }

    mutating func read(
        _ piece: ArraySlice<UInt8>, isLast: Bool, _ table: inout ImportTable,
        _ emit: (ImportEvent) throws -> Void
    ) throws {
        // Lines before the first GPS time are relative to the same clock.
        if var start = beginning {
            start += piece
            guard isLast || start.count >= Self.lookAhead else {
                beginning = start
                return
            }
            beginning = nil
            look(ahead: start)
            if let first = start.first, first == 0x23 { counter.isDelta = true }
            csv.append(start[...])
        } else {
            csv.append(piece)
        }
        if isLast { csv.finish() }
        while let row = csv.next() { try read(row: row, &table, emit) }
        if isLast { try endPlace(emit) }
    }

    private mutating func look(ahead start: [UInt8]) {
        var ahead = CSVReader(start)
        var counter = Counter(isDelta: start.first == 0x23)
        while satelliteStart == nil, let row = ahead.next() {
            guard row.count >= 3, let passed = counter.read(row[0]), let key = Self.key(row[1])
            else { continue }
            _ = takeClock(key, row[2], passed)
        }
    }

    mutating func read(
        row: [String], _ table: inout ImportTable, _ emit: (ImportEvent) throws -> Void
    ) throws {
        guard (3...12).contains(row.count), let passed = counter.read(row[0]) else {
            return skipped.add(ImportFault(line: csv.line, reason: "not time, key and value"))
        }
        if !hasBegun {
            hasBegun = true
            try emit(.trip(name: nil, tags: [], vin: nil, start: nil))
        }
        let key = Self.key(row[1])
        guard
            let name = Self.otherWords.contains(row[1])
                ? row[1] : key.map({ Hex.string($0, digits: 2) })
        else {
            return skipped.add(ImportFault(line: csv.line, reason: "unknown key \"\(row[1])\""))
        }
        if let key, takeClock(key, row[2], passed) { return }
        guard let moment = moment(passed) else {
            if satelliteStart == nil, time.beginning == nil {
                throw ImportFault.noDay(line: csv.line)
            }
            return skipped.add(ImportFault(line: csv.line, reason: "\"\(row[0])\" is not a time"))
        }
        if time.hasRestarted {
            try endPlace(emit)
            try emit(.trip(name: nil, tags: [], vin: nil, start: nil))
        }
        if let key, try takePlace(key, row[2], isWord: Self.words[row[1]] != nil, at: moment, emit)
        {
            return
        }
        // Sensors have three values.
        let cells =
            row.count == 3
            ? row[2].split(separator: ";", maxSplits: 8).map(String.init) : Array(row[2...])
        for (index, cell) in cells.enumerated() {
            guard let value = CSVNumber.decimal(cell) else {
                skipped.add(
                    ImportFault(line: csv.line, reason: "value \"\(cell)\" is not a number"))
                continue
            }
            let axis =
                cells.count == 3 ? ["_X", "_Y", "_Z"][index] : index > 0 ? "_\(index + 1)" : ""
            let channel = signal(cells.count == 1 ? key : nil, name + axis, &table)
            let reading = Reading(
                ecu: nil, dataID: channel.dataID, signal: channel.signal, value: .number(value),
                raw: InlineBytes(), line: 0)
            try emit(.entry(.items([.reading(reading)]), at: moment))
        }
    }

    private mutating func moment(_ passed: UInt64) -> UTC? {
        if let start = satelliteStart, passed < 1 << 40 {
            return UTC(microseconds: start.microseconds + Int64(passed) * 1000)
        }
        return time.utc(String(passed), line: csv.line)
    }

    private mutating func signal(
        _ key: UInt32?, _ name: String, _ table: inout ImportTable
    ) -> (signal: SignalIndex, dataID: DataID?) {
        if let found = signals[name] { return found }
        let found: (SignalIndex, DataID?)
        if let key, key >= 0x100, key < 0x200, let known = table.known(pid: key - 0x100) {
            found = (
                table.place(known.signal.id, known.signal.name, known.signal.unit, .number),
                known.dataID
            )
        } else {
            let id = "FREEMATICS_" + name
            found = (table.place(id, id, "", .number), nil)
        }
        signals[name] = found
        return found
    }

    /// Takes the GPS time and date; false for other keys.
    private mutating func takeClock(_ key: UInt32, _ text: String, _ passed: UInt64) -> Bool {
        switch key {
        case 0x11, 0x0F:
            // DDMMYY; formerly, this key contained the number of satellites.
            guard let digits = Int(text), digits >= 10_100, digits <= 311_299 else {
                return key == 0x0F
            }
            day = LogClock.day(
                "20" + (digits % 100 < 10 ? "0" : "") + "\(digits % 100)",
                digits / 100 % 100, digits / 10_000)
            findStart()
            return true
        case 0x10:
            // HHMMSS and hundredths of a second.
            guard let digits = Int64(text), digits >= 0, digits < 24_000_000 else { return true }
            let seconds =
                digits / 1_000_000 * 3600 + digits / 10_000 % 100 * 60 + digits / 100 % 100
            ofDay = (seconds * 1000 + digits % 100 * 10, passed)
            findStart()
            return true
        default: return false
        }
    }

    /// Finds the time of power-up once day and time of one fix are known.
    private mutating func findStart() {
        guard satelliteStart == nil, let day, let ofDay, ofDay.passed < 1 << 40 else { return }
        satelliteStart = UTC(
            microseconds: day.microseconds + (ofDay.time - Int64(ofDay.passed)) * 1000)
    }

    /// Takes a part of a position; false for other keys.
    private mutating func takePlace(
        _ key: UInt32, _ text: String, isWord: Bool, at moment: UTC,
        _ emit: (ImportEvent) throws -> Void
    ) throws -> Bool {
        guard (0x0A...0x0E).contains(key), let number = CSVNumber.decimal(text) else {
            return false
        }
        switch key {
        // Degrees, or millionths of a degree.
        case 0x0A:
            try endPlace(emit)
            place.latitude = abs(number) > 90 || isWord ? number / 1e6 : number
        case 0x0B:
            place.longitude = abs(number) > 180 || isWord ? number / 1e6 : number
            place.moment = moment
        // Words have centimetres.
        case 0x0C: place.altitude = isWord ? number / 100 : number
        case 0x0D: place.speed = number >= 0 ? number : nil
        default: break
        }
        return true
    }

    /// Passes the last position on when all of its lines have been read.
    private mutating func endPlace(_ emit: (ImportEvent) throws -> Void) throws {
        defer { place = Place() }
        guard let latitude = place.latitude, let longitude = place.longitude,
            let moment = place.moment,
            var position = skipped.position(latitude, longitude, line: csv.line)
        else { return }
        (position.altitude, position.speed) = (place.altitude, place.speed)
        try emit(.entry(.position(position), at: moment))
    }
}
