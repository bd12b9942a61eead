import Diagnostics
import OBDCore
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
        /// One number a bucket of time, the newest last; nil = no reading in that time.
        var trend: [Double?] = []
        /// The bucket of the newest number.
        var bucket: Int64 = .min
        var updated: Instant?
    }

    /// Newest buckets that a row keeps.
    static let trendLength = 120
    /// What one bucket of the trend spans.
    static let bucketLength = Duration.milliseconds(500)

    var header = Header()
    private(set) var rows: [Row] = []
    /// Readings so far.
    private(set) var readings = 0
    /// When the first row could have been filled.
    private(set) var start: Instant
    /// The first row shown when there are more than fit.
    var scroll = 0

    private let units: UnitSystem
    private var places: [SignalIndex: [Int]] = [:]
    private var readingRate = RateMeter()
    private var requestRate = RateMeter()
    private var lastRoundTrip: Duration?

    /// A view of nothing yet; values are shown in `units`.
    init(units: UnitSystem, start: Instant) {
        self.units = units
        self.start = start
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
        guard places[index] == nil else { return }
        places[index] = [rows.count]
        rows.append(emptyRow(index, signal, ecu: nil))
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
        let known = places[reading.signal] ?? []
        if let same = known.first(where: { rows[$0].ecu == reading.ecu && rows[$0].updated != nil })
        {
            return same
        }
        if let free = known.first(where: { rows[$0].updated == nil }) {
            rows[free].ecu = reading.ecu
            return free
        }
        let place = known.last.map { $0 + 1 } ?? rows.count
        rows.insert(emptyRow(reading.signal, signal, ecu: reading.ecu), at: place)
        for (index, old) in places {
            places[index] = old.map { $0 >= place ? $0 + 1 : $0 }
        }
        places[reading.signal, default: []].append(place)
        return place
    }

    private func emptyRow(_ index: SignalIndex, _ signal: Signal, ecu: ECUAddress?) -> Row {
        let conversion = units.conversion(from: signal.unit)
        let convert = { (value: Double) in conversion.map { $0(value) } ?? value }
        return Row(
            signal: index, ecu: ecu, id: printable(signal.id), name: printable(signal.name),
            unit: printable(conversion?.unit ?? signal.unit),
            decimals: decimals(
                forStep: signal.multiplier / signal.divisor * (conversion?.factor ?? 1)),
            bounds: signal.bounds.map { convert($0.lowerBound)...convert($0.upperBound) })
    }
}

extension LiveModel.Row {
    /// Takes a number over into value, extremes and trend.
    fileprivate mutating func take(_ value: Double, at now: Instant) {
        number = value
        text = nil
        minimum = min(minimum ?? value, value)
        maximum = max(maximum ?? value, value)
        let current = now.nanoseconds / LiveModel.bucketLength.nanoseconds
        if bucket == .min || current - bucket > Int64(LiveModel.trendLength) {
            trend.removeAll(keepingCapacity: true)
            bucket = current - 1
        }
        while bucket < current {
            trend.append(nil)
            bucket += 1
        }
        if trend.count > LiveModel.trendLength {
            trend.removeFirst(trend.count - LiveModel.trendLength)
        }
        if !trend.isEmpty { trend[trend.count - 1] = value }
    }

    /// The last `count` buckets up to `now`, the newest last.
    func trend(_ count: Int, at now: Instant) -> [Double?] {
        guard bucket != .min else { return [] }
        let current = now.nanoseconds / LiveModel.bucketLength.nanoseconds
        let empty = max(0, min(Int64(count), current - bucket))
        return (trend + [Double?](repeating: nil, count: Int(empty))).suffix(count)
    }
}

extension Signal {
    /// The least and the greatest value that the signal's bits can express; nil for what is none.
    var bounds: ClosedRange<Double>? {
        guard kind == .number, (1...52).contains(bitLength) else { return nil }
        let span = Double(UInt64(1) << UInt64(bitLength))
        let first = isSigned ? -span / 2 : 0
        let last = isSigned ? span / 2 - 1 : span - 1
        let ends = [first, last].map { $0 * multiplier / divisor + offset }
        return min(ends[0], ends[1])...max(ends[0], ends[1])
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
