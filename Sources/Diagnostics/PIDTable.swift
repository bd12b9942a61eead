public import OBDCore

/// The signals of every record that a vehicle may send, found by the record's identifier.
public struct PIDTable: Sendable {
    /// One record: a PID, an info type, a DID.
    public struct Record: Hashable, Sendable {
        /// Its identifier.
        public var dataID: DataID
        /// Its name for people.
        public var name: String
        /// Data bytes behind the identifier; a range for the few that vary.
        public var length: ClosedRange<Int>
        /// Its signals, in bit order.
        public var signals: Range<Int32>

        /// A record.
        public init(dataID: DataID, name: String, length: ClosedRange<Int>, signals: Range<Int32>) {
            self.dataID = dataID
            self.name = name
            self.length = length
            self.signals = signals
        }
    }

    /// All signals; a ``SignalIndex`` is a position here.
    public private(set) var signals: [Signal] = []
    /// All records, in the order of the table's files.
    public private(set) var records: [Record] = []

    // Service 01 is found by array index, everything else through the dictionary.
    private var currentData = [Int32](repeating: -1, count: 256)
    private var others: [DataID: Int32] = [:]

    /// An empty table.
    public init() {}

    /// Adds a record; one with the same identifier replaces the earlier one.
    ///
    /// The indices in `supportFlag` and `condition` of `newSignals` count from the record's first
    /// signal.
    public mutating func add(
        _ dataID: DataID, name: String, length: ClosedRange<Int>, signals newSignals: [Signal]
    ) {
        let first = Int32(signals.count)
        for var signal in newSignals {
            if let flag = signal.supportFlag {
                signal.supportFlag = SignalIndex(rawValue: flag.rawValue + first)
            }
            if let condition = signal.condition {
                signal.condition?.signal = SignalIndex(
                    rawValue: condition.signal.rawValue + first)
            }
            signals.append(signal)
        }
        let record = Record(
            dataID: dataID, name: name, length: length, signals: first..<Int32(signals.count))
        let place = Int32(records.count)
        records.append(record)
        if dataID.service == .currentData && dataID.id < 256 {
            currentData[Int(dataID.id)] = place
        } else {
            others[dataID] = place
        }
    }

    /// The record with exactly this identifier.
    @inline(__always)
    public func record(_ dataID: DataID) -> Record? {
        recordPlace(dataID).map { records[$0] }
    }

    /// The position in ``records`` of the record with exactly this identifier.
    @inline(__always)
    func recordPlace(_ dataID: DataID) -> Int? {
        let place =
            dataID.service == .currentData && dataID.id < 256
            ? currentData[Int(dataID.id)] : others[dataID] ?? -1
        return place < 0 ? nil : Int(place)
    }

    /// The signal at `index`.
    @inline(__always)
    public subscript(index: SignalIndex) -> Signal { signals[Int(index.rawValue)] }
}
