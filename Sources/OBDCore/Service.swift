/// A diagnostic service by its identifier (for OBD also known as "mode").
public struct Service: RawRepresentable, Hashable, Comparable, Sendable {
    /// The identifier as sent in a request.
    public var rawValue: UInt8

    /// A service by its identifier.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A service by its identifier.
    @inline(__always)
    public init(_ rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The order in lists.
    public static func < (left: Service, right: Service) -> Bool { left.rawValue < right.rawValue }

    /// Current data.
    public static let currentData = Service(0x01)
    /// Freeze frame data.
    public static let freezeFrame = Service(0x02)
    /// Stored (confirmed) codes.
    public static let storedCodes = Service(0x03)
    /// Clears codes and the data stored with them.
    public static let clearCodes = Service(0x04)
    /// Oxygen sensor tests before CAN.
    public static let oxygenSensorTests = Service(0x05)
    /// On-board monitoring test results.
    public static let monitorTests = Service(0x06)
    /// Pending codes.
    public static let pendingCodes = Service(0x07)
    /// Vehicle information.
    public static let vehicleInformation = Service(0x09)
    /// Permanent codes.
    public static let permanentCodes = Service(0x0A)
    /// UDS DiagnosticSessionControl.
    public static let sessionControl = Service(0x10)
    /// UDS ClearDiagnosticInformation.
    public static let clearDiagnosticInformation = Service(0x14)
    /// UDS ReadDTCInformation.
    public static let readCodeInformation = Service(0x19)
    /// KWP ReadDataByLocalIdentifier.
    public static let readLocalData = Service(0x21)
    /// UDS ReadDataByIdentifier.
    public static let readData = Service(0x22)
    /// The first byte of a negative response, which is not a service.
    public static let negativeResponse = Service(0x7F)

    /// The first byte of a positive response: the identifier plus 40.
    @inline(__always)
    public var positiveResponse: UInt8 { rawValue | 0x40 }
}

extension Service: CustomStringConvertible {
    /// Two hexadecimal digits.
    public var description: String { Hex.string([rawValue]) }
}
