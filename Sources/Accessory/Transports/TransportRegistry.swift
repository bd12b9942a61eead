/// The transports that addresses may name, in the order in which help lists them.
public struct TransportRegistry: Sendable {
    /// The transports.
    public let transports: [any Transport.Type]

    /// These transports.
    public init(_ transports: [any Transport.Type]) {
        self.transports = transports
    }

    /// Those that need nothing but this machine.
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

    /// The same with others after them.
    public func adding(_ others: [any Transport.Type]) -> TransportRegistry {
        TransportRegistry(transports + others)
    }

    /// How they are written.
    public var forms: [TransportForm] { transports.map { $0.form } }

    /// Whether `text` is a plain name, which only a configuration can give a meaning.
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
