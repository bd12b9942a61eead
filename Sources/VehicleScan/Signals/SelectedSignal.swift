public import Diagnostics
public import OBDCore

/// A signal that a user selected.
public struct SelectedSignal: Hashable, Sendable {
    /// The record with the signal; nil for the voltage at the adapter, which is in no record.
    public var record: PIDTable.Record?
    /// The signal; nil for all signals of the record.
    public var signal: SignalIndex?
    /// The identifier to request the record; nil for the voltage at the adapter.
    public var dataID: DataID?
    /// Whether the user gave service and number, which are then used unchanged.
    public var isByNumber = false
    /// The requested interval; nil for the same as all others.
    public var pace: SignalPace?

    /// The signals of that name in packs; the vehicle decides which of them is meant.
    public var candidates: [SelectedSignal] = []

    /// A signal of a record, requested in the form of the table.
    public init(record: PIDTable.Record?, signal: SignalIndex?, isByNumber: Bool = false) {
        self.record = record
        self.signal = signal
        dataID = record?.dataID
        self.isByNumber = isByNumber
    }
}

extension SelectedSignal {
    /// Whether both select the same signal, at any interval.
    public func asksTheSame(as other: SelectedSignal) -> Bool {
        record == other.record && signal == other.signal
    }
}
