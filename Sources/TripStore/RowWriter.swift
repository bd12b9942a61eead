import Diagnostics
import OBDCore
import SystemIO

/// Converts a trip's entries to rows.
///
/// It is a value, so that its owner can keep the old state after a rollback.
struct RowWriter {
    let trip: Int64
    private var anchor: TimeAnchor
    /// The clock of the trip; nil = nothing is known about it.
    private var clock: TripClock?
    private(set) var channels: ChannelMap
    private(set) var meter = TripMeter()
    private(set) var readings: Int64 = 0
    /// The latest time of any row, microseconds since the trip's start.
    private(set) var lastTime: Int64 = 0
    private var nextTime = Int64.min
    private var nextSequence: Int64 = 0
    private var lateSequence: Int64 = 0
    private var heldSequence: Int64 = 0

    /// Entries with an earlier time than their predecessor are numbered from here.
    ///
    /// The numbers never start again, so they cannot conflict with an existing row.
    private static let firstLateSequence = TripTail.firstLateSequence

    init(trip: Int64, anchor: TimeAnchor, clock: TripClock? = nil, table: PIDTable) {
        self.trip = trip
        self.anchor = anchor
        self.clock = clock
        channels = ChannelMap(table: table)
    }

    /// Whether the trip still exists; no program can delete it within a transaction.
    func tripExists(in database: Database) throws -> Bool {
        try database.value(
            Bool.self, "SELECT EXISTS (SELECT 1 FROM trip WHERE id = ?)", [trip], isCached: true)
            ?? false
    }

    mutating func store(
        _ entry: TripEntry, at instant: Instant, _ row: inout RowStatement, in database: Database
    ) throws {
        let t = time(of: instant)
        switch entry {
        case .items(let items): try store(items, t: t, &row, in: database)
        case .voltage(let volts):
            let place = try channels.voltagePlace(in: database)
            bindKey(&row, t: t)
            row.bind(channels.entries[place].id)
            row.bind(volts)
            row.bind(blob: [])
            row.bindNull()
            try row.run()
            count(volts, at: place, t: t)
        case .event(let event): try store(event, t: t, in: database)
        case .note(let text):
            try database.execute(
                "INSERT INTO note (trip, t, text) VALUES (?, ?, ?)",
                [trip, t, text])
        case .vehicle(let vin):
            let vehicle = try Vehicles.id(of: vin, seen: anchor.utc(at: instant), in: database)
            try database.execute("UPDATE trip SET vehicle = ? WHERE id = ?", [vehicle, trip])
        case .position(let position):
            try store(position, t: t, in: database)
            try followSatellites(position, at: instant, in: database)
        case .together(let entries):
            for entry in entries { try store(entry, at: instant, &row, in: database) }
        case .codeList(let ecu, let kind, let codes):
            try store(codes: codes, kind, of: ecu, t: t, in: database)
        case .held(let entry): try hold(entry, at: instant, in: database)
        case .settleHeld(let keeps): try settleHeld(keeps: keeps, in: database)
        }
    }

    /// Puts the trip right if the time of satellites shows that its clock is wrong.
    mutating func followSatellites(
        _ position: Position, at instant: Instant, in database: Database
    ) throws {
        guard let time = position.fixTime, let change = clock?.take(satellites: time, at: instant)
        else { return }
        try store(change, t: self.time(of: instant), in: database)
    }

    /// Puts the trip right if the machine's clock was set since the last transaction.
    mutating func follow(_ reading: ClockReading, in database: Database) throws {
        guard let change = clock?.take(reading) else { return }
        try store(change, t: time(of: reading.instant), in: database)
    }

    private mutating func store(
        _ change: TripClock.Change, t: Int64, in database: Database
    ) throws {
        if case .corrected(let step) = change, let clock {
            anchor.utc = anchor.utc.later(by: step)
            try ClockCorrection.move(trip, by: step, to: clock.bootTime, in: database)
        }
        if let event = change.event { try store(event, t: t, in: database) }
    }

    /// Updates the trip's row and its totals.
    mutating func storeFigures(in database: Database) throws {
        var row = try RowStatement(
            """
            UPDATE trip SET duration = max(duration, ?), readings = ?, distance = ?, driven = ?,
                odometer_start = ?, odometer_end = ?, moving = ?, idle = ?, hard_brakings = ?,
                hard_accelerations = ?
            WHERE id = ?
            """, in: database)
        row.bind(lastTime)
        row.bind(readings)
        row.bind(meter)
        row.bind(trip)
        try row.run()
        var channel = try RowStatement(
            """
            INSERT INTO trip_channel (trip, channel, readings, numbers, total, minimum, maximum)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET readings = excluded.readings, numbers = excluded.numbers,
                total = excluded.total, minimum = excluded.minimum, maximum = excluded.maximum
            """, in: database)
        for entry in channels.entries where entry.isTouched && entry.figures.readings > 0 {
            channel.bind(trip)
            channel.bind(entry.id)
            channel.bind(entry.figures.readings)
            channel.bind(entry.figures.numbers)
            channel.bind(entry.figures.total)
            channel.bind(entry.figures.minimum)
            channel.bind(entry.figures.maximum)
            try channel.run()
        }
        channels.clearTouched()
    }

    /// Ends the trip at `instant`.
    mutating func close(
        _ reason: EndReason, at instant: Instant, in database: Database
    ) throws {
        try database.execute(
            "UPDATE trip SET duration = max(duration, ?) WHERE id = ?",
            [time(of: instant), trip])
        try Trips.close(trip, reason, in: database)
    }

    /// Copies a row under its own number.
    mutating func keep(
        _ old: StoredRow, _ row: inout RowStatement, in database: Database
    ) throws {
        let place = channels.place(ofStored: old.channel)
        bindKey(&row, t: old.t)
        row.bind(old.channel)
        row.bind(old.value)
        if let raw = old.raw {
            row.bind(blob: raw)
        } else {
            row.bindNull()
        }
        switch old.detail {
        case .text(let text): row.bind(text)
        case .reason(let reason): row.bind(reason)
        case nil: row.bindNull()
        }
        try row.run()
        count(old.detail == nil ? old.value : nil, at: place, t: old.t)
    }

    // MARK: Time and order

    /// Gives the next row at `t` the number `sequence`, or a later one if that is taken.
    mutating func advance(to t: Int64, sequence: Int64) {
        nextSequence = t == nextTime ? max(nextSequence, sequence) : sequence
        nextTime = t
    }

    /// Microseconds since the trip's start, limited to the range of the type.
    func time(of instant: Instant) -> Int64 {
        let gap = instant.nanoseconds.subtractingReportingOverflow(anchor.monotonic.nanoseconds)
        if gap.overflow { return instant < anchor.monotonic ? .min : .max }
        return gap.partialValue / 1000
    }

    /// The next free number at `t`.
    @inline(__always)
    private mutating func sequence(at t: Int64) -> Int64 {
        if t > nextTime {
            nextTime = t
            nextSequence = 0
        } else if t < nextTime {
            lateSequence &+= 1
            return Self.firstLateSequence &+ lateSequence
        }
        // A stored number may be the largest one; the table refuses a negative one.
        nextSequence &+= 1
        lastTime = max(lastTime, t)
        return nextSequence &- 1
    }

    @inline(__always)
    private mutating func count(_ value: Double?, at place: Int, t: Int64) {
        readings &+= 1
        channels.note(value, at: place)
        if let value, let role = channels.entries[place].role {
            meter.add(value, role, channel: place, t: t)
        }
    }

    // MARK: Rows

    /// The statement to which ``store(_:at:_:in:)`` binds readings; prepared once per transaction.
    static func insertReading(in database: Database) throws -> RowStatement {
        try RowStatement(
            """
            INSERT INTO reading (trip, t, sequence, channel, value, raw, detail)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, in: database)
    }

    private mutating func store(
        _ items: [DiagnosticItem], t: Int64, _ row: inout RowStatement, in database: Database
    ) throws {
        var previous: Reading?
        for item in items {
            switch item {
            case .reading(let reading):
                let shares = previous.map { Self.isSameRecord($0, reading) } ?? false
                try store(reading, sharesRaw: shares, t: t, &row, in: database)
                previous = reading
                continue
            case .monitor(let monitor): try store(monitor, t: t, in: database)
            case .monitorTest(let result): try store(result, t: t, in: database)
            case .code(let report): try store(report, t: t, in: database)
            case .negativeResponse(let refusal, let ecu, _):
                let event = TripEvent(
                    .negativeResponse, text: refusal.nrc.name, ecu: ecu, service: refusal.service,
                    code: Hex.string([refusal.nrc.rawValue]))
                try store(event, t: t, in: database)
            case .message(let message): try store(message, t: t, in: database)
            case .error(let error):
                try store(
                    TripEvent(.decodeError, text: error.reason, ecu: error.ecu), t: t,
                    in: database)
            }
            previous = nil
        }
    }

    /// Whether `later` is another signal of the same record as `earlier`.
    @inline(__always)
    static func isSameRecord(_ earlier: Reading, _ later: Reading) -> Bool {
        earlier.signal < later.signal && earlier.dataID == later.dataID
            && earlier.ecu == later.ecu && earlier.frame == later.frame && earlier.raw == later.raw
    }

    @inline(__always)
    mutating func store(
        _ reading: Reading, sharesRaw: Bool, t: Int64, _ row: inout RowStatement,
        in database: Database
    ) throws {
        guard let place = try channels.place(of: reading, in: database) else { return }
        bindKey(&row, t: t)
        row.bind(channels.entries[place].id)
        var number: Double?
        var text: String?
        var status: Int64?
        switch reading.value {
        case .number(let value): number = value
        case .flag(let value): number = value ? 1 : 0
        case .label(let code): number = Double(code)
        case .text(let value): text = value
        case .supportMap(let raw): number = Double(raw)
        case .missing(let reason, let code):
            status = reason.stored
            number = code.map { Double($0) }
        }
        row.bind(number)
        if sharesRaw {
            row.bindNull()
            row.bind(text, or: status)
            try row.run()
        } else {
            // The buffer lives until the row is stepped, so no copy on the heap is needed.
            try withUnsafeTemporaryAllocation(byteCount: max(reading.raw.count, 1), alignment: 1) {
                for (index, byte) in reading.raw.enumerated() { $0[index] = byte }
                row.bind(living: UnsafeRawBufferPointer(rebasing: $0[..<reading.raw.count]))
                row.bind(text, or: status)
                try row.run()
            }
        }
        count(status == nil ? number : nil, at: place, t: t)
    }

    /// Binds trip, time and sequence, the first columns of all rows.
    @inline(__always)
    mutating func bindKey(_ row: inout RowStatement, t: Int64) {
        row.bind(trip)
        row.bind(t)
        row.bind(sequence(at: t))
    }

    /// Binds trip, time and the order of a row that may be held.
    mutating func bindKey(_ row: inout RowStatement, t: Int64, isHeld: Bool) {
        guard isHeld else { return bindKey(&row, t: t) }
        row.bind(trip)
        row.bind(t)
        row.bind(heldSequence)
        heldSequence &+= 1
    }

    /// Binds trip, time, sequence and ECU.
    mutating func bindKey(_ row: inout RowStatement, t: Int64, _ ecu: ECUAddress?) {
        bindKey(&row, t: t)
        row.bind(ecu?.description)
    }
}

extension RowStatement {
    /// Binds the values of the meter in the order of the columns.
    mutating func bind(_ meter: TripMeter) {
        bind(meter.distance)
        bind(meter.driven)
        bind(meter.firstOdometer)
        bind(meter.lastOdometer)
        bind(meter.moving)
        bind(meter.idle)
        bind(meter.hardBrakings)
        bind(meter.hardAccelerations)
    }

    /// Binds the text, else the number, else null.
    @inline(__always)
    fileprivate mutating func bind(_ text: String?, or number: Int64?) {
        if let text {
            bind(text)
        } else {
            bind(number)
        }
    }
}
