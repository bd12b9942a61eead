/// A message of ISO 13400-2 (diagnostics over IP) between testers, gateways and ECUs.
///
/// ```
/// byte   0        1         2 3     4 5 6 7   8…
///        version  ~version  type    length    content
/// ```
///
/// Numbers have their most significant byte first. Announcements and the requests for them use UDP; routing
/// activation and diagnostics use TCP. UDP and TCP use port 13400.
public enum DoIPMessage: Hashable, Sendable {
    /// 0000: the receiver rejected a message because of its header.
    case headerRefused(code: UInt8)
    /// 0001: asks all vehicles to identify themselves.
    case identificationRequest
    /// 0002: asks the vehicle whose gateway has this identification (six bytes).
    case identificationRequestByEID([UInt8])
    /// 0003: asks the vehicle with this VIN (17 characters).
    case identificationRequestByVIN([UInt8])
    /// 0004: a vehicle identifies itself.
    case announcement(DoIPEntity)
    /// 0005: asks a gateway to accept diagnostics from `source`.
    case activationRequest(source: UInt16, type: UInt8, maker: [UInt8] = [])
    /// 0006: the gateway's answer to 0005.
    case activationAnswer(tester: UInt16, entity: UInt16, code: UInt8, maker: [UInt8] = [])
    /// 0007: a gateway asks whether the tester is still connected.
    case aliveCheck
    /// 0008: the tester's answer to 0007.
    case aliveAnswer(source: UInt16)
    /// 4001: asks how many testers a gateway supports.
    case entityStatusRequest
    /// 4002: the answer to 4001; `longest` is the longest message that it accepts, in bytes.
    case entityStatus(type: UInt8, sockets: UInt8, open: UInt8, longest: UInt32?)
    /// 4003: asks whether the vehicle is ready for diagnostics.
    case powerModeRequest
    /// 4004: the answer to 4003: 00 not ready, 01 ready, 02 unknown.
    case powerMode(UInt8)
    /// 8001: the request or the answer of a service.
    case diagnostic(source: UInt16, target: UInt16, payload: [UInt8])
    /// 8002: the gateway has forwarded a request.
    ///
    /// The source is the request's target.
    case acknowledged(source: UInt16, target: UInt16, code: UInt8)
    /// 8003: the gateway has not forwarded a request.
    ///
    /// The source is the request's target.
    case refused(source: UInt16, target: UInt16, code: UInt8)
    /// A message of a manufacturer-specific type, or of a later edition.
    case other(type: UInt16, content: [UInt8])

    /// The version in requests to any vehicle.
    public static let anyVersion: UInt8 = 0xFF
    /// Bytes before the content.
    public static let headLength = 8
    /// The port of gateways, TCP and UDP.
    public static let port: UInt16 = 13_400
    /// The name of the protocol in lists of adapters.
    public static let protocolString = "org.iso.13400-2"

    /// The type in the header.
    public var type: UInt16 {
        switch self {
        case .headerRefused: 0x0000
        case .identificationRequest: 0x0001
        case .identificationRequestByEID: 0x0002
        case .identificationRequestByVIN: 0x0003
        case .announcement: 0x0004
        case .activationRequest: 0x0005
        case .activationAnswer: 0x0006
        case .aliveCheck: 0x0007
        case .aliveAnswer: 0x0008
        case .entityStatusRequest: 0x4001
        case .entityStatus: 0x4002
        case .powerModeRequest: 0x4003
        case .powerMode: 0x4004
        case .diagnostic: 0x8001
        case .acknowledged: 0x8002
        case .refused: 0x8003
        case .other(let type, _): type
        }
    }

    /// Reads the content of a message; nil if its length does not match its type.
    public init?(type: UInt16, content: [UInt8]) {
        func number(_ index: Int) -> UInt16 {
            UInt16(content[index]) << 8 | UInt16(content[index + 1])
        }
        let count = content.count
        switch type {
        case 0x0000 where count == 1: self = .headerRefused(code: content[0])
        case 0x0001 where count == 0: self = .identificationRequest
        case 0x0002 where count == 6: self = .identificationRequestByEID(content)
        case 0x0003 where count == 17: self = .identificationRequestByVIN(content)
        case 0x0004 where count == 32 || count == 33:
            self = .announcement(DoIPEntity(announcement: content))
        case 0x0005 where count == 7 || count == 11:
            self = .activationRequest(
                source: number(0), type: content[2], maker: Array(content[7...]))
        case 0x0006 where count == 9 || count == 13:
            self = .activationAnswer(
                tester: number(0), entity: number(2), code: content[4],
                maker: Array(content[9...]))
        case 0x0007 where count == 0: self = .aliveCheck
        case 0x0008 where count == 2: self = .aliveAnswer(source: number(0))
        case 0x4001 where count == 0: self = .entityStatusRequest
        case 0x4002 where count == 3 || count == 7:
            self = .entityStatus(
                type: content[0], sockets: content[1], open: content[2],
                longest: count == 7
                    ? content[3...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } : nil)
        case 0x4003 where count == 0: self = .powerModeRequest
        case 0x4004 where count == 1: self = .powerMode(content[0])
        case 0x8001 where count > 4:
            self = .diagnostic(source: number(0), target: number(2), payload: Array(content[4...]))
        case 0x8002 where count >= 5:
            self = .acknowledged(source: number(0), target: number(2), code: content[4])
        case 0x8003 where count >= 5:
            self = .refused(source: number(0), target: number(2), code: content[4])
        case 0x0000...0x0008, 0x4001...0x4004, 0x8001...0x8003: return nil
        default: self = .other(type: type, content: content)
        }
    }

    /// The content after the header.
    public var content: [UInt8] {
        func bytes(_ number: UInt16) -> [UInt8] {
            [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
        }
        switch self {
        case .identificationRequest, .aliveCheck, .entityStatusRequest, .powerModeRequest:
            return []
        case .headerRefused(let code), .powerMode(let code): return [code]
        case .identificationRequestByEID(let bytes), .identificationRequestByVIN(let bytes):
            return bytes
        case .announcement(let entity): return entity.announcement
        case .activationRequest(let source, let type, let maker):
            return bytes(source) + [type, 0, 0, 0, 0] + maker
        case .activationAnswer(let tester, let entity, let code, let maker):
            return bytes(tester) + bytes(entity) + [code, 0, 0, 0, 0] + maker
        case .aliveAnswer(let source): return bytes(source)
        case .entityStatus(let type, let sockets, let open, let longest):
            let size = longest.map { number in
                [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
            }
            return [type, sockets, open] + (size ?? [])
        case .diagnostic(let source, let target, let payload):
            return bytes(source) + bytes(target) + payload
        case .acknowledged(let source, let target, let code),
            .refused(let source, let target, let code):
            return bytes(source) + bytes(target) + [code]
        case .other(_, let content): return content
        }
    }

    /// The whole message for a version of the protocol.
    public func bytes(version: UInt8) -> [UInt8] {
        let content = content
        let length = UInt32(truncatingIfNeeded: content.count)
        return [version, ~version, UInt8(type >> 8), UInt8(truncatingIfNeeded: type)]
            + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + content
    }

    /// Reads a datagram with exactly one message; nil for anything else.
    public init?(datagram bytes: [UInt8]) {
        guard bytes.count >= Self.headLength, let head = DoIPHead(bytes[..<Self.headLength]),
            head.length == bytes.count - Self.headLength
        else { return nil }
        self.init(type: head.type, content: Array(bytes[Self.headLength...]))
    }
}

/// The header of a message.
public struct DoIPHead: Hashable, Sendable {
    /// The protocol version: 01 for the edition of 2010, 02 for 2012, 03 for 2019, 04 for its amendment.
    public var version: UInt8
    /// The type of the message.
    public var type: UInt16
    /// The number of bytes that follow.
    public var length: Int

    /// Reads eight bytes; nil if the second one is not the inverse of the first.
    public init?(_ bytes: some RandomAccessCollection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == DoIPMessage.headLength, bytes[0] == ~bytes[1] else { return nil }
        version = bytes[0]
        type = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        length = bytes[4...].reduce(0) { $0 << 8 | Int($1) }
    }
}

/// The identification of a vehicle's gateway.
public struct DoIPEntity: Hashable, Sendable {
    /// The VIN as received: 17 characters, or 17 times 00 or FF if it is not set.
    public var vin: [UInt8]
    /// The gateway's logical address.
    public var address: UInt16
    /// The gateway's identification, commonly its hardware address: six bytes.
    public var eid: [UInt8]
    /// The identification of the vehicle's gateways as a group: six bytes.
    public var gid: [UInt8]
    /// The further action that diagnostics require: 00 none, 10 an activation by central security.
    public var furtherAction: UInt8
    /// Whether VIN and group are the same in all gateways of the vehicle: 00 yes, 10 not yet; nil if not
    /// reported.
    public var synchronised: UInt8?

    /// Creates a gateway's identification.
    public init(
        vin: [UInt8], address: UInt16, eid: [UInt8], gid: [UInt8], furtherAction: UInt8 = 0,
        synchronised: UInt8? = nil
    ) {
        self.vin = vin
        self.address = address
        self.eid = eid
        self.gid = gid
        self.furtherAction = furtherAction
        self.synchronised = synchronised
    }

    /// Reads the content of an announcement, of 32 or 33 bytes.
    fileprivate init(announcement content: [UInt8]) {
        self.init(
            vin: Array(content[..<17]), address: UInt16(content[17]) << 8 | UInt16(content[18]),
            eid: Array(content[19..<25]), gid: Array(content[25..<31]),
            furtherAction: content[31], synchronised: content.count > 32 ? content[32] : nil)
    }

    /// The content of the gateway's announcement.
    fileprivate var announcement: [UInt8] {
        vin + [UInt8(address >> 8), UInt8(truncatingIfNeeded: address)] + eid + gid
            + [furtherAction] + (synchronised.map { [$0] } ?? [])
    }
}
