public import OBDCore

/// What is needed of the vehicle when an adapter is set up.
public enum VehicleNeed: Hashable, Sendable {
    /// Without a vehicle the set-up fails.
    case needed
    /// A vehicle that does not answer the first questions may still answer others.
    ///
    /// `assumed` is the protocol to ask them on where the adapter found none.
    case maybeSilent(assumed: VehicleProtocol? = nil)
    /// Without a vehicle the adapter alone is set up.
    case optional
    /// The vehicle is not asked, which works with the ignition off.
    case unused

    /// Whether the vehicle is asked at all.
    public var asksVehicle: Bool { self != .unused }

    /// Whether the set-up goes on with the adapter alone, where this is why no vehicle was found.
    public func allowsMissing(because status: AdapterStatus) -> Bool {
        switch self {
        case .needed, .unused: false
        case .optional: true
        case .maybeSilent(let assumed):
            status == .noData || assumed != nil && status == .unableToConnect
        }
    }

    /// The protocol to ask on where the vehicle was not found; nil = what the adapter finds.
    public var assumedProtocol: VehicleProtocol? {
        if case .maybeSilent(let assumed) = self { assumed } else { nil }
    }
}
