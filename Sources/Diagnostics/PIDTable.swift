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
        /// The ECU to ask, as users' tables name one for services 21 and 22; nil asks all.
        public var target: ECUAddress?
        /// The only ECU whose answers the record describes; nil describes those of any.
        public var responder: ECUAddress?
        /// The vehicles that it is of; empty = nobody says.
        public var vehicles: [VINPattern]

        /// A record.
        public init(
            dataID: DataID, name: String, length: ClosedRange<Int>, signals: Range<Int32>,
            target: ECUAddress? = nil, responder: ECUAddress? = nil, vehicles: [VINPattern] = []
        ) {
            self.dataID = dataID
            self.name = name
            self.length = length
            self.signals = signals
            self.target = target
            self.responder = responder
            self.vehicles = vehicles
        }
    }

    /// All signals; a ``SignalIndex`` is a position here.
    public private(set) var signals: [Signal] = []
    /// All records, in the order of the table's files.
    public private(set) var records: [Record] = []

    // Service 01 is found by array index, everything else through the dictionary. Records of one
    // ECU only stand apart: most tables have none.
    private var currentData = [Int32](repeating: -1, count: 256)
    private var others: [DataID: Int32] = [:]
    private var ofOneECU: [AddressedID: Int32] = [:]

    private struct AddressedID: Hashable {
        var dataID: DataID
        var responder: ECUAddress
    }

    /// An empty table.
    public init() {}

    /// Adds a record; one with the same identifier and responder replaces the earlier one.
    ///
    /// The indices in `supportFlag`, `condition` and `formula` of `newSignals` count from the record's
    /// first signal.
    public mutating func add(
        _ dataID: DataID, name: String, length: ClosedRange<Int>, signals newSignals: [Signal],
        target: ECUAddress? = nil, responder: ECUAddress? = nil, vehicles: [VINPattern] = []
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
            if let operand = signal.formula?.operand {
                signal.formula?.operand?.signal = SignalIndex(
                    rawValue: operand.signal.rawValue + first)
            }
            signals.append(signal)
        }
        let record = Record(
            dataID: dataID, name: name, length: length, signals: first..<Int32(signals.count),
            target: target, responder: responder, vehicles: vehicles)
        if let place = place(of: dataID, responder: responder) {
            records[place] = record
            return
        }
        let place = Int32(records.count)
        records.append(record)
        if let responder {
            ofOneECU[AddressedID(dataID: dataID, responder: responder)] = place
        } else if dataID.service == .currentData && dataID.id < 256 {
            currentData[Int(dataID.id)] = place
        } else {
            others[dataID] = place
        }
    }

    /// The record with this identifier in an answer of `ecu`: one for that ECU, else one for any.
    @inline(__always)
    public func record(_ dataID: DataID, from ecu: ECUAddress? = nil) -> Record? {
        recordPlace(dataID, from: ecu).map { records[$0] }
    }

    /// The position in ``records`` of the record with this identifier.
    ///
    /// Without an ECU a record for one ECU only counts when it is the only one.
    @inline(__always)
    func recordPlace(_ dataID: DataID, from ecu: ECUAddress? = nil) -> Int? {
        if ofOneECU.isEmpty { return place(of: dataID, responder: nil) }
        return addressedPlace(dataID, from: ecu)
    }

    @inline(__always)
    private func place(of dataID: DataID, responder: ECUAddress?) -> Int? {
        if let responder {
            return ofOneECU[AddressedID(dataID: dataID, responder: responder)].map { Int($0) }
        }
        let place =
            dataID.service == .currentData && dataID.id < 256
            ? currentData[Int(dataID.id)] : others[dataID] ?? -1
        return place < 0 ? nil : Int(place)
    }

    private func addressedPlace(_ dataID: DataID, from ecu: ECUAddress?) -> Int? {
        if let ecu, let place = place(of: dataID, responder: ecu) { return place }
        if let place = place(of: dataID, responder: nil) { return place }
        guard ecu == nil else { return nil }
        let found = ofOneECU.filter { $0.key.dataID == dataID }
        return found.count == 1 ? found.first.map { Int($0.value) } : nil
    }

    /// The signal at `index`.
    @inline(__always)
    public subscript(index: SignalIndex) -> Signal { signals[Int(index.rawValue)] }
}
