extension AccessoryManager {
    /// The attached accessories that offer a protocol.
    public func attached(offering protocolString: String) -> [Accessory] {
        attached().filter { $0.protocols.contains(protocolString) }
    }
}

extension Accessory {
    /// How a session for one of the protocols of this accessory is opened.
    ///
    /// Nil where it does not offer the protocol.
    public func connector(for protocolString: String) -> Connector? {
        protocols.contains(protocolString) ? Connector(address.transport) : nil
    }
}
