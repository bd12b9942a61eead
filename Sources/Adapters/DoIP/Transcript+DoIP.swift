import DoIPWire

extension Transcript {
    /// Whether a DoIP gateway was recorded: the first bytes that went to it are a header.
    public var isOfDoIP: Bool {
        guard let first = chunks.first(where: { $0.direction == .toAdapter })?.bytes else {
            return false
        }
        return DoIPHead(first.prefix(DoIPMessage.headLength)) != nil
    }
}
