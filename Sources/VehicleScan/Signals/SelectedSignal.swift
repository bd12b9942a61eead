public import Diagnostics
public import OBDCore

/// One signal that a user asked for.
public struct SelectedSignal: Hashable, Sendable {
    /// The record that carries it; nil = the voltage at the adapter, which no record carries.
    public var record: PIDTable.Record?
    /// The signal; nil = every signal of the record.
    public var signal: SignalIndex?
    /// Under what the record is asked for; nil = the voltage at the adapter.
    public var dataID: DataID?
    /// Whether the user gave service and number, which mean what they say.
    public var isByNumber = false
    /// How often it is wanted; nil = as everything else.
    public var pace: SignalPace?

    /// What packs have of its name; the vehicle decides which of them is meant.
    public var candidates: [SelectedSignal] = []

    /// A signal of a record, asked for as the table names it.
    public init(record: PIDTable.Record?, signal: SignalIndex?, isByNumber: Bool = false) {
        self.record = record
        self.signal = signal
        dataID = record?.dataID
        self.isByNumber = isByNumber
    }
}

extension SelectedSignal {
    /// Whether both ask for the same, however often.
    public func asksTheSame(as other: SelectedSignal) -> Bool {
        record == other.record && signal == other.signal
    }
}
