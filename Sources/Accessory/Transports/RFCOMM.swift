/// `rfcomm:ADDRESS/CHANNEL`: a Bluetooth serial port.
public struct RFCOMMTransport: Transport {
    /// The adapter's address.
    public var address: BluetoothAddress
    /// The channel; nil means to look it up.
    public var channel: UInt8?

    /// The forms of the address.
    public static let form = TransportForm(
        "rfcomm", short: "rfcomm:ADDRESS", full: ["rfcomm:AA:BB:CC:DD:EE:FF"])

    /// A channel of an adapter.
    public init(_ address: BluetoothAddress, channel: UInt8?) {
        self.address = address
        self.channel = channel
    }

    /// Reads `ADDRESS`, or `ADDRESS/CHANNEL`.
    public init(_ rest: Substring, of text: String) throws(AddressError) {
        let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = BluetoothAddress(parts[0]) else {
            throw AddressError(
                .badValue("address", String(parts[0].isEmpty ? rest : parts[0])), in: text)
        }
        guard parts.count == 2 else {
            self.init(address, channel: nil)
            return
        }
        guard let channel = AddressPart.decimal(parts[1]), (1...30).contains(channel) else {
            throw AddressError(.badValue("channel", String(parts[1])), in: text)
        }
        self.init(address, channel: UInt8(channel))
    }

    /// `rfcomm:ADDRESS/CHANNEL`.
    public var description: String { "rfcomm:\(name)" }

    /// `ADDRESS/CHANNEL`.
    public var name: String { address.description + (channel.map { "/\($0)" } ?? "") }

    /// All channels belong to one adapter.
    public var identity: String { "rfcomm:\(address)" }

    /// The second half of the address; the first half identifies the manufacturer.
    public var personalParts: [String] { [String(address.description.suffix(8))] }

    /// Ignores the channel.
    public func leads(to accessory: Accessory) -> Bool {
        accessory.address == .rfcomm(address, channel: nil)
    }

    /// Connects to the channel, or to the first channel in the adapter's records that accepts the connection.
    public func open(
        within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        try RFCOMMClient.connect(address, channel: channel, within: limit, cancelledBy: cancel)
    }
}

extension AccessoryAddress {
    /// A Bluetooth RFCOMM channel; nil means to look it up.
    public static func rfcomm(_ address: BluetoothAddress, channel: UInt8?) -> AccessoryAddress {
        AccessoryAddress(RFCOMMTransport(address, channel: channel))
    }
}
