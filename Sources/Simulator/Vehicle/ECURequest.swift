import OBDCore

/// A request to an ECU with the state of the vehicle.
struct ECURequest: Sendable {
    var payload: [UInt8]
    /// Whether all ECUs were asked, in which case refusals are suppressed (ISO 15765-4).
    var functional: Bool
    var family: VehicleProtocol.Family
    var state: VehicleState
    /// The state at another time of the drive, for freeze frames.
    var past: @Sendable (Double) -> VehicleState

    /// Whether messages may be longer than seven bytes.
    var isCAN: Bool { family == .can }
}

/// The answer of an ECU to a request.
enum ECUAnswer: Hashable, Sendable {
    case silence
    /// Payloads in order; one on CAN, one or more before CAN.
    case messages([[UInt8]])
    case refusal(UInt8)
}
