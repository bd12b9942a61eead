/// The capabilities of the current link, for planning requests; they are learned and never assumed.
public struct LinkCapabilities: Hashable, Sendable {
    /// The most identifiers in one request: 1, or up to 6 if batches are known to work.
    public var itemsPerRequest: Int
    /// Whether sending the number of answer frames ends the adapter's wait.
    public var frameCountHelps: Bool
    /// How often a known number of frames is used before it is learned again.
    ///
    /// For an adapter the count is a digit after the request, which may arrive garbled and then cuts off
    /// answers. Learning the count again also detects an ECU that appears late.
    public var frameCountUses = 50
    /// How many ECUs have answered functional requests, if the link counts them; whenever it grows, all
    /// numbers of frames are learned again.
    public var heardECUs = 0
    /// The vehicle's protocol; nil until it is known.
    public var vehicleProtocol: VehicleProtocol?
    /// Whether requests can address a single ECU; otherwise every request goes to all ECUs.
    public var asksSingleECUs = true
    /// The longest request to one ECU; unit: bytes.
    public var longestRequest = 7
    /// The longest request to all ECUs; unit: bytes.
    ///
    /// On CAN the request has to fit into one frame, because several ECUs cannot send flow control at once.
    public var longestRequestToAll = 7
    /// The addresses that together reach every ECU; nil is the one of requests to all ECUs.
    ///
    /// A DoIP gateway's user can choose that address, and may have chosen the one of a few ECUs.
    public var everyECU: [ECUAddress?] = [nil]
    /// Whether there is an adapter that accepts commands: `AT RV`.
    public var takesCommands = true
    /// Whether unrelated bytes are normal, because the link also carries the traffic of other nodes.
    public var hearsOthers = false
    /// Whether frames that ECUs send by themselves are heard beside requests.
    public var hearsFrames = false
    /// Whether parameter groups of SAE J1939 that ECUs send by themselves are heard beside requests.
    public var hearsGroups = false

    /// Creates capabilities; the defaults are those of every adapter.
    public init(
        itemsPerRequest: Int = 1, frameCountHelps: Bool = false,
        vehicleProtocol: VehicleProtocol? = nil
    ) {
        self.itemsPerRequest = itemsPerRequest
        self.frameCountHelps = frameCountHelps
        self.vehicleProtocol = vehicleProtocol
    }

    /// The most identifiers of a service in one request to `target`; nil for all ECUs.
    public func selectors(of shape: ServiceShape, to target: ECUAddress?) -> Int {
        guard shape.selectorWidth > 0 else { return 1 }
        var longest = target == nil ? longestRequestToAll : longestRequest
        if target?.hasTwoReadings ?? false { longest = min(longest, 7) }
        // The address byte uses one byte of the frame.
        let room = longest - (target?.extended != nil && longest <= 7 ? 2 : 1)
        return max(1, min(shape.mostSelectors, itemsPerRequest, room / shape.selectorStep))
    }
}
