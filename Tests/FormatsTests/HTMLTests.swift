import Diagnostics
import OBDCore
import Testing

@testable import Formats

@Suite struct `Pages` {
    /// Names that users or vehicles may give.
    ///
    /// None of them may become markup.
    static let hostile = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'onload='x",
        "a & b &amp; c",
        "</title></style><script>", "]]><!--", "\u{1B}[2J\u{0}", "\u{202E}gpj.exe", "\u{2028}`${x}",
    ]

    private func page(_ name: String) -> String {
        var plot = LinePlot(signal: name, name: name, unit: name, places: 1, seconds: 10)
        for second in 0...10 { plot.take(Double(second), at: Double(second)) }
        var page = HTMLPage(title: name, lead: name)
        page.section(name) {
            $0.facts([(name, name)])
            $0.table([.init(name)], [[.init(name, "n")]])
            $0.element("p", name)
        }
        page.plots(name, [plot])
        return String(decoding: page.bytes, as: UTF8.self)
    }

    /// The tags of a document, without the contents of script and style.
    private func tags(_ page: String) -> [String] {
        page.split(separator: "<").dropFirst().map { String($0.prefix { $0 != ">" && $0 != " " }) }
    }

    /// On a phone the rows of wide tables become blocks, which need the names of the columns.
    @Test(arguments: [(3, false), (4, true)])
    func `cells of tables with many columns carry the escaped name of their column`(
        columns: Int, isStacked: Bool
    ) {
        var table = HTMLText()
        table.table(
            (0..<columns).map { .init("<\($0)\">") },
            [(0..<columns).map { .init("v\($0)", $0 == 1 ? "n" : nil) }])
        let html = String(decoding: table.bytes, as: UTF8.self)
        #expect(html.contains("class=\"many\"") == isStacked)
        let label = isStacked ? " data-label=\"&lt;1&quot;&gt;\"" : ""
        #expect(html.contains("<td\(label) class=\"n\">v1</td>"))
        #expect(html.ranges(of: "data-label").count == (isStacked ? columns : 0))
    }

    /// The text of each picture's first bytes is known from RFC 4648 and from pages of the web.
    @Test(arguments: [
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png;base64,iVBORw0KGgo="),
        ([0xFF, 0xD8, 0xFF], "image/jpeg;base64,/9j/"),
        (Array("<svg".utf8), "image/svg+xml;base64,PHN2Zw=="),
    ])
    func `a page contains its logo, and the policy allows no other picture`(
        bytes: [UInt8], text: String
    ) throws {
        var page = HTMLPage(title: "t", lead: "l")
        let plain = String(decoding: page.bytes, as: UTF8.self)
        let logo = try #require(PageLogo(bytes))
        page.logo = logo
        page.letterhead = ["Garage <1>", "Street 1"]
        let html = String(decoding: page.bytes, as: UTF8.self)
        #expect(html.contains("src=\"data:\(text)\""))
        #expect(html.contains("<p class=\"name\">Garage &lt;1&gt;</p><p>Street 1</p>"))
        #expect(html.contains("img-src data:") && !plain.contains("img-src"))
        #expect(html.hasPrefix(HTMLPage.beginning) && plain.hasPrefix(HTMLPage.beginning))
    }

    @Test func `a file that is not a picture, or is too large, is refused as a logo`() {
        #expect(PageLogo(Array("GIF89a".utf8)) == nil && PageLogo([]) == nil)
        let large = [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0, count: PageLogo.mostBytes)
        #expect(PageLogo(large) == nil)
    }

    @Test func `the foot of a page cannot end the style sheet`() {
        var page = HTMLPage(title: "t", lead: "l")
        #expect(!String(decoding: page.bytes, as: UTF8.self).contains("@bottom-right"))
        page.foot = "A\"B\\C</style>\n1"
        let html = String(decoding: page.bytes(on: .a4), as: UTF8.self)
        #expect(html.contains("content: \"A\\22 B\\5c C\\3c /style>\\a 1\""))
        #expect(html.contains("counter(page) \" of \" counter(pages)"))
        #expect(html.ranges(of: "</style>").count == 1)
    }

    @Test(arguments: hostile)
    func `names are never written as HTML markup`(name: String) {
        let page = page(name)
        // The page has the same elements as with a harmless name, and no additional attribute.
        #expect(tags(page) == tags(self.page("harmless")))
        #expect(!page.contains("onerror=alert(1)>") || page.contains("onerror=alert(1)&gt;"))
        for scalar in page.unicodeScalars {
            #expect(scalar.value >= 0x20 || scalar == "\n")
            #expect(!(0x202A...0x202E).contains(scalar.value))
        }
    }

    // ISO 216 and Unicode CLDR (paperSize); PAPERSIZE is that of paperconf.
    @Test(arguments: [
        (String?.none, String?.none, "A4"), (nil, "C.UTF-8", "A4"), (nil, "de_DE.UTF-8", "A4"),
        (nil, "en_GB", "A4"), (nil, "en_US.UTF-8", "letter"), (nil, "fr_CA@euro", "letter"),
        (nil, "es_MX.UTF-8", "letter"), (nil, "en", "A4"), ("a4", "en_US.UTF-8", "A4"),
        ("Letter", "de_DE.UTF-8", "letter"), ("tabloid", "en_US.UTF-8", "letter"),
    ])
    func `the paper size is that of the country`(
        _ name: String?, _ locale: String?, _ expected: String
    ) {
        var page = HTMLPage(title: "t", lead: "l")
        page.section("s") { $0.element("p", "x") }
        let printed = String(
            decoding: page.bytes(on: Paper(name: name, locale: locale)), as: UTF8.self)
        #expect(printed.contains("@page { size: \(expected); }"))
        // A browser asks the reader.
        #expect(!String(decoding: page.bytes, as: UTF8.self).contains("size: \(expected)"))
    }

    // WCAG wants regions of a page to have names that differ.
    @Test func `a table on a page has the name of its section`() {
        var page = HTMLPage(title: "t", lead: "l")
        for heading in ["Codes", "Tests"] {
            page.section(heading) { $0.table([.init("head")], [[.init("cell")]]) }
        }
        let text = String(decoding: page.bytes, as: UTF8.self)
        for heading in ["Codes", "Tests"] {
            #expect(text.ranges(of: "aria-label=\"\(heading)\"").count == 1)
        }
    }

    @Test func `a page loads nothing from elsewhere`() {
        let page = page("x")
        for word in ["http:", "https:", "src=", "href=", "url(", "@import", "import("] {
            #expect(!page.contains(word), "\(word)")
        }
        #expect(page.contains("default-src 'none'"))
    }

    @Test func `a curve has the extremes of all values, in few points`() throws {
        var plot = LinePlot(signal: "S", name: "Signal", unit: "", places: 0, seconds: 1000)
        for step in 0..<100_000 {
            plot.take(step == 51_234 ? 990 : step == 7 ? -10 : 100, at: Double(step) / 100)
        }
        var text = HTMLText()
        plot.append(to: &text)
        let figure = String(decoding: text.bytes, as: UTF8.self)
        #expect(figure.contains("data-min=\"-500\"") && figure.contains("data-max=\"1000\""))
        let curve = try #require(
            figure.split(separator: "class=\"curve\" d=\"").last?.prefix { $0 != "\"" })
        let points = curve.split { $0 == "M" || $0 == "L" }
        #expect(points.count <= 4 * LinePlot.buckets)
        let heights = points.compactMap { Double($0.split(separator: " ")[1]) }
        // (1000 − 990) / 1500 and (1000 + 10) / 1500 of 1000.
        #expect(heights.min() == 7 && heights.max() == 673)
    }

    @Test func `a pause is a gap in the curve, a slow signal does not make gaps`() throws {
        func strokes(_ seconds: [Double]) -> Int {
            var plot = LinePlot(signal: "S", name: "S", unit: "", places: 0, seconds: 1000)
            for second in seconds { plot.take(1, at: second) }
            var text = HTMLText()
            plot.append(to: &text)
            let figure = String(decoding: text.bytes, as: UTF8.self)
            let curve = figure.split(separator: "class=\"curve\" d=\"").last?.prefix { $0 != "\"" }
            return curve?.count { $0 == "M" } ?? 0
        }
        #expect(strokes((0...100).map(Double.init) + (500...600).map(Double.init)) == 2)
        #expect(strokes(stride(from: 0.0, through: 1000, by: 60).map { $0 }) == 1)
        // The link was lost for eight seconds.
        let fast = stride(from: 0.0, through: 20, by: 0.05).filter { !(5...13).contains($0) }
        #expect(strokes(fast) == 2)
        #expect(strokes([.nan, -1, 2000]) == 0)
    }

    @Test func `the largest numbers are drawn or left out`() {
        for values in [
            [-1e308, 1e308], [-1e300, 1e300], [1e300], [0, .leastNonzeroMagnitude], [0],
        ] {
            var plot = LinePlot(signal: "S", name: "S", unit: "", places: 0, seconds: 10)
            for (second, value) in values.enumerated() { plot.take(value, at: Double(second)) }
            #expect(plot.isEmpty == (values[0] == -1e308))
            if plot.isEmpty { continue }
            var text = HTMLText()
            plot.append(to: &text)
            let figure = String(decoding: text.bytes, as: UTF8.self)
            #expect(!figure.contains("nan") && !figure.contains("inf"), "\(values)")
        }
    }

    @Test func `a map keeps its proportions, also across the date line`() {
        // cos 60° is a half. The value for 48° is from a table of cosines.
        #expect(abs(TrackMap.cosine(60) - 0.5) < 1e-6)
        #expect(abs(TrackMap.cosine(48) - 0.669131) < 1e-6)
        func drawing(_ places: [(Double, Double)]) -> String {
            let points = places.enumerated().map { index, place in
                TrackPoint(
                    time: UTC(microseconds: Int64(index) * 1_000_000), latitude: place.0,
                    longitude: place.1)
            }
            var text = HTMLText()
            TrackMap(points).append(to: &text)
            return String(decoding: text.bytes, as: UTF8.self)
        }
        let east = drawing([(0, 179.9), (0, 179.95), (0, 179.99)])
        let across = drawing([(0, 179.96), (0, -179.99), (0, -179.95)])
        #expect(east.split(separator: "\"").first { $0.hasPrefix("M50 ") } != nil)
        // Both tracks go east by 0.09°.
        #expect(east.contains("<path d=\"M50 ") && across.contains("<path d=\"M50 "))
        #expect(drawing([]).isEmpty)
        #expect(drawing([(48, 11)]).contains("circle"))
    }
}
