import OBDCore

/// What an ECU has to know about a request besides its bytes.
struct ECURequest: Sendable {
    /// Service and data.
    var payload: [UInt8]
    /// Whether everybody was asked; refusals are then kept back (ISO 15765-4).
    var functional: Bool
    /// What the vehicle speaks.
    var family: VehicleProtocol.Family
    /// The state of the vehicle.
    var state: VehicleState
    /// The state at another time of the drive, for freeze frames.
    var past: @Sendable (Double) -> VehicleState

    /// Whether messages may be longer than seven bytes.
    var isCAN: Bool { family == .can }
}

/// What an ECU does about a request.
enum ECUAnswer: Hashable, Sendable {
    /// Nothing.
    case silence
    /// Payloads in order; one on CAN, one or more before it.
    case messages([[UInt8]])
    /// A refusal.
    case refusal(UInt8)
}
