import Diagnostics
import Formats
import OBDCore
import PIDTables
import ScanTool
import VehicleScan

/// What the live view shows: changed by readings and events, drawn by ``LiveView``.
public struct LiveModel: Sendable {
    /// What stands above the signals.
    public struct Header: Hashable, Sendable {
        /// The accessory as given: `sim:`.
        public var accessory = ""
        /// VIN or another name of the vehicle.
        public var vehicle: String?
        /// `ELM327 v2.1`.
        public var adapter: String?
        /// `ISO 15765-4 CAN, 11 bit, 500 kbit/s`.
        public var vehicleProtocol: String?
        /// Supply at the adapter; unit: V.
        public var voltage: Double?
        /// State of the scan tool.
        public var state = StateKind.initializing
        /// Whether asking is paused, as for a parked vehicle.
        public var isResting = false
        /// Whether there is nothing to ask: every signal was taken away.
        public var asksNothing = false
        /// Trip that is being recorded.
        public var trip: Int64?
        /// Whether the link is lost and is being had back.
        public var isLinkLost = false
        /// What the user should know now: a lost link, a vehicle that does not answer.
        public var notice: String?
        /// What keeps the trip from being stored.
        public var storing: String?
        /// The alarms that are not over.
        public var alarm: String?
    }

    /// What stands above the signals.
    public var header = Header()
    /// The signals, in the order shown.
    public private(set) var rows: [Row] = []
    /// Readings so far.
    public private(set) var readings = 0
    /// When the first row could have been filled.
    public private(set) var start: Instant
    /// The first row shown when there are more than fit.
    public var scroll = 0
    /// The row that keys act on; nil until somebody presses one.
    public var cursor: Int?
    /// Since when what is shown stands still; nil = it does not.
    public private(set) var pauseStart: Instant?
    /// Whether what is shown stands still.
    public var isPaused: Bool { pauseStart != nil }
    /// Text over the signals: help, codes; nil = none.
    public var page: Page?
    /// What a key did, until it has been read.
    public private(set) var remark: Remark?
    /// The signal that is being looked for, to add it; nil = none.
    public var adding: SignalChoice?

    /// Words at the foot of the screen that go by themselves.
    public struct Remark: Hashable, Sendable {
        /// What is said.
        public var text: String
        /// The first moment without it.
        public var end: Instant
    }

    /// Text that is shown in place of the signals until a key is pressed.
    public struct Page: Hashable, Sendable {
        /// What it is about.
        public var title: String
        /// Its text.
        public var lines: [String]
        /// The first line shown, of those that are folded to the screen.
        public var scroll = 0
        /// Whether the vehicle is being asked for it.
        public var isBeingRead = false

        /// A page at its first line.
        public init(title: String, lines: [String], isBeingRead: Bool = false) {
            self.title = title
            self.lines = lines
            self.isBeingRead = isBeingRead
        }
    }

    /// Units of what is shown.
    public private(set) var units: UnitSystem
    /// Rows that the user took away.
    private var hidden: Set<Key> = []
    private var ranks: [SignalIndex: Int]
    private var places: [Key: Int] = [:]
    private var readingRate = RateMeter()
    private var requestRate = RateMeter()
    private var lastRoundTrip: Duration?

    private struct Key: Hashable {
        var signal: SignalIndex
        var ecu: ECUAddress?
    }

    /// A view of nothing yet; values are shown in `units`.
    ///
    /// Signals of `order` stand first and in that order, others as in the table.
    public init(units: UnitSystem, start: Instant, order: [SignalIndex] = []) {
        self.units = units
        self.start = start
        ranks = [:]
        for (rank, signal) in order.enumerated() where ranks[signal] == nil {
            ranks[signal] = rank
        }
    }

    /// Whether several ECUs answer, so that their names have to be shown.
    public var namesECUs: Bool {
        Set(rows.compactMap(\.ecu)).count > 1
    }

    /// Readings a second over the last seconds.
    public func readingsPerSecond(at now: Instant) -> Double { readingRate.perSecond(at: now) }

    /// Requests a second over the last seconds.
    public func requestsPerSecond(at now: Instant) -> Double { requestRate.perSecond(at: now) }

    /// From the last request to the end of its reply.
    public var roundTrip: Duration? { lastRoundTrip }

    /// Takes note of an exchange.
    public mutating func exchanged(_ roundTrip: Duration, at now: Instant) {
        lastRoundTrip = roundTrip
        requestRate.count(at: now)
    }

    /// Adds an empty row for a signal that was asked for.
    public mutating func expect(_ index: SignalIndex, _ signal: Signal) {
        guard !rows.contains(where: { $0.signal == index }) else { return }
        insert(emptyRow(index, signal, ecu: nil))
    }

    /// Shows a reading of `signal`, which its index names.
    public mutating func apply(_ reading: Reading, _ signal: Signal, at now: Instant) {
        readings += 1
        readingRate.count(at: now)
        if isPaused || hidden.contains(Key(signal: reading.signal, ecu: reading.ecu)) { return }
        let place = place(for: reading, signal)
        switch reading.value {
        case .number(let value):
            let shown = units.conversion(from: signal.unit).map { $0(value) } ?? value
            rows[place].take(shown, at: now)
        case .flag(let value):
            rows[place].text = value ? "on" : "off"
        case .label(let code):
            rows[place].text =
                signal.labels.first { $0.code == code }?.label ?? "code \(code)"
        case .text(let text):
            rows[place].text = printable(text)
        case .supportMap(let raw):
            rows[place].text = Hex.string(raw, digits: 8)
        case .missing(let why, _):
            rows[place].number = nil
            rows[place].text = why.text
        }
        rows[place].updated = now
        rows[place].isUnanswered = false
    }

    /// Whether a row has waited for its first value in vain, or still waits.
    public var hasEmptyRows: Bool { rows.contains { $0.updated == nil } }

    /// Takes note that no ECU answered when `signal` was asked for.
    public mutating func missed(_ signal: SignalIndex) {
        for place in rows.indices where rows[place].signal == signal && rows[place].updated == nil {
            rows[place].isUnanswered = true
        }
    }

    /// Marks what `watch` says is beyond its limit.
    public mutating func mark(where isRaised: (SignalIndex, ECUAddress?) -> Bool) {
        for place in rows.indices {
            rows[place].isAlarming = isRaised(rows[place].signal, rows[place].ecu)
        }
    }

    private mutating func place(for reading: Reading, _ signal: Signal) -> Int {
        let key = Key(signal: reading.signal, ecu: reading.ecu)
        if let known = places[key], rows[known].updated != nil { return known }
        // A row that waits for whoever answers first is his now.
        let isWaiting = { (row: Row) in row.signal == reading.signal && row.updated == nil }
        var hadCursor = false
        if let waiting = rows.firstIndex(where: isWaiting) {
            rows.remove(at: waiting)
            hadCursor = cursor == waiting
            if let cursor, cursor > waiting { self.cursor = cursor - 1 }
        }
        insert(emptyRow(reading.signal, signal, ecu: reading.ecu))
        let place = places[key] ?? 0
        if hadCursor { cursor = place }
        return place
    }

    private mutating func insert(_ row: Row) {
        let place = rows.firstIndex { comesBefore(row, $0) } ?? rows.count
        rows.insert(row, at: place)
        if let cursor, cursor >= place { self.cursor = cursor + 1 }
        findPlaces()
    }

    private mutating func findPlaces() {
        places.removeAll(keepingCapacity: true)
        for (index, row) in rows.enumerated() {
            places[Key(signal: row.signal, ecu: row.ecu)] = index
        }
    }

    private func comesBefore(_ left: Row, _ right: Row) -> Bool {
        if left.signal != right.signal {
            let ranked = (ranks[left.signal] ?? .max, ranks[right.signal] ?? .max)
            return ranked.0 != ranked.1 ? ranked.0 < ranked.1 : left.signal < right.signal
        }
        guard let first = left.ecu else { return right.ecu != nil }
        return right.ecu.map { first < $0 } ?? false
    }

    private func emptyRow(_ index: SignalIndex, _ signal: Signal, ecu: ECUAddress?) -> Row {
        var row = Row(
            signal: index, ecu: ecu, id: printable(signal.id), name: printable(signal.name),
            unit: "", metricUnit: signal.unit, metricStep: signal.shownStep,
            metricBounds: signal.valueRange, decimals: 0)
        row.show(in: units)
        return row
    }
}

// MARK: What keys do

extension LiveModel {
    /// Moves the cursor by this many rows; the first time it appears at the top.
    public mutating func moveCursor(by step: Int, page: Int) {
        guard !rows.isEmpty else { return }
        // The first time it appears at the top that is seen, or the last row; Home and End mean what
        // they say.
        let first = step <= -rows.count ? 0 : step >= rows.count ? rows.count - 1 : nil
        let wanted = cursor.map { $0 + step } ?? first ?? (step > 0 ? scroll : rows.count - 1)
        let place = max(0, min(rows.count - 1, wanted))
        cursor = place
        if place < scroll { scroll = place }
        if place >= scroll + page { scroll = place - page + 1 }
    }

    /// Takes the cursor's row away; its signal where no other row shows it, which then need not be
    /// asked for any more.
    public mutating func removeRow() -> SignalIndex? {
        guard let place = cursor, rows.indices.contains(place) else { return nil }
        let row = rows.remove(at: place)
        hidden.insert(Key(signal: row.signal, ecu: row.ecu))
        cursor = rows.isEmpty ? nil : min(place, rows.count - 1)
        findPlaces()
        return rows.contains { $0.signal == row.signal } ? nil : row.signal
    }

    /// Shows a signal again that was taken away.
    public mutating func allow(_ signal: SignalIndex) {
        hidden = hidden.filter { $0.signal != signal }
    }

    /// Moves the cursor's row, and the cursor with it.
    public mutating func moveRow(by step: Int) {
        guard let place = cursor, rows.indices.contains(place), rows.indices.contains(place + step)
        else { return }
        rows.swapAt(place, place + step)
        cursor = place + step
        // New rows keep to the order that is seen now.
        ranks = [:]
        for row in rows where ranks[row.signal] == nil { ranks[row.signal] = ranks.count }
        findPlaces()
    }

    /// Shows everything in `units`, what is on the screen already included.
    public mutating func show(in units: UnitSystem) {
        guard units != self.units else { return }
        for place in rows.indices {
            rows[place].convert(from: self.units, to: units)
        }
        self.units = units
    }

    /// Says something that needs no answer for some seconds.
    public mutating func say(_ text: String, at now: Instant) {
        remark = Remark(text: text, end: now + .seconds(4))
    }

    /// Lets what is shown stand still, or go on.
    public mutating func togglePause(at now: Instant) {
        pauseStart = isPaused ? nil : now
    }

    /// Forgets extremes, and with them the ends of bars, and trends.
    public mutating func resetExtremes() {
        for place in rows.indices { rows[place].reset() }
    }
}

extension LiveModel {
    /// Whether the signal of `reading` has a row of that ECU already.
    public func shows(_ reading: Reading) -> Bool {
        places[Key(signal: reading.signal, ecu: reading.ecu)] != nil
    }
}
