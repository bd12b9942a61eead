public import Diagnostics
public import OBDCore

extension SignalNames {
    /// The signals among `selected` that no ECU is asked for, because ECUs send them by themselves; with nothing
    /// selected, those of the whole table.
    ///
    /// A frame with the identifier of an answer is none of them: the answers to our own requests, to `ecu` among
    /// others, would be read as its values.
    public func heard(
        among selected: [SelectedSignal], asking ecu: ECUAddress? = nil
    ) -> [SignalIndex] {
        let answers = answers(asking: ecu)
        guard !selected.isEmpty else {
            return table.records.filter {
                $0.packs.isEmpty && Self.isHeard($0, beside: answers)
            }.flatMap(Self.signals)
        }
        return selected.filter { one in
            one.record.map { Self.isHeard($0, beside: answers) } ?? false
        }.flatMap { one in one.signal.map { [$0] } ?? one.record.map(Self.signals) ?? [] }
    }

    /// The parameter groups of SAE J1939 to hear beside requests for `selected`; with nothing selected, those of the whole
    /// table.
    public func heardGroups(among selected: [SelectedSignal]) -> HeardGroups {
        var found = HeardGroups()
        let asked =
            selected.isEmpty
            ? table.measuredGroups
            // A signal of another standard may have its namesake in any group.
            : table.records.filter {
                $0.dataID.service == DataID.parameterGroups && $0.dataID.isRequestable
            }
        found.asked = Set(asked.map(\.dataID.id) + [Self.activeCodes])
        if selected.isEmpty {
            let unasked = table.unaskedGroups
            found.unasked = Set(unasked.map(\.dataID.id))
            found.signals = unasked.flatMap(Self.signals)
        } else {
            for one in selected where isHeardGroup(one) {
                guard let record = one.record else { continue }
                found.unasked.insert(record.dataID.id)
                found.signals += one.signal.map { [$0] } ?? Self.signals(of: record)
            }
        }
        return found
    }

    /// DM1, from which a session knows the check engine light.
    private static let activeCodes: UInt32 = 0xFECA

    /// Whether a signal is in a parameter group of SAE J1939 that ECUs send by themselves and that no request may name.
    public func isHeardGroup(_ selected: SelectedSignal) -> Bool {
        guard let id = selected.dataID, id.service == DataID.parameterGroups else { return false }
        return id.isHeard && !id.isRequestable
    }

    /// Whether no ECU is asked for a signal, because ECUs send it by themselves.
    public func isHeard(_ selected: SelectedSignal, asking ecu: ECUAddress? = nil) -> Bool {
        !heard(among: [selected], asking: ecu).isEmpty
    }

    /// The identifiers of the frames with `signals`.
    public func frames(with signals: [SignalIndex]) -> Set<ECUAddress> {
        let wanted = Set(signals)
        return Set(
            table.records.filter { !wanted.isDisjoint(with: Self.signals(of: $0)) }
                .compactMap(\.dataID.frameAddress))
    }

    /// The identifiers of the answers to requests of the table, and of requests to one ECU.
    private func answers(asking ecu: ECUAddress?) -> Set<ECUAddress> {
        let all = table.records.flatMap { [$0.responder, $0.target?.usualResponder] } + [ecu]
        // An address byte in the data belongs to no identifier.
        return Set(all.compactMap { $0 }.map { ECUAddress($0.value, $0.form) })
    }

    /// Whether a record is a frame that cannot be an answer to a request.
    private static func isHeard(_ record: PIDTable.Record, beside answers: Set<ECUAddress>) -> Bool
    {
        guard let address = record.dataID.frameAddress else { return false }
        return !address.physicalRequest.isUsualRequest && !answers.contains(address)
    }

    private static func signals(of record: PIDTable.Record) -> [SignalIndex] {
        record.signals.map { SignalIndex(rawValue: $0) }
    }
}

extension Reading {
    /// Whether the reading is from a frame that an ECU sent by itself.
    public var isHeardFrame: Bool { dataID?.service == DataID.frames }
}

/// Parameter groups of SAE J1939 that a session hears beside its requests.
public struct HeardGroups: Sendable {
    /// The groups that are requested when they are not heard.
    public var asked: Set<UInt32> = []
    /// The groups that are only heard.
    public var unasked: Set<UInt32> = []
    /// The signals of ``unasked`` that are wanted.
    public var signals: [SignalIndex] = []

    /// No group.
    public init() {}
}
