public import OBDCore

/// One decoded value of one ECU.
public struct Reading: Hashable, Sendable {
    /// A value, or why there is none.
    public enum Value: Hashable, Sendable {
        /// In the unit of the signal.
        case number(Double)
        /// A flag.
        case flag(Bool)
        /// A defined code of an enumeration; its label is in the table.
        case label(code: UInt64)
        /// Text, a trouble code or bytes in hexadecimal.
        case text(String)
        /// A support map: the raw number; the ids follow from the record's identifier.
        case supportMap(raw: UInt32)
        /// No value; `code` holds the raw number where one is worth showing.
        case missing(Missing, code: UInt64?)
    }

    /// Why there is no value; the raw value is what `status` prints.
    public enum Missing: String, Hashable, Sendable {
        /// The record's support flag says that the vehicle has no such signal.
        case notSupported
        /// The pattern that means "sensor not fitted" or "not available".
        case notAvailable
        /// The record ended before the signal.
        case tooShort
        /// A code that the standard does not define.
        case undefined
    }

    /// Who answered; nil where headers were off.
    public var ecu: ECUAddress?
    /// The record's identifier as asked (`02:0C` for a freeze frame); nil for `AT RV`.
    public var dataID: DataID?
    /// Its row in the table.
    public var signal: SignalIndex
    /// The value.
    public var value: Value
    /// The data bytes that the record occupied.
    public var raw: InlineBytes
    /// Freeze frame number of service 02, nil elsewhere.
    public var frame: UInt8?
    /// The code that froze the frame, where it is known.
    public var dtc: DTC?
    /// The same where it is one of SAE J1939 (DM4).
    public var parameterCode: J1939Code?
    /// Whether the VIN's check digit is right; nil for everything but a VIN.
    public var checkDigit: Bool?
    /// The input line that its answer began on, from 1; 0 on a live link.
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
    /// Since when; the raw value is what `scope` prints.
    public enum Scope: String, Hashable, Sendable {
        /// Since codes were cleared: PID 01.
        case sinceClear
        /// This driving cycle: PID 41.
        case thisCycle
    }

    /// The monitor; the raw value is what `monitor` prints.
    public enum Monitor: String, Hashable, Sendable, CaseIterable {
        case misfire, fuelSystem, components
        case catalyst, heatedCatalyst, evaporative, secondaryAir, gpfOrACRefrigerant
        case oxygenSensor, oxygenSensorHeater, egrVvt
        case nmhcCatalyst, noxSCR, boostPressure, exhaustGasSensor, pmFilter
        /// SAE J1939 alone has it (DM5).
        case coldStartAid
        /// SAE J1979-2 alone has these, and tells EGR and valve timing apart.
        case egr, vvt, engineCooling, crankcaseVentilation, coldStartEmissionReduction
        case directOzoneReduction, noxAdsorber, otherEmissionControl
    }

    /// Who answered.
    public var ecu: ECUAddress?
    /// Since when.
    public var scope: Scope
    /// The monitor.
    public var monitor: Monitor
    /// Whether the vehicle has it (PID 41: whether it is enabled).
    public var supported: Bool
    /// Whether it has run to its end; nil for an unsupported one.
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
    /// Who answered.
    public var ecu: ECUAddress?
    /// Monitor id; nil before CAN.
    public var mid: UInt8?
    /// Name of the monitor; nil where no table has one.
    public var monitor: String?
    /// Test id.
    public var tid: UInt8
    /// Name of the test; nil for manufacturers' own.
    public var test: String?
    /// Component id of results before CAN, low seven bits.
    public var component: UInt8?
    /// Unit and scaling id; nil before CAN.
    public var uas: UInt8?
    /// The result; unit: `unit`.
    public var value: Double?
    /// Lower limit; nil where there is none.
    public var min: Double?
    /// Upper limit; nil where there is none.
    public var max: Double?
    /// The unit; nil where the scaling is unknown or before CAN.
    public var unit: String?
    /// The verdict; nil when the test has not run since codes were cleared.
    public var passed: Bool?
    /// The record's bytes.
    public var raw: InlineBytes
    /// The input line, from 1; 0 on a live link.
    public var line: Int

    /// A result without names, limits or verdict; set what is known afterwards.
    public init(ecu: ECUAddress?, tid: UInt8, raw: InlineBytes, line: Int) {
        self.ecu = ecu
        self.tid = tid
        self.raw = raw
        self.line = line
    }
}

extension MonitorTestResult {
    /// Whether a value can be below ``min`` at all: an ECU that has no lower limit gives the least
    /// number that the record can hold.
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

    /// Two of the record's bytes, this many before its end; nil where they are not known.
    private func limitBytes(from end: Int) -> UInt16? {
        // `[MID] TID UASID value min max`.
        guard raw.count == 8 || raw.count == 9 else { return nil }
        return UInt16(raw[raw.count - end]) << 8 | UInt16(raw[raw.count - end + 1])
    }
}

/// A trouble code that an ECU reported.
public struct CodeReport: Hashable, Sendable {
    /// In which list; the raw value is what `kind` prints.
    public enum Kind: String, Hashable, Sendable {
        case stored, pending, permanent
    }

    /// A code of SAE J2012 or of SAE J1939.
    public enum Code: Hashable, Sendable {
        case dtc(DTC)
        case j1939(J1939Code)

        /// `P0301` (failure types stand apart), `SPN609/FMI19`.
        public var text: String {
            switch self {
            case .dtc(let code): code.text
            case .j1939(let code): code.text
            }
        }
    }

    /// The four lamps of SAE J1939; nil = not available.
    public struct Lamps: Hashable, Sendable {
        /// Malfunction indicator, red stop, amber warning and protect lamp.
        public var malfunction, redStop, amberWarning, protect: Bool?

        /// Lamps as sent.
        public init(malfunction: Bool?, redStop: Bool?, amberWarning: Bool?, protect: Bool?) {
            self.malfunction = malfunction
            self.redStop = redStop
            self.amberWarning = amberWarning
            self.protect = protect
        }

        /// Whether any of them is on.
        public var isAnyOn: Bool {
            [malfunction, redStop, amberWarning, protect].contains(true)
        }
    }

    /// Who reported it.
    public var ecu: ECUAddress?
    /// In which list.
    public var kind: Kind
    /// The code.
    public var code: Code
    /// UDS status byte, or the ISO 14230-3 one of KWP service 18.
    public var statusByte: UInt8?
    /// UDS severity byte of 19 42.
    public var severity: UInt8?
    /// Lamps of a J1939 code.
    public var lamps: Lamps?
    /// Whether a J1939 code is active now (DM1, DM12) or was before (DM2, DM23); nil elsewhere.
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

/// Why a message could not be decoded; nothing was guessed.
public struct DecodeError: Error, Hashable, Sendable {
    /// The fault.
    public enum Fault: Hashable, Sendable {
        /// A record that is shorter than its identifier demands; unit: bytes.
        case tooShort(DataID, expected: Int, received: Int)
        /// Bytes after the last whole record that are not a padding.
        case leftOver(InlineBytes)
        /// A list whose count does not match its length; unit: codes.
        case count(announced: Int, received: Int)
        /// Parts of a message that is numbered through: what was expected, what came.
        case messageCount(expected: UInt8, received: UInt8)
        /// An empty message.
        case empty
        /// Anything else, in words.
        case malformed(String)
    }

    /// The fault.
    public var fault: Fault
    /// Whose message it was.
    public var ecu: ECUAddress?
    /// The input line, from 1; 0 on a live link.
    public var line: Int

    /// A fault in a message of `ecu`.
    public init(_ fault: Fault, ecu: ECUAddress?, line: Int) {
        self.fault = fault
        self.ecu = ecu
        self.line = line
    }

    /// One sentence for people.
    public var reason: String {
        switch fault {
        case .tooShort(let id, let expected, let received):
            "\(id) needs \(expected) bytes, got \(received)"
        case .leftOver(let bytes): "left over after the last record: \(bytes)"
        case .count(let announced, let received):
            "\(announced) codes announced, \(received) received"
        case .messageCount(let expected, let received):
            "part \(received) where part \(expected) was expected"
        case .empty: "empty message"
        case .malformed(let reason): reason
        }
    }
}

/// Whatever a message becomes.
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
    /// A message that answers nothing asked or that no table decodes.
    case message(ECUMessage)
    /// A message that is not what its standard demands.
    case error(DecodeError)
}

extension CodeReport.Code {
    /// The code whose ``text`` is `stored`; nil for what is none.
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
