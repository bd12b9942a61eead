import OBDCore

extension ECUAddress {
    /// As results name it: the tester's own address after an identifier tells no ECUs apart, and is
    /// left out.
    public var printed: String {
        var address = self
        if address.extended == 0xF1 { address.extended = nil }
        return address.description
    }
}
