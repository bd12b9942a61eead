/// An accessory that is attached now.
public struct Accessory: Hashable, Sendable {
    /// How to open it: can be given to `-d`.
    public var address: AccessoryAddress
    /// New at every connect, of the same device too.
    public var connectionID: Int
    /// What it calls itself.
    public var name: String
    /// Its maker.
    public var manufacturer: String?
    /// Its model.
    public var model: String?
    /// Its serial number.
    public var serialNumber: String?
    /// Revision of its firmware, where it shows one without being asked.
    public var firmware: String?
    /// Revision of its hardware.
    public var hardware: String?
    /// The wire protocols it may speak.
    public var protocols: [String]
    /// The kernel's driver.
    public var driver: String?
    /// A name of the node that survives replugging: `/dev/serial/by-id/…`.
    public var stablePath: String?
    /// Vendor and product: `0403:6001`; nil where it is not on USB.
    public var usbID: String?
    /// The Device ID record of a Bluetooth accessory: `bluetooth:v000Ap0001d0100`.
    public var deviceID: String?
    /// Who has it open; only looked up where ``AccessoryManager/attached(withHolders:)`` is told to.
    public var holder: AccessoryError.Holder?

    /// Under which it is remembered: a name that survives replugging.
    public var memoryKey: String {
        guard let stablePath, !isSLCAN else { return "\(address)" }
        return "serial:\(stablePath)"
    }

    /// Whether it is a CAN adapter that speaks frames as text.
    public var isSLCAN: Bool { address.transport is SLCANTransport }

    /// An accessory of which the address is known.
    public init(address: AccessoryAddress, connectionID: Int, name: String) {
        self.address = address
        self.connectionID = connectionID
        self.name = name
        protocols = []
    }

    /// Words in names of adapters (field reports); no proof, only an order of likelihood.
    private static let adapterWords = [
        "OBD", "ELM", "STN", "SCANTOOL", "VGATE", "VLINK", "V-LINK", "VEEPEAK", "KONNWEI",
        "CARISTA",
    ]

    /// USB bridges that adapters are commonly built with.
    private static let bridgeVendors: Set<String> = [
        "0403", "1a86", "10c4", "067b", "0483", "04d8",
    ]

    /// Whether it is likely to be a vehicle adapter: by its name, or by a USB bridge that is common
    /// in adapters.
    public var isLikelyAdapter: Bool {
        let text = [name, manufacturer ?? "", model ?? ""].joined(separator: " ").uppercased()
        if isSLCAN || Self.adapterWords.contains(where: { text.contains($0) }) { return true }
        guard let vendor = usbID?.prefix(4) else { return false }
        return Self.bridgeVendors.contains(String(vendor))
    }
}

/// An accessory that came or went.
public enum AccessoryChange: Hashable, Sendable {
    /// It is attached now.
    case connected(Accessory)
    /// It was, and is no more.
    case disconnected(Accessory)
}
