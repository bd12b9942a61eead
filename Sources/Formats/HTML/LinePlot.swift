/// A signal over time, drawn as SVG without a library.
///
/// The curve has at most four points per bucket of time: the first, the smallest, the largest and
/// the last. These points give the same pixels as all values together.
public struct LinePlot: Sendable {
    static let buckets = 600
    /// The width of the drawing; the page's script contains the same number.
    static let width = 10_000.0
    /// The height of the drawing; the page's script contains the same number.
    static let height = 1_000.0

    /// The signal's short name.
    public var signal: String
    /// The signal's name for people.
    public var name: String
    /// The displayed unit; empty = none.
    public var unit: String
    /// Digits after the point.
    public var places: Int
    /// The time span of the drawing; unit: seconds.
    public let seconds: Double

    private struct Point: Sendable {
        var second: Double
        var value: Double
    }

    private struct Bucket: Sendable {
        var first: Point
        var smallest: Point
        var largest: Point
        var last: Point
    }

    private var filled: [Bucket?]
    private var count = 0
    private var firstSecond = Double.infinity
    private var lastSecond = -Double.infinity

    /// An empty plot of this many seconds.
    public init(signal: String, name: String, unit: String, places: Int, seconds: Double) {
        self.signal = signal
        self.name = name
        self.unit = unit
        self.places = places
        self.seconds = max(seconds, 0.001)
        filled = Array(repeating: nil, count: Self.buckets)
    }

    /// Takes a value, in the order of time.
    ///
    /// The plot ignores values that are not finite, outside the time span, or so large that their difference
    /// would overflow.
    public mutating func take(_ value: Double, at second: Double) {
        guard value.isFinite, abs(value) <= 1e300, second >= 0, second <= seconds else { return }
        count += 1
        firstSecond = min(firstSecond, second)
        lastSecond = max(lastSecond, second)
        let point = Point(second: second, value: value)
        let place = min(Self.buckets - 1, Int(second / seconds * Double(Self.buckets)))
        guard var bucket = filled[place] else {
            filled[place] = Bucket(first: point, smallest: point, largest: point, last: point)
            return
        }
        if value < bucket.smallest.value { bucket.smallest = point }
        if value > bucket.largest.value { bucket.largest = point }
        bucket.last = point
        filled[place] = bucket
    }

    /// Whether there is nothing to draw.
    public var isEmpty: Bool { count == 0 }

    /// The points of the curve in the order of time: seconds and value.
    public var curve: [[Double]] { points.map { [$0.second, $0.value] } }

    /// The points of the curve, in the order of time.
    private var points: [Point] {
        filled.compactMap { $0 }.flatMap { bucket in
            var all = [bucket.first, bucket.smallest, bucket.largest, bucket.last]
            all.sort { $0.second < $1.second }
            return all.enumerated().filter { index, point in
                index == 0 || point.second > all[index - 1].second
            }.map(\.element)
        }
    }

    /// The scale: round numbers that include all values.
    private func scale(_ points: [Point]) -> (low: Double, high: Double, step: Double) {
        let low = points.map(\.value).min() ?? 0
        let high = points.map(\.value).max() ?? 1
        guard high - low > max(abs(high), abs(low)) * 1e-9 else {
            let step = max(pow10(floorLog10(max(abs(low), 1)) - 1), 0.001)
            return (low - 2 * step, low + 2 * step, step)
        }
        let rough = (high - low) / 4
        let magnitude = pow10(floorLog10(rough))
        let step =
            [1.0, 2, 5, 10].first { $0 * magnitude >= rough * 0.999 }.map { $0 * magnitude }
            ?? rough
        return (
            (low / step).rounded(.down) * step, (high / step).rounded(.up) * step, step
        )
    }

    func append(to page: inout HTMLText) {
        let points = points
        let (low, high, step) = scale(points)
        let y = { (value: Double) in (1 - (value - low) / (high - low)) * Self.height }
        let labels = Int(((high - low) / step).rounded())
        let digits = step >= 1 ? 0 : min(3, -floorLog10(step * 1.0001))
        page.raw("<figure class=\"plot\" data-seconds=\"")
        page.number(seconds)
        page.raw("\" data-min=\"")
        page.number(low)
        page.raw("\" data-max=\"")
        page.number(high)
        page.raw("\" data-places=\"\(max(0, min(places, 6)))\" data-unit=\"")
        page.text(unit)
        page.raw("\"><figcaption>")
        page.element("b", signal)
        page.element("span", name)
        page.element("span", unit, class: "dim")
        page.raw("<output></output></figcaption>\n<div class=\"box\"><div class=\"y\">")
        for label in (0...max(1, labels)).reversed() {
            page.element("span", decimal(low + Double(label) * step, digits))
        }
        page.raw("</div><svg viewBox=\"0 0 10000 1000\" preserveAspectRatio=\"none\" role=\"img\">")
        page.element("title", "\(name) over time")
        page.raw("<path class=\"grid\" d=\"")
        for label in 0...max(1, labels) {
            page.raw("M0 ")
            page.number(Double(label) / Double(max(1, labels)) * Self.height)
            page.raw("H10000")
        }
        page.raw("\"/><path class=\"curve\" d=\"")
        // Signals with a long interval are polled rarely, so a gap depends on the usual interval.
        // The line is interrupted at gaps, because it would look like readings.
        let usual = count > 1 ? (lastSecond - firstSecond) / Double(count - 1) : 0
        let gap = max(3, usual * 4)
        var last: Point?
        for point in points {
            let isNew = last.map { point.second - $0.second > gap } ?? true
            page.raw(isNew ? "M" : "L")
            page.number((point.second / seconds * Self.width * 10).rounded() / 10)
            page.raw(" ")
            page.number(y(point.value).rounded())
            last = point
        }
        page.raw(
            """
            "/><rect class="pick" y="0" height="1000" width="0"/></svg></div>
            <div class="x">
            """)
        for label in 0...4 {
            page.element("span", clockText((seconds * Double(label) / 4).rounded()))
        }
        page.raw("</div></figure>\n")
    }

    private func decimal(_ value: Double, _ digits: Int) -> String {
        let scale = pow10(digits)
        var text: [UInt8] = []
        let rounded = (value * scale).rounded() / scale
        NumberText.append(rounded == 0 ? 0 : rounded, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

private func pow10(_ exponent: Int) -> Double {
    var result = 1.0
    for _ in 0..<abs(exponent) { result *= 10 }
    return exponent < 0 ? 1 / result : result
}

/// The exponent of the largest power of ten that is not larger than `value`, within ±12.
private func floorLog10(_ value: Double) -> Int {
    var exponent = 0
    var rest = value
    while rest >= 10 && exponent < 12 {
        rest /= 10
        exponent += 1
    }
    while rest < 1 && exponent > -12 && rest > 0 {
        rest *= 10
        exponent -= 1
    }
    return exponent
}
