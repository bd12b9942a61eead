import Diagnostics
import OBDCore
import PIDTables
import ScanTool
import TripExport
import VehicleScan

/// What the live view shows: changed by readings and events, drawn by ``LiveView``.
struct LiveModel: Sendable {
    /// What stands above the signals.
    struct Header: Hashable, Sendable {
        /// The accessory as given: `sim:`.
        var accessory = ""
        /// VIN or another name of the vehicle.
        var vehicle: String?
        /// `ELM327 v2.1`.
        var adapter: String?
        /// `ISO 15765-4 CAN, 11 bit, 500 kbit/s`.
        var vehicleProtocol: String?
        /// Supply at the adapter; unit: V.
        var voltage: Double?
        /// State of the scan tool.
        var state = StateKind.initializing
        /// Whether asking is paused, as for a parked vehicle.
        var isResting = false
        /// Whether there is nothing to ask: every signal was taken away.
        var asksNothing = false
        /// Trip that is being recorded.
        var trip: Int64?
        /// Whether the link is lost and is being had back.
        var isLinkLost = false
        /// What the user should know now: a lost link, a vehicle that does not answer.
        var notice: String?
        /// What keeps the trip from being stored.
        var storing: String?
        /// The alarms that are not over.
        var alarm: String?
    }

    var header = Header()
    private(set) var rows: [Row] = []
    /// Readings so far.
    private(set) var readings = 0
    /// When the first row could have been filled.
    private(set) var start: Instant
    /// The first row shown when there are more than fit.
    var scroll = 0
    /// The row that keys act on; nil until somebody presses one.
    var cursor: Int?
    /// Since when what is shown stands still; nil = it does not.
    private(set) var pauseStart: Instant?
    /// Whether what is shown stands still.
    var isPaused: Bool { pauseStart != nil }
    /// Text over the signals: help, codes; nil = none.
    var page: Page?
    /// What a key did, until it has been read.
    private(set) var remark: Remark?
    /// The signal that is being looked for, to add it; nil = none.
    var adding: SignalChoice?

    /// Words at the foot of the screen that go by themselves.
    struct Remark: Hashable, Sendable {
        var text: String
        /// The first moment without it.
        var end: Instant
    }

    /// Text that is shown in place of the signals until a key is pressed.
    struct Page: Hashable, Sendable {
        var title: String
        var lines: [String]
        /// The first line shown, of those that are folded to the screen.
        var scroll = 0
        /// Whether the vehicle is being asked for it.
        var isBeingRead = false
    }

    /// Units of what is shown.
    private(set) var units: UnitSystem
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
    init(units: UnitSystem, start: Instant, order: [SignalIndex] = []) {
        self.units = units
        self.start = start
        ranks = [:]
        for (rank, signal) in order.enumerated() where ranks[signal] == nil {
            ranks[signal] = rank
        }
    }

    /// Whether several ECUs answer, so that their names have to be shown.
    var namesECUs: Bool {
        Set(rows.compactMap(\.ecu)).count > 1
    }

    /// Readings a second over the last seconds.
    func readingsPerSecond(at now: Instant) -> Double { readingRate.perSecond(at: now) }

    /// Requests a second over the last seconds.
    func requestsPerSecond(at now: Instant) -> Double { requestRate.perSecond(at: now) }

    /// From the last request to the end of its reply.
    var roundTrip: Duration? { lastRoundTrip }

    /// Takes note of an exchange.
    mutating func exchanged(_ roundTrip: Duration, at now: Instant) {
        lastRoundTrip = roundTrip
        requestRate.count(at: now)
    }

    /// Adds an empty row for a signal that was asked for.
    mutating func expect(_ index: SignalIndex, _ signal: Signal) {
        guard !rows.contains(where: { $0.signal == index }) else { return }
        insert(emptyRow(index, signal, ecu: nil))
    }

    /// Shows a reading of `signal`, which its index names.
    mutating func apply(_ reading: Reading, _ signal: Signal, at now: Instant) {
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
    var hasEmptyRows: Bool { rows.contains { $0.updated == nil } }

    /// Takes note that nobody answered when `signal` was asked for.
    mutating func missed(_ signal: SignalIndex) {
        for place in rows.indices where rows[place].signal == signal && rows[place].updated == nil {
            rows[place].isUnanswered = true
        }
    }

    /// Marks what `watch` says is beyond its limit.
    mutating func mark(_ watch: AlarmWatch) {
        for place in rows.indices {
            rows[place].isAlarming = watch.isRaised(rows[place].signal, rows[place].ecu)
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
    /// Moves the cursor by so many rows; the first time it appears at the top.
    mutating func moveCursor(by step: Int, page: Int) {
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
    mutating func removeRow() -> SignalIndex? {
        guard let place = cursor, rows.indices.contains(place) else { return nil }
        let row = rows.remove(at: place)
        hidden.insert(Key(signal: row.signal, ecu: row.ecu))
        cursor = rows.isEmpty ? nil : min(place, rows.count - 1)
        findPlaces()
        return rows.contains { $0.signal == row.signal } ? nil : row.signal
    }

    /// Shows a signal again that was taken away.
    mutating func allow(_ signal: SignalIndex) {
        hidden = hidden.filter { $0.signal != signal }
    }

    /// Moves the cursor's row, and the cursor with it.
    mutating func moveRow(by step: Int) {
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
    mutating func show(in units: UnitSystem) {
        guard units != self.units else { return }
        for place in rows.indices {
            rows[place].convert(from: self.units, to: units)
        }
        self.units = units
    }

    /// Says something that needs no answer for some seconds.
    mutating func say(_ text: String, at now: Instant) {
        remark = Remark(text: text, end: now + .seconds(4))
    }

    /// Lets what is shown stand still, or go on.
    mutating func togglePause(at now: Instant) {
        pauseStart = isPaused ? nil : now
    }

    /// Forgets extremes, and with them the ends of bars, and trends.
    mutating func resetExtremes() {
        for place in rows.indices { rows[place].reset() }
    }
}

extension LiveModel {
    /// Whether the signal of `reading` has a row of that ECU already.
    func shows(_ reading: Reading) -> Bool {
        places[Key(signal: reading.signal, ecu: reading.ecu)] != nil
    }
}
