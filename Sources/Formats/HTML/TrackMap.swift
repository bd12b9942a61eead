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

    /// The way; a longer pause begins another stroke.
    private func appendLine(on paper: Paper, to page: inout HTMLText) {
        page.raw("<path d=\"")
        var before: TrackPoint?
        for point in points {
            let isNew =
                before.map {
                    point.time.microseconds - $0.time.microseconds > Self.longestPause
                } ?? true
            page.raw(isNew ? "M" : "L")
            page.number((paper.x(point) * 10).rounded() / 10)
            page.raw(" ")
            page.number((paper.y(point) * 10).rounded() / 10)
            before = point
        }
        page.raw("\"/>")
    }

    /// A line of a round length, a quarter of the width at most; returns how long it is.
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

    /// Where places are on the drawing: near enough to a map for a drive, degrees of longitude
    /// shrink by the cosine.
    private struct Paper {
        static let margin = TrackMap.size * 0.05
        /// Unit: km.
        private static let degree = 111.195

        /// Without the margins.
        let width, height: Double
        /// How long a kilometre is drawn.
        let scale: Double
        /// Whether the track crosses the date line: west is further east then.
        private let wraps: Bool
        private let west, north: Double
        /// How long a degree of longitude is drawn.
        private let degreeEast: Double
        /// What short sides are widened by, half of it on either side.
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
