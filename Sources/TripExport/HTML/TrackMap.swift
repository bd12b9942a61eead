/// Where a vehicle went, drawn as SVG: no tiles, no network.
public struct TrackMap: Sendable {
    /// A pause that begins another stroke; unit: µs.
    static let longestPause: Int64 = 60_000_000
    /// Points that are drawn at most.
    static let mostPoints = 4_000
    /// The longer side of the drawing.
    static let size = 1_000.0

    /// What is drawn: at most ``mostPoints`` and one, the last always among them.
    public let points: [TrackPoint]

    /// A map of these points, in the order of time.
    public init(_ points: [TrackPoint]) {
        let step = max(1, (points.count + Self.mostPoints - 1) / Self.mostPoints)
        self.points = points.enumerated().filter { index, _ in
            index % step == 0 || index == points.count - 1
        }.map(\.element)
    }

    /// Appends the drawing; `kilometre` says how long one is in the unit of its scale, and `unit`
    /// what that is called.
    public func append(to page: inout HTMLText, kilometre: Double = 1, unit: String = "km") {
        guard let first = points.first, let last = points.last else { return }
        // Across the date line west is further east.
        let wraps =
            (points.map(\.longitude).max() ?? 0) - (points.map(\.longitude).min() ?? 0) > 180
        let longitude = { (point: TrackPoint) in
            wraps && point.longitude < 0 ? point.longitude + 360 : point.longitude
        }
        let south = points.map(\.latitude).min() ?? 0
        let north = points.map(\.latitude).max() ?? 0
        let west = points.map(longitude).min() ?? 0
        let east = points.map(longitude).max() ?? 0
        // Near enough to a map for a drive: degrees of longitude shrink by the cosine.
        let shrink = max(0.01, Self.cosine((south + north) / 2))
        let kilometresADegree = 111.195
        let widthKm = max((east - west) * shrink * kilometresADegree, 0.05)
        let heightKm = max((north - south) * kilometresADegree, 0.05)
        let scale = Self.size / max(widthKm, heightKm)
        let margin = Self.size * 0.05
        let width = max(widthKm * scale, Self.size * 0.4)
        let height = max(heightKm * scale, Self.size * 0.25)
        let x = { (point: TrackPoint) in
            margin + (longitude(point) - west) * shrink * kilometresADegree * scale
                + (width - widthKm * scale) / 2
        }
        let y = { (point: TrackPoint) in
            margin + (north - point.latitude) * kilometresADegree * scale
                + (height - heightKm * scale) / 2
        }
        page.raw("<svg class=\"map\" role=\"img\" viewBox=\"0 0 ")
        page.number((width + 2 * margin).rounded())
        page.raw(" ")
        page.number((height + 2 * margin + 40).rounded())
        page.raw("\">")
        page.element("title", "Track, north is up")
        page.raw("<path d=\"")
        var before: TrackPoint?
        for point in points {
            let isNew =
                before.map {
                    point.time.microseconds - $0.time.microseconds > Self.longestPause
                } ?? true
            page.raw(isNew ? "M" : "L")
            page.number((x(point) * 10).rounded() / 10)
            page.raw(" ")
            page.number((y(point) * 10).rounded() / 10)
            before = point
        }
        page.raw("\"/>")
        for (point, style) in [(first, "start"), (last, "end")] {
            page.raw("<circle class=\"\(style)\" r=\"9\" cx=\"")
            page.number(x(point).rounded())
            page.raw("\" cy=\"")
            page.number(y(point).rounded())
            page.raw("\"><title>\(style)</title></circle>")
        }
        // A scale of a round length, a quarter of the width at most.
        let room = width / 4 / scale * kilometre
        var length = 0.01
        for candidate in [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000.0]
        where candidate <= room {
            length = candidate
        }
        let bar = length / kilometre * scale
        let foot = height + 2 * margin + 10
        page.raw("<path class=\"scale\" d=\"M")
        page.number(margin.rounded())
        page.raw(" ")
        page.number(foot.rounded())
        page.raw("h")
        page.number(bar.rounded())
        page.raw("\"/><text font-size=\"26\" x=\"")
        page.number((margin + bar + 12).rounded())
        page.raw("\" y=\"")
        page.number((foot + 9).rounded())
        page.raw("\">")
        page.number(length)
        page.text(" " + unit)
        page.raw("</text></svg>\n<p class=\"dim\">Green: start, red: end; north is up.</p>\n")
    }

    /// The cosine of an angle in degrees, −90 to 90, to six digits; without a mathematical library.
    static func cosine(_ degrees: Double) -> Double {
        let angle = degrees * 3.141592653589793 / 180
        let square = angle * angle
        var term = 1.0
        var sum = 1.0
        for step in 1...8 {
            term *= -square / Double((2 * step - 1) * (2 * step))
            sum += term
        }
        return sum
    }
}
