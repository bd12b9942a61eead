import OBDCore

/// A position in Traccar's form, as the body of a request (https://www.traccar.org/osmand/).
package enum TraccarLine {
    /// Appends `id=golf&timestamp=1795248902&lat=48.1&lon=11.5&speed=27&bearing=90` and a line end.
    ///
    /// The unit of the speed is knots.
    package static func append(
        _ position: Position, of vehicle: String, time: UTC, to output: inout [UInt8]
    ) {
        var text = "id=\(vehicle)&timestamp=\(time.microseconds / 1_000_000)"
        text += "&lat=\(position.latitude)&lon=\(position.longitude)"
        if let speed = position.speed {
            text += "&speed=\((speed / 1.852 * 10_000).rounded() / 10_000)"
        }
        if let course = position.course { text += "&bearing=\(course)" }
        if let altitude = position.altitude { text += "&altitude=\(altitude)" }
        if let accuracy = position.accuracy { text += "&accuracy=\(accuracy)" }
        output += Array(text.utf8)
        output.append(0x0A)
    }
}
