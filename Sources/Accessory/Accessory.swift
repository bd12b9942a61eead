/// An adapter that is attached now.
public struct Accessory: Hashable, Sendable {
    /// The address of the adapter, in the form that `-d` accepts.
    public var address: AccessoryAddress
    /// Changes at every connection, even of the same device.
    public var connectionID: Int
    /// The name that the device reports.
    public var name: String
    /// The manufacturer.
    public var manufacturer: String?
    /// The model.
    public var model: String?
    /// The serial number.
    public var serialNumber: String?
    /// The firmware revision, if the device shows it without a request.
    public var firmware: String?
    /// The hardware revision.
    public var hardware: String?
    /// The wire protocols that the adapter may use.
    public var protocols: [String]
    /// The kernel driver.
    public var driver: String?
    /// A path that stays the same when the device is plugged in again: `/dev/serial/by-id/…`.
    public var stablePath: String?
    /// USB vendor and product: `0403:6001`; nil if the device is not on USB.
    public var usbID: String?
    /// The Device ID record of a Bluetooth device: `bluetooth:v000Ap0001d0100`.
    public var deviceID: String?
    /// The program that has the device open.
    ///
    /// Filled in only by ``AccessoryManager/attached(withHolders:)`` on request.
    public var holder: AccessoryError.Holder?

    /// The key under which the adapter is remembered; it stays the same when the device is plugged in again.
    public var memoryKey: String {
        guard let stablePath, !isSLCAN else { return "\(address)" }
        return "serial:\(stablePath)"
    }

    /// Whether the device is a CAN adapter that sends frames as text.
    public var isSLCAN: Bool { address.transport is SLCANTransport }

    /// An adapter whose address is known.
    public init(address: AccessoryAddress, connectionID: Int, name: String) {
        self.address = address
        self.connectionID = connectionID
        self.name = name
        protocols = []
    }

    /// Words found in the names of adapters (from field reports).
    ///
    /// These words prove nothing; they only order adapters by likelihood.
    private static let adapterWords = [
        "OBD", "ELM", "STN", "SCANTOOL", "VGATE", "VLINK", "V-LINK", "VEEPEAK", "KONNWEI",
        "CARISTA",
    ]

    /// Vendors of the USB bridges that are common in adapters.
    private static let bridgeVendors: Set<String> = [
        "0403", "1a86", "10c4", "067b", "0483", "04d8",
    ]

    /// Whether this is likely a vehicle adapter, judging by its name or by a USB bridge that is common in
    /// adapters.
    public var isLikelyAdapter: Bool {
        let text = [name, manufacturer ?? "", model ?? ""].joined(separator: " ").uppercased()
        if isSLCAN || Self.adapterWords.contains(where: { text.contains($0) }) { return true }
        guard let vendor = usbID?.prefix(4) else { return false }
        return Self.bridgeVendors.contains(String(vendor))
    }
}

/// An adapter that was connected or disconnected.
public enum AccessoryChange: Hashable, Sendable {
    /// The adapter is attached now.
    case connected(Accessory)
    /// The adapter was attached and no longer is.
    case disconnected(Accessory)
}

extension Accessory {
    /// An address that stays valid if adapters are plugged in in another order or at another
    /// socket.
    public var lastingAddress: AccessoryAddress {
        guard let path = stablePath else { return address }
        return isSLCAN
            ? AccessoryAddress(SLCANTransport(SerialTransport(path: path, rate: nil)))
            : .serial(path: path, rate: nil)
    }
}
