public import OBDCore

/// What `sim:` opens: an adapter with a vehicle.
public protocol SimulatedDevice: ServedDevice {
    /// What it is, in one line.
    var summary: String { get }
    /// The latest requests that reached the vehicle, oldest first.
    var requests: [SimulatedAdapter.ReceivedRequest] { get }
    /// The number of all requests that reached the vehicle.
    var requestCount: Int { get }
    /// Loses its supply for a moment, where that is simulated.
    mutating func loseSupply(at now: Instant, noticesVoltage: Bool)
}

extension SimulatedDevice {
    /// Its supply never fails.
    public mutating func loseSupply(at now: Instant, noticesVoltage: Bool) {}
}

extension SimulatedAdapter: SimulatedDevice {
    /// What it is, in one line.
    public var summary: String { title + "; " + vehicle.title }
}

extension SimulatedGoLink: SimulatedDevice {
    /// What it is, in one line.
    public var summary: String { title + "; " + vehicle.title }
}

extension SimulatorOptions {
    /// The personality that is not an ELM327.
    public static let goLink = "golink"

    /// The device that the options describe, switched on at `now`.
    public func device(at now: Instant) throws(SimulatorError) -> any SimulatedDevice {
        if personality == Self.goLink { return onLink(try SimulatedGoLink(self, at: now)) }
        return onLink(try SimulatedAdapter(self, at: now))
    }

    private func onLink(_ device: some SimulatedDevice) -> any SimulatedDevice {
        faults.isEmpty ? device : FaultyLink(device, faults: faults, seed: seed)
    }
}
