/// What is known of a request while its answers are read.
public struct Exchange: Hashable, Sendable {
    /// Service and data as asked; nil where the text does not say.
    public var request: [UInt8]?
    /// What the vehicle speaks; nil until it is known.
    public var vehicleProtocol: VehicleProtocol?
    /// How frames are built; may be known (from the text) before the protocol is.
    public var family: VehicleProtocol.Family?
    /// The header that requests were given (`AT SH`), with or without the priority of 29 bits; nil =
    /// the protocol's own, to all ECUs, or not known.
    public var header: UInt32?

    /// An exchange; the family follows from the protocol unless given.
    public init(
        request: [UInt8]? = nil, vehicleProtocol: VehicleProtocol? = nil,
        family: VehicleProtocol.Family? = nil
    ) {
        self.request = request
        self.vehicleProtocol = vehicleProtocol
        self.family = family ?? vehicleProtocol?.family
    }
}
