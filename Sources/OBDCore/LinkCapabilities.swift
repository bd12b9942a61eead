/// What the link in use can do for whoever plans requests; learnt, never assumed.
public struct LinkCapabilities: Hashable, Sendable {
    /// Identifiers that one request may ask for: 1, or up to 6 where batches are known to work.
    public var itemsPerRequest: Int
    /// Whether announcing the number of answer frames ends the adapter's waiting.
    public var frameCountHelps: Bool
    /// What the vehicle speaks; nil until it is known.
    public var vehicleProtocol: VehicleProtocol?
    /// Whether one ECU can be asked; otherwise every request goes to all of them.
    public var asksSingleECUs = true

    /// Capabilities; the defaults are what every adapter can do.
    public init(
        itemsPerRequest: Int = 1, frameCountHelps: Bool = false,
        vehicleProtocol: VehicleProtocol? = nil
    ) {
        self.itemsPerRequest = itemsPerRequest
        self.frameCountHelps = frameCountHelps
        self.vehicleProtocol = vehicleProtocol
    }
}
