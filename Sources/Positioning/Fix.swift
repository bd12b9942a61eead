public import OBDCore

/// Where a receiver says that it is.
public struct Fix: Hashable, Sendable {
    /// WGS 84; unit: degrees, −90 to 90.
    public var latitude: Double
    /// WGS 84; unit: degrees, −180 to 180.
    public var longitude: Double
    /// Above mean sea level; unit: m, nil without a fix in three dimensions.
    public var altitude: Double?
    /// Over ground; unit: km/h.
    public var speed: Double?
    /// From true north; unit: degrees, 0 to below 360.
    public var course: Double?
    /// Horizontal; unit: m, nil where the receiver gives none.
    public var accuracy: Double?
    /// By the receiver's clock; nil without a date.
    public var time: UTC?
    /// When its first byte that matters came.
    public var arrived: Instant

    /// A place; nil outside the ranges above.
    public init?(latitude: Double, longitude: Double, arrived: Instant) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        self.arrived = arrived
    }
}

extension Fix {
    /// A course in range: 360 is 0; nil for what is none.
    static func course(_ degrees: Double?) -> Double? {
        guard let degrees, (0...360).contains(degrees) else { return nil }
        return degrees == 360 ? 0 : degrees
    }

    /// A number of decimal digits alone: `Double` would take `nan` and `0x1p3` too.
    static func decimal(_ text: some StringProtocol) -> Double? {
        var rest = Array(text.utf8)[...]
        if rest.first == 0x2D { rest = rest.dropFirst() }
        guard rest.count <= 24, rest.contains(where: { (0x30...0x39).contains($0) }),
            rest.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E })
        else { return nil }
        return Double(String(text))
    }
}
