public import Diagnostics
public import OBDCore
import PIDTables

/// Finds signals by typed text: SAE name (`RPM`), alias (`coolant-temp`) or `01:0C`.
public struct SignalNames {
    /// The table with the names.
    public let table: PIDTable
    private let voltage: SignalIndex?

    /// Names of the signals in `table`.
    public init(_ table: PIDTable) {
        self.table = table
        voltage = table.adapterVoltage
    }

    /// The signal or record with this name; throws a ``SignalError`` with similar names if there is none.
    public func find(_ name: String) throws(SignalError) -> SelectedSignal {
        let candidates = candidates(name)
        do {
            var found = try findGeneral(name)
            // A user's own table comes before packs that the program chose.
            if found.record?.isOfOneMake != true { found.candidates = candidates }
            return found
        } catch {
            guard var first = candidates.first else { throw error }
            first.candidates = candidates
            return first
        }
    }

    /// The signals of that name in packs about which the vehicle decides.
    private func candidates(_ name: String) -> [SelectedSignal] {
        let records = table.records.filter { !$0.packs.isEmpty }
        if let id = Self.dataID(name) {
            return records.filter { $0.dataID == id }.map {
                SelectedSignal(record: $0, signal: nil, isByNumber: true)
            }
        }
        let wanted = Self.key(name)
        return records.flatMap { record in
            record.signals.compactMap { index in
                let signal = table[SignalIndex(rawValue: index)]
                return ([signal.id] + signal.aliases).contains { Self.key($0) == wanted }
                    ? selected(record, SignalIndex(rawValue: index)) : nil
            }
        }
    }

    private func findGeneral(_ name: String) throws(SignalError) -> SelectedSignal {
        if let id = Self.dataID(name) {
            guard let record = table.record(id), record.packs.isEmpty else {
                let owners = table.records.filter { $0.dataID == id && $0.packs.isEmpty }
                    .compactMap(\.responder)
                throw owners.isEmpty ? .unknownID(id) : .severalRecords(id, of: owners)
            }
            return SelectedSignal(record: record, signal: nil, isByNumber: true)
        }
        let wanted = Self.key(name)
        var byAlias: SelectedSignal?
        for record in table.records where record.packs.isEmpty {
            for index in record.signals {
                let place = SignalIndex(rawValue: index)
                let signal = table[place]
                if Self.key(signal.id) == wanted {
                    return selected(record, place)
                }
                // A vehicle's own table comes before a general one.
                if byAlias == nil || record.isOfOneMake,
                    signal.aliases.contains(where: { Self.key($0) == wanted })
                {
                    byAlias = selected(record, place)
                }
            }
        }
        if byAlias?.record?.dataID.service != DataID.parameterGroups, let byAlias { return byAlias }
        if let replaced = replaced(wanted) { throw .replaced(name, replaced) }
        if let byAlias { return byAlias }
        let named = wanted.count < 3 ? [] : namesOfSubject(name)
        throw .unknownName(name, nearest: named.isEmpty ? nearest(to: wanted) : named)
    }

    /// The short name of a signal whose record another table replaced, so that no record has it.
    private func replaced(_ wanted: [UInt8]) -> String? {
        var isUsed = [Bool](repeating: false, count: table.signals.count)
        for record in table.records { for place in record.signals { isUsed[Int(place)] = true } }
        return zip(table.signals, isUsed).first { signal, isUsed in
            !isUsed && ([signal.id] + signal.aliases).contains { Self.key($0) == wanted }
        }?.0.id
    }

    /// The selection of a signal; the voltage at the adapter belongs to no record.
    public func selected(_ record: PIDTable.Record, _ signal: SignalIndex) -> SelectedSignal {
        SelectedSignal(record: signal == voltage ? nil : record, signal: signal)
    }

    /// Reads `01:0C`, `010C` and `22:F40C`; nil for a name.
    public static func dataID(_ text: String) -> DataID? {
        if text.contains(":") { return DataID(text) }
        guard text.utf8.count == 4 || text.utf8.count == 6, let bytes = Hex.bytes(text),
            let service = bytes.first, bytes.count == (service == 0x22 ? 3 : 2)
        else { return nil }
        return DataID(Service(service), bytes.dropFirst().reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// The text as it is compared: case, blanks, hyphens and underscores are ignored.
    public static func key(_ text: String) -> [UInt8] {
        text.utf8.compactMap { character in
            switch character {
            case 0x20, 0x2D, 0x5F: nil
            case 0x41...0x5A: character + 0x20
            default: character
            }
        }
    }

    /// Up to five names of signals about the subject in the text: `oil`, `battery`.
    private func namesOfSubject(_ text: String) -> [String] {
        let wanted = Self.key(text)
        let found = matches(text, atBeginnings: true)
        let aliases = found.compactMap { match in
            match.selected.signal.flatMap { signal in
                table[signal].aliases.first { Self.key($0).contains(wanted) }
            }
        }
        // Signals with such an alias are those that people ask for.
        let names = (aliases.isEmpty ? found.map(\.id) : aliases).reduce(into: [String]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        return Array(names.prefix(5))
    }

    /// Up to three names from which the text may differ by a typing mistake.
    private func nearest(to wanted: [UInt8]) -> [String] {
        let bound = max(1, min(wanted.count / 3, 3))
        var found: [(distance: Int, name: String, service: Service)] = []
        for record in table.records where record.packs.isEmpty {
            for index in record.signals {
                let signal = table[SignalIndex(rawValue: index)]
                let candidates = ([signal.id] + signal.aliases).map {
                    (distance: editDistance(Self.key($0), wanted, bound: bound), name: $0)
                }
                guard let best = candidates.min(by: { $0.distance < $1.distance }),
                    best.distance <= bound
                else { continue }
                found.append((best.distance, best.name, record.dataID.service))
            }
        }
        // Signals of most vehicles come before those of trucks.
        let usual = found.filter { $0.service != DataID.parameterGroups }
        let others = found.filter { $0.service == DataID.parameterGroups }
        var names: [String] = []
        for candidate in (usual + others).sorted(by: { $0.distance < $1.distance })
        where names.count < 3
            && !names.contains(where: { Self.key($0) == Self.key(candidate.name) })
        {
            names.append(candidate.name)
        }
        return names
    }
}

extension PIDTable.Record {
    /// Whether the record is of a make or model: asked of one ECU, or by a service that is each maker's own.
    fileprivate var isOfOneMake: Bool {
        target != nil
            || [.readLocalData, .readData, Service(0x1A)].contains(dataID.service)
    }
}
