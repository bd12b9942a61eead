import Diagnostics
import OBDCore

/// Maps a trip's signals to their channel numbers in the database.
struct ChannelMap {
    /// Distinguishes the channels of one signal.
    struct Source: Hashable {
        var ecu: ECUAddress?
        var dataID: DataID?
        var frame: UInt8?
        var dtc: DTC?

        init(_ reading: Reading) {
            ecu = reading.ecu
            dataID = reading.dataID
            frame = reading.frame
            dtc = reading.dtc
        }

        init() {}
    }

    struct Entry {
        var source: Source
        var id: Int64
        var figures = ChannelFigures()
        var isTouched = true
        /// How the distance calculation uses this channel.
        var role: TripMeter.Role?
    }

    private let table: PIDTable
    /// Indices into `entries` by signal; most signals have one or two sources.
    private var places: [[Int32]]
    private(set) var entries: [Entry] = []

    init(table: PIDTable) {
        self.table = table
        // One more for the adapter's voltage, which no table contains.
        places = Array(repeating: [], count: table.signals.count + 1)
    }

    /// The index of a reading's channel in ``entries``; nil for a signal that is not in the table.
    @inline(__always)
    mutating func place(of reading: Reading, in database: Database) throws -> Int? {
        let index = Int(reading.signal.rawValue)
        guard index >= 0, index < table.signals.count else { return nil }
        for place in places[index] {
            let source = entries[Int(place)].source
            if source.dataID == reading.dataID && source.ecu == reading.ecu
                && source.frame == reading.frame && source.dtc == reading.dtc
            {
                return Int(place)
            }
        }
        return try add(
            Source(reading), table.signals[index], at: index,
            role: TripMeter.Role(reading.dataID, signal: table.signals[index].id), in: database)
    }

    /// The index of the channel with the adapter's voltage.
    mutating func voltagePlace(in database: Database) throws -> Int {
        let index = table.signals.count
        if let place = places[index].first { return Int(place) }
        return try add(Source(), .adapterVoltage, at: index, role: nil, in: database)
    }

    /// The index of a channel that is in the database already.
    mutating func place(ofStored id: Int64) -> Int {
        if let known = entries.firstIndex(where: { $0.id == id }) { return known }
        entries.append(Entry(source: Source(), id: id, role: nil))
        return entries.count - 1
    }

    @inline(__always)
    mutating func note(_ value: Double?, at place: Int) {
        entries[place].figures.add(value)
        entries[place].isTouched = true
    }

    mutating func clearTouched() {
        for place in entries.indices { entries[place].isTouched = false }
    }

    private mutating func add(
        _ source: Source, _ signal: Signal, at index: Int, role: TripMeter.Role?,
        in database: Database
    ) throws -> Int {
        let id = try Self.channel(source, signal, in: database)
        // The adapter's voltage may be in the table too.
        if let same = entries.firstIndex(where: { $0.id == id }) { return same }
        places[index].append(Int32(entries.count))
        entries.append(Entry(source: source, id: id, role: role))
        return entries.count - 1
    }

    /// The number of a channel; creates it if it does not exist.
    private static func channel(
        _ source: Source, _ signal: Signal, in database: Database
    ) throws -> Int64 {
        let arguments: Arguments = [
            source.ecu, source.dataID?.service.rawValue,
            source.dataID?.id, source.frame,
            source.dtc, signal.id, signal.name, signal.unit, signal.kind,
        ]
        let found = try database.value(
            Int64.self,
            """
            SELECT id FROM channel
            WHERE coalesce(ecu, '') = coalesce(?, '')
                AND coalesce(service, -1) = coalesce(?, -1)
                AND coalesce(identifier, -1) = coalesce(?, -1)
                AND coalesce(frame, -1) = coalesce(?, -1)
                AND coalesce(dtc, '') = coalesce(?, '')
                AND signal = ? AND name = ? AND unit = ? AND kind = ?
            """, arguments)
        if let found { return found }
        try database.execute(
            """
            INSERT INTO channel
                (ecu, service, identifier, frame, dtc, signal, name, unit, kind)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, arguments)
        let id = database.lastInsertedRowID
        for (code, label) in signal.valueLabels {
            guard let code = Int64(exactly: code) else { continue }
            try database.execute(
                "INSERT OR IGNORE INTO channel_label (channel, code, label) VALUES (?, ?, ?)",
                [id, code, label])
        }
        return id
    }
}

/// The totals of a channel in one trip.
struct ChannelFigures: Hashable {
    var readings: Int64 = 0
    var numbers: Int64 = 0
    var total = 0.0
    var minimum: Double?
    var maximum: Double?

    @inline(__always)
    mutating func add(_ value: Double?) {
        readings &+= 1
        guard let value else { return }
        numbers &+= 1
        total += value
        if minimum.map({ value < $0 }) ?? true { minimum = value }
        if maximum.map({ value > $0 }) ?? true { maximum = value }
    }
}

extension Signal.Kind: TextColumn {
    /// The name of the kind in the database.
    var columnText: String {
        switch self {
        case .number: "number"
        case .flag: "flag"
        case .enumeration: "enumeration"
        case .supportMap: "supportMap"
        case .code: "code"
        case .text: "text"
        case .bytes: "bytes"
        }
    }

    /// The kind with this name in the database.
    init?(column text: String) {
        switch text {
        case "number": self = .number
        case "flag": self = .flag
        case "enumeration": self = .enumeration
        case "supportMap": self = .supportMap
        case "code": self = .code
        case "text": self = .text
        case "bytes": self = .bytes
        default: return nil
        }
    }
}
