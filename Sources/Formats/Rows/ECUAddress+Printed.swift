import OBDCore

extension ECUAddress {
    /// The address in results.
    ///
    /// The text leaves out the tester's own address after an identifier, which does not distinguish ECUs.
    public var printed: String {
        var address = self
        if address.extended == 0xF1 { address.extended = nil }
        return address.description
    }
}
