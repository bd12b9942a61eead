extension Accessory {
    /// The connector that opens a session for one of this adapter's protocols.
    ///
    /// Nil if the adapter does not offer the protocol.
    public func connector(for protocolString: String) -> Connector? {
        protocols.contains(protocolString) ? Connector(address.transport) : nil
    }
}
