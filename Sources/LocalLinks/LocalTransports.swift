import Accessory

extension TransportRegistry {
    /// All transports for `-d`: the transports of this machine, and the transports that this program serves
    /// itself.
    public static let all = system.adding([SimulatorTransport.self, ReplayTransport.self])
}
