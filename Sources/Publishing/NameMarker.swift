/// Markers of a configuration that many machines share.
package enum NameMarker {
    package static let host = "%H"
    package static let vin = "%VIN"

    /// The text with its markers replaced; nil if it needs a VIN that is not known.
    package static func replaced(_ text: String, host: String, vin: String?) -> String? {
        if vin == nil, text.contains(Self.vin) { return nil }
        return text.replacing(Self.vin, with: vin ?? "").replacing(Self.host, with: host)
    }
}
