/// Names one request of a session; answers carry it back.
public struct RequestID: RawRepresentable, Hashable, Comparable, Sendable {
    /// A running number.
    public var rawValue: UInt32

    /// A request by its running number.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The order in which lists are printed.
    public static func < (left: RequestID, right: RequestID) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// One request to the vehicle.
public struct VehicleRequest: Hashable, Sendable {
    /// How the exchange ends.
    public enum Ending: Hashable, Sendable {
        /// With the adapter's word that the answers are complete.
        case reply
        /// After this many frames or so much time: listening to a bus.
        case listen(frames: Int?, atMost: Duration)
    }

    /// Whose answers the adapter lets through.
    public enum Responders: Hashable, Sendable {
        /// Those that OBD uses on this protocol.
        case usual
        /// One ECU's; needed where it answers from an address that OBD does not use.
        case one(ECUAddress)
        /// Every address that equals `pattern` in the bits of `mask`.
        case matching(pattern: ECUAddress, mask: UInt32)
    }

    /// Carried back with the outcome.
    public var id: RequestID
    /// The one ECU asked (its *request* address); nil = all of them (functional addressing).
    public var target: ECUAddress?
    /// Whose answers are let through.
    public var responders = Responders.usual
    /// How long an ECU may take to begin its answer; nil = the link's usual time.
    public var answerTime: Duration?
    /// Service and data: `01 0C`; empty sends nothing and puts the link's settings for single ECUs
    /// back to those for all.
    public var payload: [UInt8]
    /// A person's consent, without which nothing is sent that is not known to only read.
    public var consent: Consent?
    /// Whether it may be sent again after a failure; never with a person's consent, which is for
    /// once.
    public var mayRepeat: Bool {
        get { isRepeatable && consent == nil }
        set { isRepeatable = newValue }
    }
    private var isRepeatable: Bool
    /// Frames that all known responders together will send; nil = unknown, wait the time-out out.
    public var expectedFrames: Int?
    /// How the exchange ends.
    public var ending: Ending

    /// A request; `mayRepeat` is what ``isReadOnly(_:)`` says unless given.
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

    /// The service asked; nil for an empty payload.
    public var service: Service? { payload.first.map { Service($0) } }

    /// Services that are known to only read; every other one counts as writing.
    public static let readingServices = ServiceShape.all.filter { $0.reading != .never }

    /// Whether a request only reads, wherever ECUs take its bytes for service and data.
    ///
    /// A list of what is known to be harmless, so that whatever is not known counts as writing:
    /// ``readingServices``, and requests for ``readableParameterGroups`` (no service is 00).
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

    /// Whether a request only reads at this address of a vehicle that speaks so; nil = all ECUs, and
    /// a protocol that is not known.
    public static func isReadOnly(
        _ payload: [UInt8], to target: ECUAddress?, on vehicleProtocol: VehicleProtocol?
    ) -> Bool {
        guard isReadOnly(payload), target?.takes(payload) ?? true else { return false }
        // SAE J1939-21: three bytes are the number of a parameter group, which has 17 bits; anything
        // else asks for nothing. Elsewhere no service is 00.
        guard vehicleProtocol == .j1939, payload.count == 3, payload[0] <= 0x01 else { return true }
        return payload[0] == 0x00
    }

    /// SAE J1939 parameter groups whose request does nothing but have them sent.
    ///
    /// Diagnostic messages without DM3 and DM11, which clear; identification; and measured values of
    /// SAE J1939-71, which ECUs send by themselves or when asked. A table can ask for no other group.
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
