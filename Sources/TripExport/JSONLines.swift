import Diagnostics
import OBDCore

/// Vehicle data as JSON Lines: one object a line, the keys that obdscan promises.
///
/// Keeps what it has prepared for a signal, so use one for a whole output.
public struct JSONLines: Sendable {
    private let table: PIDTable
    private let units: UnitSystem
    private let showsLine: Bool
    private let describe: @Sendable (CodeReport.Code) -> String?
    // By signal, side by side: a struct of all would be copied for every reading. The last signal
    // is the adapter's voltage, which no table has.
    /// Written before the value: `"signal":…,"name":…,"value":`; empty = not yet prepared.
    private var heads: [[UInt8]]
    /// Written behind it: `,"unit":…,"raw":`.
    private var tails: [[UInt8]]
    private var scales: [(factor: Double, offset: Double)]
    private var timeText = TimeText()

    /// A writer for readings of `table`.
    ///
    /// `showsLine` adds the number of the input line to every object; `describe` gives the text of
    /// a trouble code, nil for one without.
    public init(
        table: PIDTable, units: UnitSystem = .metric, showsLine: Bool = false,
        describe: @escaping @Sendable (CodeReport.Code) -> String?
    ) {
        self.table = table
        self.units = units
        self.showsLine = showsLine
        self.describe = describe
        heads = Array(repeating: [], count: table.signals.count + 1)
        tails = heads
        scales = Array(repeating: (1, 0), count: table.signals.count + 1)
    }

    /// Appends the object of `item` and a line end; `time` is printed where it is known, as null in
    /// readings where it is not.
    public mutating func append(
        _ item: DiagnosticItem, time: UTC?, to output: inout [UInt8]
    ) {
        switch item {
        case .reading(let reading): append(reading, time: time, to: &output)
        case .monitor(let monitor): append(monitor, time: time, to: &output)
        case .monitorTest(let result): append(result, time: time, to: &output)
        case .code(let report): append(report, time: time, to: &output)
        case .negativeResponse(let refusal, let ecu, let line):
            append(refusal, ecu: ecu, line: line, time: time, to: &output)
        case .message(let message): append(message, time: time, to: &output)
        case .error(let error):
            appendError(
                line: error.line, reason: error.reason, text: nil, ecu: error.ecu, time: time,
                to: &output)
        }
    }

    // MARK: Readings

    /// Appends a reading; a signal that the table does not have is left out.
    public mutating func append(_ reading: Reading, time: UTC?, to output: inout [UInt8]) {
        let index = Int(reading.signal.rawValue)
        guard index >= 0, index < table.signals.count else { return }
        if heads[index].isEmpty { prepare(table.signals[index], index) }

        JSONText.append(raw: "{\"time\":", to: &output)
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
            if dataID.digits > 4 {
                Hex.append(UInt8(truncatingIfNeeded: dataID.id >> 16), to: &output)
            }
            if dataID.digits > 2 {
                Hex.append(UInt8(truncatingIfNeeded: dataID.id >> 8), to: &output)
            }
            Hex.append(UInt8(truncatingIfNeeded: dataID.id), to: &output)
            output.append(0x22)
        } else {
            JSONText.append(raw: ",\"service\":null,\"pid\":null", to: &output)
        }
        if let frame = reading.frame {
            JSONText.append(raw: ",\"frame\":", to: &output)
            NumberText.append(Int64(frame), to: &output)
        }
        if let dtc = reading.dtc?.text ?? reading.parameterCode?.text {
            JSONText.append(raw: ",\"dtc\":", to: &output)
            JSONText.append(dtc, to: &output)
        } else if reading.frame != nil {
            JSONText.append(raw: ",\"dtc\":null", to: &output)
        }
        output.append(contentsOf: heads[index])
        appendValue(of: reading, index, to: &output)
        if let checkDigit = reading.checkDigit {
            JSONText.append(raw: ",\"checkDigit\":", to: &output)
            JSONText.append(checkDigit, to: &output)
        } else if case .missing = reading.value, table.signals[index].id == "VIN" {
            JSONText.append(raw: ",\"checkDigit\":null", to: &output)
        }
        output.append(contentsOf: tails[index])
        if reading.dataID == nil && reading.raw.isEmpty {
            JSONText.append(raw: "null", to: &output)
        } else {
            output.append(0x22)
            for byte in reading.raw { Hex.append(byte, to: &output) }
            output.append(0x22)
        }
        end(line: reading.line, to: &output)
    }

    /// Appends what `AT RV` measured, as a reading without ECU, service and PID; unit: volts.
    public mutating func appendVoltage(
        _ volts: Double, line: Int = 0, time: UTC?, to output: inout [UInt8]
    ) {
        let index = table.signals.count
        if heads[index].isEmpty { prepare(.adapterVoltage, index) }
        JSONText.append(raw: "{\"time\":", to: &output)
        appendTime(time, to: &output)
        JSONText.append(raw: ",\"ecu\":null,\"service\":null,\"pid\":null", to: &output)
        output.append(contentsOf: heads[index])
        JSONText.append(volts, to: &output)
        output.append(contentsOf: tails[index])
        JSONText.append(raw: "null", to: &output)
        end(line: line, to: &output)
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
        let unit = conversion?.unit ?? signal.unit
        if unit.isEmpty {
            JSONText.append(raw: "null", to: &tail)
        } else {
            JSONText.append(unit, to: &tail)
        }
        JSONText.append(raw: ",\"raw\":", to: &tail)
        heads[index] = head
        tails[index] = tail
        if let conversion { scales[index] = (conversion.factor, conversion.offset) }
    }

    private func appendValue(
        of reading: Reading, _ index: Int, to output: inout [UInt8]
    ) {
        switch reading.value {
        case .number(let value):
            JSONText.append(value * scales[index].factor + scales[index].offset, to: &output)
        case .flag(let value): JSONText.append(value, to: &output)
        case .label(let code):
            if let label = ReadingText.label(code, of: table[reading.signal]) {
                JSONText.append(label, to: &output)
            } else {
                JSONText.append(raw: "null", to: &output)
            }
            JSONText.append(raw: ",\"code\":", to: &output)
            output.append(contentsOf: String(code).utf8)
        case .text(let text): JSONText.append(text, to: &output)
        case .supportMap(let raw):
            let base = reading.dataID?.id ?? 0
            JSONText.append(ReadingText.supportMap(raw, base: base), to: &output)
            JSONText.append(raw: ",\"code\":", to: &output)
            NumberText.append(Int64(raw), to: &output)
        case .missing(let reason, let code):
            JSONText.append(raw: "null,\"status\":\"", to: &output)
            output.append(contentsOf: reason.rawValue.utf8)
            output.append(0x22)
            if let code {
                JSONText.append(raw: ",\"code\":", to: &output)
                output.append(contentsOf: String(code).utf8)
            }
        }
    }

    // MARK: Pieces that all objects share

    mutating func appendTime(_ time: UTC?, to output: inout [UInt8]) {
        guard let time else {
            JSONText.append(raw: "null", to: &output)
            return
        }
        output.append(0x22)
        timeText.append(time, to: &output)
        output.append(0x22)
    }

    /// Appends `{`, and the time where one is known; the next key follows.
    mutating func begin(time: UTC?, to output: inout [UInt8]) {
        output.append(0x7B)
        guard time != nil else { return }
        JSONText.append(raw: "\"time\":", to: &output)
        appendTime(time, to: &output)
        output.append(0x2C)
    }

    /// Appends `,"ecu":…`.
    func appendECU(_ ecu: ECUAddress?, to output: inout [UInt8]) {
        JSONText.append(raw: ",\"ecu\":", to: &output)
        appendBareECU(ecu, to: &output)
    }

    /// Appends an ECU's address or null.
    func appendBareECU(_ ecu: ECUAddress?, to output: inout [UInt8]) {
        guard let ecu else {
            JSONText.append(raw: "null", to: &output)
            return
        }
        output.append(0x22)
        switch ecu.form {
        case .byte: break
        case .can11:
            output.append(Hex.digit(UInt8(truncatingIfNeeded: ecu.value >> 8)))
        case .can29:
            Hex.append(UInt8(truncatingIfNeeded: ecu.value >> 24), to: &output)
            Hex.append(UInt8(truncatingIfNeeded: ecu.value >> 16), to: &output)
            Hex.append(UInt8(truncatingIfNeeded: ecu.value >> 8), to: &output)
        }
        Hex.append(UInt8(truncatingIfNeeded: ecu.value), to: &output)
        // The tester's own address behind the identifier tells nobody apart.
        if let extended = ecu.extended, extended != 0xF1 {
            output.append(0x2F)
            Hex.append(extended, to: &output)
        }
        output.append(0x22)
    }

    /// The text of a code.
    func description(of code: CodeReport.Code) -> String? { describe(code) }

    /// Appends the input line where it is asked for and known, the closing brace and a line end.
    func end(line: Int, to output: inout [UInt8]) {
        if showsLine && line > 0 {
            JSONText.append(raw: ",\"line\":", to: &output)
            NumberText.append(Int64(line), to: &output)
        }
        output.append(0x7D)
        output.append(0x0A)
    }
}
