public import OBDCore

/// A frame of the GoLink protocol (`com.goPoint.p1`).
///
/// A frame has a header of three bytes (identifier, address and length) and a body.
public enum GoLinkFrame: Hashable, Sendable {
    /// A request to the vehicle of at most eight bytes: service, identifier and up to six more.
    case request([UInt8])
    /// Asks the device which bus it has found.
    case busTypeRequest
    /// An ECU's answer; `ecu` is the low byte of its identifier.
    case data(ecu: UInt8, payload: [UInt8])
    /// The bus that the device found, with the keywords of ISO 9141-2 and ISO 14230.
    case busType(UInt8, keywords: [UInt8])
    /// A failed request; `request` has its service and identifier, as far as they are reported.
    case failure(Failure, request: [UInt8])
    /// A well-formed frame with an unknown meaning.
    case unknown(id: UInt8, body: [UInt8])

    /// The status in an error frame.
    public enum Failure: Hashable, Sendable {
        /// The device goes to sleep in two seconds.
        case sleepsSoon
        /// The device's buffer overran and data are missing.
        case bufferOverrun
        /// No ECU answered.
        case noResponse
        /// An unknown status.
        case other(UInt8)

        init(_ status: UInt8) {
            switch status {
            case 0x00: self = .sleepsSoon
            case 0x01: self = .bufferOverrun
            case 0x02: self = .noResponse
            default: self = .other(status)
            }
        }

        var status: UInt8 {
            switch self {
            case .sleepsSoon: 0x00
            case .bufferOverrun: 0x01
            case .noResponse: 0x02
            case .other(let status): status
            }
        }
    }

    /// The longest payload of a request; unit: bytes.
    public static let longestRequest = 8
    /// The first byte of every frame to the device.
    public static let firstRequestByte = Identifier.system
    /// The address of requests to the vehicle.
    static let vehicle: UInt8 = 0xDF

    enum Identifier {
        static let data: UInt8 = 0x00
        static let failure: UInt8 = 0x01
        static let system: UInt8 = 0x07
    }

    /// Reads a frame to the device; nil if the header or the body is not valid.
    public init?(toDevice bytes: [UInt8]) {
        guard bytes.count > 3, bytes[0] == Identifier.system, Int(bytes[2]) == bytes.count - 3
        else { return nil }
        let body = Array(bytes[3...])
        switch bytes[1] {
        case Self.vehicle where body.count <= Self.longestRequest: self = .request(body)
        case 0x00 where body == [0x01]: self = .busTypeRequest
        default: return nil
        }
    }

    /// Whether the identifier and length are valid in a header from the device.
    static func isHeader(id: UInt8, length: UInt8) -> Bool {
        switch id {
        case Identifier.data, Identifier.failure, Identifier.system: length > 0
        default: false
        }
    }

    /// Reads a frame from the device; nil if the body is not valid for its identifier.
    init?(fromDevice id: UInt8, address: UInt8, body: [UInt8]) {
        guard let first = body.first else { return nil }
        switch id {
        case Identifier.data:
            // Every positive response is a service plus 40; a refusal is 7F.
            guard (0x40...0x7F).contains(first) else { return nil }
            self = .data(ecu: address, payload: body)
        case Identifier.failure:
            self = .failure(Failure(first), request: Array(body.dropFirst(4)))
        case Identifier.system where first == 0x01 && body.count == 4:
            self = .busType(body[1], keywords: Array(body[2...]))
        case Identifier.system: self = .unknown(id: id, body: body)
        default: return nil
        }
    }

    /// The bytes on the wire; nil if the body does not fit into a frame.
    public var bytes: [UInt8]? {
        switch self {
        case .request(let payload):
            guard (1...Self.longestRequest).contains(payload.count) else { return nil }
            return Self.frame(Identifier.system, Self.vehicle, payload)
        case .busTypeRequest: return Self.frame(Identifier.system, 0x00, [0x01])
        case .data(let ecu, let payload): return Self.frame(Identifier.data, ecu, payload)
        case .busType(let type, let keywords):
            return Self.frame(Identifier.system, 0x00, [0x01, type] + keywords)
        case .failure(let failure, let request):
            // The header of the failed request is between the status and the request's data.
            let header = [Identifier.system, Self.vehicle, UInt8(clamping: request.count)]
            return Self.frame(
                Identifier.failure, 0x00, [failure.status] + header + request.prefix(2))
        case .unknown(let id, let body): return Self.frame(id, 0x00, body)
        }
    }

    private static func frame(_ id: UInt8, _ address: UInt8, _ body: [UInt8]) -> [UInt8]? {
        guard let length = UInt8(exactly: body.count), length > 0 else { return nil }
        return [id, address, length] + body
    }
}

extension VehicleProtocol {
    /// The bus for a GoLink's number; nil if the device found none.
    ///
    /// The protocol's document calls 9 "none" but gives it keywords, so the keywords decide.
    init?(goLinkBus type: UInt8, keywords: [UInt8]) {
        switch type {
        case 0: self = .can11At500
        case 1: self = .can29At500
        case 2: self = .can11At250
        case 3: self = .can29At250
        case 4: self = .j1850VPW
        case 5: self = .j1850PWM
        case 6: self = .iso14230Fast
        case 7: self = .iso14230Slow
        case 8: self = .iso9141
        case 9 where keywords == [0x94, 0x94]: self = .iso9141
        default: return nil
        }
    }

    /// A GoLink's number for this bus, with the keywords of its initialisation; nil if there is none.
    public var goLinkBus: (type: UInt8, keywords: [UInt8])? {
        switch self {
        case .can11At500: (0, [0, 0])
        case .can29At500: (1, [0, 0])
        case .can11At250: (2, [0, 0])
        case .can29At250: (3, [0, 0])
        case .j1850VPW: (4, [0, 0])
        case .j1850PWM: (5, [0, 0])
        case .iso14230Fast: (6, [0x8F, 0xE9])
        case .iso14230Slow: (7, [0x8F, 0xE9])
        case .iso9141: (8, [0x08, 0x08])
        case .j1939, .userCAN1, .userCAN2, .doip: nil
        }
    }
}
