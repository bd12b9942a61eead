import Diagnostics
import Foundation
import FoundationXML
import OBDCore
import Testing

@testable import Formats

/// The elements of a document in order, with the text of the innermost ones.
private final class Elements: NSObject, XMLParserDelegate {
    var found: [(name: String, attributes: [String: String], text: String)] = []
    private var open: [Int] = []

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        open.append(found.count)
        found.append((name, attributes, ""))
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        if let last = open.last { found[last].text += text }
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
        qualifiedName: String?
    ) { open.removeLast() }

    static func of(_ document: String) -> Elements? {
        let elements = Elements()
        let parser = XMLParser(data: Data(document.utf8))
        parser.delegate = elements
        return parser.parse() ? elements : nil
    }

    func texts(_ name: String) -> [String] { found.filter { $0.name == name }.map(\.text) }
}

@Suite struct TrackTests {
    private static let columns = [
        CSVWide.Column(SignalIndex(rawValue: Fixtures.Place.rpm.rawValue), ecu: Fixtures.ecu),
        CSVWide.Column(SignalIndex(rawValue: Fixtures.Place.fuelType.rawValue)),
    ]

    private func point(_ seconds: Int64, altitude: Double? = 400.5) -> TrackPoint {
        var point = TrackPoint(
            time: UTC(microseconds: Fixtures.time.microseconds + seconds * 1_000_000),
            latitude: 47.5 + Double(seconds) / 1000, longitude: -8.25)
        point.altitude = altitude
        point.speed = 36
        point.course = 271.5
        return point
    }

    /// The values at second 0, and at second 11 when all of them are stale.
    private func values() -> TrackValues {
        var values = TrackValues(table: Fixtures.table, columns: Self.columns)
        values.take(Fixtures.rpm, at: Fixtures.time)
        values.take(
            Fixtures.reading(.fuelType, DataID(.currentData, 0x51), .label(code: 4), [4]),
            at: Fixtures.time)
        return values
    }

    @Test func `GPX has each point with its values, and escapes XML's own characters`() throws {
        let values = values()
        var gpx = GPX(columns: values.columns)
        let text = Fixtures.text { output in
            GPX.begin(&output)
            gpx.beginTrack(name: "<Sea> & \"hills\"\u{1B}", &output)
            for seconds: Int64 in [0, 11, 100] {
                let point = point(seconds, altitude: seconds == 0 ? 400.5 : nil)
                gpx.append(point, values.values(at: point.time), to: &output)
            }
            gpx.endTrack(&output)
            GPX.end(&output)
        }
        let elements = try #require(Elements.of(text))
        #expect(elements.texts("name") == ["<Sea> & \"hills\"\u{FFFD}"])
        // A gap of more than a minute begins a new segment.
        #expect(elements.texts("trkseg").count == 2)
        let points = elements.found.filter { $0.name == "trkpt" }.map(\.attributes)
        #expect(points[0] == ["lat": "47.5", "lon": "-8.25"] && points.count == 3)
        #expect(elements.texts("time")[0] == "2026-11-21T08:15:02.123456Z")
        #expect(elements.texts("ele") == ["400.5"])
        // 36 km/h = 10 m/s.
        #expect(elements.texts("tpx:speed") == ["10", "10", "10"])
        #expect(elements.texts("obd:value") == ["1726", "=diesel, \"red\""])
        let first = elements.found.first { $0.name == "obd:value" }?.attributes
        #expect(first == ["signal": "RPM", "ecu": "7E8", "unit": "rpm"])
    }

    @Test func `KML has equal numbers of times, places and values`() throws {
        let values = values()
        var kml = KML(columns: values.columns)
        let text = Fixtures.text { output in
            kml.begin(&output)
            for seconds: Int64 in [0, 5, 11] {
                let point = point(seconds)
                kml.append(point, values.values(at: point.time))
            }
            kml.endTrack(name: "a<b", &output)
            kml.endTrack(name: "nothing", &output)
            kml.end(&output)
        }
        let elements = try #require(Elements.of(text))
        #expect(elements.texts("when").count == 3 && elements.texts("gx:Track").count == 1)
        #expect(elements.texts("gx:coord")[1] == "-8.25 47.505 400.5")
        #expect(
            elements.texts("gx:value") == [
                "1726", "1726", "", "=diesel, \"red\"", "=diesel, \"red\"", "",
            ])
        #expect(elements.texts("displayName")[0] == "7E8 Engine speed (rpm)")
    }

    @Test
    func `a note is placed at the position nearest in time, at most five seconds away`() throws {
        var notes = TrackNotes()
        func time(_ seconds: Int64) -> UTC { point(seconds).time }
        notes.take(note: "too early", at: time(-6))
        notes.take(note: "before", at: time(-5))
        notes.take(point(0))
        notes.take(note: "lights <on> & off\u{1B}", at: time(4))
        notes.take(note: "nearer to the next", at: time(6))
        notes.take(point(10))
        notes.take(note: "behind", at: time(15))
        notes.take(note: "too late", at: time(16))
        let placed = notes.finish()
        #expect(
            placed.map(\.text) == [
                "before", "lights <on> & off\u{1B}", "nearer to the next", "behind",
            ])
        #expect(placed.map(\.point.time) == [time(0), time(0), time(10), time(10)])
        #expect(placed.map(\.time) == [time(-5), time(4), time(6), time(15)])

        let gpx = Fixtures.text { output in
            GPX.begin(&output)
            for note in placed { GPX.append(note, to: &output) }
            GPX.end(&output)
        }
        let places = try #require(Elements.of(gpx))
        let waypoints = places.found.filter { $0.name == "wpt" }.map(\.attributes)
        #expect(waypoints[2] == ["lat": "47.51", "lon": "-8.25"] && waypoints.count == 4)
        #expect(places.texts("name")[1] == "lights <on> & off\u{FFFD}")
        #expect(places.texts("time")[1] == time(4).text && places.texts("ele")[1] == "400.5")

        var kml = KML(columns: [])
        let text = Fixtures.text { output in
            kml.begin(&output)
            kml.append(point(0), [])
            kml.endTrack(name: "t", &output)
            for note in placed { kml.append(note, to: &output) }
            kml.end(&output)
        }
        let elements = try #require(Elements.of(text))
        #expect(elements.texts("coordinates")[2] == "-8.25,47.51,400.5")
        #expect(elements.texts("name")[3] == "lights <on> & off\u{FFFD}")
    }

    @Test func `line protocol escapes the characters of its grammar`() {
        var lines = LineProtocol(
            table: Fixtures.table, trip: 12, vin: nil, name: "a, b=c\\\nd")
        let text = Fixtures.text { output in
            lines.append(Fixtures.rpm, time: Fixtures.time, to: &output)
            lines.append(
                Fixtures.reading(.fuelType, DataID(.currentData, 0x51), .label(code: 4), [4]),
                time: Fixtures.time, to: &output)
            lines.append(
                Fixtures.reading(.mil, DataID(.currentData, 1), .flag(true), [0x81]),
                time: Fixtures.time, to: &output)
            lines.append(
                Fixtures.reading(
                    .rpm, DataID(.currentData, 0x0C), .missing(.notAvailable, code: nil), []),
                time: Fixtures.time, to: &output)
            lines.append(
                Fixtures.reading(.vin, DataID(.vehicleInformation, 2), .text("a\"\\b\n"), []),
                time: Fixtures.time, to: &output)
            lines.append(point(0), to: &output)
            lines.append(event: "gap", text: "x", time: Fixtures.time, to: &output)
        }
        let tags = "trip=12,name=a\\,\\ b\\=c/\\ d"
        let time = "1795248902123456000"
        #expect(
            text.split(separator: "\n").map(String.init) == [
                "obd,\(tags),ecu=7E8,signal=RPM,unit=rpm value=1726 \(time)",
                "obd,\(tags),ecu=7E8,signal=FUEL_TYP value=4,label=\"=diesel, \\\"red\\\"\" \(time)",
                "obd,\(tags),ecu=7E8,signal=MIL value=1 \(time)",
                "obd,\(tags),ecu=7E8,signal=VIN text=\"a\\\"\\\\b \" \(time)",
                "position,\(tags) latitude=47.5,longitude=-8.25,altitude=400.5,speed=36,"
                    + "course=271.5 \(time)",
                "event,\(tags),kind=gap text=\"x\" \(time)",
            ])
    }
}
