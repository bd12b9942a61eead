/// An ECU's refusal: `7F service NRC`.
public struct NegativeResponse: Hashable, Sendable {
    /// The service that was refused.
    public var service: Service
    /// The reason.
    public var nrc: NRC

    /// A refusal of `service`.
    public init(service: Service, nrc: NRC) {
        self.service = service
        self.nrc = nrc
    }

    /// Whether the ECU asks for more time, which refuses nothing.
    public var isPending: Bool { nrc == .responsePending }

    /// The outcome of the request for `what`, in words.
    public func outcome(of what: String) -> String {
        isPending
            ? "asked for time for \(what), then did not answer" : "refused \(what): \(nrc.words)"
    }

    /// ``outcome(of:)`` of the service.
    public var outcome: String { outcome(of: "service \(service)") }

    /// The refusal in a message's payload; nil if it is not a refusal.
    public init?(_ payload: [UInt8]) {
        guard payload.count == 3, payload[0] == 0x7F else { return nil }
        self.init(service: Service(payload[1]), nrc: NRC(payload[2]))
    }
}

/// A negative response code (ISO 14229-1, ISO 14230-3, ISO 15031-5).
public struct NRC: RawRepresentable, Hashable, Sendable {
    /// The code as sent.
    public var rawValue: UInt8

    /// A code as sent.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A code as sent.
    public init(_ rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The ECU is busy; repeat the request after a pause.
    public static let busyRepeatRequest = NRC(0x21)
    /// The conditions are not correct, for example because the engine is running.
    public static let conditionsNotCorrect = NRC(0x22)
    /// ISO 14230: the routine has not finished; ask for the result again.
    public static let routineNotComplete = NRC(0x23)
    /// The answer will follow; wait and do not repeat the request.
    public static let responsePending = NRC(0x78)

    /// The codes with a name, ascending.
    public static var named: [NRC] {
        (UInt8.min...UInt8.max).map { NRC($0) }.filter { $0.name != "unknown" }
    }

    /// The name for people: `conditions not correct`.
    public var words: String {
        name.reduce(into: "") { text, letter in
            text += letter.isUppercase ? " " + letter.lowercased() : String(letter)
        }
    }

    /// The standard's name in lower camel case; `unknown` for a code without a name.
    public var name: String {
        switch rawValue {
        case 0x10: "generalReject"
        case 0x11: "serviceNotSupported"
        case 0x12: "subFunctionNotSupported"
        case 0x13: "incorrectMessageLengthOrInvalidFormat"
        case 0x14: "responseTooLong"
        case 0x21: "busyRepeatRequest"
        case 0x22: "conditionsNotCorrect"
        case 0x23: "routineNotComplete"
        case 0x24: "requestSequenceError"
        case 0x25: "noResponseFromSubnetComponent"
        case 0x26: "failurePreventsExecutionOfRequestedAction"
        case 0x31: "requestOutOfRange"
        case 0x33: "securityAccessDenied"
        case 0x34: "authenticationRequired"
        case 0x35: "invalidKey"
        case 0x36: "exceededNumberOfAttempts"
        case 0x37: "requiredTimeDelayNotExpired"
        // ISO 14229-1:2020.
        case 0x38: "secureDataTransmissionRequired"
        case 0x39: "secureDataTransmissionNotAllowed"
        case 0x3A: "secureDataVerificationFailed"
        case 0x50: "certificateVerificationFailedInvalidTimePeriod"
        case 0x51: "certificateVerificationFailedInvalidSignature"
        case 0x52: "certificateVerificationFailedInvalidChainOfTrust"
        case 0x53: "certificateVerificationFailedInvalidType"
        case 0x54: "certificateVerificationFailedInvalidFormat"
        case 0x55: "certificateVerificationFailedInvalidContent"
        case 0x56: "certificateVerificationFailedInvalidScope"
        case 0x57: "certificateVerificationFailedInvalidCertificate"
        case 0x58: "ownershipVerificationFailed"
        case 0x59: "challengeCalculationFailed"
        case 0x5A: "settingAccessRightsFailed"
        case 0x5B: "sessionKeyCreationDerivationFailed"
        case 0x5C: "configurationDataUsageFailed"
        case 0x5D: "deAuthenticationFailed"
        case 0x70: "uploadDownloadNotAccepted"
        case 0x71: "transferDataSuspended"
        case 0x72: "generalProgrammingFailure"
        case 0x73: "wrongBlockSequenceCounter"
        case 0x78: "responsePending"
        case 0x7E: "subFunctionNotSupportedInActiveSession"
        case 0x7F: "serviceNotSupportedInActiveSession"
        case 0x80: "serviceNotSupportedInActiveDiagnosticMode"
        case 0x81: "rpmTooHigh"
        case 0x82: "rpmTooLow"
        case 0x83: "engineIsRunning"
        case 0x84: "engineIsNotRunning"
        case 0x85: "engineRunTimeTooLow"
        case 0x86: "temperatureTooHigh"
        case 0x87: "temperatureTooLow"
        case 0x88: "vehicleSpeedTooHigh"
        case 0x89: "vehicleSpeedTooLow"
        case 0x8A: "throttlePedalTooHigh"
        case 0x8B: "throttlePedalTooLow"
        case 0x8C: "transmissionRangeNotInNeutral"
        case 0x8D: "transmissionRangeNotInGear"
        case 0x8F: "brakeSwitchNotClosed"
        case 0x90: "shifterLeverNotInPark"
        case 0x91: "torqueConverterClutchLocked"
        case 0x92: "voltageTooHigh"
        case 0x93: "voltageTooLow"
        case 0x94: "resourceTemporarilyNotAvailable"
        default: "unknown"
        }
    }
}
