import Diagnostics
import Formats
import OBDCore
import PIDTables
import Reports
import ScanTool
import VehicleScan

/// The state of the live view, changed by readings and events, and drawn by ``LiveView``.
package struct LiveModel: Sendable {
    /// The part of the screen above the signals.
    package struct Header: Hashable, Sendable {
        /// The device as the user gave it: `sim:`.
        package var accessory = ""
        /// VIN or another name of the vehicle.
        package var vehicle: String?
        /// `ELM327 v2.1`.
        package var adapter: String?
        /// `ISO 15765-4 CAN, 11 bit, 500 kbit/s`.
        package var vehicleProtocol: String?
        /// Supply at the adapter; unit: V.
        package var voltage: Double?
        /// State of the scan tool.
        package var state = StateKind.initializing
        /// Whether polling is paused, for example because the vehicle is parked.
        package var isResting = false
        /// Whether nothing is polled, because the user removed every signal.
        package var asksNothing = false
        /// The trip that is being recorded.
        package var recording: Recording?
        /// What is missing and since when, with its reason; nil = nothing is known to be missing.
        package var loss: Loss?
        /// A notice for the user: a lost link, or a vehicle that does not answer.
        package var notice: String?
        /// Why the trip cannot be stored at the moment.
        package var storing: String?
        /// The alarms that were not over at the last readings.
        package var alarm: String?
        /// Whether the check engine light of any ECU is on; nil = not reported.
        package var light: Bool?
        /// The other lamps of SAE J1939; on if they are on at any ECU.
        package var lamps = CodeReport.Lamps(
            malfunction: nil, redStop: nil, amberWarning: nil, protect: nil)
        /// The number of codes that all ECUs report; nil = not reported.
        package var codes: Int?
    }

    /// A trip that is being recorded.
    package struct Recording: Hashable, Sendable {
        package var trip: Int64
        /// The local time of its start: `14:03`.
        package var since: String
        package var readings: Int

        package init(trip: Int64, since: String, readings: Int) {
            (self.trip, self.since, self.readings) = (trip, since, readings)
        }
    }

    /// What is missing while readings are polled.
    package struct Loss: Hashable, Sendable {
        package var kind: VehicleLoss
        package var start: Instant
        /// Why, in words; nil = the vehicle is only silent.
        package var reason: String?

        package init(_ kind: VehicleLoss, since start: Instant, reason: String?) {
            (self.kind, self.start, self.reason) = (kind, start, reason)
        }
    }

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

    /// The greatest number of signals in one graph.
    package static let mostPlotted = 3
    /// The time spans that a graph can show.
    package static let windows: [Duration] = [
        .seconds(60), .seconds(120), .seconds(300), .seconds(600),
    ]

    /// The part of the screen above the signals.
    package var header = Header()
    package var names = ECUNames()
    /// The rows, in the order in which they are shown.
    package private(set) var rows: [Row] = []
    package private(set) var readings = 0
    package private(set) var start: Instant
    /// The first visible row, if not all rows fit.
    package var scroll = 0
    /// The row that keys act on; nil until the user selects one.
    package var cursor: Int?
    /// How signals are displayed.
    package var mode = Mode.list
    /// The order of the rows; see ``shown``.
    package private(set) var order = Order.asked
    /// Whether rows with the same value from further ECUs are hidden.
    package private(set) var foldsECUs = true
    /// The signals that the graph shows in addition to the selected one.
    package private(set) var plotted: [Key] = []
    /// The index into ``windows``; nil = the shortest span that shows all data.
    private var chosenWindow: Int?
    /// The limits of usual values.
    package var levels = SignalLevels()
    /// When the display was paused; nil = it is running.
    package private(set) var pauseStart: Instant?
    package var isPaused: Bool { pauseStart != nil }
    /// A text page that covers the signals, such as help or codes; nil = none.
    package var page: Page?
    /// A message about the last key, shown for some seconds.
    package private(set) var remark: Remark?
    /// The search for a signal to add; nil = none.
    package var adding: SignalChoice?

    /// A message at the bottom of the screen that disappears by itself.
    package struct Remark: Hashable, Sendable {
        package var text: String
        package var end: Instant
    }

    package struct Line: Hashable, Sendable, ExpressibleByStringLiteral {
        package var text: String
        package var style: Style?
        /// The number of characters at the beginning in another style, such as a code before its
        /// text.
        package var head = 0
        package var headStyle: Style?
        /// The column where folded parts begin; nil = under the last column of the line.
        package var hanging: Int?

        package init(_ text: String, _ style: Style? = nil) {
            self.text = text
            self.style = style
        }

        /// A line whose beginning has its own style; folded parts are indented to the end of the
        /// beginning.
        package init(head: String, _ headStyle: Style?, _ text: String, _ style: Style? = nil) {
            self.text = head + text
            self.style = style
            self.head = head.count
            self.headStyle = headStyle
            hanging = displayWidth(head)
        }

        package init(stringLiteral value: String) { self.init(value) }
    }

    /// A text page that replaces the signals until a key is pressed.
    package struct Page: Hashable, Sendable {
        /// The heading.
        package var title: String
        package var lines: [Line]
        /// The first visible line, counted after folding to the screen.
        package var scroll = 0
        /// Whether the page still waits for the vehicle's answers.
        package var isBeingRead = false

        /// A page at its first line.
        package init(title: String, lines: [Line], isBeingRead: Bool = false) {
            self.title = title
            self.lines = lines
            self.isBeingRead = isBeingRead
        }
    }

    package private(set) var units: UnitSystem
    private var hidden: Set<Key> = []
    private var ranks: [SignalIndex: Int]
    private let constants: Set<SignalIndex>
    private var places: [Key: Int] = [:]
    /// The time of the last reading; nil before the first.
    private var lastReading: Instant?
    /// The time at which an ECU last reported its light or codes.
    private var lightTime: Instant?
    private var readingRate = RateMeter()
    private var requestRate = RateMeter()
    private var lastRoundTrip: Duration?
    private var lights: [ECUAddress?: Bool] = [:]
    private var lamps: [ECUAddress?: CodeReport.Lamps] = [:]
    private var counts: [ECUAddress?: Int] = [:]

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

    /// The rows in the graph: the selected row first, then those that were added.
    package var graphed: [Int] {
        let beside = plotted.compactMap { places[$0] }
        let chosen =
            cursor.flatMap { rows.indices.contains($0) ? $0 : nil } ?? beside.first
            ?? shown.first { rows[$0].isPlottable }
        let all = [chosen].compactMap(\.self) + beside.filter { $0 != chosen }
        return Array(all.prefix(Self.mostPlotted))
    }

    /// The rows of each graph below the list: those of ``graphed`` by unit, and, while the user has
    /// added none, one graph for each of the next signals, as many as there is room for.
    package func graphs(atMost count: Int) -> [[Int]] {
        let graphed = graphed
        guard count > 0, graphed.contains(where: { rows[$0].isPlottable }) else { return [] }
        guard plotted.isEmpty, let first = graphed.first else {
            var byUnit: [[Int]] = []
            for place in graphed {
                let of = byUnit.firstIndex { rows[$0[0]].unit == rows[place].unit }
                if let of { byUnit[of].append(place) } else { byUnit.append([place]) }
            }
            return byUnit.count <= count ? byUnit : [graphed]
        }
        let next = shown.filter { $0 != first && rows[$0].isPlottable && rows[$0].scale != nil }
        return ([first] + next).prefix(count).map { [$0] }
    }

    /// Stores the state of an ECU's check engine light.
    package mutating func takeLight(_ isOn: Bool, of ecu: ECUAddress?, at time: Instant) {
        lightTime = time
        lights[ecu] = isOn
        header.light = lights.values.contains(true)
    }

    /// Stores the lamps of an ECU on SAE J1939.
    package mutating func takeLamps(
        _ lamps: CodeReport.Lamps, of ecu: ECUAddress?, at time: Instant
    ) {
        lightTime = time
        self.lamps[ecu] = lamps
        let all = self.lamps.values
        header.lamps.redStop = all.contains { $0.redStop == true }
        header.lamps.amberWarning = all.contains { $0.amberWarning == true }
        header.lamps.protect = all.contains { $0.protect == true }
    }

    /// Stores the number of codes of an ECU.
    package mutating func takeCodes(_ count: Int, of ecu: ECUAddress?) {
        counts[ecu] = count
        header.codes = counts.values.reduce(0, +)
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

    /// The age of the check engine light; nil if it is current.
    package func lightAge(at now: Instant) -> Duration? {
        guard let lightTime else { return nil }
        let age = now - lightTime
        return age > (loss(at: now) == nil ? .seconds(60) : .seconds(2)) ? age : nil
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
        row.isConstant = constants.contains(index)
        row.show(in: units)
        return row
    }
}

// MARK: Keys

extension LiveModel {
    /// Moves the cursor by this many rows.
    package mutating func moveCursor(by step: Int, page: Int) {
        let shown = shown
        guard !shown.isEmpty else { return }
        // At first the cursor appears in the first visible row or the last row. Home and End always
        // go to the first or last row.
        let first = step <= -rows.count ? 0 : step >= rows.count ? shown.count - 1 : nil
        let current = cursor.flatMap { shown.firstIndex(of: $0) }
        let wanted = current.map { $0 + step } ?? first ?? (step > 0 ? scroll : shown.count - 1)
        let position = max(0, min(shown.count - 1, wanted))
        cursor = shown[position]
        if position < scroll { scroll = position }
        if position >= scroll + page { scroll = position - page + 1 }
    }

    /// Scrolls by this many rows without selecting one.
    package mutating func scroll(by step: Int, page: Int) {
        scroll = max(0, min(shown.count - page, scroll + step))
    }

    /// Removes the selected row.
    /// - Returns: The signal, if no other row shows it and it need not be polled any more.
    package mutating func removeRow() -> SignalIndex? {
        guard let place = cursor, rows.indices.contains(place) else { return nil }
        let row = rows.remove(at: place)
        hidden.insert(Key(row))
        // Remove the hidden rows of the same signal, too.
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

    /// Shows a removed signal again.
    package mutating func allow(_ signal: SignalIndex) {
        hidden = hidden.filter { $0.signal != signal }
    }

    /// Moves the selected row; the rows of one signal stay together.
    package mutating func moveRow(by step: Int) {
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
        // New rows follow the order that is now on the screen.
        ranks = [:]
        for signal in signals where ranks[signal] == nil { ranks[signal] = ranks.count }
        order = .asked
        rows.sort(by: comesBefore)
        findPlaces()
        self.cursor = places[key]
    }

    /// Switches to the next order.
    package mutating func changeOrder() {
        let all = Order.allCases
        let place = all.firstIndex(of: order) ?? 0
        order = all[(place + 1) % all.count]
        scroll = 0
    }

    /// Toggles between the rows of all ECUs and hiding equal rows.
    package mutating func toggleFolding() { foldsECUs.toggle() }

    /// The result of adding a signal to the graph or removing it.
    package enum Plotting: Hashable, Sendable {
        case added, removed, full
    }

    /// Adds the selected signal to the graph or removes it; nil = none is selected.
    package mutating func togglePlotted() -> Plotting? {
        guard let cursor, rows.indices.contains(cursor) else { return nil }
        let key = Key(rows[cursor])
        if let place = plotted.firstIndex(of: key) {
            plotted.remove(at: place)
            return .removed
        }
        guard plotted.count < Self.mostPlotted else { return .full }
        plotted.append(key)
        return .added
    }

    /// The position of a row's signal in the graph; nil = it is not in the graph.
    package func plotPlace(of row: Row) -> Int? { plotted.firstIndex(of: Key(row)) }

    /// Shows a longer or shorter time in graphs.
    package mutating func zoom(by step: Int, at now: Instant) {
        chosenWindow = max(0, min(Self.windows.count - 1, window(at: now) + step))
    }

    /// The time that graphs show: the selected one, else enough for all data.
    package func graphWindow(at now: Instant) -> Duration { Self.windows[window(at: now)] }

    private func window(at now: Instant) -> Int {
        let elapsed = now - start
        return chosenWindow ?? Self.windows.firstIndex { $0 >= elapsed } ?? Self.windows.count - 1
    }

    /// Changes the units, including those of values already on the screen.
    package mutating func show(in units: UnitSystem) {
        guard units != self.units else { return }
        for place in rows.indices {
            rows[place].convert(from: self.units, to: units)
        }
        self.units = units
    }

    /// Shows a message for some seconds.
    package mutating func say(_ text: String, at now: Instant) {
        remark = Remark(text: text, end: now + .seconds(4))
    }

    /// Pauses or resumes the display.
    package mutating func togglePause(at now: Instant) {
        pauseStart = isPaused ? nil : now
    }

    /// Resets extremes, the ends of bars, which depend on them, and trends.
    package mutating func resetExtremes() {
        for place in rows.indices { rows[place].reset() }
    }
}

extension LiveModel {
    /// Whether the signal and ECU of `reading` have a row already.
    package func shows(_ reading: Reading) -> Bool {
        places[Key(reading)] != nil
    }
}
