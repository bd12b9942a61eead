import Accessory

extension TransportRegistry {
    /// All transports for `-d`: those of this machine, and those that this program serves itself.
    public static let all = system.adding([SimulatorTransport.self, ReplayTransport.self])
}
