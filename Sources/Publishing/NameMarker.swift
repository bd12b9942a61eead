/// Markers of a configuration that many machines share.
public enum NameMarker {
    /// This computer's name.
    public static let host = "%H"
    /// The vehicle's VIN.
    public static let vin = "%VIN"

    /// The text with its markers replaced; nil if it needs a VIN that is not known.
    public static func replaced(_ text: String, host: String, vin: String?) -> String? {
        if vin == nil, text.contains(Self.vin) { return nil }
        return text.replacing(Self.vin, with: vin ?? "").replacing(Self.host, with: host)
    }
}
