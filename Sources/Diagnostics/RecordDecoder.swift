public import OBDCore

/// Turns the bytes of one record into readings, in bit order, without an allocation for numbers.
public struct RecordDecoder: Sendable {
    /// The table whose rows say what the bits mean.
    public let table: PIDTable

    /// A decoder by `table`.
    public init(table: PIDTable) {
        self.table = table
    }

    /// Whose record it is and where it came from.
    struct Origin {
        var ecu: ECUAddress?
        /// The identifier as asked.
        var dataID: DataID
        var line: Int
        var frame: UInt8?
        var dtc: DTC?
        /// The ranges that the ECU announced, and the PID that they may apply to.
        var overrides: RangeOverrides?
        var pid: UInt32?
    }

    /// Appends a reading for each signal of `record` that stands in `bytes`.
    ///
    /// Of a record whose length varies, signals behind its end are left out.
    public func decode(
        _ bytes: [UInt8], as record: PIDTable.Record, from ecu: ECUAddress?, line: Int,
        _ out: inout [DiagnosticItem]
    ) {
        let origin = Origin(ecu: ecu, dataID: record.dataID, line: line)
        decode(bytes, 0..<bytes.count, signals: record.signals, origin) { out.append(.reading($0)) }
    }

    /// Hands a reading for each of `signals` to `body`; their record is `payload[data]`.
    @inline(__always)
    func decode(
        _ payload: [UInt8], _ data: Range<Int>, signals: Range<Int32>, _ origin: Origin,
        _ body: (Reading) -> Void
    ) {
        let raw = InlineBytes(payload[data])
        for index in signals {
            let signal = SignalIndex(rawValue: index)
            guard let value = value(of: signal, in: payload[data], origin) else { continue }
            var reading = Reading(
                ecu: origin.ecu, dataID: origin.dataID, signal: signal, value: value, raw: raw,
                line: origin.line)
            reading.frame = origin.frame
            reading.dtc = origin.dtc
            body(reading)
        }
    }

    /// Hands the reading of one signal to `body`, as if its bits began with `payload[data]`.
    ///
    /// Repeated items have one row in the table: the first.
    func decodeItem(
        _ payload: [UInt8], _ data: Range<Int>, _ signal: SignalIndex, _ origin: Origin,
        _ body: (Reading) -> Void
    ) {
        var row = table[signal]
        row.bitOffset = 0
        body(
            Reading(
                ecu: origin.ecu, dataID: origin.dataID, signal: signal,
                value: row.value(in: payload[data]), raw: InlineBytes(payload[data]),
                line: origin.line))
    }

    /// The value of one signal; nil where the record holds something else or ended before it.
    @inline(__always)
    private func value(
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
        case .missing(.tooShort, _): return shortText(of: index, in: data)
        case .flag, .label, .text, .supportMap, .missing: return value
        }
    }

    /// Text and bytes that are shorter than the longest that their record may hold.
    private func shortText(of index: SignalIndex, in data: ArraySlice<UInt8>) -> Reading.Value? {
        let signal = table[index]
        guard signal.kind == .text || signal.kind == .bytes, signal.bitOffset & 7 == 0 else {
            return nil
        }
        let field = data.dropFirst(signal.bitOffset / 8)
        guard !field.isEmpty else { return nil }
        return .text(signal.kind == .text ? Signal.text(of: field) : Hex.string(field))
    }
}
