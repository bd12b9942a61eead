import Formats
import OBDCore

extension LiveView {
    /// The colours of the signals in a graph.
    static let plotStyles: [Style] = [.accent, .warning, .second]
    /// The signs of the signals in a graph without colours.
    static let plotSigns = ["*", "+", "o"]

    /// A graph of rows over the last minutes, with axes: `size.rows` lines of `size.columns` cells.
    ///
    /// Signals of the same unit share an axis. The line above the graph shows the scale of the
    /// others. Of several graphs, one below the other, only the last needs the times.
    func graph(
        _ rows: [LiveModel.Row], window: Duration, at now: Instant, hasTimes: Bool = true,
        size: Size
    ) -> [String] {
        let left = 7
        let width = size.columns - left
        let height = size.rows - (hasTimes ? 2 : 1)
        guard width >= 20, height >= 3 else { return [] }
        let samples = rows.map { $0.trend.samples(window, at: now) }
        let wanted = max(2, min(6, height / 3))
        var axes: [GraphAxis?] = []
        for row in rows.indices {
            let values = rows.indices.filter { rows[$0].unit == rows[row].unit }
                .flatMap { samples[$0].map(\.value) }
            axes.append(GraphAxis(values, marks: wanted))
        }
        var canvas = Canvas(columns: width, rows: height)
        // Draw the first signal last, so that it covers the others.
        for place in rows.indices.reversed() {
            draw(samples[place], axes[place], window, owner: UInt8(place), on: &canvas)
        }
        let lines = (0..<height).map { line in
            label(axes.first ?? nil, line, height, left)
                + canvas.runs(line, isASCII: isASCII).map { run in
                    palette(Self.plotStyles[Int(run.owner) % 3], run.text)
                }.joined()
        }
        return [legend(rows, axes, size.columns)] + lines
            + (hasTimes ? [timeAxis(window, left, width)] : [])
    }

    private func draw(
        _ samples: [Trend.Sample], _ axis: GraphAxis?, _ window: Duration, owner: UInt8,
        on canvas: inout Canvas
    ) {
        guard let axis else { return }
        var last: (x: Int, y: Int)?
        for sample in samples {
            guard sample.value.isFinite else {
                last = nil
                continue
            }
            let part = 1 - sample.age / window.seconds
            let point = (
                x: Int((part * Double(canvas.width - 1)).rounded()),
                y: Int(((1 - axis.part(of: sample.value)) * Double(canvas.height - 1)).rounded())
            )
            if let last, !sample.isBehindGap {
                canvas.line(from: last, to: point, owner: owner)
            } else {
                canvas.dot(point.x, point.y, owner: owner)
            }
            last = point
        }
    }

    /// The axis mark on a line of the graph: `  3000 ┤`.
    private func label(_ axis: GraphAxis?, _ line: Int, _ height: Int, _ width: Int) -> String {
        let mark = axis?.marks.first { mark in
            Int(((1 - (axis?.part(of: mark) ?? 0)) * Double(height - 1)).rounded()) == line
        }
        guard let axis, let mark else { return fitted("│", width, right: true) }
        return fitted(axis.label(mark), width - 1, right: true) + "┤"
    }

    /// The names of the signals in their colours, with the scale if the axis shows another one.
    private func legend(
        _ rows: [LiveModel.Row], _ axes: [GraphAxis?], _ width: Int
    ) -> String {
        func entries(_ name: KeyPath<LiveModel.Row, String>) -> [String] {
            rows.enumerated().map { place, row in
                var words =
                    (isASCII || !palette.isOn ? Self.plotSigns[place % 3] : "●") + " "
                    + row[keyPath: name]
                if !row.unit.isEmpty { words += ", \(row.unit)" }
                if row.unit != rows[0].unit, let axis = axes[place] {
                    words += " (\(axis.label(axis.low)) to \(axis.label(axis.high)))"
                }
                return self.words(words)
            }
        }
        var names = entries(\.name)
        if names.map({ displayWidth($0) + 3 }).reduce(0, +) - 3 > width { names = entries(\.id) }
        var text = ""
        var used = 0
        for (place, name) in names.enumerated() {
            let shown = fitted(name, max(0, min(displayWidth(name), width - used)))
            text += palette(Self.plotStyles[place % 3], shown)
            used += displayWidth(shown)
            guard used + 3 < width, place + 1 < names.count else { break }
            text += "   "
            used += 3
        }
        return text + String(repeating: " ", count: max(0, width - used))
    }

    /// Round times below a graph: `-2 min`, `-1 min`, `now`.
    private func timeAxis(_ window: Duration, _ left: Int, _ width: Int) -> String {
        let seconds = window.seconds
        let step = [10.0, 30, 60, 120, 300].first { seconds / $0 <= Double(width) / 12 } ?? 300
        var cells = Array(repeating: Character(" "), count: left + width)
        var age = (seconds / step).rounded(.down) * step
        while age >= 0 {
            let words = age == 0 ? "now" : Self.ago(age)
            let place = left + Int(((1 - age / seconds) * Double(width - 1)).rounded())
            let start = min(max(left, place - words.count / 2), left + width - words.count)
            if start >= left,
                cells[max(left, start - 1)..<start + words.count].allSatisfy({ $0 == " " })
            {
                cells.replaceSubrange(start..<start + words.count, with: words)
            }
            age -= step
        }
        return String(cells)
    }

    /// `-30 s`, `-1:30`, `-2 min`.
    private static func ago(_ seconds: Double) -> String {
        if seconds < 60 { return "-\(fixed(seconds, 0)) s" }
        let (minutes, rest) = (Int(seconds) / 60, Int(seconds) % 60)
        return rest == 0 ? "-\(minutes) min" : "-\(minutes):\(rest)"
    }
}
