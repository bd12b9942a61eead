import Formats
import OBDCore
import Testing

@testable import TerminalView

@Suite struct `A graph` {
    @Test(arguments: [
        ([0.0, 100.0], 5, [0.0, 20, 40, 60, 80, 100]), ([800, 3000], 4, [0, 1000, 2000, 3000]),
        ([21, 25], 4, [21, 22, 23, 24, 25]), ([-3, 3], 2, [-5, 0, 5]),
        ([14.1, 14.2], 2, [14.1, 14.15, 14.2]), ([0, 0], 2, [0, 0.5, 1]),
    ])
    func `round marks include all values`(
        _ values: [Double], _ count: Int, _ expected: [Double]
    ) throws {
        let axis = try #require(GraphAxis(values, marks: count))
        #expect(axis.marks.count == expected.count)
        for (mark, wanted) in zip(axis.marks, expected) { #expect(abs(mark - wanted) < 1e-9) }
        #expect(values.allSatisfy { axis.low <= $0 + 1e-9 && $0 <= axis.high + 1e-9 })
    }

    @Test(arguments: [
        [], [Double.nan], [.infinity], [-.infinity, .nan],
    ])
    func `a graph without finite values has no axis`(_ values: [Double]) {
        #expect(GraphAxis(values, marks: 4) == nil)
    }

    @Test(arguments: [
        [1e300, -1e300], [0, 1e-300], [5e18, 5e18], [Double.leastNormalMagnitude],
    ])
    func `a graph of extreme values ends`(_ values: [Double]) {
        if let axis = GraphAxis(values, marks: 4) {
            #expect(axis.marks.count < 200)
            #expect(axis.part(of: values[0]).isFinite)
        }
    }

    @Test func `a graph has two by four dots per cell`() {
        var canvas = Canvas(columns: 2, rows: 1)
        canvas.dot(0, 0)
        canvas.dot(0, 3)
        canvas.dot(3, 0, owner: 1)
        // Dots outside of the canvas are not drawn.
        canvas.dot(4, 0)
        canvas.dot(-1, 9)
        #expect(canvas.runs(0, isASCII: false).map(\.text) == ["\u{2841}", "\u{2808}"])
        #expect(canvas.runs(0, isASCII: false).map(\.owner) == [0, 1])
        #expect(canvas.runs(0, isASCII: true).map(\.text) == ["*", "+"])
    }

    @Test func `a line joins the dots`() {
        var canvas = Canvas(columns: 2, rows: 1)
        canvas.line(from: (0, 0), to: (3, 3))
        #expect(canvas.runs(0, isASCII: false).map(\.text).joined() == "\u{2811}\u{2884}")
    }
}

@Suite struct `Big digits` {
    @Test func `digits are three dots wide and five high`() {
        #expect(
            BigDigits.thin("-1.5") == [
                "     █    ███", "    ██    █  ", "███  █    ███", "     █      █", "    ███ █ ███",
            ])
        #expect(BigDigits.small("2") == ["▀▀█", "█▀▀", "▀▀▀"])
        #expect(BigDigits.large("1").map { displayWidth($0) } == Array(repeating: 6, count: 5))
        // A character without a glyph has no dots.
        #expect(BigDigits.thin("∞") == Array(repeating: "", count: 5))
    }
}
