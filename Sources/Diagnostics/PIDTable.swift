public import OBDCore

/// The signals of all records that a vehicle may send, by the record's identifier.
public struct PIDTable: Sendable {
    /// One record: a PID, an info type, a DID.
    public struct Record: Hashable, Sendable {
        /// The record's identifier.
        public var dataID: DataID
        /// The record's name for the user.
        public var name: String
        /// The number of data bytes after the identifier; a range for the few records that vary.
        public var length: ClosedRange<Int>
        /// The record's signals, in bit order.
        public var signals: Range<Int32>
        /// The ECU to ask, which users' tables specify for services 21 and 22; nil for all ECUs.
        public var target: ECUAddress?
        /// The only ECU for whose answers the record is valid; nil for any ECU.
        public var responder: ECUAddress?
        /// The vehicles for which the record is valid; empty if not known.
        public var vehicles: [VINPattern]
        /// The model years for which it is valid; empty for all, or if not known.
        public var years: [ClosedRange<Int>]
        /// The packs that have the record, if the vehicle decides whether it counts; empty = it
        /// always counts.
        public var packs: [String] = []
        /// Whether the record is from a file that the user named for this vehicle or input.
        public var isNamed = false
        /// Whether the record is from a table that the user added.
        public var isOwn = false

        /// A record.
        public init(
            dataID: DataID, name: String, length: ClosedRange<Int>, signals: Range<Int32>,
            target: ECUAddress? = nil, responder: ECUAddress? = nil, vehicles: [VINPattern] = [],
            years: [ClosedRange<Int>] = []
        ) {
            self.dataID = dataID
            self.name = name
            self.length = length
            self.signals = signals
            self.target = target
            self.responder = responder
            self.vehicles = vehicles
            self.years = years
        }
    }

    /// All signals; a ``SignalIndex`` is a position here.
    public private(set) var signals: [Signal] = []
    /// All records, in the order of the table's files.
    public private(set) var records: [Record] = []

    // Service 01 is found by array index, all others by binary search. A dictionary would be slower: before
    // the Swift runtime creates its type, it looks at every type of the program, which takes longer than a
    // short command's look-ups.
    private var currentData = [Int32](repeating: -1, count: 256)
    private var others: [Other] = []
    private var hasRecordsOfOneECU = false

    /// A record that is not in `currentData`; sorted by service and identifier.
    private struct Other {
        var key: UInt64
        var responder: ECUAddress?
        var place: Int32
    }

    /// An empty table.
    public init() {}

    /// Adds a record and replaces an earlier one with the same identifier and responder.
    ///
    /// The indices in `supportFlag`, `condition` and `formula` of `newSignals` are relative to the record's
    /// first signal.
    public mutating func add(
        _ dataID: DataID, name: String, length: ClosedRange<Int>, signals newSignals: [Signal],
        target: ECUAddress? = nil, responder: ECUAddress? = nil, vehicles: [VINPattern] = [],
        years: [ClosedRange<Int>] = [], pack: String? = nil, isNamed: Bool = false,
        isOwn: Bool = false
    ) {
        // If two packs read the same answer, the record has the signals that both read alike.
        var newSignals = newSignals
        var packs = pack.map { [$0] } ?? []
        if pack != nil, let place = place(of: dataID, responder: responder),
            !records[place].packs.isEmpty, records[place].target == target,
            records[place].length == length
        {
            packs = records[place].packs + packs
            let known = signals[
                Int(records[place].signals.lowerBound)..<Int(records[place].signals.upperBound)]
            newSignals.removeAll { !known.contains($0) }
        }
        let first = Int32(signals.count)
        for var signal in newSignals {
            if let flag = signal.supportFlag {
                signal.supportFlag = SignalIndex(rawValue: flag.rawValue + first)
            }
            if let condition = signal.condition {
                signal.condition?.signal = SignalIndex(
                    rawValue: condition.signal.rawValue + first)
            }
            if let operand = signal.formula?.operand {
                signal.formula?.operand?.signal = SignalIndex(
                    rawValue: operand.signal.rawValue + first)
            }
            signals.append(signal)
        }
        for flag in signals[Int(first)...].compactMap(\.supportFlag) {
            signals[Int(flag.rawValue)].isSupportFlag = true
        }
        var record = Record(
            dataID: dataID, name: name, length: length, signals: first..<Int32(signals.count),
            target: target, responder: responder, vehicles: vehicles, years: years)
        record.packs = packs
        record.isNamed = isNamed
        record.isOwn = isOwn
        let freed = pack == nil && responder == nil ? removePacks(dataID, of: target) : nil
        if let place = place(of: dataID, responder: responder) {
            records[place] = record
            return
        }
        if let freed {
            records[freed] = record
            return enter(dataID, nil, at: Int32(freed))
        }
        records.append(record)
        enter(dataID, responder, at: Int32(records.count - 1))
    }

    /// Removes the packs' signals of a general record, because the user's own record precedes them.
    ///
    /// - Parameter target: the only ECU that the user's record asks; nil for any.
    /// - Returns: The place of a removed record.
    private mutating func removePacks(_ dataID: DataID, of target: ECUAddress?) -> Int? {
        let places = others(dataID).filter { other in
            !records[Int(other.place)].packs.isEmpty
                && (target == nil || other.responder?.physicalRequest == target)
        }.map(\.place)
        if !places.isEmpty { others.removeAll { places.contains($0.place) } }
        return places.first.map(Int.init)
    }

    /// Makes a record known by its identifier.
    private mutating func enter(_ dataID: DataID, _ responder: ECUAddress?, at place: Int32) {
        if responder == nil && dataID.service == .currentData && dataID.id < 256 {
            currentData[Int(dataID.id)] = place
        } else {
            let key = Self.key(dataID)
            others.insert(
                Other(key: key, responder: responder, place: place), at: firstOther(key + 1))
            if responder != nil { hasRecordsOfOneECU = true }
        }
    }

    /// The record with this identifier in an answer from `ecu`: the one for that ECU, or else the general
    /// one.
    @inline(__always)
    public func record(_ dataID: DataID, from ecu: ECUAddress? = nil) -> Record? {
        recordPlace(dataID, from: ecu).map { records[$0] }
    }

    /// The index in ``records`` of the record with this identifier.
    ///
    /// Without an ECU, a record for a single ECU only counts if it is the only one.
    @inline(__always)
    func recordPlace(_ dataID: DataID, from ecu: ECUAddress? = nil) -> Int? {
        if !hasRecordsOfOneECU { return place(of: dataID, responder: nil) }
        return addressedPlace(dataID, from: ecu)
    }

    @inline(__always)
    private func place(of dataID: DataID, responder: ECUAddress?) -> Int? {
        guard responder == nil, dataID.service == .currentData, dataID.id < 256 else {
            return others(dataID).first { $0.responder == responder }.map { Int($0.place) }
        }
        let place = currentData[Int(dataID.id)]
        return place < 0 ? nil : Int(place)
    }

    private func addressedPlace(_ dataID: DataID, from ecu: ECUAddress?) -> Int? {
        if let ecu, let place = place(of: dataID, responder: ecu) { return place }
        if let place = place(of: dataID, responder: nil) { return place }
        let found = others(dataID)
        return ecu == nil && found.count == 1 ? found.first.map { Int($0.place) } : nil
    }

    private static func key(_ dataID: DataID) -> UInt64 {
        UInt64(dataID.service.rawValue) << 32 | UInt64(dataID.id)
    }

    private func others(_ dataID: DataID) -> ArraySlice<Other> {
        let key = Self.key(dataID)
        return others[firstOther(key)..<firstOther(key + 1)]
    }

    /// The first entry whose key is at least `key`.
    private func firstOther(_ key: UInt64) -> Int {
        var (low, high) = (0, others.count)
        while low < high {
            let middle = low + (high - low) / 2
            if others[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The signal at `index`.
    @inline(__always)
    public subscript(index: SignalIndex) -> Signal { signals[Int(index.rawValue)] }

    /// The names by which trips store the signal with the user's name `name`, in lower case:
    /// `speed` is recorded as `VSS`.
    public func recordedNames(of name: String) -> [String] {
        let wanted = name.lowercased()
        let others = signals.filter { $0.aliases.contains { $0.lowercased() == wanted } }
        return [wanted] + others.map { $0.id.lowercased() }
    }
}
