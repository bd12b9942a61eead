/// `rfcomm:ADDRESS/CHANNEL`: a Bluetooth serial port.
public struct RFCOMMTransport: Transport {
    /// The accessory.
    public var address: BluetoothAddress
    /// Its channel; nil = look it up.
    public var channel: UInt8?

    /// How it is written.
    public static let form = TransportForm(
        "rfcomm", short: "rfcomm:ADDRESS", full: ["rfcomm:AA:BB:CC:DD:EE:FF"])

    /// A channel of an accessory.
    public init(_ address: BluetoothAddress, channel: UInt8?) {
        self.address = address
        self.channel = channel
    }

    /// Reads `ADDRESS`, or `ADDRESS/CHANNEL`.
    public init(_ rest: Substring, of text: String) throws(AddressError) {
        let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = BluetoothAddress(parts[0]) else {
            throw AddressError(.badValue("address", String(parts[0])), in: text)
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

    /// All channels are one accessory.
    public var identity: String { "rfcomm:\(address)" }

    /// The second half; the first one is the maker's.
    public var personalParts: [String] { [String(address.description.suffix(8))] }

    /// Whatever the channel.
    public func leads(to accessory: Accessory) -> Bool {
        accessory.address == .rfcomm(address, channel: nil)
    }

    /// Connects to the channel, or to the first that takes it of those that the accessory's records name.
    public func open(
        within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        try RFCOMMClient.connect(address, channel: channel, within: limit, cancelledBy: cancel)
    }
}

extension AccessoryAddress {
    /// A Bluetooth RFCOMM channel; nil = look it up.
    public static func rfcomm(_ address: BluetoothAddress, channel: UInt8?) -> AccessoryAddress {
        AccessoryAddress(RFCOMMTransport(address, channel: channel))
    }
}
