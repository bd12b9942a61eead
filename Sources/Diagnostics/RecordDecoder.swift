import OBDCore

/// Decodes the bytes of one record into readings, in bit order, without allocating memory for numbers.
public struct RecordDecoder: Sendable {
    /// The table that defines the meaning of the bits.
    public let table: PIDTable

    /// A number, a flag or an enumeration without a support flag, condition or pattern, which are the most
    /// frequent kinds.
    ///
    /// The signal is decoded without access to its row, whose strings would have to be retained.
    private struct PlainSignal {
        enum Kind { case number, flag, enumeration }

        var kind = Kind.number
        /// The most significant byte, and the way to the next one.
        var top = 0
        var step = 1
        /// The number of bytes; 0 if the signal is not of this kind.
        var count = 0
        /// The last byte of the record that the signal needs.
        var last = 0
        /// Bits of the least significant byte below the signal.
        var spare: UInt64 = 0
        var mask: UInt64 = 0
        var isSigned = false
        /// The number of bits above the signal, of 64.
        var unused: UInt64 = 0
        var multiplier = 1.0
        var divisor = 1.0
        var offset = 0.0
        /// The places of its codes in ``codes``.
        var codes = 0..<0

        init(_ signal: Signal, _ codes: inout [UInt64]) {
            guard signal.formula == nil, signal.supportFlag == nil, signal.condition == nil,
                signal.part == nil, signal.notAvailable.isEmpty, signal.bitOffset >= 0,
                (1...64).contains(signal.bitLength)
            else { return }
            let first = signal.bitOffset / 8
            let end = signal.bitOffset + signal.bitLength
            last = (end - 1) / 8
            guard last - first < 8 else { return }
            switch signal.kind {
            case .number: kind = .number
            case .flag: kind = .flag
            case .enumeration:
                kind = .enumeration
                self.codes = codes.count..<codes.count + signal.labels.count
                codes += signal.labels.map(\.code)
            case .supportMap, .code, .text, .bytes: return
            }
            count = last - first + 1
            top = signal.isLittleEndian ? last : first
            step = signal.isLittleEndian ? -1 : 1
            spare = UInt64(signal.isLittleEndian ? signal.bitOffset % 8 : (last + 1) * 8 - end)
            mask = signal.mask
            isSigned = signal.isSigned
            unused = UInt64(64 - signal.bitLength)
            multiplier = signal.multiplier
            divisor = signal.divisor
            offset = signal.offset
        }

        /// The bits in data that begin at `first`; nil if the data end before them.
        @inline(__always)
        func raw(in payload: [UInt8], _ data: Range<Int>) -> UInt64? {
            guard data.count > last else { return nil }
            var raw: UInt64 = 0
            var index = data.lowerBound &+ top
            for _ in 0..<count {
                raw = raw &<< 8 | UInt64(payload[index])
                index &+= step
            }
            return raw &>> spare & mask
        }

        @inline(__always)
        func value(_ raw: UInt64, _ codes: [UInt64]) -> Reading.Value {
            switch kind {
            case .number:
                let number =
                    isSigned
                    ? Double(Int64(bitPattern: raw &<< unused) &>> Int64(unused)) : Double(raw)
                return .number(scaled(number, multiplier, divisor, offset))
            case .flag: return .flag(raw != 0)
            case .enumeration:
                for place in self.codes where codes[place] == raw { return .label(code: raw) }
                return .missing(.undefined, code: raw)
            }
        }
    }

    private let plain: [PlainSignal]
    /// The codes of enumerations.
    private let codes: [UInt64]

    /// A decoder with `table`.
    public init(table: PIDTable) {
        self.table = table
        var codes: [UInt64] = []
        plain = table.signals.map { PlainSignal($0, &codes) }
        self.codes = codes
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
    /// If the record has a variable length, signals after its end are left out. So are those for which `wants` is
    /// false: it is asked before a signal is decoded, and again with the value.
    @inline(__always)
    func decode(
        _ payload: [UInt8], _ data: Range<Int>, signals: Range<Int32>, _ origin: Origin,
        wants: (SignalIndex, Reading.Value?) -> Bool = { _, _ in true },
        _ body: (Reading) -> Void
    ) {
        let raw = InlineBytes(payload, data)
        for index in signals {
            let signal = SignalIndex(rawValue: index)
            guard wants(signal, nil), let value = value(of: signal, in: payload, data, origin),
                wants(signal, value)
            else { continue }
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
        let place = Int(index.rawValue)
        if origin.overrides == nil, plain[place].count > 0,
            let raw = plain[place].raw(in: payload, data)
        {
            return plain[place].value(raw, codes)
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
