import PIDTables

/// The evidence that the ECUs of a vehicle stored: trouble codes, the check engine light, and results of monitors.
///
/// A list of codes that was not read proves nothing: an empty record means neither codes nor no codes.
package struct DriveRecord: Hashable, Sendable {
    /// The weightiest status of a code comes first.
    package enum Status: String, Hashable, Sendable, CaseIterable {
        case stored, pending, permanent
    }

    package struct Code: Hashable, Sendable {
        /// P0171, without the failure type.
        package var code: String
        package var status: Status
        /// The time of the other record that has the code; nil if the trip has it.
        package var other: Moment?

        /// A code that was stored before the trip may be cleared since, so that it says no more than a pending one.
        fileprivate var weight: Status {
            other?.isEarlier == true && status == .stored ? .pending : status
        }
    }

    /// The moment of a record that is not the trip's own.
    package struct Moment: Hashable, Sendable {
        /// 2026-11-20.
        package var day: String
        /// Whether it was before the trip: what was true then may be repaired or cleared since.
        package var isEarlier: Bool

        package init(day: String, isEarlier: Bool) {
            self.day = day
            self.isEarlier = isEarlier
        }
    }

    /// A result of service 06 with its limits; a limit that the vehicle did not give is nil.
    package struct Result: Hashable, Sendable {
        /// The ECU that has the monitor; nil if headers were off.
        package var ecu: String?
        package var monitor, test: UInt8
        /// The part that the monitor watches; nil if no table names it.
        package var name: String?
        package var value: Double
        package var low, high: Double?
        /// Microseconds since the start of the trip.
        package var t: Int64
        package var other: Moment?

        package init(
            ecu: String? = nil, monitor: UInt8, test: UInt8, name: String? = nil, value: Double,
            low: Double?, high: Double?, t: Int64, other: Moment? = nil
        ) {
            self.ecu = ecu
            self.other = other
            self.monitor = monitor
            self.test = test
            self.name = name
            self.value = value
            self.low = low
            self.high = high
            self.t = t
        }

        /// The distance from the middle of what is allowed, as a share of the way to the limit.
        ///
        /// Above 1 the test failed; at most 2.
        var strain: Double? {
            switch (low, high) {
            case (let low?, let high?) where high > low:
                min(2, abs(value - (low + high) / 2) / ((high - low) / 2))
            case (nil, let high?) where high > 0: min(2, max(0, value / high))
            // Twice the limit and more is as far from it as the middle of a range.
            case (let low?, nil) where low > 0: min(2, max(0, 2 - value / low))
            default: value < low ?? value || value > high ?? value ? 2 : nil
            }
        }
    }

    /// One entry for each code, with its weightiest status.
    package private(set) var codes: [Code] = []
    /// Whether lists of codes were read.
    package var hasReadCodes = false
    /// Whether the check engine light is on; nil = not known.
    package var isLampOn: Bool?
    /// The latest result of each test of an ECU.
    private var results: [Result] = []

    package init() {}

    package mutating func add(_ code: String, _ status: Status, other: Moment? = nil) {
        hasReadCodes = true
        guard let place = codes.firstIndex(where: { $0.code == code }) else {
            codes.append(Code(code: code, status: status, other: other))
            return
        }
        // Each status was read at its own moment; of one status the trip's own entry counts, or the first one.
        let both = [codes[place].status, status]
        let winner = Status.allCases.first(where: both.contains) ?? status
        guard winner != codes[place].status || (other == nil && status == winner) else { return }
        codes[place] = Code(code: code, status: winner, other: other)
    }

    package mutating func add(_ result: Result) {
        results.removeAll {
            $0.ecu == result.ecu && $0.monitor == result.monitor && $0.test == result.test
        }
        results.append(result)
    }

    /// Codes that the ECU confirmed.
    package var stored: [Code] { codes.filter { $0.status == .stored } }

    /// Tests of the vehicle that it failed by its own limits.
    package var failed: [Result] { results.filter { $0.strain ?? 0 > 1 } }

    /// Whether the vehicle itself says that something is off, in the trip or after it.
    package var complains: Bool {
        stored.contains { $0.other?.isEarlier != true } || isLampOn == true
            || failed.contains { $0.other?.isEarlier != true }
    }

    /// Whether the trip has a result of this test.
    package func has(_ result: Result) -> Bool {
        results.contains {
            $0.ecu == result.ecu && $0.monitor == result.monitor && $0.test == result.test
        }
    }

    /// The codes, lights and failed tests in words; empty if there are none.
    package var notes: [String] {
        var notes: [String] = []
        var days: [Moment?] = []
        for code in codes where !days.contains(code.other) { days.append(code.other) }
        for day in days {
            for status in Status.allCases {
                let names = codes.filter { $0.status == status && $0.other == day }.map(\.code)
                guard let last = names.last else { continue }
                let all =
                    names.count == 1
                    ? last : "\(names.dropLast().joined(separator: ", ")) and \(last)"
                let verb =
                    names.count == 1
                    ? day == nil ? "is" : "was" : day == nil ? "are" : "were"
                notes.append(
                    "\(all) \(verb) \(status.rawValue)" + (day.map { " on \($0.day)" } ?? ""))
            }
        }
        if isLampOn == true, stored.isEmpty {
            notes.append(
                "the check engine light is on, "
                    + (hasReadCodes ? "no code is stored" : "no code was read"))
        }
        var seen = Set<String>()
        for result in failed {
            let name = result.name ?? "monitor \(String(result.monitor, radix: 16).uppercased())"
            if seen.insert(name).inserted {
                notes.append(
                    "its own test failed (\(name))" + (result.other.map { " on \($0.day)" } ?? ""))
            }
        }
        return notes
    }

    /// The turns of a drive of 20 minutes at 1,500 per minute: counters may be older than the start of the trip.
    private static let usualTurns = 30_000.0

    /// The numbers of the measures that results of monitors give.
    func numbers(_ table: CauseTable, turns: Double) -> [String: Measured] {
        var found: [String: Measured] = [:]
        for measure in table.measures where !measure.monitors.isEmpty {
            let own = results.filter { measure.monitors.contains($0.monitor) }
            let values = own.compactMap { result -> (Double, Int64)? in
                switch measure.reads {
                case .strain: return result.strain.map { ($0, result.t) }
                case .misfires:
                    guard result.test == 0x0B || result.test == 0x0C else { return nil }
                    // A cylinder fires in every second turn.
                    let strokes = max(turns, Self.usualTurns) / 2
                    return (100 * result.value / strokes, result.t)
                }
            }
            if let worst = values.max(by: { $0.0 < $1.0 }) {
                found[measure.id] = Measured(value: worst.0, from: worst.1, to: worst.1)
            }
        }
        return found
    }
}

extension CauseTable.Cause {
    /// How much likelier this cause makes the record than health does, and the code that says most for it.
    ///
    /// Codes of one fault come together (P0301 with P0300), so only one of them counts. What is absent says
    /// nothing: codes come late.
    func likelihood(of record: DriveRecord) -> (ratio: Double, code: DriveRecord.Code?) {
        var best = (ratio: 1.0, code: DriveRecord.Code?.none)
        for code in record.codes {
            let ratio =
                own.contains(code.code)
                ? code.weight.own : codes.contains(code.code) ? code.weight.symptom : 1
            if ratio > best.ratio { best = (ratio, code) }
        }
        if best.code == nil, record.isLampOn == true, record.stored.isEmpty {
            best.ratio = DriveRecord.lamp
        }
        return best
    }

    /// Whether the ECU found this very fault by its own limit.
    func isFound(in record: DriveRecord) -> Bool {
        record.codes.contains {
            own.contains($0.code) && $0.status != .permanent && $0.other?.isEarlier != true
        }
    }
}

extension DriveRecord.Status {
    /// How much likelier a fault makes the code that names it: an ECU stores it for about 40 in 100 of them, and
    /// has it in one of 1,000 healthy vehicles.
    fileprivate var own: Double {
        switch self {
        case .stored: 400
        case .pending: 30
        case .permanent: 20
        }
    }

    /// The same for a code that several faults set: most have it later, or never.
    fileprivate var symptom: Double {
        switch self {
        case .stored: 60
        case .pending: 10
        case .permanent: 8
        }
    }
}

extension DriveRecord {
    /// How much likelier a fault makes the light without a code that was read.
    fileprivate static let lamp = 20.0

    /// How much likelier a fault that is in no list makes the record.
    var likelihoodOfOther: Double {
        codes.map { $0.weight.symptom / 2 }.max() ?? (isLampOn == true ? Self.lamp : 1)
    }
}
