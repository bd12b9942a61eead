/// The route of a vehicle, drawn as SVG without tiles or network.
public struct TrackMap: Sendable {
    /// A longer pause begins another line; unit: µs.
    static let longestPause: Int64 = 60_000_000
    static let mostPoints = 4_000
    /// The longer side of the drawing.
    static let size = 1_000.0

    /// The drawn points: at most `mostPoints` plus one, always including the last.
    public let points: [TrackPoint]

    /// A map of these points, in the order of time.
    public init(_ points: [TrackPoint]) {
        let step = max(1, (points.count + Self.mostPoints - 1) / Self.mostPoints)
        self.points = points.enumerated().filter { index, _ in
            index % step == 0 || index == points.count - 1
        }.map(\.element)
    }

    /// Appends the drawing.
    ///
    /// `kilometre` is the length of one kilometre in the unit of the scale, and `unit` is that
    /// unit's name.
    public func append(to page: inout HTMLText, kilometre: Double = 1, unit: String = "km") {
        guard let first = points.first, let last = points.last else { return }
        let paper = Paper(points)
        page.raw("<svg class=\"map\" role=\"img\" viewBox=\"0 0 ")
        page.number((paper.width + 2 * Paper.margin).rounded())
        page.raw(" ")
        page.number((paper.height + 2 * Paper.margin + 40).rounded())
        page.raw("\">")
        page.element("title", "Track, north is up")
        appendLine(on: paper, to: &page)
        page.raw("<circle class=\"start\" r=\"9\" cx=\"")
        page.number(paper.x(first).rounded())
        page.raw("\" cy=\"")
        page.number(paper.y(first).rounded())
        page.raw("\"><title>start</title></circle>")
        page.raw("<rect class=\"end\" width=\"18\" height=\"18\" x=\"")
        page.number(paper.x(last).rounded() - 9)
        page.raw("\" y=\"")
        page.number(paper.y(last).rounded() - 9)
        page.raw("\"><title>end</title></rect>")
        let length = appendScale(on: paper, kilometre: kilometre, to: &page)
        page.raw("</svg>\n<p class=\"dim\">Circle: start, square: end; the line above is ")
        page.number(length)
        page.text(" \(unit)")
        page.raw(" long; north is up.</p>\n")
    }

    /// The route; a longer pause begins another line.
    private func appendLine(on paper: Paper, to page: inout HTMLText) {
        page.raw("<path d=\"")
        var before: TrackPoint?
        for point in points {
            let isNew =
                before.map {
                    point.time.microseconds(since: $0.time) > Self.longestPause
                } ?? true
            page.raw(isNew ? "M" : "L")
            page.number((paper.x(point) * 10).rounded() / 10)
            page.raw(" ")
            page.number((paper.y(point) * 10).rounded() / 10)
            before = point
        }
        page.raw("\"/>")
    }

    /// Appends a scale bar of a round length, at most a quarter of the width; returns its length.
    private func appendScale(
        on paper: Paper, kilometre: Double, to page: inout HTMLText
    ) -> Double {
        let room = paper.width / 4 / paper.scale * kilometre
        let lengths = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
        let length = lengths.last { $0 <= room } ?? 0.01
        let bar = length / kilometre * paper.scale
        let foot = paper.height + 2 * Paper.margin + 10
        page.raw("<path class=\"scale\" d=\"M")
        page.number(Paper.margin.rounded())
        page.raw(" ")
        page.number(foot.rounded())
        page.raw("h")
        page.number(bar.rounded())
        page.raw("\"/>")
        return length
    }

    /// Converts positions to points of the drawing.
    ///
    /// The map scales degrees of longitude by the cosine of the latitude, which is exact enough for a drive.
    private struct Paper {
        static let margin = TrackMap.size * 0.05
        /// Unit: km.
        private static let degree = 111.195

        /// The size without the margins.
        let width, height: Double
        /// The length of a kilometre in the drawing.
        let scale: Double
        /// Whether the track crosses the date line, so that the west is further east.
        private let wraps: Bool
        private let west, north: Double
        /// The length of a degree of longitude in the drawing.
        private let degreeEast: Double
        /// The widening of short sides, half of it on either side.
        private let insetX, insetY: Double

        init(_ points: [TrackPoint]) {
            let longitudes = points.map(\.longitude)
            let wraps = (longitudes.max() ?? 0) - (longitudes.min() ?? 0) > 180
            let eastings = longitudes.map { Self.easting($0, wraps: wraps) }
            let south = points.map(\.latitude).min() ?? 0
            self.wraps = wraps
            north = points.map(\.latitude).max() ?? 0
            west = eastings.min() ?? 0
            let shrink = max(0.01, TrackMap.cosine((south + north) / 2))
            let across = max(((eastings.max() ?? 0) - west) * shrink * Self.degree, 0.05)
            let along = max((north - south) * Self.degree, 0.05)
            scale = TrackMap.size / max(across, along)
            width = max(across * scale, TrackMap.size * 0.4)
            height = max(along * scale, TrackMap.size * 0.25)
            degreeEast = shrink * Self.degree * scale
            insetX = (width - across * scale) / 2
            insetY = (height - along * scale) / 2
        }

        func x(_ point: TrackPoint) -> Double {
            Self.margin + (Self.easting(point.longitude, wraps: wraps) - west) * degreeEast + insetX
        }

        func y(_ point: TrackPoint) -> Double {
            Self.margin + (north - point.latitude) * Self.degree * scale + insetY
        }

        private static func easting(_ longitude: Double, wraps: Bool) -> Double {
            wraps && longitude < 0 ? longitude + 360 : longitude
        }
    }

    /// The cosine of an angle in degrees, −90 to 90, to six digits; without a mathematical library.
    package static func cosine(_ degrees: Double) -> Double {
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
