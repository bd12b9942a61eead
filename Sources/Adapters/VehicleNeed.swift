public import OBDCore

/// Whether the set-up of an adapter needs a vehicle.
public enum VehicleNeed: Hashable, Sendable {
    /// The set-up fails without a vehicle.
    case needed
    /// A vehicle that does not answer the first requests may still answer others.
    ///
    /// `assumed` is the protocol for such a vehicle if the adapter found none.
    case maybeSilent(assumed: VehicleProtocol? = nil)
    /// Without a vehicle, only the adapter is set up.
    case optional
    /// The vehicle is not asked, so this works with the ignition off.
    case unused

    /// Whether the vehicle is asked at all.
    public var asksVehicle: Bool { self != .unused }

    /// Whether the set-up continues with the adapter alone if no vehicle was found for this reason.
    public func allowsMissing(because status: AdapterStatus) -> Bool {
        switch self {
        case .needed, .unused: false
        case .optional: true
        case .maybeSilent(let assumed):
            status == .noData || assumed != nil && status == .unableToConnect
        }
    }

    /// The protocol to use if the vehicle was not found; nil for the adapter's choice.
    public var assumedProtocol: VehicleProtocol? {
        if case .maybeSilent(let assumed) = self { assumed } else { nil }
    }
}
