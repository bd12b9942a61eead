import Diagnostics
import Formats
import OBDCore

/// Reads Freematics' logs: each line has milliseconds since power-up, a key and a value.
///
/// Keys 100 to 1FF are PIDs of service 01, A to D a position, 10 and 11 (F in older logs) the GPS
/// time and date.
struct FreematicsImport: CSVImport {
    var csv = CSVReader()
    private(set) var skipped = SkippedLines()
    private var time: LogClock
    var assumesBeginning: Bool { satelliteStart == nil && time.assumesBeginning }
    private var signals: [UInt32: (signal: SignalIndex, dataID: DataID?)] = [:]
    private var hasBegun = false
    /// The beginning of the file, kept until it is long enough to search for a time; then nil.
    private var beginning: [UInt8]? = []
    private static let lookAhead = 64 << 10
    /// UTC at power-up, known after the first GPS time.
    private var satelliteStart: UTC?
    private var day: UTC?
    private var place: (latitude: Double?, longitude: Double?, altitude: Double?) = (nil, nil, nil)
    private var speed: Double?

    init(_ time: LogClock) {
        self.time = time
        self.time.form = .sinceStart(second: 0.001)
    }

    /// Whether a file with this beginning has such lines.
    static func begins(_ bytes: [UInt8]) -> Bool {
        var csv = CSVReader(bytes.prefix { $0 < 0x80 })
        var rows = 0
        while rows < 8, let row = csv.next() {
            guard row.count == 3, UInt64(row[0]) != nil, (1...3).contains(row[1].utf8.count),
                UInt32(row[1], radix: 16) != nil,
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
            csv.append(start[...])
        } else {
            csv.append(piece)
        }
        if isLast { csv.finish() }
        while let row = csv.next() { try read(row: row, &table, emit) }
    }

    private mutating func look(ahead start: [UInt8]) {
        var ahead = CSVReader(start)
        while satelliteStart == nil, let row = ahead.next() {
            guard row.count == 3, let passed = UInt64(row[0]), let key = UInt32(row[1], radix: 16)
            else { continue }
            _ = takeClock(key, row[2], passed)
        }
    }

    mutating func read(
        row: [String], _ table: inout ImportTable, _ emit: (ImportEvent) throws -> Void
    ) throws {
        guard row.count == 3, let passed = UInt64(row[0]), let key = UInt32(row[1], radix: 16),
            key < 0x1000
        else {
            return skipped.add(ImportFault(line: csv.line, reason: "not time, key and value"))
        }
        if !hasBegun {
            hasBegun = true
            try emit(.trip(name: nil, tags: [], vin: nil, start: nil))
        }
        if takeClock(key, row[2], passed) { return }
        guard let moment = moment(passed) else {
            if satelliteStart == nil, time.beginning == nil {
                throw ImportFault.noDay(line: csv.line)
            }
            return skipped.add(ImportFault(line: csv.line, reason: "\"\(row[0])\" is not a time"))
        }
        if try takePlace(key, row[2], at: moment, emit) { return }
        let channel = signal(key, &table)
        guard let value = CSVNumber.decimal(row[2]) else {
            return skipped.add(
                ImportFault(line: csv.line, reason: "value \"\(row[2])\" is not a number"))
        }
        let reading = Reading(
            ecu: nil, dataID: channel.dataID, signal: channel.signal, value: .number(value),
            raw: InlineBytes(), line: 0)
        try emit(.entry(.items([.reading(reading)]), at: moment))
    }

    private mutating func moment(_ passed: UInt64) -> UTC? {
        if let start = satelliteStart, passed < 1 << 40 {
            return UTC(microseconds: start.microseconds + Int64(passed) * 1000)
        }
        return time.utc(String(passed))
    }

    private mutating func signal(
        _ key: UInt32, _ table: inout ImportTable
    ) -> (signal: SignalIndex, dataID: DataID?) {
        if let found = signals[key] { return found }
        let found: (SignalIndex, DataID?)
        if key >= 0x100, key < 0x200, let known = table.known(pid: key - 0x100) {
            found = (
                table.place(known.signal.id, known.signal.name, known.signal.unit, .number),
                known.dataID
            )
        } else {
            let name = "FREEMATICS_" + Hex.string(key, digits: 2)
            found = (table.place(name, name, "", .number), nil)
        }
        signals[key] = found
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
            return true
        case 0x10:
            // HHMMSS and hundredths of a second.
            guard let digits = Int64(text), digits >= 0, digits < 24_000_000 else { return true }
            let seconds =
                digits / 1_000_000 * 3600 + digits / 10_000 % 100 * 60 + digits / 100 % 100
            if let day, satelliteStart == nil, passed < 1 << 40 {
                satelliteStart = UTC(
                    microseconds: day.microseconds + seconds * 1_000_000 + digits % 100 * 10_000
                        - Int64(passed) * 1000)
            }
            return true
        default: return false
        }
    }

    /// Takes a part of a position; false for other keys.
    private mutating func takePlace(
        _ key: UInt32, _ text: String, at moment: UTC, _ emit: (ImportEvent) throws -> Void
    ) throws -> Bool {
        guard (0x0A...0x0E).contains(key), let number = CSVNumber.decimal(text) else {
            return false
        }
        switch key {
        // Degrees, or millionths of a degree.
        case 0x0A: place.latitude = abs(number) > 90 ? number / 1e6 : number
        case 0x0B:
            place.longitude = abs(number) > 180 ? number / 1e6 : number
            if let latitude = place.latitude, let longitude = place.longitude,
                latitude != 0 || longitude != 0,
                var position = Position(latitude: latitude, longitude: longitude)
            {
                (position.altitude, position.speed) = (place.altitude, speed)
                try emit(.entry(.position(position), at: moment))
            }
        case 0x0C: place.altitude = number
        case 0x0D: speed = number >= 0 ? number : nil
        default: break
        }
        return true
    }
}
