import Diagnostics
import OBDCore

/// Readings in InfluxDB's line protocol, with times in nanoseconds.
///
/// Example: `obd,trip=12,vin=…,ecu=7E8,signal=RPM,unit=rpm value=1726 1795248902123456000`. A
/// flag's value is 0 or 1, an enumeration's is its code with a `label`, and text is in `text`. A
/// reading without a value has no line.
public struct LineProtocol: Sendable {
    private struct Source: Hashable, Sendable {
        var ecu: ECUAddress?
        var dataID: DataID?
    }

    private let table: PIDTable
    private let units: UnitSystem
    private let tags: [UInt8]
    private let hasText: Bool
    private let names: (@Sendable (Signal) -> String?)?
    private var sources: [Source?]
    private var heads: [[UInt8]]
    private var scales: [(factor: Double, offset: Double)]

    /// A writer for one trip's readings.
    public init(
        table: PIDTable, units: UnitSystem = .metric, trip: Int64, vin: String?, name: String?
    ) {
        self.init(
            table: table, units: units,
            tags: [("trip", String(trip)), ("vin", vin ?? ""), ("name", name ?? "")])
    }

    /// A writer whose lines have these tags; empty tags are left out.
    ///
    /// Without `hasText`, lines contain only numbers, no texts and labels. `names` returns other
    /// names for signals, nil = leave the signal out.
    public init(
        table: PIDTable, units: UnitSystem = .metric, tags: [(name: String, value: String)],
        hasText: Bool = true, names: (@Sendable (Signal) -> String?)? = nil
    ) {
        self.table = table
        self.units = units
        self.hasText = hasText
        self.names = names
        var bytes: [UInt8] = []
        for tag in tags { Self.append(tag: tag.name, tag.value, to: &bytes) }
        self.tags = bytes
        sources = Array(repeating: nil, count: table.signals.count)
        heads = Array(repeating: [], count: table.signals.count)
        scales = Array(repeating: (1, 0), count: table.signals.count)
    }

    /// Appends a reading.
    public mutating func append(
        _ reading: borrowing Reading, time: UTC, to output: inout [UInt8]
    ) {
        let index = Int(reading.signal.rawValue)
        guard sources.indices.contains(index) else { return }
        if case .missing = reading.value { return }
        let source = Source(ecu: reading.ecu, dataID: reading.dataID)
        if sources[index] != source { prepare(reading, source, index) }
        if heads[index].isEmpty { return }
        if !hasText, case .text = reading.value { return }
        let mark = output.count
        output.append(contentsOf: heads[index])
        switch reading.value {
        case .number(let value):
            let shown = value * scales[index].factor + scales[index].offset
            guard shown.isFinite else {
                output.removeSubrange(mark...)
                return
            }
            JSONText.append(raw: "value=", to: &output)
            NumberText.append(shown, to: &output)
        case .flag(let value): JSONText.append(raw: value ? "value=1" : "value=0", to: &output)
        case .label(let code):
            Self.append("value=\(code)", to: &output)
            if hasText, let label = ReadingText.label(code, of: table[reading.signal]) {
                Self.append(",label=", to: &output)
                Self.append(string: label, to: &output)
            }
        case .supportMap(let raw): Self.append("value=\(raw)", to: &output)
        case .text(let text):
            Self.append("text=", to: &output)
            Self.append(string: text, to: &output)
        case .missing: return
        }
        Self.append(time, to: &output)
    }

    /// Appends a position as `position`.
    public func append(_ point: TrackPoint, to output: inout [UInt8]) {
        Self.append("position", to: &output)
        output.append(contentsOf: tags)
        Self.append(" latitude=", to: &output)
        NumberText.append(point.latitude, to: &output)
        Self.append(",longitude=", to: &output)
        NumberText.append(point.longitude, to: &output)
        for (field, value) in [
            ("altitude", point.altitude), ("speed", point.speed), ("course", point.course),
        ] {
            guard let value else { continue }
            Self.append(",\(field)=", to: &output)
            NumberText.append(value, to: &output)
        }
        Self.append(point.time, to: &output)
    }

    /// Appends a trouble code that an ECU reported as `obd_code`.
    ///
    /// Example: `obd_code,vehicle=golf,ecu=7E8,status=stored,code=P0301 value=1 1795248902123456000`.
    public func append(_ report: CodeReport, time: UTC, to output: inout [UInt8]) {
        Self.append("obd_code", to: &output)
        output.append(contentsOf: tags)
        Self.append(tag: "ecu", report.ecu?.description, to: &output)
        Self.append(tag: "status", report.kind.rawValue, to: &output)
        Self.append(tag: "code", report.code.text, to: &output)
        if case .dtc(let code) = report.code, let type = code.failureType, type != 0 {
            Self.append(tag: "failure", Hex.string([type]), to: &output)
        }
        Self.append(" value=1", to: &output)
        Self.append(time, to: &output)
    }

    /// Appends an event as `event`.
    public func append(
        event kind: String, text: String, time: UTC, to output: inout [UInt8]
    ) {
        Self.append("event", to: &output)
        output.append(contentsOf: tags)
        Self.append(tag: "kind", kind, to: &output)
        Self.append(" text=", to: &output)
        Self.append(string: text, to: &output)
        Self.append(time, to: &output)
    }

    /// A line of numbers; without a time, the server sets its own.
    package static func line(
        _ measurement: String, tags: [(name: String, value: String)],
        fields: [(name: String, value: Double)], time: UTC?
    ) -> [UInt8] {
        var line = Array(measurement.utf8)
        for tag in tags { append(tag: tag.name, tag.value, to: &line) }
        for (place, field) in fields.enumerated() {
            append((place == 0 ? " " : ",") + field.name + "=", to: &line)
            NumberText.append(field.value, to: &line)
        }
        if let time { append(time, to: &line) } else { line.append(0x0A) }
        return line
    }

    // MARK: Pieces

    private mutating func prepare(
        _ reading: borrowing Reading, _ source: Source, _ index: Int
    ) {
        let signal = table[reading.signal]
        sources[index] = source
        guard let name = names.map({ $0(signal) }) ?? signal.id else {
            heads[index] = []
            return
        }
        let conversion = signal.kind == .number ? units.conversion(from: signal.unit) : nil
        var head = Array("obd".utf8)
        head.append(contentsOf: tags)
        Self.append(tag: "ecu", reading.ecu?.description, to: &head)
        // Distinguish readings of a freeze frame from current ones of the same name.
        let isFrozen = reading.frame != nil
        Self.append(tag: "frame", reading.frame.map { String($0) }, to: &head)
        Self.append(tag: "signal", name, to: &head)
        Self.append(tag: "unit", conversion?.unit ?? signal.unit, to: &head)
        head.append(0x20)
        heads[index] = head
        scales[index] = (conversion?.factor ?? 1, conversion?.offset ?? 0)
        sources[index] = isFrozen ? nil : source
    }

    private static func append(_ text: String, to output: inout [UInt8]) {
        output.append(contentsOf: text.utf8)
    }

    private static func append(_ time: UTC, to output: inout [UInt8]) {
        output.append(0x20)
        NumberText.append(time.microseconds, to: &output)
        JSONText.append(raw: "000\n", to: &output)
    }

    /// Appends a tag; skips an empty one, which is not allowed.
    ///
    /// Commas, equals signs and blanks are escaped. Line ends cannot be escaped and become blanks.
    private static func append(tag: String, _ value: String?, to output: inout [UInt8]) {
        guard let value, !value.isEmpty else { return }
        output.append(0x2C)
        append(tag, to: &output)
        output.append(0x3D)
        for byte in value.utf8 {
            switch byte {
            case 0x2C, 0x3D, 0x20: output.append(contentsOf: [0x5C, byte])
            case 0x00..<0x20, 0x7F: output.append(contentsOf: [0x5C, 0x20])
            // A backslash at the end would escape the next character.
            case 0x5C: output.append(0x2F)
            default: output.append(byte)
            }
        }
    }

    private static func append(string: String, to output: inout [UInt8]) {
        output.append(0x22)
        for byte in string.utf8 {
            switch byte {
            case 0x22, 0x5C: output.append(contentsOf: [0x5C, byte])
            case 0x00..<0x20, 0x7F: output.append(0x20)
            default: output.append(byte)
            }
        }
        output.append(0x22)
    }
}
