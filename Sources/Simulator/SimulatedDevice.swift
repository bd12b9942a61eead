import Adapters
public import OBDCore
import VehicleLink

/// The device of `sim:`: an adapter with a vehicle.
public protocol SimulatedDevice: ServedDevice {
    var summary: String { get }
    /// The latest requests that reached the vehicle, oldest first.
    var requests: [SimulatedAdapter.ReceivedRequest] { get }
    /// The number of all requests that reached the vehicle.
    var requestCount: Int { get }
    /// Loses the supply for a moment, if the device simulates that.
    mutating func loseSupply(at now: Instant, noticesVoltage: Bool)
    /// The answer to a datagram, if it has a network; nil if there is none.
    func answer(toDatagram bytes: [UInt8]) -> [UInt8]?
}

extension SimulatedDevice {
    /// Default: the supply never fails.
    public mutating func loseSupply(at now: Instant, noticesVoltage: Bool) {}

    /// Default: no network.
    public func answer(toDatagram bytes: [UInt8]) -> [UInt8]? { nil }
}

extension SimulatedAdapter: SimulatedDevice {
    /// A description in one line.
    public var summary: String { title + "; " + vehicle.title }
}

extension SimulatedGoLink: SimulatedDevice {
    /// A description in one line.
    public var summary: String { title + "; " + vehicle.title }
}

extension SimulatorOptions {
    /// The personality that is not an ELM327.
    public static let goLink = "golink"
    /// The personality that is a DoIP gateway.
    public static let doip = "doip"

    /// The device that the options describe, switched on at `now`.
    public func device(at now: Instant) throws(SimulatorError) -> any SimulatedDevice {
        if personality == Self.goLink { return onLink(try SimulatedGoLink(self, at: now)) }
        if let kind = SimulatedCANDevice.Kind(rawValue: personality) {
            return onLink(try SimulatedCANDevice(kind, self, at: now))
        }
        if personality == Self.doip { return onLink(try SimulatedDoIPGateway(self, at: now)) }
        return onLink(try SimulatedAdapter(self, at: now))
    }

    /// The wire protocols of the simulated adapter; empty for an ELM327.
    public var protocols: [String] {
        if personality == Self.goLink { return [GoLinkDialect.protocolString] }
        if personality == Self.doip { return [DoIPDialect.protocolString] }
        switch SimulatedCANDevice.Kind(rawValue: personality) {
        case .records: return [CANDialect.recordProtocol]
        case .slcan, .slcanSilent, .slcanQueued: return [CANDialect.slcanProtocol]
        case nil: return []
        }
    }

    private func onLink(_ device: some SimulatedDevice) -> any SimulatedDevice {
        faults.isEmpty ? device : FaultyLink(device, faults: faults, seed: seed)
    }
}
