extension AccessoryManager {
    /// The attached adapters that offer a protocol.
    public func attached(offering protocolString: String) -> [Accessory] {
        attached().filter { $0.protocols.contains(protocolString) }
    }
}

extension Accessory {
    /// The connector that opens a session for one of this adapter's protocols.
    ///
    /// Nil if the adapter does not offer the protocol.
    public func connector(for protocolString: String) -> Connector? {
        protocols.contains(protocolString) ? Connector(address.transport) : nil
    }
}
