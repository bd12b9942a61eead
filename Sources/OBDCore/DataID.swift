/// The identifier of a record: a service, and an identifier within it.
///
/// `01:0C` is service 01 PID 0C, `22:F40C` is a UDS data identifier, and `09:02` is an info type. J1939 has
/// no services: a parameter group is `FE:00F004`, with the pseudo service FE. A frame that an ECU sends by
/// itself is `FD:1A0`, with the pseudo service FD and its CAN identifier.
public struct DataID: Hashable, Comparable, Sendable {
    /// The service.
    public var service: Service
    /// PID, info type, monitor id (8 bits), DID (16), parameter group number (18), or CAN identifier (11 bits, or
    /// 29 bits and bit 31).
    public var id: UInt32

    /// An identifier within a service.
    @inline(__always)
    public init(_ service: Service, _ id: UInt32) {
        self.service = service
        self.id = id
    }

    /// The pseudo service for J1939 parameter groups.
    public static let parameterGroups = Service(0xFE)

    /// The pseudo service for frames that ECUs send by themselves.
    public static let frames = Service(0xFD)

    /// The bit of ``id`` that marks a CAN identifier of 29 bits.
    private static let extendedFrame: UInt32 = 0x8000_0000

    /// The frames with a CAN identifier; nil for other addresses.
    @inline(__always)
    public init?(frame address: ECUAddress) {
        switch address.form {
        case .can11: self.init(Self.frames, address.value)
        case .can29: self.init(Self.frames, address.value | Self.extendedFrame)
        case .byte, .logical: return nil
        }
    }

    /// The CAN identifier of frames; nil for other records.
    public var frameAddress: ECUAddress? {
        guard service == Self.frames else { return nil }
        return id & Self.extendedFrame == 0
            ? ECUAddress(id, .can11) : ECUAddress(id & ~Self.extendedFrame, .can29)
    }

    /// The order in lists.
    public static func < (left: DataID, right: DataID) -> Bool {
        (left.service, left.id) < (right.service, right.id)
    }

    /// The number of digits of the identifier: 2 for OBD, 4 for DIDs, 6 for parameter groups, 3 or 8 for frames.
    public var digits: Int {
        if service == Self.frames { return id & Self.extendedFrame == 0 ? 3 : 8 }
        if service == Self.parameterGroups { return 6 }
        return ServiceShape.of(service.rawValue)?.selectorWidth == 2 || id > 0xFF ? 4 : 2
    }

    /// The identifier without the service, in hexadecimal: `0C`, `F40C`.
    public var idText: String {
        service == Self.frames
            ? Hex.string(id & ~Self.extendedFrame, digits: digits) : Hex.string(id, digits: digits)
    }

    /// Reads `01:0C`, `FD:1A0` and `CAN:1A0`; nil unless it is two hexadecimal numbers and a colon.
    ///
    /// `CAN` stands for `FD`. A CAN identifier of 29 bits has eight digits.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let id = UInt32(parts[1], radix: 16),
            parts[1].utf8.allSatisfy({ Hex.value($0) != nil })
        else { return nil }
        if parts[0].uppercased() == "CAN" || parts[0].uppercased() == "FD" {
            let address = parts[1].count < 8 ? ECUAddress(id, .can11) : ECUAddress(id, .can29)
            guard parts[1].count <= 3 || parts[1].count == 8,
                id < (address.form == .can11 ? 0x800 : 0x2000_0000)
            else { return nil }
            self.init(frame: address)
            return
        }
        guard (1...2).contains(parts[0].count), (1...6).contains(parts[1].count),
            parts[0].utf8.allSatisfy({ Hex.value($0) != nil }),
            let service = UInt8(parts[0], radix: 16)
        else { return nil }
        self.init(Service(service), id)
    }
}

extension DataID: CustomStringConvertible {
    /// `01:0C`.
    public var description: String { "\(service):\(idText)" }
}
