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
        /// Whether an ECU has its check engine light on; nil = none has said.
        public var light: Bool?
        /// How many codes the ECUs count; nil = none has said.
        public var codes: Int?
    }

    /// What is shown of the signals.
    public enum Mode: Hashable, Sendable {
        /// A line each.
        case list
        /// A dial each.
        case gauges
        /// One signal at large, with those that were put beside it.
        case signal
    }

    /// In which order signals are shown.
    public enum Order: String, Hashable, Sendable, CaseIterable {
        /// As asked for, or as keys have moved them.
        case asked
        /// By their names.
        case name
        /// What is beyond its usual values first.
        case unusual

        /// In words.
        public var words: String {
            switch self {
            case .asked: "as asked for"
            case .name: "by name"
            case .unusual: "unusual values first"
            }
        }
    }

    /// What tells rows apart.
    public struct Key: Hashable, Sendable {
        /// The signal.
        public var signal: SignalIndex
        /// Nil until an ECU has answered, and where headers are off.
        public var ecu: ECUAddress?

        init(_ row: Row) { (signal, ecu) = (row.signal, row.ecu) }
        init(_ reading: Reading) { (signal, ecu) = (reading.signal, reading.ecu) }
    }

    /// Signals that one graph shows at most.
    public static let mostPlotted = 3
    /// How far back a graph can go.
    public static let windows: [Duration] = [
        .seconds(60), .seconds(120), .seconds(300), .seconds(600),
    ]

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
    /// What is shown of the signals.
    public var mode = Mode.list
    /// In which order; see ``shown``.
    public private(set) var order = Order.asked
    /// Whether rows of further ECUs that say the same are left out.
    public private(set) var foldsECUs = true
    /// The signals that a graph shows together, beside the chosen one.
    public private(set) var plotted: [Key] = []
    /// Which of ``windows`` graphs show; nil = as much as there is.
    private var chosenWindow: Int?
    /// From where values deserve a look.
    public var levels = SignalLevels()
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

    /// A line of a page.
    public struct Line: Hashable, Sendable, ExpressibleByStringLiteral {
        /// All of it.
        public var text: String
        /// How it looks.
        public var style: Style?
        /// So many characters at its beginning look different: a code before its text.
        public var head = 0
        /// How they look.
        public var headStyle: Style?
        /// Where its further lines begin when it is folded; nil = below its last column.
        public var hanging: Int?

        /// A line in one style.
        public init(_ text: String, _ style: Style? = nil) {
            self.text = text
            self.style = style
        }

        /// A line whose beginning has a style of its own; what is folded begins below its end.
        public init(head: String, _ headStyle: Style?, _ text: String, _ style: Style? = nil) {
            self.text = head + text
            self.style = style
            self.head = head.count
            self.headStyle = headStyle
            hanging = displayWidth(head)
        }

        /// A plain line.
        public init(stringLiteral value: String) { self.init(value) }
    }

    /// Text that is shown in place of the signals until a key is pressed.
    public struct Page: Hashable, Sendable {
        /// What it is about.
        public var title: String
        /// Its text.
        public var lines: [Line]
        /// The first line shown, of those that are folded to the screen.
        public var scroll = 0
        /// Whether the vehicle is being asked for it.
        public var isBeingRead = false

        /// A page at its first line.
        public init(title: String, lines: [Line], isBeingRead: Bool = false) {
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
    private var lights: [ECUAddress?: Bool] = [:]
    private var counts: [ECUAddress?: Int] = [:]

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

    /// Whether several ECUs are shown, so that their names have to be.
    public var namesECUs: Bool {
        Set(shown.compactMap { rows[$0].ecu }).count > 1
    }

    /// The rows that are shown, in their order.
    public var shown: [Int] {
        var places = rows.indices.filter { place in
            let row = rows[place]
            return !foldsECUs || !row.isFolded || row.isAlarming || cursor == place
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

    /// Rows that are left out because another ECU says the same.
    public var folded: Int { rows.count - shown.count }

    /// The addresses of the ECUs whose rows say the same as that of `row`.
    public func likes(of row: Row) -> [ECUAddress] {
        guard !row.isFolded else { return [] }
        return rows.filter { $0.signal == row.signal && $0.isFolded }.compactMap(\.ecu)
    }

    /// What a graph shows: the chosen row first, then those that were put beside it.
    public var graphed: [Int] {
        let beside = plotted.compactMap { places[$0] }
        let chosen =
            cursor.flatMap { rows.indices.contains($0) ? $0 : nil } ?? beside.first
            ?? shown.first { rows[$0].isPlottable }
        let all = [chosen].compactMap(\.self) + beside.filter { $0 != chosen }
        return Array(all.prefix(Self.mostPlotted))
    }

    /// Takes note of an ECU's check engine light or of its number of codes.
    public mutating func takeLight(_ isOn: Bool, of ecu: ECUAddress?) {
        lights[ecu] = isOn
        header.light = lights.values.contains(true)
    }

    /// Takes note of how many codes an ECU counts.
    public mutating func takeCodes(_ count: Int, of ecu: ECUAddress?) {
        counts[ecu] = count
        header.codes = counts.values.reduce(0, +)
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
        if isPaused || hidden.contains(Key(reading)) { return }
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
        rows[place].pace = rows[place].updated.map { now - $0 }
        rows[place].updated = now
        rows[place].isUnanswered = false
        rows[place].dataID = reading.dataID
        rows[place].raw = reading.raw
        compare(place)
    }

    /// Folds rows of further ECUs away that say the same as the first.
    private mutating func compare(_ place: Int) {
        // Rows of a signal stand together, the lowest address first.
        guard place > 0, rows[place - 1].signal == rows[place].signal else { return }
        var first = place - 1
        while first > 0, rows[first - 1].signal == rows[place].signal { first -= 1 }
        rows[place].compare(with: rows[first])
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
        let key = Key(reading)
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
            places[Key(row)] = index
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
        row.levels = levels.rules(of: signal)
        row.formula = signal.formulaText
        row.show(in: units)
        return row
    }
}

// MARK: What keys do

extension LiveModel {
    /// Moves the cursor by this many rows; the first time it appears at the top.
    public mutating func moveCursor(by step: Int, page: Int) {
        let shown = shown
        guard !shown.isEmpty else { return }
        // The first time it appears at the top that is seen, or the last row; Home and End mean what
        // they say.
        let first = step <= -rows.count ? 0 : step >= rows.count ? shown.count - 1 : nil
        let current = cursor.flatMap { shown.firstIndex(of: $0) }
        let wanted = current.map { $0 + step } ?? first ?? (step > 0 ? scroll : shown.count - 1)
        let position = max(0, min(shown.count - 1, wanted))
        cursor = shown[position]
        if position < scroll { scroll = position }
        if position >= scroll + page { scroll = position - page + 1 }
    }

    /// Scrolls by so many rows, without choosing one.
    public mutating func scroll(by step: Int, page: Int) {
        scroll = max(0, min(shown.count - page, scroll + step))
    }

    /// Takes the cursor's row away; its signal where no other row shows it, which then need not be
    /// asked for any more.
    public mutating func removeRow() -> SignalIndex? {
        guard let place = cursor, rows.indices.contains(place) else { return nil }
        let row = rows.remove(at: place)
        hidden.insert(Key(row))
        // What was folded under it goes with it.
        if foldsECUs, !row.isFolded {
            for other in rows where other.signal == row.signal && other.isFolded {
                hidden.insert(Key(other))
            }
            rows.removeAll { $0.signal == row.signal && $0.isFolded }
        }
        cursor = rows.isEmpty ? nil : min(place, rows.count - 1)
        findPlaces()
        return rows.contains { $0.signal == row.signal } ? nil : row.signal
    }

    /// Shows a signal again that was taken away.
    public mutating func allow(_ signal: SignalIndex) {
        hidden = hidden.filter { $0.signal != signal }
    }

    /// Moves the cursor's row, and the cursor with it; rows of one signal stay together.
    public mutating func moveRow(by step: Int) {
        var signals: [SignalIndex] = []
        for place in shown where signals.last != rows[place].signal {
            signals.append(rows[place].signal)
        }
        guard let cursor, rows.indices.contains(cursor),
            let from = signals.firstIndex(of: rows[cursor].signal),
            signals.indices.contains(from + step)
        else { return }
        let key = Key(rows[cursor])
        signals.swapAt(from, from + step)
        // New rows keep to the order that is seen now.
        ranks = [:]
        for signal in signals where ranks[signal] == nil { ranks[signal] = ranks.count }
        order = .asked
        rows.sort(by: comesBefore)
        findPlaces()
        self.cursor = places[key]
    }

    /// Takes the next order.
    public mutating func changeOrder() {
        let all = Order.allCases
        let place = all.firstIndex(of: order) ?? 0
        order = all[(place + 1) % all.count]
        scroll = 0
    }

    /// Shows the rows of all ECUs, or folds them.
    public mutating func toggleFolding() { foldsECUs.toggle() }

    /// Puts the chosen signal into the graph, or takes it out; false = there is no room.
    public mutating func togglePlotted() -> Bool {
        guard let cursor, rows.indices.contains(cursor) else { return true }
        let key = Key(rows[cursor])
        if let place = plotted.firstIndex(of: key) {
            plotted.remove(at: place)
            return true
        }
        guard plotted.count < Self.mostPlotted else { return false }
        plotted.append(key)
        return true
    }

    /// Where the signals of a row stand among those that were put into the graph; nil = it is not.
    public func plotPlace(of row: Row) -> Int? { plotted.firstIndex(of: Key(row)) }

    /// Shows more time in graphs, or less.
    public mutating func zoom(by step: Int, at now: Instant) {
        chosenWindow = max(0, min(Self.windows.count - 1, window(at: now) + step))
    }

    /// How far back graphs go: what was chosen, else all there is.
    public func graphWindow(at now: Instant) -> Duration { Self.windows[window(at: now)] }

    private func window(at now: Instant) -> Int {
        let elapsed = now - start
        return chosenWindow ?? Self.windows.firstIndex { $0 >= elapsed } ?? Self.windows.count - 1
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
        places[Key(reading)] != nil
    }
}
