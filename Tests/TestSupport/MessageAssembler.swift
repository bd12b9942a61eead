public import OBDCore
public import VehicleLink

/// Assembles frames into messages for the vehicle's protocol family.
public enum MessageAssembler: Hashable, Sendable {
    /// ISO 15765-2.
    case can(ISO15765Assembler)
    /// ISO 9141-2.
    case iso9141
    /// ISO 14230-4.
    case iso14230(ISO14230Assembler)
    /// SAE J1850; `inFrameResponse` is true on PWM.
    case j1850(inFrameResponse: Bool)
    /// SAE J1939.
    case j1939(J1939Assembler)

    /// An assembler for frames of `family`, including headers and checksums.
    ///
    /// - Parameters:
    ///   - family: the vehicle's protocols.
    /// - extendedAddressing: on CAN, whether an address byte comes before the protocol control byte.
    /// - inFrameResponse: on J1850, whether bytes may follow the CRC (PWM).
    public init(
        _ family: VehicleProtocol.Family, extendedAddressing: Bool = false,
        inFrameResponse: Bool = true
    ) {
        switch family {
        case .can: self = .can(ISO15765Assembler(extendedAddressing: extendedAddressing))
        case .iso9141: self = .iso9141
        case .iso14230: self = .iso14230(ISO14230Assembler())
        case .j1850: self = .j1850(inFrameResponse: inFrameResponse)
        case .j1939: self = .j1939(J1939Assembler())
        }
    }

    /// The family of its frames.
    public var family: VehicleProtocol.Family {
        switch self {
        case .can: .can
        case .iso9141: .iso9141
        case .iso14230: .iso14230
        case .j1850: .j1850
        case .j1939: .j1939
        }
    }

    /// Takes one frame and returns the message that it completes.
    ///
    /// - Throws: ``LinkError`` for a frame that is damaged or not valid at this point.
    public mutating func receive(_ frame: LinkFrame) throws(LinkError) -> ECUMessage? {
        switch self {
        case .can(var assembler):
            // Without this, the transfers would be copied for every frame.
            self = .iso9141
            defer { self = .can(assembler) }
            return try assembler.receive(frame)
        case .iso9141: return try ISO9141.message(from: frame)
        case .iso14230(var assembler):
            defer { self = .iso14230(assembler) }
            return try assembler.message(from: frame)
        case .j1850(let inFrameResponse):
            return try J1850.message(from: frame, inFrameResponse: inFrameResponse)
        case .j1939(var assembler):
            self = .iso9141
            defer { self = .j1939(assembler) }
            return try assembler.receive(frame)
        }
    }

    /// Errors in addition to a valid frame: messages that it replaced.
    public mutating func takeErrors() -> [LinkError] {
        switch self {
        case .can(var assembler):
            defer { self = .can(assembler) }
            return assembler.takeErrors()
        case .j1939(var assembler):
            defer { self = .j1939(assembler) }
            return assembler.takeErrors()
        case .iso9141, .iso14230, .j1850: return []
        }
    }

    /// Ends the exchange and reports open messages as incomplete.
    public mutating func finish() -> [LinkError] {
        switch self {
        case .can(var assembler):
            defer { self = .can(assembler) }
            return assembler.finish()
        case .j1939(var assembler):
            defer { self = .j1939(assembler) }
            return assembler.finish()
        case .iso9141, .iso14230, .j1850: return []
        }
    }
}
