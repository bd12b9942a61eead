public import Diagnostics
import OBDCore

/// A signal that a part of its name found.
public struct SignalMatch: Hashable, Sendable {
    /// The signal as it is asked for.
    public var selected: SelectedSignal
    /// Short name, as rows show it: `ECT`.
    public var id: String
    /// Name for people, and the unit as the table has it: `Engine coolant temperature, °C`.
    public var title: String
}

extension SignalNames {
    /// The signals that somebody may mean who has typed so much of a name, the nearest first.
    ///
    /// Whole names come before beginnings, those before beginnings of words, and what is measured
    /// before single flags. Without anything typed: what is current and has its own name.
    /// Parameter groups of SAE J1939 stand first where `prefersGroups` is set, else last. Nothing
    /// where service and number are typed, which ``find(_:)`` takes as they are.
    public func matches(
        _ typed: String, without shown: Set<SignalIndex> = [], prefersGroups: Bool = false,
        atMost limit: Int = 1000
    ) -> [SignalMatch] {
        guard Self.dataID(typed).flatMap({ table.record($0) }) == nil else { return [] }
        let wanted = Self.key(typed)
        let words = typed.lowercased()
        var found: [(rank: Int, match: SignalMatch)] = []
        for record in table.records where record.packs.isEmpty {
            let isGroup = record.dataID.service == DataID.parameterGroups
            if wanted.isEmpty, isGroup ? !prefersGroups : record.dataID.service != .currentData {
                continue
            }
            for index in record.signals {
                let place = SignalIndex(rawValue: index)
                let signal = table[place]
                if shown.contains(place) || signal.kind == .supportMap { continue }
                if wanted.isEmpty, signal.aliases.isEmpty && !isGroup || signal.kind == .flag {
                    continue
                }
                guard let near = wanted.isEmpty ? 0 : Self.nearness(signal, wanted, words) else {
                    continue
                }
                let rank =
                    near * 4 + (signal.kind == .flag ? 2 : 0) + (isGroup == prefersGroups ? 0 : 1)
                let unit = signal.unit.isEmpty ? "" : ", " + signal.unit
                found.append(
                    (
                        rank,
                        SignalMatch(
                            selected: selected(record, place), id: signal.id,
                            title: signal.name + unit)
                    ))
            }
        }
        // Those of one rank stay in the table's order.
        let ordered = found.enumerated().sorted {
            ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset)
        }
        return ordered.prefix(limit).map(\.element.match)
    }

    /// The signal that a choice stands for: the one that a key went to, what was typed where that is
    /// a whole name, else the nearest; a ``SignalError`` where nothing has it in its name.
    public func find(_ choice: SignalChoice) throws(SignalError) -> SelectedSignal {
        if let place = choice.place { return choice.matches[place].selected }
        do throws(SignalError) { return try find(choice.text) } catch {
            guard let nearest = choice.matches.first else { throw error }
            return nearest.selected
        }
    }

    /// How far what was typed is from the signal's names, 0 for a whole one; nil = in none of them.
    private static func nearness(_ signal: Signal, _ wanted: [UInt8], _ words: String) -> Int? {
        let names = ([signal.id] + signal.aliases).map(key)
        if names[0] == wanted { return 0 }
        if names.contains(wanted) { return 1 }
        if names.contains(where: { $0.starts(with: wanted) }) { return 2 }
        let name = signal.name.lowercased()
        if name.hasPrefix(words) || name.contains(" " + words) { return 3 }
        let whole = names + [key(name)]
        return whole.contains { $0.contains(wanted) } ? 4 : nil
    }
}

/// The choice of a signal to add, while it is being made: a part of a name, and what that finds.
public struct SignalChoice: Hashable, Sendable {
    /// What was typed so far.
    public private(set) var text = ""
    /// What it finds, the nearest first.
    public private(set) var matches: [SignalMatch]
    /// The match that a key went to; nil = none did.
    public private(set) var place: Int?

    /// A choice of which nothing was typed yet.
    public init(_ matches: [SignalMatch]) { self.matches = matches }

    /// The match that is shown as chosen: of what was typed the nearest, until a key says otherwise.
    public var chosen: Int? { place ?? (text.isEmpty || matches.isEmpty ? nil : 0) }

    /// Takes a longer or shorter text and what it finds.
    public mutating func type(_ text: String, _ matches: [SignalMatch]) {
        self.text = text
        self.matches = matches
        place = nil
    }

    /// Goes to another match; beyond the first there is what was typed.
    public mutating func move(by step: Int) {
        guard !matches.isEmpty else { return }
        let wanted = (chosen ?? -1) + step
        place = wanted < 0 ? nil : min(matches.count - 1, wanted)
    }
}
