public import OBDCore

/// Selects the identifiers that equal `pattern` in the bits of `mask`.
public struct CANFilter: Hashable, Sendable {
    /// The identifier.
    public var pattern: ECUAddress
    /// The bits that are compared.
    public var mask: UInt32

    /// A filter; by default all bits count.
    public init(_ pattern: ECUAddress, mask: UInt32 = .max) {
        self.pattern = ECUAddress(pattern.value, pattern.form)
        self.mask = mask & (pattern.form == .can11 ? 0x7FF : 0x1FFF_FFFF)
    }

    /// Reads `7E8`, `18DAF110` or, with a mask, `7E8/7F8`; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2, first.count == 3 || first.count == 8,
            let pattern = ECUAddress(first)
        else { return nil }
        self.pattern = pattern
        mask = pattern.form == .can11 ? 0x7FF : 0x1FFF_FFFF
        guard parts.count == 2 else { return }
        guard !parts[1].isEmpty, parts[1].utf8.allSatisfy({ Hex.value($0) != nil }),
            let given = UInt32(parts[1], radix: 16), given <= mask
        else { return nil }
        mask = given
    }

    /// Whether a frame with this identifier is of interest.
    public func passes(_ id: ECUAddress) -> Bool {
        id.form == pattern.form && id.value & mask == pattern.value & mask
    }

    /// Whether the filter passes every identifier that `other` passes.
    public func covers(_ other: CANFilter) -> Bool {
        passes(other.pattern) && mask & other.mask == mask
    }
}
