/// Identifies a request of a session and its answer.
public struct RequestID: RawRepresentable, Hashable, Comparable, Sendable {
    /// A sequence number.
    public var rawValue: UInt32

    /// A request by its sequence number.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The order in lists.
    public static func < (left: RequestID, right: RequestID) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// One request to the vehicle.
public struct VehicleRequest: Hashable, Sendable {
    /// The condition that ends the exchange.
    public enum Ending: Hashable, Sendable {
        /// The adapter reports that the answers are complete.
        case reply
        /// No ECU may begin to answer any more, and every answer is reported: also a second one of an ECU,
        /// which otherwise ends the wait or counts as another tester's.
        case silence
        /// A monitor request ends after this many frames or this time.
        case listen(frames: Int?, atMost: Duration)
    }

    /// The ECUs whose answers the adapter accepts.
    public enum Responders: Hashable, Sendable {
        /// The ECUs that OBD uses in this protocol.
        case usual
        /// A single ECU; needed if its answer address is not one of OBD.
        case one(ECUAddress)
        /// All addresses that equal `pattern` in the bits of `mask`.
        case matching(pattern: ECUAddress, mask: UInt32)
    }

    /// The identifier that comes back with the outcome.
    public var id: RequestID
    /// The *request* address of the only ECU to ask; nil for all ECUs (functional addressing).
    public var target: ECUAddress?
    /// The ECUs whose answers are accepted.
    public var responders = Responders.usual
    /// The time for an ECU to begin its answer; nil for the link's usual time.
    public var answerTime: Duration?
    /// Service and data: `01 0C`.
    ///
    /// An empty payload sends nothing and restores the link's settings for all ECUs.
    public var payload: [UInt8]
    /// The user's consent, without which only requests that are known to read are sent.
    public var consent: Consent?
    /// Whether the request may be repeated after a failure; never with the user's consent, which is only for
    /// one attempt.
    public var mayRepeat: Bool {
        get { isRepeatable && consent == nil }
        set { isRepeatable = newValue }
    }
    private var isRepeatable: Bool
    /// The number of frames that all known ECUs will send; nil if unknown, to wait for the timeout.
    public var expectedFrames: Int?
    /// The condition that ends the exchange.
    public var ending: Ending

    /// Whether the request only listens to the bus.
    public var listens: Bool { if case .listen = ending { true } else { false } }

    /// Creates a request; the default of `mayRepeat` is ``isReadOnly(_:)``.
    public init(
        id: RequestID, target: ECUAddress? = nil, payload: [UInt8], mayRepeat: Bool? = nil,
        expectedFrames: Int? = nil, ending: Ending = .reply, consent: Consent? = nil
    ) {
        self.id = id
        self.target = target
        self.payload = payload
        isRepeatable = mayRepeat ?? Self.isReadOnly(payload)
        self.consent = consent
        self.expectedFrames = expectedFrames
        self.ending = ending
    }

    /// Whether a request only reads, at any address whose ECU takes its bytes as service and data.
    ///
    /// The list has the requests that are known to be harmless, so an unknown request counts as writing. The
    /// list has the services that ``ServiceShape/all`` marks as reading, and requests for
    /// ``readableParameterGroups``, which begin with 00, a byte that no service has.
    public static func isReadOnly(_ payload: [UInt8]) -> Bool {
        guard let first = payload.first else { return false }
        switch ServiceShape.of(first)?.reading {
        case .always: return true
        case .onlyWith(let byte): return payload.count == 2 && payload[1] == byte
        case .never, nil: break
        }
        return first == 0x00 && payload.count == 3
            && readableParameterGroups.contains(UInt16(payload[1]) << 8 | UInt16(payload[2]))
    }

    /// Whether a request only reads at this address of a vehicle with this protocol; nil for all ECUs and for
    /// an unknown protocol.
    public static func isReadOnly(
        _ payload: [UInt8], to target: ECUAddress?, on vehicleProtocol: VehicleProtocol?
    ) -> Bool {
        guard isReadOnly(payload), target?.takes(payload) ?? true else { return false }
        // SAE J1939-21: three bytes are a parameter group number, which has 17 bits; anything else is not a
        // request. In other protocols there is no service 00.
        guard vehicleProtocol == .j1939, payload.count == 3, payload[0] <= 0x01 else { return true }
        return payload[0] == 0x00
    }

    /// Whether this request only reads, and only frames for diagnostics are sent for it.
    ///
    /// For a long answer, the link sends flow control to ``target``, or else to the request address that
    /// belongs to ``responders``.
    public func isReadOnly(on vehicleProtocol: VehicleProtocol?) -> Bool {
        guard Self.isReadOnly(payload, to: target, on: vehicleProtocol) else { return false }
        guard target == nil else { return true }
        switch responders {
        case .usual: return true
        case .one(let ecu): return ecu.isAskedForDiagnostics
        case .matching: return false
        }
    }

    /// SAE J1939 parameter groups whose request has no effect except that they are sent.
    ///
    /// These are diagnostic messages without DM3 and DM11, which clear; identification; and measured values
    /// of SAE J1939-71, which ECUs send by themselves or on request. A table can request no other groups.
    public static let readableParameterGroups: Set<UInt16> = [
        // DM1, DM2, DM4, DM5, DM6, DM12, DM19, DM20, DM21, DM23 to DM29.
        0xFECA, 0xFECB, 0xFECD, 0xFECE, 0xFECF, 0xFED4, 0xD300, 0xC200, 0xC100, 0xFDB5, 0xFDB6,
        0xFDB7, 0xFDB8, 0xFD82, 0xFD80, 0x9E00,
        // Address claim, component, vehicle and software identification.
        0xEE00, 0xFEEB, 0xFEEC, 0xFEDA,
        // Measured values of the tables: EEC2, EEC1, EEC3, VD, HOURS, LFC, ET1, EFL/P1, CCVS1, LFE1,
        // AMB, IC1, VEP1, DD1.
        0xF003, 0xF004, 0xFEDF, 0xFEE0, 0xFEE5, 0xFEE9, 0xFEEE, 0xFEEF, 0xFEF1, 0xFEF2, 0xFEF5,
        0xFEF6, 0xFEF7, 0xFEFC,
        // Others that tables may add: ERC1, EBC1, ETC1, ETC2, AT1T1I, TCO1, ET2, FD, EEC4, EBC2,
        // VDHR, TC, PTO, TRF1, WFI.
        0xF000, 0xF001, 0xF002, 0xF005, 0xFE56, 0xFE6C, 0xFEA4, 0xFEBD, 0xFEBE, 0xFEBF, 0xFEC1,
        0xFEDD, 0xFEF0, 0xFEF8, 0xFEFF,
    ]
}
