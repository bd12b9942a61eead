/// The known facts about a request while its answers are read.
public struct Exchange: Hashable, Sendable {
    /// The service and data of the request; nil if the text does not have them.
    public var request: [UInt8]?
    /// The vehicle's protocol; nil until it is known.
    public var vehicleProtocol: VehicleProtocol?
    /// The protocol family, which may be known (from the text) before the protocol is.
    public var family: VehicleProtocol.Family?
    /// The header of the requests (`AT SH`), with or without the priority of 29 bits.
    ///
    /// Nil for the protocol's functional default, or if not known.
    public var header: UInt32?

    /// An exchange; the family follows from the protocol unless it is given.
    public init(
        request: [UInt8]? = nil, vehicleProtocol: VehicleProtocol? = nil,
        family: VehicleProtocol.Family? = nil
    ) {
        self.request = request
        self.vehicleProtocol = vehicleProtocol
        self.family = family ?? vehicleProtocol?.family
    }
}
