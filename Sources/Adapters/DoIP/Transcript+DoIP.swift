import VehicleLink

extension Transcript {
    /// Whether this is a recording of a DoIP gateway: the first bytes that it received are a
    /// header.
    public var isOfDoIP: Bool {
        guard let first = chunks.first(where: { $0.direction == .toAdapter })?.bytes else {
            return false
        }
        return DoIPHead(first.prefix(DoIPMessage.headLength)) != nil
    }
}
