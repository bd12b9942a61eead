/// A pattern for the VINs of certain vehicles: `1N4AZ0*`, `JN1?ZE0*`.
public struct VINPattern: Hashable, Sendable {
    /// The pattern in upper case: `?` means any single character, `*` at the end means any others.
    public let text: String

    /// A pattern of at most 17 characters that can match a VIN; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let upper = text.uppercased()
        let body = upper.hasSuffix("*") ? upper.dropLast() : upper[...]
        guard !body.isEmpty, body.utf8.count <= 17, upper.hasSuffix("*") || body.utf8.count == 17,
            body.utf8.allSatisfy({ character in
                switch character {
                case UInt8(ascii: "?"), 0x30...0x39: true
                case UInt8(ascii: "I"), UInt8(ascii: "O"), UInt8(ascii: "Q"): false
                case 0x41...0x5A: true
                default: false
                }
            })
        else { return nil }
        self.text = upper
    }

    /// Whether a vehicle's VIN matches.
    public func matches(_ vin: VIN) -> Bool {
        let isOpen = text.hasSuffix("*")
        let wanted = Array(isOpen ? text.utf8.dropLast() : text.utf8[...])
        let number = Array(vin.text.utf8)
        guard number.count >= wanted.count, isOpen || number.count == wanted.count else {
            return false
        }
        return zip(wanted, number).allSatisfy { $0 == UInt8(ascii: "?") || $0 == $1 }
    }
}
