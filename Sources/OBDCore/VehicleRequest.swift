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
        /// After so many frames or so much time: listening to a bus.
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
    /// Whether it may be sent again after a failure; never for a request that writes.
    public var mayRepeat: Bool
    /// Frames that all known responders together will send; nil = unknown, wait the time-out out.
    public var expectedFrames: Int?
    /// How the exchange ends.
    public var ending: Ending

    /// A request; `mayRepeat` is what ``isReadOnly(_:)`` says unless given.
    public init(
        id: RequestID, target: ECUAddress? = nil, payload: [UInt8], mayRepeat: Bool? = nil,
        expectedFrames: Int? = nil, ending: Ending = .reply
    ) {
        self.id = id
        self.target = target
        self.payload = payload
        self.mayRepeat = mayRepeat ?? Self.isReadOnly(payload)
        self.expectedFrames = expectedFrames
        self.ending = ending
    }

    /// The service asked; nil for an empty payload.
    public var service: Service? { payload.first.map { Service($0) } }

    /// Whether the request may be sent without asking anyone: it reads and changes nothing.
    ///
    /// A list of what is known to be harmless, so that whatever is not known counts as writing:
    /// services 01–03, 05–07, 09, 0A, UDS 19, 22, 3E, 10 01, KWP 18, 1A, 21, and requests for the
    /// parameter groups of ``readableParameterGroups`` (no service is 00).
    public static func isReadOnly(_ payload: [UInt8]) -> Bool {
        switch payload.first {
        case 0x01, 0x02, 0x03, 0x05, 0x06, 0x07, 0x09, 0x0A: true
        case 0x19, 0x22, 0x3E, 0x18, 0x1A, 0x21: true
        case 0x10: payload == [0x10, 0x01]
        case 0x00:
            payload.count == 3
                && readableParameterGroups.contains(UInt16(payload[1]) << 8 | UInt16(payload[2]))
        default: false
        }
    }

    /// SAE J1939 parameter groups whose request does nothing but have them sent.
    ///
    /// Diagnostic messages without DM3 and DM11, which clear; identification; and the measured
    /// values of SAE J1939-71 that the tables know.
    public static let readableParameterGroups: Set<UInt16> = [
        // DM1, DM2, DM4, DM5, DM6, DM12, DM19, DM20, DM21, DM23 to DM29.
        0xFECA, 0xFECB, 0xFECD, 0xFECE, 0xFECF, 0xFED4, 0xD300, 0xC200, 0xC100, 0xFDB5, 0xFDB6,
        0xFDB7, 0xFDB8, 0xFD82, 0xFD80, 0x9E00,
        // Address claim, component, vehicle and software identification.
        0xEE00, 0xFEEB, 0xFEEC, 0xFEDA,
        // Measured values.
        0xF003, 0xF004, 0xFEDF, 0xFEE0, 0xFEE5, 0xFEE9, 0xFEEE, 0xFEEF, 0xFEF1, 0xFEF2, 0xFEF5,
        0xFEF6, 0xFEF7, 0xFEFC,
    ]
}
