import Diagnostics
import Formats
import OBDCore
import PIDTables
import Reports
import ScanTool
import VehicleScan

/// The state of the live view, changed by readings and events, and drawn by ``LiveView``.
package struct LiveModel: Sendable {
    /// How signals are displayed.
    package enum Mode: Hashable, Sendable {
        /// One line per signal.
        case list
        /// One dial per signal.
        case gauges
        /// One large signal, with the signals that were added to its graph.
        case signal
    }

    package enum Order: String, Hashable, Sendable, CaseIterable {
        /// As given by the user, or as moved by keys.
        case asked
        case name
        case unusual

        /// The name of the order for people.
        package var words: String {
            switch self {
            case .asked: "as asked for"
            case .name: "by name"
            case .unusual: "unusual values first"
            }
        }
    }

    package struct Key: Hashable, Sendable {
        package var signal: SignalIndex
        /// Nil before the first answer of an ECU, and if headers are off.
        package var ecu: ECUAddress?

        init(_ row: Row) { (signal, ecu) = (row.signal, row.ecu) }
        init(_ reading: Reading) { (signal, ecu) = (reading.signal, reading.ecu) }
    }

    /// The part of the screen above the signals.
    package var header = Header()
    package var names = ECUNames()
    /// The rows, in the order in which they are shown.
    package internal(set) var rows: [Row] = []
    package private(set) var readings = 0
    package private(set) var start: Instant
    /// The first visible row, if not all rows fit.
    package var scroll = 0
    /// The row that keys act on; nil until the user selects one.
    package var cursor: Int?
    /// How signals are displayed.
    package var mode = Mode.list
    /// The order of the rows; see ``shown``.
    package internal(set) var order = Order.asked
    /// Whether rows with the same value from further ECUs are hidden.
    package internal(set) var foldsECUs = true
    /// The signals that the graph shows in addition to the selected one.
    package internal(set) var plotted: [Key] = []
    /// The index into ``windows``; nil = the shortest span that shows all data.
    var chosenWindow: Int?
    /// The limits of usual values.
    package var levels = SignalLevels()
    /// When the display was paused; nil = it is running.
    package internal(set) var pauseStart: Instant?
    package var isPaused: Bool { pauseStart != nil }
    /// A text page that covers the signals, such as help or codes; nil = none.
    package var page: Page?
    /// A message about the last key, shown for some seconds.
    package internal(set) var remark: Remark?
    /// The search for a signal to add; nil = none.
    package var adding: SignalChoice?

    package internal(set) var units: UnitSystem
    var hidden: Set<Key> = []
    var ranks: [SignalIndex: Int]
    private let constants: Set<SignalIndex>
    var places: [Key: Int] = [:]
    /// The time of the last reading; nil before the first.
    private var lastReading: Instant?
    /// The time at which an ECU last reported its light or codes.
    var lightTime: Instant?
    private var readingRate = RateMeter()
    private var requestRate = RateMeter()
    private var lastRoundTrip: Duration?
    var lights: [ECUAddress?: Bool] = [:]
    var lamps: [ECUAddress?: CodeReport.Lamps] = [:]
    var counts: [ECUAddress?: Int] = [:]

    /// An empty view that shows values in `units`.
    ///
    /// Signals of `order` come first, in that order, and the others in the order of the table. Those of
    /// `constants` share one line.
    package init(
        units: UnitSystem, start: Instant, order: [SignalIndex] = [],
        constants: Set<SignalIndex> = []
    ) {
        self.constants = constants
        self.units = units
        self.start = start
        ranks = [:]
        for (rank, signal) in order.enumerated() where ranks[signal] == nil {
            ranks[signal] = rank
        }
    }

    /// The indices of the visible rows, in their order.
    package var shown: [Int] {
        var places = rows.indices.filter { place in
            let row = rows[place]
            return !foldsECUs || !(row.isFolded || row.isConstant) || row.isAlarming
                || cursor == place || plotted.contains(Key(row))
        }
        switch order {
        case .asked: break
        case .name:
            places.sort { left, right in
                (rows[left].name, left) < (rows[right].name, right)
            }
        case .unusual:
            func rank(_ row: Row) -> Int {
                if row.isAlarming { return 0 }
                guard let level = row.level?.level else { return row.updated == nil ? 5 : 4 }
                return level.isGrave ? 1 : level == .note ? 3 : 2
            }
            places.sort { left, right in
                (rank(rows[left]), left) < (rank(rows[right]), right)
            }
        }
        return places
    }

    /// The number of rows that are hidden because another ECU reports the same value.
    package var folded: Int { rows.count - shown.count - constantRows.count }

    /// The rows that share one line, because they describe the vehicle and do not change.
    package var constantRows: [Row] {
        guard foldsECUs, rows.contains(where: \.isConstant) else { return [] }
        let shown = Set(shown)
        return rows.indices.filter { rows[$0].isConstant && !shown.contains($0) }.map { rows[$0] }
    }

    /// The addresses of the ECUs whose hidden rows have the same value as `row`.
    package func likes(of row: Row) -> [ECUAddress] {
        guard !row.isFolded else { return [] }
        return rows.filter { $0.signal == row.signal && $0.isFolded }.compactMap(\.ecu)
    }

    /// Readings per second over the last seconds.
    package func readingsPerSecond(at now: Instant) -> Double { readingRate.perSecond(at: now) }

    /// Requests per second over the last seconds.
    package func requestsPerSecond(at now: Instant) -> Double { requestRate.perSecond(at: now) }

    /// What is missing: as the session reports it, or a vehicle that answers no request.
    package func loss(at now: Instant) -> Loss? {
        if let loss = header.loss { return loss }
        guard let lastReading, !header.isResting, !header.asksNothing, !isPaused else { return nil }
        let interval = rows.compactMap(\.pace).min()
        guard now - lastReading > VehicleLoss.limit(interval), requestsPerSecond(at: now) > 0 else {
            return nil
        }
        return Loss(.vehicle, since: lastReading, reason: nil)
    }

    /// Whether requests have been answered for a while, and no signal could be read from any answer.
    func isWithoutReadings(at now: Instant) -> Bool {
        readings == 0 && now - start > .seconds(10) && requestsPerSecond(at: now) > 0
            && rows.contains { !$0.isUnanswered }
    }

    /// The time from the last request to the end of its reply.
    package var roundTrip: Duration? { lastRoundTrip }

    package mutating func exchanged(_ roundTrip: Duration, at now: Instant) {
        lastRoundTrip = roundTrip
        requestRate.count(at: now)
    }

    /// Adds an empty row for a requested signal.
    package mutating func expect(_ index: SignalIndex, _ signal: Signal) {
        guard !rows.contains(where: { $0.signal == index }) else { return }
        insert(emptyRow(index, signal, ecu: nil))
    }

    /// Shows a reading of `signal`, the signal of the reading's index.
    package mutating func apply(_ reading: Reading, _ signal: Signal, at now: Instant) {
        readings += 1
        readingRate.count(at: now)
        lastReading = now
        if isPaused || hidden.contains(Key(reading)) { return }
        let place = place(for: reading, signal)
        let before = (rows[place].number, rows[place].text)
        defer {
            if rows[place].isConstant, rows[place].pace != nil,
                before != (rows[place].number, rows[place].text)
            {
                rows[place].isConstant = false
            }
        }
        rows[place].label = nil
        switch reading.value {
        case .number(let value):
            rows[place].label = signal.label(of: reading.value).map { printable($0) }
            let shown = units.conversion(from: signal.unit).map { $0(value) } ?? value
            rows[place].take(shown, at: now)
        case .flag(let value):
            rows[place].text = value ? "on" : "off"
        case .label(let code):
            rows[place].text = signal.label(of: reading.value) ?? "code \(code)"
        case .text(let text):
            rows[place].text = printable(text)
        case .supportMap(let raw):
            rows[place].text = Hex.string(raw, digits: 8)
        case .missing(let why, _):
            rows[place].number = nil
            rows[place].text = why.text
        }
        rows[place].pace = rows[place].updated.map { now - $0 }
        rows[place].updated = now
        rows[place].isUnanswered = false
        rows[place].dataID = reading.dataID
        rows[place].raw = reading.raw
        if rows[place].isJudged { rows[place].engineRuns = engineRuns(at: now) }
        compare(place)
    }

    /// Whether an engine speed of the last seconds shows that the engine runs.
    private func engineRuns(at now: Instant) -> Bool {
        rows.contains { row in
            SignalLevels.engineSpeeds.contains(row.id)
                && row.number.map { $0 >= SignalLevels.runningSpeed } ?? false
                && row.updated.map { now - $0 <= .seconds(10) } ?? false
        }
    }

    /// Hides rows of further ECUs that have the same value as the first ECU.
    private mutating func compare(_ place: Int) {
        // Rows of one signal are adjacent, with the lowest address first.
        guard place > 0, rows[place - 1].signal == rows[place].signal else { return }
        var first = place - 1
        while first > 0, rows[first - 1].signal == rows[place].signal { first -= 1 }
        rows[place].compare(with: rows[first])
    }

    /// Whether any row has no value yet.
    package var hasEmptyRows: Bool { rows.contains { $0.updated == nil } }

    /// Marks the rows of `signal` after no ECU answered a request for it.
    package mutating func missed(_ signal: SignalIndex) {
        for place in rows.indices where rows[place].signal == signal && rows[place].updated == nil {
            rows[place].isUnanswered = true
        }
    }

    /// Marks the rows that have an alarm.
    package mutating func mark(where isRaised: (SignalIndex, ECUAddress?) -> Bool) {
        for place in rows.indices {
            rows[place].isAlarming = isRaised(rows[place].signal, rows[place].ecu)
        }
    }

    private mutating func place(for reading: Reading, _ signal: Signal) -> Int {
        let key = Key(reading)
        if let known = places[key], rows[known].updated != nil { return known }
        // An empty row belongs to the first ECU that answers.
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

    mutating func findPlaces() {
        places.removeAll(keepingCapacity: true)
        for (index, row) in rows.enumerated() {
            places[Key(row)] = index
        }
    }

    func comesBefore(_ left: Row, _ right: Row) -> Bool {
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
        row.levels = levels.rules(of: signal)
        row.formula = signal.formulaText
        row.isConstant = constants.contains(index)
        row.show(in: units)
        return row
    }

    /// Whether the signal and ECU of `reading` have a row already.
    package func shows(_ reading: Reading) -> Bool {
        places[Key(reading)] != nil
    }
}
