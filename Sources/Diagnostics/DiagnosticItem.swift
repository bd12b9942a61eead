public import OBDCore

/// One decoded value from one ECU.
public struct Reading: Hashable, Sendable {
    /// A value, or the reason why there is none.
    public enum Value: Hashable, Sendable {
        /// A number in the unit of the signal.
        case number(Double)
        /// A flag.
        case flag(Bool)
        /// A defined code of an enumeration; the table has its label.
        case label(code: UInt64)
        /// Text, a trouble code or bytes in hexadecimal.
        case text(String)
        /// A support map as a raw number; the record's identifier determines its identifiers.
        case supportMap(raw: UInt32)
        /// No value; `code` has the raw number if it is worth showing.
        case missing(Missing, code: UInt64?)
    }

    /// Why the signal has no value; the raw value is printed in `status`.
    public enum Missing: String, Hashable, Sendable {
        /// The record's support flag means that the vehicle does not have the signal.
        case notSupported
        /// The raw value means "sensor not fitted" or "not available".
        case notAvailable
        /// The record ended before the signal.
        case tooShort
        /// A code that the standard does not define.
        case undefined
    }

    /// The ECU that answered; nil if headers were off.
    public var ecu: ECUAddress?
    /// The record's identifier as requested (`02:0C` for a freeze frame); nil for `AT RV`.
    public var dataID: DataID?
    /// The value's signal in the table.
    public var signal: SignalIndex
    /// The value.
    public var value: Value
    /// The data bytes of the record.
    public var raw: InlineBytes
    /// The freeze frame number of service 02; nil for other services.
    public var frame: UInt8?
    /// The code that caused the freeze frame, if known.
    public var dtc: DTC?
    /// The same code for SAE J1939 (DM4).
    public var parameterCode: J1939Code?
    /// Whether the VIN's check digit is correct; nil for other values.
    public var checkDigit: Bool?
    /// The input line on which its answer began, from 1; 0 on a live link.
    public var line: Int

    /// A value of one signal.
    @inline(__always)
    public init(
        ecu: ECUAddress?, dataID: DataID?, signal: SignalIndex, value: Value, raw: InlineBytes,
        line: Int
    ) {
        self.ecu = ecu
        self.dataID = dataID
        self.signal = signal
        self.value = value
        self.raw = raw
        self.line = line
    }
}

/// An on-board monitor and whether it has run (PIDs 01 and 41).
public struct MonitorStatus: Hashable, Sendable {
    /// The period of the status; the raw value is printed in `scope`.
    public enum Scope: String, Hashable, Sendable {
        /// The time since codes were cleared: PID 01.
        case sinceClear
        /// This driving cycle: PID 41.
        case thisCycle
    }

    /// The monitor; the raw value is printed in `monitor`.
    public enum Monitor: String, Hashable, Sendable, CaseIterable {
        case misfire, fuelSystem, components
        case catalyst, heatedCatalyst, evaporative, secondaryAir, gpfOrACRefrigerant
        case oxygenSensor, oxygenSensorHeater, egrVvt
        case nmhcCatalyst, noxSCR, boostPressure, exhaustGasSensor, pmFilter
        /// Only in SAE J1939 (DM5).
        case coldStartAid
        /// Only in SAE J1979-2, which separates EGR and valve timing.
        case egr, vvt, engineCooling, crankcaseVentilation, coldStartEmissionReduction
        case directOzoneReduction, noxAdsorber, otherEmissionControl
    }

    /// The ECU that answered.
    public var ecu: ECUAddress?
    /// The period of the status.
    public var scope: Scope
    /// The monitor.
    public var monitor: Monitor
    /// Whether the vehicle has the monitor (PID 41: whether the monitor is enabled).
    public var supported: Bool
    /// Whether the monitor has completed; nil if it is not supported.
    public var complete: Bool?
    /// The input line, from 1; 0 on a live link.
    public var line: Int

    /// A monitor's status.
    public init(
        ecu: ECUAddress?, scope: Scope, monitor: Monitor, supported: Bool, complete: Bool?,
        line: Int
    ) {
        self.ecu = ecu
        self.scope = scope
        self.monitor = monitor
        self.supported = supported
        self.complete = complete
        self.line = line
    }
}

/// One result of service 06.
public struct MonitorTestResult: Hashable, Sendable {
    /// The ECU that answered.
    public var ecu: ECUAddress?
    /// Monitor id; nil before CAN.
    public var mid: UInt8?
    /// The name of the monitor; nil if no table has one.
    public var monitor: String?
    /// Test id.
    public var tid: UInt8
    /// Name of the test; nil for manufacturers' own.
    public var test: String?
    /// Component id of results before CAN, low seven bits.
    public var component: UInt8?
    /// Unit and scaling id; nil before CAN.
    public var uas: UInt8?
    /// The result, in `unit`.
    public var value: Double?
    /// Lower limit; nil if there is none.
    public var min: Double?
    /// Upper limit; nil if there is none.
    public var max: Double?
    /// The unit; nil if the scaling is unknown, or before CAN.
    public var unit: String?
    /// Whether the test passed; nil if it has not run since codes were cleared, and for a constant without limits.
    public var passed: Bool?
    /// The record's bytes.
    public var raw: InlineBytes
    /// The input line, from 1; 0 on a live link.
    public var line: Int

    /// A result without names, limits or a verdict, which the caller sets if known.
    public init(ecu: ECUAddress?, tid: UInt8, raw: InlineBytes, line: Int) {
        self.ecu = ecu
        self.tid = tid
        self.raw = raw
        self.line = line
    }
}

extension MonitorTestResult {
    /// Whether a value can be below ``min`` at all.
    ///
    /// An ECU without a lower limit sends the lowest number that the record can hold.
    public var hasLowerLimit: Bool {
        guard min != nil else { return false }
        guard let uas else { return min != 0 }
        return limitBytes(from: 4).map { $0 != (uas >= 0x80 ? 0x8000 : 0) } ?? true
    }

    /// Whether a value can be above ``max`` at all; see ``hasLowerLimit``.
    public var hasUpperLimit: Bool {
        guard max != nil else { return false }
        guard let uas else { return max != 65_535 }
        return limitBytes(from: 2).map { $0 != (uas >= 0x80 ? 0x7FFF : 0xFFFF) } ?? true
    }

    /// Two of the record's bytes, counted from its end; nil if their positions are not known.
    private func limitBytes(from end: Int) -> UInt16? {
        // `[MID] TID UASID value min max`.
        guard raw.count == 8 || raw.count == 9 else { return nil }
        return UInt16(raw[raw.count - end]) << 8 | UInt16(raw[raw.count - end + 1])
    }
}

/// A trouble code that an ECU reported.
public struct CodeReport: Hashable, Sendable {
    /// The status of a code; the raw value is printed in `kind`.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        case stored, pending, permanent
    }

    /// A code of SAE J2012 or of SAE J1939.
    public enum Code: Hashable, Sendable {
        case dtc(DTC)
        case j1939(J1939Code)

        /// `P0301` (without the failure type), `SPN609/FMI19`.
        public var text: String {
            switch self {
            case .dtc(let code): code.text
            case .j1939(let code): code.text
            }
        }
    }

    /// The four lamps of SAE J1939; nil means not available.
    public struct Lamps: Hashable, Sendable {
        /// Malfunction indicator, red stop, amber warning and protect lamp.
        public var malfunction, redStop, amberWarning, protect: Bool?

        /// Creates the state of the lamps.
        public init(malfunction: Bool?, redStop: Bool?, amberWarning: Bool?, protect: Bool?) {
            self.malfunction = malfunction
            self.redStop = redStop
            self.amberWarning = amberWarning
            self.protect = protect
        }

        /// Whether any of the lamps is on.
        public var isAnyOn: Bool {
            [malfunction, redStop, amberWarning, protect].contains(true)
        }
    }

    /// The ECU that reported the item.
    public var ecu: ECUAddress?
    /// The status of the code.
    public var kind: Kind
    /// The code.
    public var code: Code
    /// UDS status byte, or the ISO 14230-3 one of KWP service 18.
    public var statusByte: UInt8?
    /// UDS severity byte of 19 42.
    public var severity: UInt8?
    /// Lamps of a J1939 code.
    public var lamps: Lamps?
    /// Whether a J1939 code is active now (DM1, DM12) or was before (DM2, DM23); nil for other codes.
    public var isActive: Bool?
    /// The input line, from 1; 0 on a live link.
    public var line: Int

    /// A code in one of an ECU's lists.
    public init(ecu: ECUAddress?, kind: Kind, code: Code, line: Int) {
        self.ecu = ecu
        self.kind = kind
        self.code = code
        self.line = line
    }
}

/// Why a message could not be decoded; no value is guessed.
public struct DecodeError: Error, Hashable, Sendable {
    /// The fault.
    public enum Fault: Hashable, Sendable {
        /// A record that is shorter than its identifier requires; unit: bytes.
        case tooShort(DataID, expected: Int, received: Int)
        /// Bytes after the last complete record that are not padding.
        case leftOver(InlineBytes)
        /// A list whose length does not match its count; unit: codes.
        case count(announced: Int, received: Int)
        /// A numbered message with the wrong number of parts: expected and received.
        case messageCount(expected: UInt8, received: UInt8)
        /// A list with several meanings, none of which the conversation excludes.
        case unsettled([String])
        /// An empty message.
        case empty
        /// Anything else, in words.
        case malformed(String)
    }

    /// The fault.
    public var fault: Fault
    /// The ECU that sent the message.
    public var ecu: ECUAddress?
    /// The input line, from 1; 0 on a live link.
    public var line: Int

    /// A fault in a message of `ecu`.
    public init(_ fault: Fault, ecu: ECUAddress?, line: Int) {
        self.fault = fault
        self.ecu = ecu
        self.line = line
    }

    /// One sentence for the user.
    public var reason: String {
        switch fault {
        case .tooShort(let id, let expected, let received):
            "\(id) needs \(counted(expected, "byte")), got \(received)"
        case .leftOver(let bytes): "left over after the last record: \(bytes)"
        case .count(let announced, let received):
            counted(announced, "code") + " announced, \(received) received"
        case .messageCount(let expected, let received):
            "part \(received) where part \(expected) was expected"
        case .unsettled(let meanings):
            "not settled: " + meanings.joined(separator: ", or ")
        case .empty: "empty message"
        case .malformed(let reason): reason
        }
    }
}

/// A decoded part of a message.
public enum DiagnosticItem: Hashable, Sendable {
    /// A value of one signal.
    case reading(Reading)
    /// A monitor's status.
    case monitor(MonitorStatus)
    /// A result of service 06.
    case monitorTest(MonitorTestResult)
    /// A trouble code.
    case code(CodeReport)
    /// A refusal.
    case negativeResponse(NegativeResponse, ecu: ECUAddress?, line: Int)
    /// A message that does not answer a request or that no table decodes.
    case message(ECUMessage)
    /// A message that does not conform to its standard.
    case error(DecodeError)
}

extension CodeReport.Code {
    /// The code whose ``text`` is `stored`; nil if it is not a code.
    public init?(
        stored: String, failureType: UInt8?, occurrences: UInt8?, conversionMethod: Bool?
    ) {
        if let code = DTC(stored) {
            self = .dtc(DTC(code.code, failureType: failureType))
            return
        }
        let parts = stored.split(separator: "/")
        guard parts.count == 2, parts[0].hasPrefix("SPN"), parts[1].hasPrefix("FMI"),
            let spn = UInt32(parts[0].dropFirst(3)), let fmi = UInt8(parts[1].dropFirst(3))
        else { return nil }
        self = .j1939(
            J1939Code(
                spn: spn, fmi: fmi, occurrenceCount: occurrences ?? 127,
                conversionMethod: conversionMethod ?? false))
    }
}
