public import OBDCore

/// A position with its time of arrival.
public struct Fix: Hashable, Sendable {
    /// The position from the receiver.
    public var position: Position
    /// When the first relevant byte of the fix arrived.
    public var arrived: Instant

    /// A fix.
    public init(_ position: Position, arrived: Instant) {
        self.position = position
        self.arrived = arrived
    }
}

extension Fix {
    /// A course in range: 360 becomes 0; nil if not valid.
    static func course(_ degrees: Double?) -> Double? {
        guard let degrees, (0...360).contains(degrees) else { return nil }
        return degrees == 360 ? 0 : degrees
    }

    /// A number with decimal digits only; `Double` would also accept `nan` and `0x1p3`.
    static func decimal(_ text: some StringProtocol) -> Double? {
        var rest = Array(text.utf8)[...]
        if rest.first == 0x2D { rest = rest.dropFirst() }
        guard rest.count <= 24, rest.contains(where: { (0x30...0x39).contains($0) }),
            rest.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E })
        else { return nil }
        return Double(String(text))
    }
}
