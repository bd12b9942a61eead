/// `bluetooth:NAME`: a paired or visible Bluetooth accessory by its name.
public struct BluetoothNameTransport: Transport, PINTransport {
    /// The name that the adapter reports.
    public var name: String
    /// The number for pairing with Bluetooth LE; nil = none is needed.
    public var pin: String?

    /// The forms of the address.
    public static let form = TransportForm("bluetooth", short: "bluetooth:NAME")

    /// An adapter with its Bluetooth name.
    public init(name: String) { self.name = name }

    /// Reads the name.
    public init(_ rest: Substring, of text: String) throws(AddressError) {
        if rest.isEmpty { throw AddressError(.missing("name"), in: text) }
        self.init(name: String(rest))
    }

    /// `bluetooth:NAME`.
    public var description: String { "bluetooth:\(name)" }

    /// Ignores the case of the name.
    public func leads(to accessory: Accessory) -> Bool {
        (accessory.address.transport is RFCOMMTransport
            || accessory.address.transport is BLETransport)
            && accessory.name.lowercased() == name.lowercased()
    }

    /// Connects to the adapter that BlueZ knows or finds by that name.
    public func open(
        within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        guard let device = try BlueZ.device(named: name, cancelledBy: cancel) else { return nil }
        if device.isLowEnergyOnly {
            var transport = BLETransport(device.address)
            transport.pin = pin
            return try transport.open(within: limit, cancelledBy: cancel)
        }
        return try RFCOMMClient.connect(
            device.address, known: device, channel: nil, within: limit, cancelledBy: cancel)
    }
}
