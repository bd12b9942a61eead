/// What the link in use can do for whoever plans requests; learnt, never assumed.
public struct LinkCapabilities: Hashable, Sendable {
    /// Identifiers that one request may ask for: 1, or up to 6 where batches are known to work.
    public var itemsPerRequest: Int
    /// Whether announcing the number of answer frames ends the adapter's waiting.
    public var frameCountHelps: Bool
    /// How often a known number of frames is relied on before it is learnt again.
    ///
    /// To an adapter it is a digit after the request, which may arrive garbled and then cuts answers
    /// off; and an ECU that appears late is heard again.
    public var frameCountUses = 50
    /// How many ECUs have answered requests to all, where the link takes note; with each more of them,
    /// every number of frames is learnt again.
    public var heardECUs = 0
    /// What the vehicle speaks; nil until it is known.
    public var vehicleProtocol: VehicleProtocol?
    /// Whether one ECU can be asked; otherwise every request goes to all of them.
    public var asksSingleECUs = true
    /// The longest request to one ECU; unit: bytes.
    public var longestRequest = 7
    /// The longest request to all ECUs; unit: bytes.
    ///
    /// On CAN it has to fit one frame: no flow control comes from several ECUs at once.
    public var longestRequestToAll = 7
    /// Whether an adapter at the end takes commands of its own: `AT RV`.
    public var takesCommands = true
    /// Whether bytes that answer nothing are ordinary: what others say on the bus comes through.
    public var hearsOthers = false

    /// Capabilities; the defaults are what every adapter can do.
    public init(
        itemsPerRequest: Int = 1, frameCountHelps: Bool = false,
        vehicleProtocol: VehicleProtocol? = nil
    ) {
        self.itemsPerRequest = itemsPerRequest
        self.frameCountHelps = frameCountHelps
        self.vehicleProtocol = vehicleProtocol
    }

    /// Identifiers of a service that fit one request to `target`; nil = to all ECUs.
    public func selectors(of shape: ServiceShape, to target: ECUAddress?) -> Int {
        guard shape.selectorWidth > 0 else { return 1 }
        var room = (target == nil ? longestRequestToAll : longestRequest) - 1
        // The address byte takes its place in a frame.
        if target?.extended != nil, longestRequest <= 7 { room -= 1 }
        return max(1, min(shape.mostSelectors, itemsPerRequest, room / shape.selectorStep))
    }
}
