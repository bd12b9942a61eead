import Diagnostics
import Formats
import OBDCore

/// A condition that a user wants to be told of: `ECT>110`, `MIL=on`.
struct Alarm: Hashable, Sendable {
    /// How the value has to stand to the limit.
    enum Relation: String, Hashable, Sendable, CaseIterable {
        // Longer ones first: they begin like shorter ones.
        case atLeast = ">="
        case atMost = "<="
        case unequal = "!="
        case above = ">"
        case below = "<"
        case equal = "="
    }

    /// What the value is compared with.
    enum Limit: Hashable, Sendable {
        /// In the unit that is shown.
        case number(Double)
        case flag(Bool)
    }

    /// As it was typed.
    let text: String
    /// The signal as it was typed.
    let name: String
    let relation: Relation
    let limit: Limit

    /// Reads `SIGNAL>NUMBER` (also `<`, `>=`, `<=`, `=`, `!=`), `SIGNAL=on` and `SIGNAL=off`.
    ///
    /// - Throws: why the text is not an alarm.
    init(_ text: String) throws(Failure) {
        let compact = text.filter { $0 != " " }
        guard let start = compact.firstIndex(where: { "<>=!".contains($0) }),
            let relation = Relation.allCases.first(where: {
                compact[start...].hasPrefix($0.rawValue)
            }),
            start > compact.startIndex
        else { throw Self.failure(text) }
        let words = compact[start...].dropFirst(relation.rawValue.count).lowercased()
        let limit: Limit
        switch words {
        case "on", "off":
            guard relation == .equal || relation == .unequal else { throw Self.failure(text) }
            limit = .flag(words == "on")
        default:
            // Digits only: no "nan", no "0x10".
            guard words.utf8.allSatisfy({ "+-.0123456789".utf8.contains($0) }),
                let number = Double(words), number.isFinite
            else { throw Self.failure(text) }
            limit = .number(number)
        }
        self.text = compact
        name = String(compact[..<start])
        self.relation = relation
        self.limit = limit
    }

    private static func failure(_ text: String) -> Failure {
        Failure(
            "\"\(text)\" is not an alarm",
            hint: "a signal, one of > < >= <= = !=, and a number, on or off: --alarm 'ECT>110'",
            status: .usage)
    }

    /// Whether the condition holds; nil where the value is none that can be compared.
    func holds(_ value: Reading.Value, _ conversion: UnitSystem.Conversion?) -> Bool? {
        switch (value, limit) {
        case (.number(let metric), .number(let bound)):
            let number = conversion.map { $0(metric) } ?? metric
            return switch relation {
            case .above: number > bound
            case .below: number < bound
            case .atLeast: number >= bound
            case .atMost: number <= bound
            case .equal: number == bound
            case .unequal: number != bound
            }
        case (.flag(let value), .flag(let bound)):
            return relation == .equal ? value == bound : value != bound
        default: return nil
        }
    }
}

/// What became of an alarm.
struct AlarmNews: Hashable, Sendable {
    let alarm: Alarm
    /// Who said it; nil where headers are off.
    let ecu: ECUAddress?
    let signal: SignalIndex
    /// The value that began or ended it.
    let reading: Reading
    /// Whether it begins; else it is over.
    let isRaised: Bool
}

/// Follows readings and says when alarms begin and end; a value without clock.
///
/// An alarm is over when its condition has not held for ``AlarmWatch/calm``, so that a value that
/// wavers about its limit is told once.
struct AlarmWatch: Sendable {
    /// How long a condition may not hold before its alarm is over.
    static let calm = Duration.seconds(5)

    private struct Key: Hashable {
        var alarm: Int
        var ecu: ECUAddress?
    }

    private let units: UnitSystem
    private var alarms: [SignalIndex: [Int]] = [:]
    private var all: [Alarm] = []
    /// When the condition of a raised alarm was last seen to hold.
    private var raised: [Key: Instant] = [:]

    /// Watches for nothing yet; limits are in `units`.
    init(units: UnitSystem) {
        self.units = units
    }

    /// Whether there is nothing to watch for.
    var isEmpty: Bool { all.isEmpty }

    /// Adds an alarm on a signal.
    mutating func add(_ alarm: Alarm, on signal: SignalIndex) {
        alarms[signal, default: []].append(all.count)
        all.append(alarm)
    }

    /// Takes a reading of `signal`; what began or ended by it.
    mutating func take(_ reading: Reading, _ signal: Signal, at now: Instant) -> [AlarmNews] {
        guard let watching = alarms[reading.signal] else { return [] }
        let conversion = units.conversion(from: signal.unit)
        var news: [AlarmNews] = []
        for place in watching {
            guard let holds = all[place].holds(reading.value, conversion) else { continue }
            let key = Key(alarm: place, ecu: reading.ecu)
            if holds {
                if raised.updateValue(now, forKey: key) != nil { continue }
            } else {
                guard let last = raised[key], now - last >= Self.calm else { continue }
                raised[key] = nil
            }
            news.append(
                AlarmNews(
                    alarm: all[place], ecu: reading.ecu, signal: reading.signal, reading: reading,
                    isRaised: holds))
        }
        return news
    }

    /// Whether an alarm on `signal` of `ecu` is raised.
    func isRaised(_ signal: SignalIndex, _ ecu: ECUAddress?) -> Bool {
        alarms[signal]?.contains { raised[Key(alarm: $0, ecu: ecu)] != nil } ?? false
    }
}
