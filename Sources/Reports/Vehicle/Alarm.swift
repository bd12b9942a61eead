import Diagnostics
import Formats
import OBDCore

/// A condition about which the user wants a notice: `ECT>110`, `MIL=on`.
package struct Alarm: Hashable, Sendable {
    /// How the value has to relate to the limit.
    package enum Relation: String, Hashable, Sendable, CaseIterable {
        // Longer operators come first, because shorter ones are prefixes of them.
        case atLeast = ">="
        case atMost = "<="
        case unequal = "!="
        case above = ">"
        case below = "<"
        case equal = "="
    }

    package enum Limit: Hashable, Sendable {
        /// A number in the unit in which the value is shown.
        case number(Double)
        case flag(Bool)
    }

    /// The condition as the user typed it.
    package let text: String
    /// The signal as the user typed it.
    package let name: String
    package let relation: Relation
    package let limit: Limit

    /// Reads `SIGNAL>NUMBER` (also `<`, `>=`, `<=`, `=`, `!=`), `SIGNAL=on` and `SIGNAL=off`.
    ///
    /// - Returns: nil for any other text.
    package init?(_ text: String) {
        let compact = text.filter { $0 != " " }
        guard let start = compact.firstIndex(where: { "<>=!".contains($0) }),
            let relation = Relation.allCases.first(where: {
                compact[start...].hasPrefix($0.rawValue)
            }),
            start > compact.startIndex
        else { return nil }
        let words = compact[start...].dropFirst(relation.rawValue.count).lowercased()
        let limit: Limit
        switch words {
        case "on", "off":
            guard relation == .equal || relation == .unequal else { return nil }
            limit = .flag(words == "on")
        default:
            // Digits only: no "nan", no "0x10".
            guard words.utf8.allSatisfy({ "+-.0123456789".utf8.contains($0) }),
                let number = Double(words), number.isFinite
            else { return nil }
            limit = .number(number)
        }
        self.text = compact
        name = String(compact[..<start])
        self.relation = relation
        self.limit = limit
    }

    /// Whether the condition holds; nil if the value cannot be compared with the limit.
    package func holds(_ value: Reading.Value, _ conversion: UnitSystem.Conversion?) -> Bool? {
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

/// A change of an alarm: it began or ended.
package struct AlarmNews: Hashable, Sendable {
    package let alarm: Alarm
    /// The ECU that reported the value; nil if headers are off.
    package let ecu: ECUAddress?
    package let signal: SignalIndex
    /// The value that began or ended the alarm.
    package let reading: Reading
    /// Whether the alarm begins; false if it is over.
    package let isRaised: Bool

    package init(
        alarm: Alarm, ecu: ECUAddress?, signal: SignalIndex, reading: Reading, isRaised: Bool
    ) {
        self.alarm = alarm
        self.ecu = ecu
        self.signal = signal
        self.reading = reading
        self.isRaised = isRaised
    }
}

/// Follows readings and reports when alarms begin and end.
///
/// The caller passes the time; the type reads no clock. An alarm is over when its condition has not
/// held for ``AlarmWatch/calm``. A value that wavers around its limit is therefore reported once.
package struct AlarmWatch: Sendable {
    /// How long a condition must not hold before its alarm is over.
    package static let calm = Duration.seconds(5)

    private struct Key: Hashable {
        var alarm: Int
        var ecu: ECUAddress?
    }

    private let units: UnitSystem
    private var alarms: [SignalIndex: [Int]] = [:]
    private var all: [Alarm] = []
    /// When the condition of a raised alarm was last seen to hold.
    private var raised: [Key: Instant] = [:]

    /// A watch without alarms; the limits of those added later are in `units`.
    package init(units: UnitSystem) {
        self.units = units
    }

    /// Whether no alarm was added.
    package var isEmpty: Bool { all.isEmpty }

    /// Adds an alarm on a signal.
    package mutating func add(_ alarm: Alarm, on signal: SignalIndex) {
        alarms[signal, default: []].append(all.count)
        all.append(alarm)
    }

    /// Takes a reading of `signal` and returns the alarms that it began or ended.
    package mutating func take(_ reading: Reading, _ signal: Signal, at now: Instant) -> [AlarmNews]
    {
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
    package func isRaised(_ signal: SignalIndex, _ ecu: ECUAddress?) -> Bool {
        alarms[signal]?.contains { raised[Key(alarm: $0, ecu: ecu)] != nil } ?? false
    }
}
