import Accessory

extension TransportRegistry {
    /// Every transport that `-d` takes: those of this machine, and what this program serves itself.
    public static let all = system.adding([SimulatorTransport.self, ReplayTransport.self])
}
