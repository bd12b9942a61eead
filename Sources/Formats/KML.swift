import OBDCore

/// Tracks as KML 2.2 with Google's `gx:Track`, with the vehicle's values at each point.
///
/// KML lists all times of a track, then all positions, then all values, so one track is kept in
/// memory.
public struct KML: Sendable {
    private let columns: [TrackValues.Column]
    private var times: [UInt8] = []
    private var places: [UInt8] = []
    private var values: [[UInt8]]
    private var isUsed: [Bool]
    private var points = 0

    /// A document whose points have values of these columns.
    public init(columns: [TrackValues.Column]) {
        self.columns = columns
        values = Array(repeating: [], count: columns.count)
        isUsed = Array(repeating: false, count: columns.count)
    }

    /// Appends the text before all tracks.
    public func begin(_ output: inout [UInt8]) {
        XMLText.append(
            raw: """
                <?xml version="1.0" encoding="UTF-8"?>
                <kml xmlns="http://www.opengis.net/kml/2.2" \
                xmlns:gx="http://www.google.com/kml/ext/2.2"><Document><name>obdscan</name>
                <Schema id="values">

                """, to: &output)
        for (index, column) in columns.enumerated() {
            XMLText.append(raw: "<gx:SimpleArrayField name=\"v\(index)\" type=\"", to: &output)
            XMLText.append(raw: "string\"><displayName>", to: &output)
            XMLText.append(
                (column.ecu.map { "\($0) " } ?? "") + column.name
                    + (column.unit.isEmpty ? "" : " (\(column.unit))"), to: &output)
            XMLText.append(raw: "</displayName></gx:SimpleArrayField>\n", to: &output)
        }
        XMLText.append(raw: "</Schema>\n", to: &output)
    }

    /// Takes a point.
    public mutating func append(_ point: TrackPoint, _ found: [TrackValues.Value]) {
        XMLText.append(raw: "<when>\(point.time.text)</when>\n", to: &times)
        XMLText.append(raw: "<gx:coord>", to: &places)
        Self.append(point, separator: " ", to: &places)
        XMLText.append(raw: "</gx:coord>\n", to: &places)
        var texts: [Int: String] = [:]
        for value in found { texts[value.place] = value.text }
        for place in columns.indices {
            XMLText.append(raw: "<gx:value>", to: &values[place])
            if let text = texts[place] {
                isUsed[place] = true
                XMLText.append(text, to: &values[place])
            }
            XMLText.append(raw: "</gx:value>", to: &values[place])
        }
        points += 1
    }

    /// Appends the track of the points until now, and forgets them.
    public mutating func endTrack(name: String, _ output: inout [UInt8]) {
        guard points > 0 else { return }
        XMLText.append(raw: "<Placemark><name>", to: &output)
        XMLText.append(name, to: &output)
        XMLText.append(raw: "</name><gx:Track>\n", to: &output)
        output.append(contentsOf: times)
        output.append(contentsOf: places)
        XMLText.append(
            raw: "<ExtendedData><SchemaData schemaUrl=\"#values\">\n", to: &output)
        for place in columns.indices where isUsed[place] {
            XMLText.append(raw: "<gx:SimpleArrayData name=\"v\(place)\">", to: &output)
            output.append(contentsOf: values[place])
            XMLText.append(raw: "</gx:SimpleArrayData>\n", to: &output)
        }
        XMLText.append(
            raw: "</SchemaData></ExtendedData></gx:Track></Placemark>\n", to: &output)
        self = KML(columns: columns)
    }

    /// Appends a note as a placemark.
    public func append(_ note: TrackNote, to output: inout [UInt8]) {
        XMLText.append(raw: "<Placemark><name>", to: &output)
        XMLText.append(note.text, to: &output)
        XMLText.append(
            raw: "</name><TimeStamp><when>\(note.time.text)</when></TimeStamp><Point><coordinates>",
            to: &output)
        Self.append(note.point, separator: ",", to: &output)
        XMLText.append(raw: "</coordinates></Point></Placemark>\n", to: &output)
    }

    private static func append(
        _ point: TrackPoint, separator: String, to output: inout [UInt8]
    ) {
        NumberText.appendDecimal(point.longitude, to: &output)
        XMLText.append(raw: separator, to: &output)
        NumberText.appendDecimal(point.latitude, to: &output)
        XMLText.append(raw: separator, to: &output)
        NumberText.appendDecimal(point.altitude ?? 0, to: &output)
    }

    /// Appends the text after all tracks.
    public func end(_ output: inout [UInt8]) {
        XMLText.append(raw: "</Document></kml>\n", to: &output)
    }
}
