public import OBDCore

/// The ELM327 and everything that speaks its language, STN chips included.
public struct ELM327Dialect: AdapterDialect {
    /// What the user or an earlier session says.
    public struct Options: Hashable, Sendable {
        /// The protocol to use, nothing else; nil = find it.
        public var vehicleProtocol: VehicleProtocol?
        /// The protocol that worked last time: tried first, then searched for.
        public var rememberedProtocol: VehicleProtocol?
        /// Whether the vehicle is connected during the initialisation; without it only the adapter
        /// is set up, which works with the ignition off.
        public var connectsVehicle: Bool
        /// Whether to ask if the chip is an STN.
        public var probesSTN: Bool

        /// Options; the defaults find everything.
        public init(
            vehicleProtocol: VehicleProtocol? = nil, rememberedProtocol: VehicleProtocol? = nil,
            connectsVehicle: Bool = true, probesSTN: Bool = true
        ) {
            self.vehicleProtocol = vehicleProtocol
            self.rememberedProtocol = rememberedProtocol
            self.connectsVehicle = connectsVehicle
            self.probesSTN = probesSTN
        }
    }

    public static let protocolString = "org.obdscan.elm327"

    public private(set) var capabilities = LinkCapabilities()
    public private(set) var identity = AdapterIdentity()

    /// What the user or an earlier session says.
    public let options: Options

    /// A dialect that has not spoken yet.
    public init(_ options: Options = Options()) {
        self.options = options
    }

    public mutating func initialise(_ out: inout [DialectOutput]) {}
    public mutating func send(_ request: AdapterRequest, _ out: inout [DialectOutput]) {}
    public mutating func receive(_ bytes: Span<UInt8>, _ out: inout [DialectOutput]) {}
    public mutating func expired(_ timer: DialectTimer, _ out: inout [DialectOutput]) {}
    public mutating func interrupt(_ out: inout [DialectOutput]) {}
}
