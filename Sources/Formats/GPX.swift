import OBDCore

/// A track as GPX 1.1, with the vehicle's values at each point.
///
/// Speed and course are in Garmin's `TrackPointExtension` v2, values in elements of our own
/// namespace.
public struct GPX: Sendable {
    /// A longer pause begins another segment; unit: µs.
    static let longestPause: Int64 = 60_000_000

    private let columns: [TrackValues.Column]
    private var lastTime: UTC?

    /// A document whose points have values of these columns.
    public init(columns: [TrackValues.Column]) {
        self.columns = columns
    }

    /// Appends the text before all tracks.
    public static func begin(_ output: inout [UInt8]) {
        XMLText.append(
            raw: """
                <?xml version="1.0" encoding="UTF-8"?>
                <gpx version="1.1" creator="obdscan" xmlns="http://www.topografix.com/GPX/1/1" \
                xmlns:tpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" \
                xmlns:obd="urn:obdscan:gpx">

                """, to: &output)
    }

    /// Appends a note as a waypoint; waypoints must come before all tracks.
    public static func append(_ note: TrackNote, to output: inout [UInt8]) {
        appendPlace("wpt", note.point, to: &output)
        if let altitude = note.point.altitude { append("ele", altitude, to: &output) }
        XMLText.append(raw: "<time>\(note.time.text)</time><name>", to: &output)
        XMLText.append(note.text, to: &output)
        XMLText.append(raw: "</name></wpt>\n", to: &output)
    }

    /// Begins a track.
    public mutating func beginTrack(name: String, _ output: inout [UInt8]) {
        lastTime = nil
        XMLText.append(raw: "<trk><name>", to: &output)
        XMLText.append(name, to: &output)
        XMLText.append(raw: "</name><trkseg>\n", to: &output)
    }

    /// Appends a point.
    public mutating func append(
        _ point: TrackPoint, _ values: [TrackValues.Value], to output: inout [UInt8]
    ) {
        if let lastTime, point.time.microseconds &- lastTime.microseconds > Self.longestPause {
            XMLText.append(raw: "</trkseg><trkseg>\n", to: &output)
        }
        lastTime = point.time
        Self.appendPlace("trkpt", point, to: &output)
        if let altitude = point.altitude { Self.append("ele", altitude, to: &output) }
        XMLText.append(raw: "<time>\(point.time.text)</time>", to: &output)
        if point.speed != nil || point.course != nil || !values.isEmpty {
            XMLText.append(raw: "<extensions>", to: &output)
            if point.speed != nil || point.course != nil {
                XMLText.append(raw: "<tpx:TrackPointExtension>", to: &output)
                // Metres per second.
                if let speed = point.speed {
                    Self.append("tpx:speed", (speed / 3.6 * 1000).rounded() / 1000, to: &output)
                }
                if let course = point.course { Self.append("tpx:course", course, to: &output) }
                XMLText.append(raw: "</tpx:TrackPointExtension>", to: &output)
            }
            for value in values { append(value, to: &output) }
            XMLText.append(raw: "</extensions>", to: &output)
        }
        XMLText.append(raw: "</trkpt>\n", to: &output)
    }

    /// Ends a track.
    public func endTrack(_ output: inout [UInt8]) {
        XMLText.append(raw: "</trkseg></trk>\n", to: &output)
    }

    /// Appends the text after all tracks.
    public static func end(_ output: inout [UInt8]) {
        XMLText.append(raw: "</gpx>\n", to: &output)
    }

    private static func appendPlace(
        _ element: String, _ point: TrackPoint, to output: inout [UInt8]
    ) {
        XMLText.append(raw: "<\(element) lat=\"", to: &output)
        NumberText.appendDecimal(point.latitude, to: &output)
        XMLText.append(raw: "\" lon=\"", to: &output)
        NumberText.appendDecimal(point.longitude, to: &output)
        XMLText.append(raw: "\">", to: &output)
    }

    private static func append(_ element: String, _ value: Double, to output: inout [UInt8]) {
        XMLText.append(raw: "<\(element)>", to: &output)
        NumberText.appendDecimal(value, to: &output)
        XMLText.append(raw: "</\(element)>", to: &output)
    }

    private func append(_ value: TrackValues.Value, to output: inout [UInt8]) {
        let column = columns[value.place]
        XMLText.append(raw: "<obd:value signal=\"", to: &output)
        XMLText.append(column.signal, to: &output)
        if let ecu = column.ecu { XMLText.append(raw: "\" ecu=\"\(ecu)", to: &output) }
        if !column.unit.isEmpty {
            XMLText.append(raw: "\" unit=\"", to: &output)
            XMLText.append(column.unit, to: &output)
        }
        XMLText.append(raw: "\">", to: &output)
        XMLText.append(value.text, to: &output)
        XMLText.append(raw: "</obd:value>", to: &output)
    }
}
