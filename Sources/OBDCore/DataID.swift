/// The identifier of a record: a service, and an identifier within it.
///
/// `01:0C` is service 01 PID 0C, `22:F40C` is a UDS data identifier, and `09:02` is an info type. J1939 has
/// no services: a parameter group is `FE:00F004`, with the pseudo service FE.
public struct DataID: Hashable, Comparable, Sendable {
    /// The service.
    public var service: Service
    /// PID, info type, monitor id (8 bits), DID (16) or parameter group number (18).
    public var id: UInt32

    /// An identifier within a service.
    @inline(__always)
    public init(_ service: Service, _ id: UInt32) {
        self.service = service
        self.id = id
    }

    /// The pseudo service for J1939 parameter groups.
    public static let parameterGroups = Service(0xFE)

    /// The order in lists.
    public static func < (left: DataID, right: DataID) -> Bool {
        (left.service, left.id) < (right.service, right.id)
    }

    /// The number of digits of the identifier: 2 for OBD, 4 for DIDs, 6 for parameter groups.
    public var digits: Int {
        if service == Self.parameterGroups { return 6 }
        return ServiceShape.of(service.rawValue)?.selectorWidth == 2 || id > 0xFF ? 4 : 2
    }

    /// The identifier without the service, in hexadecimal: `0C`, `F40C`.
    public var idText: String { Hex.string(id, digits: digits) }

    /// Reads `01:0C`; nil unless it is two hexadecimal numbers and a colon.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].count), (1...6).contains(parts[1].count),
            parts.allSatisfy({ $0.utf8.allSatisfy { Hex.value($0) != nil } }),
            let service = UInt8(parts[0], radix: 16), let id = UInt32(parts[1], radix: 16)
        else { return nil }
        self.init(Service(service), id)
    }
}

extension DataID: CustomStringConvertible {
    /// `01:0C`.
    public var description: String { "\(service):\(idText)" }
}
