public import Diagnostics
import OBDCore

/// A signal that was found by a part of its name.
public struct SignalMatch: Hashable, Sendable {
    /// The selection of the signal.
    public var selected: SelectedSignal
    /// The short name in rows: `ECT`.
    public var id: String
    /// The name for the user, with the table's unit: `Engine coolant temperature, °C`.
    public var title: String
}

extension SignalNames {
    /// The signals that the user may mean with a part of a name, best matches first.
    ///
    /// Whole names come before beginnings of names, those before beginnings of words, and measured values
    /// before single flags. Without any text, the result has the current values with their own names.
    /// From packs the list has only the signals of `packs`, before all others. Parameter groups of SAE J1939
    /// come first if `prefersGroups` is set, otherwise last. With `atBeginnings` a word has to begin with the
    /// text. The result is empty for a typed service and number, which `find(_:)` reads.
    public func matches(
        _ typed: String, without shown: Set<SignalIndex> = [], packs: Set<String> = [],
        prefersGroups: Bool = false, atBeginnings: Bool = false, atMost limit: Int = 1000
    ) -> [SignalMatch] {
        guard Self.dataID(typed).flatMap({ table.record($0) }) == nil else { return [] }
        let wanted = Self.key(typed)
        let words = typed.lowercased()
        var found: [(rank: Int, match: SignalMatch)] = []
        for record in table.records
        where record.packs.isEmpty || !packs.isDisjoint(with: record.packs) {
            let isGroup = record.dataID.service == DataID.parameterGroups
            let isUsual = record.dataID.service == .currentData || !record.packs.isEmpty
            if wanted.isEmpty, isGroup ? !prefersGroups : !isUsual {
                continue
            }
            for index in record.signals {
                let place = SignalIndex(rawValue: index)
                let signal = table[place]
                if shown.contains(place) || signal.kind == .supportMap { continue }
                if wanted.isEmpty, signal.aliases.isEmpty && !isGroup || signal.kind == .flag {
                    continue
                }
                guard let near = wanted.isEmpty ? 0 : Self.nearness(signal, wanted, words),
                    !atBeginnings || near < Self.inside
                else { continue }
                let isGeneral = record.packs.isEmpty
                let rank =
                    near * 4 + (signal.kind == .flag ? 2 : 0) + (isGroup == prefersGroups ? 0 : 1)
                    + (isGeneral ? 100 : 0)
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
        // Matches with the same rank stay in the order of the table.
        let ordered = found.enumerated().sorted {
            ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset)
        }
        // Several packs of a make have a signal of the same name, and the vehicle later decides between them.
        var names: Set<String> = []
        let matches = ordered.map(\.element.match).filter { match in
            match.selected.record?.packs.isEmpty ?? true || names.insert(match.id).inserted
        }
        return Array(matches.prefix(limit))
    }

    /// The signal of a choice: the highlighted match, or the signal of a typed service and number.
    ///
    /// Throws a ``SignalError`` if no signal has the text in its name.
    public func find(_ choice: SignalChoice) throws(SignalError) -> SelectedSignal {
        if let place = choice.chosen { return choice.matches[place].selected }
        return try find(choice.text)
    }

    /// The distance of the typed text from the signal's names; 0 for a whole name, nil if no name has it.
    private static func nearness(_ signal: Signal, _ wanted: [UInt8], _ words: String) -> Int? {
        let names = ([signal.id] + signal.aliases).map(key)
        if names[0] == wanted { return 0 }
        if names.contains(wanted) { return 1 }
        if names.contains(where: { $0.starts(with: wanted) }) { return 2 }
        let name = signal.name.lowercased()
        if name.hasPrefix(words) || name.contains(" " + words) { return 3 }
        let whole = names + [key(name)]
        return whole.contains { $0.contains(wanted) } ? inside : nil
    }

    /// The ``nearness(_:_:_:)`` of a text that is somewhere in a name.
    private static let inside = 4
}

/// A selection in progress: a part of a name and the matches for it.
public struct SignalChoice: Hashable, Sendable {
    /// The text typed so far.
    public private(set) var text = ""
    /// The matches, best first.
    public private(set) var matches: [SignalMatch]
    /// The match that was selected with a key; nil if none was.
    public private(set) var place: Int?

    /// A choice without text.
    public init(_ matches: [SignalMatch]) { self.matches = matches }

    /// The match to highlight: the best one for the typed text, until a key selects another.
    public var chosen: Int? { place ?? (text.isEmpty || matches.isEmpty ? nil : 0) }

    /// Replaces the text and its matches.
    public mutating func type(_ text: String, _ matches: [SignalMatch]) {
        self.text = text
        self.matches = matches
        place = nil
    }

    /// Selects another match; moving before the first match returns to the typed text.
    public mutating func move(by step: Int) {
        guard !matches.isEmpty else { return }
        let wanted = (chosen ?? -1) + step
        place = wanted < 0 ? nil : min(matches.count - 1, wanted)
    }
}
