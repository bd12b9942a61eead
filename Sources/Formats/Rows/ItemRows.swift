import Diagnostics
import OBDCore

/// What vehicles and adapters say, as rows.
public struct ItemRows: Sendable {
    /// The table that readings belong to.
    public var table: PIDTable
    /// The units that are shown.
    public let units: UnitSystem
    private let facts: @Sendable (CodeReport) -> CodeFacts

    /// Rows for readings of `table`; `facts` says what is known of a code.
    public init(
        table: PIDTable, units: UnitSystem = .metric,
        facts: @escaping @Sendable (CodeReport) -> CodeFacts = { _ in CodeFacts() }
    ) {
        self.table = table
        self.units = units
        self.facts = facts
    }

    /// The keys of rows of one kind, in their order.
    public enum Keys {
        /// Of a reading.
        public static let reading = [
            "time", "ecu", "service", "pid", "frame", "dtc", "signal", "name", "value", "unit",
            "code", "status", "checkDigit", "raw",
        ]
        /// Of a monitor.
        public static let monitor = ["time", "ecu", "scope", "monitor", "supported", "complete"]
        /// Of a test result.
        public static let monitorTest = [
            "time", "ecu", "mid", "monitor", "tid", "component", "test", "uas", "value", "min",
            "max", "unit", "passed",
        ]
        /// Of a trouble code.
        public static let code = [
            "time", "ecu", "status", "code", "description", "failureType", "statusByte",
            "driveOn", "active", "severity", "occurrences", "conversionMethod", "lamps",
        ]
        /// Of an ECU that answered.
        public static let ecu = ["time", "ecu", "name", "light", "codes"]
        /// Of everything that an answer may hold.
        public static let all = [
            reading, code, monitor, monitorTest, ecu, refusal, message, adapterStatus,
            ["time", "id", "data"], error,
        ]
        /// Of what the answer to a request for data may hold, or a freeze frame.
        public static let data = [reading, monitor, code] + rest
        /// Of what an answer may hold instead of results.
        public static let rest = [refusal, message, adapterStatus, error]
        private static let refusal = ["time", "ecu", "service", "nrc", "name"]
        private static let message = ["time", "ecu", "service", "pgn", "payload"]
        private static let adapterStatus = ["time", "status", "text"]
        private static let error = ["time", "ecu", "reason", "text"]
    }

    /// The row of an item; `time` is null where it is not known.
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

    /// The row of a reading; of a signal that the table does not have only the raw bytes.
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
        return Row(
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
    }

    /// The row of what AT RV measured; unit: V.
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
                "passed": .flag(result.passed),
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
            // 127 means that the count is not available.
            if code.occurrenceCount != 127 { occurrences = code.occurrenceCount }
            // An older way to cut the number into bytes, of which there are several.
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
                "lamps": report.lamps.map { lamps in
                    .object([
                        "malfunction": .flag(lamps.malfunction), "redStop": .flag(lamps.redStop),
                        "amberWarning": .flag(lamps.amberWarning), "protect": .flag(lamps.protect),
                    ])
                } ?? .null,
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

    /// The row of a message as it was reassembled.
    public func row(_ message: ECUMessage, time: UTC?) -> Row {
        let service =
            message.parameterGroup == nil ? ReadingText.service(ofAnswer: message.payload) : nil
        return Row(
            "message",
            [
                "time": .time(time), "ecu": .text(message.ecu?.printed),
                "service": .text(service?.description),
                "pgn": .text(message.parameterGroup.map { Hex.string($0, digits: 6) }),
                "payload": .text(Hex.string(message.payload)),
            ])
    }

    /// The row of an ECU that answered a question for codes; `light` is null where it does not say.
    public static func ecu(
        _ ecu: ECUAddress?, name: String? = nil, light: Bool? = nil, codes: Int?, time: UTC?
    ) -> Row {
        Row(
            "ecu",
            [
                "time": .time(time), "ecu": .text(ecu?.printed), "name": .text(name),
                "light": .flag(light), "codes": .integer(codes),
            ])
    }

    /// The row of what an adapter said in words; `status` is one of the promised names.
    public static func adapterStatus(_ status: String, text: String, time: UTC?) -> Row {
        Row(
            "adapterStatus",
            ["time": .time(time), "status": .text(status), "text": .text(text)])
    }

    /// The row of a frame that was heard on the bus without a request.
    public static func frame(id: ECUAddress?, data: [UInt8], time: UTC?) -> Row {
        Row(
            "frame",
            [
                "time": .time(time), "id": .text(id?.printed),
                "data": .text(Hex.string(data)),
            ])
    }

    /// The row of a fault; `text` is the line as it was read.
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
