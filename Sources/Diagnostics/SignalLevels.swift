/// The limits beyond which a value of a running engine is unusual: `pids/levels.tsv`, which describes its format.
public struct SignalLevels: Hashable, Sendable {
    /// How unusual a value is.
    public enum Level: String, Hashable, Sendable {
        /// For information: a cold engine.
        case note
        /// Lower than usual.
        case low
        /// Higher than usual.
        case high
        /// Too low: a part is failing.
        case tooLow
        /// Too high: a part is failing.
        case tooHigh

        /// Whether the value means that a part is failing.
        public var isGrave: Bool { self == .tooLow || self == .tooHigh }
    }

    /// The signals that show whether the engine turns.
    public static let engineSpeeds: Set<String> = ["RPM", "SPN190"]
    /// The engine speed from which the engine runs by itself; unit: rpm.
    public static let runningSpeed = 450.0

    /// A limit, and the word for a value beyond it.
    public struct Rule: Hashable, Sendable {
        /// The limit, in the unit of the signal.
        public var limit: Double
        /// Values beyond the bound do not count, such as those of vehicles with 24 V; nil if all count.
        public var end: Double?
        /// Whether values above the limit count; otherwise those below.
        public var isAbove: Bool
        /// The level of such a value.
        public var level: Level
        /// The word next to the value.
        public var word: String
        /// The explanation, in a sentence or two.
        public var reason: String
        /// The source of the limit, in words.
        public var source: String

        /// Whether a value is beyond the limit.
        public func isMet(by value: Double) -> Bool {
            isAbove
                ? value > limit && value <= end ?? .infinity
                : value < limit && value >= end ?? -.infinity
        }
    }

    private struct Entry: Hashable, Sendable {
        var unit: String
        var rules: [Rule]
    }

    private var entries: [String: Entry] = [:]

    /// No limits.
    public init() {}

    /// The rules of a signal; empty if there are none, or if they are in another unit.
    public func rules(of signal: Signal) -> [Rule] {
        guard let entry = entries[signal.id], entry.unit == signal.unit else { return [] }
        return entry.rules
    }

    /// Reads a text.
    public init(_ text: String) throws(SignalLevelError) {
        var number = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            number += 1
            guard let first = line.first, first != "#" else { continue }
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(
                String.init)
            guard cells.count == 8 else {
                throw SignalLevelError(line: number, fault: .cells(cells.count))
            }
            let limits = cells[3].split(separator: "..").map { Double($0) }
            guard let limit = limits.first ?? nil, limit.isFinite, limits.count <= 2,
                let end = limits.last, end != nil
            else { throw SignalLevelError(line: number, fault: .limit(cells[3])) }
            guard let level = Level(rawValue: cells[4]) else {
                throw SignalLevelError(line: number, fault: .level(cells[4]))
            }
            guard cells[7].split(separator: " ").count > 1 else {
                throw SignalLevelError(line: number, fault: .source(cells[7]))
            }
            guard cells[2] == "above" || cells[2] == "below" else {
                throw SignalLevelError(line: number, fault: .side(cells[2]))
            }
            let rule = Rule(
                limit: limit, end: limits.count > 1 ? end : nil, isAbove: cells[2] == "above",
                level: level, word: cells[5], reason: cells[6], source: cells[7])
            for signal in cells[0].split(separator: " ") {
                var entry = entries[String(signal)] ?? Entry(unit: cells[1], rules: [])
                guard entry.unit == cells[1] else {
                    throw SignalLevelError(line: number, fault: .unit(cells[1]))
                }
                entry.rules.append(rule)
                entries[String(signal)] = entry
            }
        }
    }
}

extension [SignalLevels.Rule] {
    /// The rule that applies to `value`, which is the last that it meets; nil if none does.
    public func rule(for value: Double) -> SignalLevels.Rule? {
        last { $0.isMet(by: value) }
    }
}

/// A fault in the text of levels.
public struct SignalLevelError: Error, Hashable, Sendable {
    /// The fault.
    public enum Fault: Hashable, Sendable {
        /// A line that does not have seven cells.
        case cells(Int)
        /// The limit is not a number.
        case limit(String)
        /// The level is unknown.
        case level(String)
        /// No words that name a source.
        case source(String)
        /// Neither `above` nor `below`.
        case side(String)
        /// The unit differs from that of an earlier line.
        case unit(String)
    }

    /// The line, from 1.
    public var line: Int
    /// The fault.
    public var fault: Fault
}
