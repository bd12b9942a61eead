import Diagnostics
import OBDCore
import PIDTables
import ScanTool
import TripExport

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
        /// Trip that is being recorded.
        var trip: Int64?
        /// What the user should know now: a lost link, a vehicle that does not answer.
        var notice: String?
    }

    /// One signal of one ECU.
    struct Row: Hashable, Sendable {
        var signal: SignalIndex
        /// Nil until somebody has answered, and where headers are off.
        var ecu: ECUAddress?
        var id: String
        var name: String
        var unit: String
        /// Digits behind the point.
        var decimals: Int
        /// What the signal's bits can express, in the unit shown; nil for what is no number.
        var bounds: ClosedRange<Double>?
        /// The value as a number, in the unit shown.
        var number: Double?
        /// The value of what is no number, or why there is none.
        var text: String?
        var minimum: Double?
        var maximum: Double?
        /// Numbers at least ``LiveModel/trendPause`` apart, the newest last.
        var trend: [Double] = []
        /// When the newest of them began to count.
        var trendTime: Instant?
        var updated: Instant?
    }

    /// Newest numbers that a row keeps.
    static let trendLength = 120
    /// What lies at least between two numbers of a trend.
    static let trendPause = Duration.milliseconds(500)

    var header = Header()
    private(set) var rows: [Row] = []
    /// Readings so far.
    private(set) var readings = 0
    /// When the first row could have been filled.
    private(set) var start: Instant
    /// The first row shown when there are more than fit.
    var scroll = 0

    private let units: UnitSystem
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
    }

    private mutating func place(for reading: Reading, _ signal: Signal) -> Int {
        let key = Key(signal: reading.signal, ecu: reading.ecu)
        if let known = places[key], rows[known].updated != nil { return known }
        // A row that waits for whoever answers first is his now.
        let isWaiting = { (row: Row) in row.signal == reading.signal && row.updated == nil }
        if let waiting = rows.firstIndex(where: isWaiting) {
            rows.remove(at: waiting)
        }
        insert(emptyRow(reading.signal, signal, ecu: reading.ecu))
        return places[key] ?? 0
    }

    private mutating func insert(_ row: Row) {
        let place = rows.firstIndex { comesBefore(row, $0) } ?? rows.count
        rows.insert(row, at: place)
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
        let conversion = units.conversion(from: signal.unit)
        let convert = { (value: Double) in conversion.map { $0(value) } ?? value }
        return Row(
            signal: index, ecu: ecu, id: printable(signal.id), name: printable(signal.name),
            unit: printable(conversion?.unit ?? signal.unit),
            decimals: decimals(forStep: signal.shownStep * (conversion?.factor ?? 1)),
            bounds: signal.valueRange.map { convert($0.lowerBound)...convert($0.upperBound) })
    }
}

extension LiveModel.Row {
    /// Takes a number over into value, extremes and trend.
    fileprivate mutating func take(_ value: Double, at now: Instant) {
        number = value
        text = nil
        minimum = min(minimum ?? value, value)
        maximum = max(maximum ?? value, value)
        if let begin = trendTime, now - begin < LiveModel.trendPause, !trend.isEmpty {
            trend[trend.count - 1] = value
            return
        }
        trendTime = now
        if trend.count >= LiveModel.trendLength { trend.removeFirst() }
        trend.append(value)
    }
}

extension Signal {
    /// What one more in the raw bits adds to the value; unit: that of the signal.
    var shownStep: Double {
        // The voltage at the adapter comes as text with one decimal.
        bitLength == 0 ? 0.1 : step
    }
}

/// Counts events over the last seconds.
struct RateMeter: Hashable, Sendable {
    private static let slot = Duration.milliseconds(250).nanoseconds
    private static let slots: Int64 = 12
    private var counts: [Int] = []
    private var newest: Int64 = 0
    private var oldest: Int64 = 0

    /// Counts one event.
    mutating func count(at now: Instant) {
        let current = now.nanoseconds / Self.slot
        if counts.isEmpty || current - newest >= Self.slots {
            counts = [0]
            (newest, oldest) = (current, current)
        }
        while newest < current {
            counts.append(0)
            newest += 1
        }
        let extra = counts.count - Int(Self.slots)
        if extra > 0 {
            counts.removeFirst(extra)
            oldest += Int64(extra)
        }
        counts[counts.count - 1] += 1
    }

    /// Events a second; the current slot does not count, it is not over.
    func perSecond(at now: Instant) -> Double {
        let current = now.nanoseconds / Self.slot
        let first = max(oldest, current - Self.slots)
        let span = current - first
        guard span > 0, !counts.isEmpty else { return 0 }
        var sum = 0
        for (index, count) in counts.enumerated() {
            let place = oldest + Int64(index)
            if place >= first && place < current { sum += count }
        }
        return Double(sum) / (Double(span) * Double(Self.slot) / 1e9)
    }
}

extension LiveModel {
    /// Whether the signal of `reading` has a row of that ECU already.
    func shows(_ reading: Reading) -> Bool {
        places[Key(signal: reading.signal, ecu: reading.ecu)] != nil
    }
}
