public import Diagnostics
public import OBDCore

extension SignalNames {
    /// The signals among `selected` that no ECU is asked for, because ECUs send them by themselves; with nothing
    /// selected, those of the whole table.
    public func heard(among selected: [SelectedSignal]) -> [SignalIndex] {
        let chosen = selected.filter(\.isHeard)
        return selected.isEmpty
            ? table.records.filter { $0.packs.isEmpty && $0.dataID.isHeardBesideRequests }
                .flatMap(Self.signals)
            : chosen.flatMap { one in
                one.signal.map { [$0] } ?? one.record.map(Self.signals) ?? []
            }
    }

    /// The identifiers of the frames with `signals`.
    public func frames(with signals: [SignalIndex]) -> Set<ECUAddress> {
        let wanted = Set(signals)
        return Set(
            table.records.filter { !wanted.isDisjoint(with: Self.signals(of: $0)) }
                .compactMap(\.dataID.frameAddress))
    }

    private static func signals(of record: PIDTable.Record) -> [SignalIndex] {
        record.signals.map { SignalIndex(rawValue: $0) }
    }
}

extension SelectedSignal {
    /// Whether no ECU is asked for the signal, because ECUs send it by themselves.
    public var isHeard: Bool { record?.dataID.isHeardBesideRequests ?? false }
}

extension DataID {
    /// Whether the record is a frame that cannot be an answer to a request of OBD.
    fileprivate var isHeardBesideRequests: Bool {
        guard let address = frameAddress else { return false }
        return !address.physicalRequest.isUsualRequest
    }
}

extension Reading {
    /// Whether the reading is from a frame that an ECU sent by itself.
    public var isHeardFrame: Bool { dataID?.service == DataID.frames }
}
