import Diagnostics
import OBDCore

/// Converts answers of vehicles and adapters to rows.
public struct ItemRows: Sendable {
    /// The table of the readings.
    public var table: PIDTable
    /// The displayed units.
    public let units: UnitSystem
    private let facts: @Sendable (CodeReport) -> CodeFacts

    /// Rows for readings of `table`; `facts` returns the known facts about a code.
    public init(
        table: PIDTable, units: UnitSystem = .metric,
        facts: @escaping @Sendable (CodeReport) -> CodeFacts = { _ in CodeFacts() }
    ) {
        self.table = table
        self.units = units
        self.facts = facts
    }

    /// The keys of each kind of row, in their order.
    public enum Keys {
        /// The keys of a reading.
        public static let reading = [
            "time", "ecu", "service", "pid", "frame", "dtc", "signal", "name", "value", "unit",
            "code", "status", "checkDigit", "raw",
        ]
        /// The keys of a monitor.
        public static let monitor = ["time", "ecu", "scope", "monitor", "supported", "complete"]
        /// The keys of a test result.
        public static let monitorTest = [
            "time", "ecu", "mid", "monitor", "tid", "component", "test", "uas", "value", "min",
            "max", "unit", "passed", "hasMin", "hasMax",
        ]
        /// The keys of a trouble code.
        public static let code = [
            "time", "ecu", "status", "code", "description", "failureType", "statusByte",
            "driveOn", "active", "severity", "occurrences", "conversionMethod", "lamps",
        ]
        /// The keys of an ECU that answered.
        public static let ecu = ["time", "ecu", "name", "light", "codes", "lamps"]
        /// The keys of all items of an answer.
        public static let all = [
            reading, code, monitor, monitorTest, ecu, refusal, message, adapterStatus,
            ["time", "id", "data"], error,
        ]
        /// Rows that the answer to a request for data may hold, or a freeze frame.
        public static let data = [reading, monitor, code] + rest
        /// Rows that an answer may hold instead of results.
        public static let rest = [refusal, message, adapterStatus, error]
        private static let refusal = ["time", "ecu", "service", "nrc", "name"]
        private static let message = ["time", "ecu", "service", "pgn", "payload"]
        private static let adapterStatus = ["time", "status", "text"]
        private static let error = ["time", "ecu", "reason", "text"]
    }

    /// The row of an item; `time` is null if unknown.
    public func row(_ item: DiagnosticItem, time: UTC?) -> Row {
        switch item {
        case .reading(let reading): row(reading, time: time)
        case .monitor(let monitor): row(monitor, time: time)
        case .monitorTest(let result): row(result, time: time)
        case .code(let report): row(report, time: time)
        case .negativeResponse(let refusal, let ecu, _):
            Self.row(refusal, ecu: ecu, time: time)
        case .message(let message): row(message, time: time)
        case .error(let error): Self.error(error.reason, ecu: error.ecu, time: time)
        }
    }

    /// The row of a reading; for a signal outside the table, it contains only the raw bytes.
    public func row(_ reading: Reading, time: UTC?) -> Row {
        let known = table.signals.indices.contains(Int(reading.signal.rawValue))
        let signal = known ? table[reading.signal] : nil
        let conversion =
            signal?.kind == .number ? signal.flatMap { units.conversion(from: $0.unit) } : nil
        let unit = conversion?.unit ?? signal?.unit ?? ""
        var value = FieldValue.null
        var code = FieldValue.null
        var status = FieldValue.null
        switch reading.value {
        case .number(let number): value = .number(conversion.map { $0(number) } ?? number)
        case .flag(let flag): value = .flag(flag)
        case .label(let number):
            value = .text(signal.flatMap { ReadingText.label(number, of: $0) })
            code = .integer(number)
        case .text(let text): value = .text(text)
        case .supportMap(let map):
            value = .text(ReadingText.supportMap(map, base: reading.dataID?.id ?? 0))
            code = .integer(map)
        case .missing(let reason, let number):
            status = .text(reason.rawValue)
            code = .integer(number)
        }
        var row = Row(
            "reading",
            [
                "time": .time(time), "ecu": .text(reading.ecu?.printed),
                "service": .text(reading.dataID?.service.description),
                "pid": .text(reading.dataID?.idText), "frame": .integer(reading.frame),
                "dtc": .text(reading.dtc?.text ?? reading.parameterCode?.text),
                "signal": .text(signal?.id), "name": .text(signal?.name), "value": value,
                "unit": .filled(unit), "code": code, "status": status,
                "checkDigit": .flag(reading.checkDigit),
                "raw": reading.dataID == nil && reading.raw.isEmpty
                    ? .null : .text(Hex.string(reading.raw)),
            ])
        if let id = reading.dataID, id.service == DataID.frames {
            row.add("message", .text(table.record(id)?.name ?? ""))
        }
        if case .number = reading.value, let label = signal?.label(of: reading.value) {
            row.add("label", .text(label))
        }
        return row
    }

    /// The row of the voltage from AT RV; unit: V.
    public static func row(voltage: Double, time: UTC?) -> Row {
        let signal = Signal.adapterVoltage
        return Row(
            "reading",
            [
                "time": .time(time), "ecu": .null, "service": .null, "pid": .null, "frame": .null,
                "dtc": .null, "signal": .text(signal.id), "name": .text(signal.name),
                "value": .number(voltage), "unit": .text(signal.unit), "code": .null,
                "status": .null, "checkDigit": .null, "raw": .null,
            ])
    }

    private func row(_ monitor: MonitorStatus, time: UTC?) -> Row {
        Row(
            "monitor",
            [
                "time": .time(time), "ecu": .text(monitor.ecu?.printed),
                "scope": .text(monitor.scope.rawValue),
                "monitor": .text(monitor.monitor.rawValue), "supported": .flag(monitor.supported),
                "complete": .flag(monitor.complete),
            ])
    }

    private func row(_ result: MonitorTestResult, time: UTC?) -> Row {
        Row(
            "monitorTest",
            [
                "time": .time(time), "ecu": .text(result.ecu?.printed),
                "mid": .hex(result.mid), "monitor": .text(result.monitor), "tid": .hex(result.tid),
                "component": .hex(result.component), "test": .text(result.test),
                "uas": .hex(result.uas), "value": .number(result.value), "min": .number(result.min),
                "max": .number(result.max), "unit": .text(result.unit),
                "passed": .flag(result.passed), "hasMin": .flag(result.hasLowerLimit),
                "hasMax": .flag(result.hasUpperLimit),
            ])
    }

    private func row(_ report: CodeReport, time: UTC?) -> Row {
        let facts = facts(report)
        var failureType: UInt8?
        var occurrences: UInt8?
        var conversionMethod: Int?
        switch report.code {
        case .dtc(let code): failureType = code.failureType
        case .j1939(let code):
            occurrences = code.occurrences
            // The older conversion of the number to bytes, which has several variants.
            if code.conversionMethod { conversionMethod = 1 }
        }
        return Row(
            "code",
            [
                "time": .time(time), "ecu": .text(report.ecu?.printed),
                "status": .text(report.kind.rawValue), "code": .text(report.code.text),
                "description": .text(facts.text), "failureType": .hex(failureType),
                "statusByte": .hex(report.statusByte), "driveOn": .text(facts.driveOn?.rawValue),
                "active": .flag(report.isActive), "severity": .hex(report.severity),
                "occurrences": .integer(occurrences),
                "conversionMethod": .integer(conversionMethod),
                "lamps": Self.value(report.lamps),
            ])
    }

    private static func value(_ lamps: CodeReport.Lamps?) -> FieldValue {
        guard let lamps else { return .null }
        return .object([
            "malfunction": .flag(lamps.malfunction), "redStop": .flag(lamps.redStop),
            "amberWarning": .flag(lamps.amberWarning), "protect": .flag(lamps.protect),
        ])
    }

    /// The row of a refusal.
    public static func row(_ refusal: NegativeResponse, ecu: ECUAddress?, time: UTC?) -> Row {
        Row(
            "negativeResponse",
            [
                "time": .time(time), "ecu": .text(ecu?.printed),
                "service": .text(refusal.service.description), "nrc": .hex(refusal.nrc.rawValue),
                "name": .text(refusal.nrc.name),
            ])
    }

    /// The row of a reassembled message.
    public func row(_ message: ECUMessage, time: UTC?) -> Row {
        let service =
            message.parameterGroup == nil ? ReadingText.service(ofAnswer: message.payload) : nil
        var row = Row(
            "message",
            [
                "time": .time(time), "ecu": .text(message.ecu?.printed),
                "service": .text(service?.description),
                "pgn": .text(message.parameterGroup.map { Hex.string($0, digits: 6) }),
                "payload": .text(Hex.string(message.payload)),
            ])
        if let meaning = message.meaning { row.add("meaning", .text(meaning)) }
        return row
    }

    /// The row of an ECU that answered a request for codes; `light` and `lamps` are null if it does
    /// not report them.
    public static func ecu(
        _ ecu: ECUAddress?, name: String? = nil, light: Bool? = nil, codes: Int?,
        lamps: CodeReport.Lamps? = nil, time: UTC?
    ) -> Row {
        Row(
            "ecu",
            [
                "time": .time(time), "ecu": .text(ecu?.printed), "name": .text(name),
                "light": .flag(light), "codes": .integer(codes), "lamps": value(lamps),
            ])
    }

    /// The row of an adapter's status message; `status` is one of the documented names.
    public static func adapterStatus(_ status: String, text: String, time: UTC?) -> Row {
        Row(
            "adapterStatus",
            ["time": .time(time), "status": .text(status), "text": .text(text)])
    }

    /// The row of a frame that was received without a request.
    public static func frame(id: ECUAddress?, data: [UInt8], time: UTC?) -> Row {
        Row(
            "frame",
            [
                "time": .time(time), "id": .text(id?.printed),
                "data": .text(Hex.string(data)),
            ])
    }

    /// The row of a fault; `text` is the original line.
    public static func error(
        _ reason: String, text: String? = nil, ecu: ECUAddress? = nil, time: UTC? = nil
    ) -> Row {
        Row(
            "error",
            [
                "time": .time(time), "ecu": .text(ecu?.printed), "reason": .text(reason),
                "text": .text(text),
            ])
    }
}
