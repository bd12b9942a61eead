import OBDCore

/// Decodes the bytes of one record into readings, in bit order, without allocating memory for numbers.
public struct RecordDecoder: Sendable {
    /// The table that defines the meaning of the bits.
    public let table: PIDTable

    /// A number of whole bytes without a flag, condition or pattern, which is the most frequent kind.
    ///
    /// The signal is decoded without access to its row, whose strings would have to be retained.
    private struct PlainNumber {
        var start = 0
        /// 0 if the signal is not of this kind.
        var length = 0
        var isSigned = false
        var multiplier = 1.0
        var divisor = 1.0
        var offset = 0.0

        init(_ signal: Signal) {
            guard signal.kind == .number, signal.formula == nil, !signal.isLittleEndian,
                signal.supportFlag == nil, signal.condition == nil,
                signal.notAvailable.isEmpty, signal.bitOffset >= 0, signal.bitOffset & 7 == 0,
                (8...32).contains(signal.bitLength),
                signal.bitLength & 7 == 0
            else { return }
            start = signal.bitOffset / 8
            length = signal.bitLength / 8
            isSigned = signal.isSigned
            multiplier = signal.multiplier
            divisor = signal.divisor
            offset = signal.offset
        }

        /// The value in data that begins at `first`; nil if the data end before it.
        @inline(__always)
        func value(in payload: [UInt8], _ data: Range<Int>) -> Double? {
            guard data.count >= start &+ length else { return nil }
            var raw: UInt32 = 0
            var index = data.lowerBound &+ start
            for _ in 0..<length {
                raw = raw &<< 8 | UInt32(payload[index])
                index &+= 1
            }
            let number: Double
            if isSigned {
                let spare = UInt32(32 &- length &* 8)
                number = Double(Int32(bitPattern: raw &<< spare) &>> Int32(spare))
            } else {
                number = Double(raw)
            }
            return scaled(number, multiplier, divisor, offset)
        }
    }

    private let plain: [PlainNumber]

    /// A decoder with `table`.
    public init(table: PIDTable) {
        self.table = table
        plain = table.signals.map { PlainNumber($0) }
    }

    /// The ECU and the request of a record.
    struct Origin {
        var ecu: ECUAddress?
        var dataID: DataID
        var line: Int
        var frame: UInt8?
        var dtc: DTC?
        var parameterCode: J1939Code?
        /// The ranges that the ECU announced, and the PID to which they may apply.
        var overrides: RangeOverrides?
        var pid: UInt32?
    }

    /// Passes a reading for each of `signals` to `body`; their record is `payload[data]`.
    ///
    /// If the record has a variable length, signals after its end are left out.
    @inline(__always)
    func decode(
        _ payload: [UInt8], _ data: Range<Int>, signals: Range<Int32>, _ origin: Origin,
        _ body: (Reading) -> Void
    ) {
        let raw = InlineBytes(payload, data)
        for index in signals {
            let signal = SignalIndex(rawValue: index)
            guard let value = value(of: signal, in: payload, data, origin) else { continue }
            var reading = Reading(
                ecu: origin.ecu, dataID: origin.dataID, signal: signal, value: value, raw: raw,
                line: origin.line)
            reading.frame = origin.frame
            reading.dtc = origin.dtc
            reading.parameterCode = origin.parameterCode
            body(reading)
        }
    }

    /// The value of one signal; nil if the record has other content or ends before it.
    @inline(__always)
    private func value(
        of index: SignalIndex, in payload: [UInt8], _ data: Range<Int>, _ origin: Origin
    ) -> Reading.Value? {
        if origin.overrides == nil, plain[Int(index.rawValue)].length > 0 {
            return plain[Int(index.rawValue)].value(in: payload, data).map { .number($0) }
        }
        return anyValue(of: index, in: payload[data], origin)
    }

    private func anyValue(
        of index: SignalIndex, in data: ArraySlice<UInt8>, _ origin: Origin
    ) -> Reading.Value? {
        guard let value = table.value(of: index, in: data) else { return nil }
        switch value {
        case .number:
            guard let overrides = origin.overrides, let pid = origin.pid else { return value }
            let signal = table[index]
            return signal.raw(in: data).flatMap {
                overrides.value(pid: pid, bitOffset: signal.bitOffset, raw: $0)
            }.map { .number($0) } ?? value
        case .missing(.tooShort, _):
            // In a broadcast message, only a text may end before its last byte.
            if origin.dataID.service == DataID.frames { return nil }
            if origin.dataID.service == DataID.parameterGroups, table[index].kind != .text {
                return nil
            }
            return table[index].shortText(in: data)
        case .flag, .label, .text, .supportMap, .missing: return value
        }
    }
}
