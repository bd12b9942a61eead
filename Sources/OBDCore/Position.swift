/// A position from a satellite receiver.
public struct Position: Hashable, Sendable {
    /// WGS 84; unit: degrees, −90 to 90.
    public var latitude: Double
    /// WGS 84; unit: degrees, −180 to 180.
    public var longitude: Double
    /// The altitude above mean sea level; unit: m, nil without a three-dimensional fix.
    public var altitude: Double?
    /// The speed over ground; unit: km/h.
    public var speed: Double?
    /// The course from true north; unit: degrees, 0 to below 360.
    public var course: Double?
    /// The horizontal accuracy; unit: m, nil if the receiver does not report the accuracy.
    public var accuracy: Double?
    /// The time of the receiver's clock; nil without a date.
    public var fixTime: UTC?

    /// A position; nil outside the ranges above.
    public init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }
}
