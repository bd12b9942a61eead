/// The transports whose addresses can be used, in the order of the help.
public struct TransportRegistry: Sendable {
    /// The transports.
    public let transports: [any Transport.Type]

    /// Creates a registry of these transports.
    public init(_ transports: [any Transport.Type]) {
        self.transports = transports
    }

    /// The transports that need no other modules of this program.
    public static let system = TransportRegistry([
        SerialTransport.self,
        RFCOMMTransport.self,
        BluetoothNameTransport.self,
        BLETransport.self,
        TCPTransport.self,
        DoIPTransport.self,
        UnixSocketTransport.self,
        SLCANTransport.self,
        CANTransport.self,
    ])

    /// A registry with further transports at the end.
    public func adding(_ others: [any Transport.Type]) -> TransportRegistry {
        TransportRegistry(transports + others)
    }

    /// The forms of all addresses.
    public var forms: [TransportForm] { transports.map { $0.form } }

    /// Whether `text` is a plain name, which only a configuration can define.
    public static func isName(_ text: String) -> Bool {
        !text.isEmpty && !text.contains(":") && !text.contains("/")
    }

    /// Reads an address.
    public func address(_ text: String) throws(AddressError) -> AccessoryAddress {
        guard let colon = text.firstIndex(of: ":"), !text.hasPrefix("/") else {
            if text.isEmpty { throw AddressError(.missing("accessory"), in: text) }
            guard text.contains("/") else { throw AddressError(.name, in: text) }
            for transport in transports {
                if let found = transport.init(barePath: text) { return AccessoryAddress(found) }
            }
            throw AddressError(.path, in: text)
        }
        let scheme = text[..<colon]
        guard let transport = transports.first(where: { $0.form.scheme == scheme }) else {
            throw AddressError(.unknownScheme(String(scheme)), in: text)
        }
        return AccessoryAddress(try transport.init(text[text.index(after: colon)...], of: text))
    }
}
