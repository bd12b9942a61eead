import Diagnostics
import OBDCore

/// Readings as JSON Lines, fast enough for many; the result equals the rows of ``ItemRows``.
///
/// The writer caches text for each signal, so use one writer for a whole output.
public struct JSONLines: Sendable {
    private let table: PIDTable
    private let units: UnitSystem
    // Separate arrays by signal, because one struct per signal would be copied for every reading.
    /// The text before the value: `,"signal":…,"name":…,"value":`; empty = not cached yet.
    private var heads: [[UInt8]]
    /// The text after the value: `,"unit":…`.
    private var tails: [[UInt8]]
    private var scales: [(factor: Double, offset: Double)]
    private var timeText = TimeText()

    /// A writer for readings of `table`.
    public init(table: PIDTable, units: UnitSystem = .metric) {
        self.table = table
        self.units = units
        heads = Array(repeating: [], count: table.signals.count)
        tails = heads
        scales = Array(repeating: (1, 0), count: table.signals.count)
    }

    /// Appends a reading and a line end; ignores signals that are not in the table.
    public mutating func append(_ reading: Reading, time: UTC?, to output: inout [UInt8]) {
        let index = Int(reading.signal.rawValue)
        guard index >= 0, index < table.signals.count else { return }
        if heads[index].isEmpty { prepare(table.signals[index], index) }

        JSONText.append(raw: "{\"kind\":\"reading\",\"time\":", to: &output)
        if let time {
            output.append(0x22)
            timeText.append(time, to: &output)
            output.append(0x22)
        } else {
            JSONText.append(raw: "null", to: &output)
        }
        appendECU(reading.ecu, to: &output)
        if let dataID = reading.dataID {
            JSONText.append(raw: ",\"service\":\"", to: &output)
            Hex.append(dataID.service.rawValue, to: &output)
            JSONText.append(raw: "\",\"pid\":\"", to: &output)
            if dataID.service == DataID.frames {
                output.append(contentsOf: dataID.idText.utf8)
            } else {
                if dataID.digits > 4 {
                    Hex.append(UInt8(truncatingIfNeeded: dataID.id >> 16), to: &output)
                }
                if dataID.digits > 2 {
                    Hex.append(UInt8(truncatingIfNeeded: dataID.id >> 8), to: &output)
                }
                Hex.append(UInt8(truncatingIfNeeded: dataID.id), to: &output)
            }
            output.append(0x22)
        } else {
            JSONText.append(raw: ",\"service\":null,\"pid\":null", to: &output)
        }
        let dtc = reading.dtc?.text ?? reading.parameterCode?.text
        if reading.frame == nil && dtc == nil {
            JSONText.append(raw: ",\"frame\":null,\"dtc\":null", to: &output)
        } else {
            JSONText.append(raw: ",\"frame\":", to: &output)
            FieldValue.integer(reading.frame).appendJSON(to: &output)
            JSONText.append(raw: ",\"dtc\":", to: &output)
            FieldValue.text(dtc).appendJSON(to: &output)
        }
        output.append(contentsOf: heads[index])
        append(reading, index, to: &output)
        if reading.dataID == nil && reading.raw.isEmpty {
            JSONText.append(raw: "null}\n", to: &output)
        } else {
            output.append(0x22)
            for byte in reading.raw { Hex.append(byte, to: &output) }
            JSONText.append(raw: "\"", to: &output)
            if let id = reading.dataID, id.service == DataID.frames {
                JSONText.append(raw: ",\"message\":", to: &output)
                JSONText.append(table.record(id)?.name ?? "", to: &output)
            }
            if case .number = reading.value,
                let label = table[reading.signal].label(of: reading.value)
            {
                JSONText.append(raw: ",\"label\":", to: &output)
                JSONText.append(label, to: &output)
            }
            JSONText.append(raw: "}\n", to: &output)
        }
    }

    private mutating func prepare(_ signal: Signal, _ index: Int) {
        let conversion = signal.kind == .number ? units.conversion(from: signal.unit) : nil
        var head: [UInt8] = []
        JSONText.append(raw: ",\"signal\":", to: &head)
        JSONText.append(signal.id, to: &head)
        JSONText.append(raw: ",\"name\":", to: &head)
        JSONText.append(signal.name, to: &head)
        JSONText.append(raw: ",\"value\":", to: &head)
        var tail: [UInt8] = []
        JSONText.append(raw: ",\"unit\":", to: &tail)
        FieldValue.filled(conversion?.unit ?? signal.unit).appendJSON(to: &tail)
        heads[index] = head
        tails[index] = tail
        if let conversion { scales[index] = (conversion.factor, conversion.offset) }
    }

    /// Appends the text from the value to the key of the raw bytes.
    private func append(_ reading: Reading, _ index: Int, to output: inout [UInt8]) {
        var code: UInt64?
        var status: Reading.Missing?
        switch reading.value {
        case .number(let value):
            JSONText.append(value * scales[index].factor + scales[index].offset, to: &output)
        case .flag(let value): JSONText.append(value, to: &output)
        case .label(let number):
            FieldValue.text(ReadingText.label(number, of: table[reading.signal]))
                .appendJSON(to: &output)
            code = number
        case .text(let text): JSONText.append(text, to: &output)
        case .supportMap(let raw):
            let base = reading.dataID?.id ?? 0
            JSONText.append(ReadingText.supportMap(raw, base: base), to: &output)
            code = UInt64(raw)
        case .missing(let reason, let number):
            JSONText.append(raw: "null", to: &output)
            status = reason
            code = number
        }
        output.append(contentsOf: tails[index])
        if code == nil && status == nil && reading.checkDigit == nil {
            JSONText.append(
                raw: ",\"code\":null,\"status\":null,\"checkDigit\":null,\"raw\":", to: &output)
            return
        }
        JSONText.append(raw: ",\"code\":", to: &output)
        FieldValue.integer(code).appendJSON(to: &output)
        JSONText.append(raw: ",\"status\":", to: &output)
        FieldValue.text(status?.rawValue).appendJSON(to: &output)
        JSONText.append(raw: ",\"checkDigit\":", to: &output)
        FieldValue.flag(reading.checkDigit).appendJSON(to: &output)
        JSONText.append(raw: ",\"raw\":", to: &output)
    }

    /// Appends `,"ecu":` and an ECU's address, or null.
    private func appendECU(_ ecu: ECUAddress?, to output: inout [UInt8]) {
        JSONText.append(raw: ",\"ecu\":", to: &output)
        guard let ecu else {
            JSONText.append(raw: "null", to: &output)
            return
        }
        output.append(0x22)
        switch ecu.form {
        case .byte: break
        case .can11:
            output.append(Hex.digit(UInt8(truncatingIfNeeded: ecu.value >> 8)))
        case .logical: Hex.append(UInt8(truncatingIfNeeded: ecu.value >> 8), to: &output)
        case .can29:
            Hex.append(UInt8(truncatingIfNeeded: ecu.value >> 24), to: &output)
            Hex.append(UInt8(truncatingIfNeeded: ecu.value >> 16), to: &output)
            Hex.append(UInt8(truncatingIfNeeded: ecu.value >> 8), to: &output)
        }
        Hex.append(UInt8(truncatingIfNeeded: ecu.value), to: &output)
        // The tester's address after the identifier does not distinguish ECUs.
        if let extended = ecu.extended, extended != 0xF1 {
            output.append(0x2F)
            Hex.append(extended, to: &output)
        }
        output.append(0x22)
    }
}
