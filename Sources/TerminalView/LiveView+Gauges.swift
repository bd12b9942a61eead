import Formats
import Glibc
import OBDCore

/// Dials: one per signal that has a scale.
extension LiveView {
    /// How dials share the screen.
    package struct GaugeGrid: Hashable, Sendable {
        /// Lines of the half circle of each dial.
        var arcRows = 4
        /// Dials per screen row.
        package var columns = 1
        /// Cells across for each dial.
        var width = 26
        /// Screen rows of dials that fit.
        package var rows = 1

        /// Lines of a dial with its name, its value and its borders.
        var height: Int { arcRows + 4 }

        /// The signals that a driver needs first.
        private static let usual = 8

        /// The largest dials such that `count` dials fit at once.
        ///
        /// If not even the smallest dials all fit, the largest of which eight fit, so that the screen shows what
        /// a driver needs first; the smallest if eight do not fit either.
        init(_ size: Size, count: Int) {
            let most = size.columns / Self.leastWidth(4) * (size.rows / 8)
            let wanted = max(1, count > most ? min(count, Self.usual) : count)
            for arcRows in 4...16 {
                let least = Self.leastWidth(arcRows)
                let columns = size.columns / least
                let rows = size.rows / (arcRows + 4)
                guard arcRows == 4 || columns * rows >= wanted else { continue }
                self.arcRows = arcRows
                self.rows = max(1, rows)
                // Fill the screen rows evenly, and give the rest of the width to each dial.
                let used = max(1, min(rows, (count + max(1, columns) - 1) / max(1, columns)))
                self.columns = max(1, min(columns, (max(1, count) + used - 1) / used))
                width = max(least, size.columns / self.columns)
            }
        }

        static func leastWidth(_ arcRows: Int) -> Int { 5 * arcRows + 6 }
    }

    /// The least width of a screen that shows dials.
    static let leastGauge = GaugeGrid.leastWidth(4)

    /// As many dials as fit, including the selected one.
    func gauges(_ model: LiveModel, _ now: Instant, _ size: Size) -> (lines: [String], count: Int) {
        let shown = model.shown
        let grid = GaugeGrid(size, count: shown.count)
        let (columns, rows) = (grid.columns, grid.rows)
        let first = max(
            0, min(model.scroll / columns, (shown.count + columns - 1) / columns - rows))
        let seen = shown.dropFirst(first * columns).prefix(rows * columns)
        var lines: [String] = []
        var rest = seen[...]
        while !rest.isEmpty {
            let dials = rest.prefix(columns).map { place in
                dial(
                    model.rows[place], now, grid, isChosen: place == model.cursor,
                    hasReadings: model.readings > 0)
            }
            for line in 0..<grid.height {
                lines.append(dials.map { $0[line] }.joined())
            }
            rest = rest.dropFirst(columns)
        }
        return (Array(lines.prefix(size.rows)), seen.count)
    }

    /// A half circle with the value below it; a word if there is no number.
    private func dial(
        _ row: LiveModel.Row, _ now: Instant, _ grid: GaugeGrid, isChosen: Bool,
        hasReadings: Bool
    ) -> [String] {
        let width = grid.width - 2
        let rows = grid.arcRows + 3
        let blank = String(repeating: " ", count: grid.width)
        let isStale = Self.isStale(row, now)
        let plainStyle: Style? = isStale ? .dim : nil
        func line(_ text: String, _ style: Style?) -> String {
            let text = displayWidth(text) > width ? fitted(text, width) : text
            let left = (width - displayWidth(text)) / 2
            let body = style.map { palette($0, text) } ?? text
            return String(repeating: " ", count: left + 1) + body
                + String(repeating: " ", count: grid.width - left - 1 - displayWidth(text))
        }
        let mark = row.isAlarming ? "! " : ""
        // A short name is clearer than the beginning of a long one.
        let isLong = displayWidth(words(mark + row.name)) > width
        let name = words(mark + (isLong ? row.id : row.name))
        let title = line(name, isChosen ? .inverse : row.isAlarming ? .bad : plainStyle)
        guard let number = row.number else {
            let text = row.words(hasReadings: hasReadings) ?? "—"
            let words = Formats.folded(self.words(text), to: width, hanging: 0).prefix(3)
            let body = [blank, blank] + words.map { line($0, plainStyle ?? .bold) }
            return [title] + (body + Array(repeating: blank, count: rows)).prefix(rows)
        }
        let style = valueStyle(row, isStale)
        let value =
            fixed(number, row.decimals) + (row.remark.isEmpty ? "" : " " + words(row.remark))
        let word = row.level.map { " \(Self.shape($0.level)) \($0.word)" } ?? ""
        guard let scale = row.scale else {
            let text = fixed(number, row.decimals)
            let digits = isASCII ? [""] : BigDigits.small(text)
            let big =
                !isASCII && displayWidth(digits[0]) <= width
                ? digits.map { line($0, style) }
                : [
                    blank, line(text, style), blank,
                ]
            let above = Array(repeating: blank, count: max(1, (rows - 4) / 2))
            let body = above + big + [line(words(row.remark) + word, plainStyle)]
            return [title] + (body + Array(repeating: blank, count: rows)).prefix(rows)
        }
        let arc = arc(row, scale, number, grid.arcRows, style)
        let ends =
            scale.isCentred
            ? ("-" + scale.label.dropFirst(), String(scale.label.dropFirst())) : ("0", scale.label)
        let across = 5 * grid.arcRows
        let gap = max(1, across - displayWidth(ends.0) - displayWidth(ends.1))
        let left = (grid.width - across) / 2
        let (before, after) = (
            String(repeating: " ", count: left),
            String(repeating: " ", count: grid.width - across - left)
        )
        return [title] + arc.map { before + $0 + after }
            + [
                line(ends.0 + String(repeating: " ", count: gap) + ends.1, plainStyle),
                line(value + word, style), blank,
            ]
    }

    /// A half circle that is thick up to the value.
    ///
    /// A large one also shows the limits of usual
    /// values, the least and the greatest value, and the value in large digits.
    private func arc(
        _ row: LiveModel.Row, _ scale: BarScale, _ number: Double, _ rows: Int, _ style: Style
    ) -> [String] {
        var canvas = Canvas(columns: 5 * rows, rows: rows)
        let radius = Double(canvas.width) / 2 - 0.5
        let height = Double(canvas.height) - 0.5
        let steps = 30 * rows
        let place = { (value: Double) in
            scale.isCentred ? 0.5 + scale.part(of: value) / 2 : scale.part(of: value)
        }
        func dot(_ at: Double, _ inner: Double, owner: UInt8) {
            let angle = Double.pi * (1 - at)
            canvas.dot(
                Int((radius + cos(angle) * radius * inner).rounded()),
                Int((height - sin(angle) * height * inner).rounded()), owner: owner)
        }
        let (from, to) = (scale.isCentred ? 0.5 : 0, place(number))
        let styles: [UInt8: Style] = [1: style, 2: .warning, 3: .bad, 4: .second]
        let isLarge = rows >= 6
        let thickness = isLarge ? rows : 5
        let step = 0.22 / Double(thickness - 1)
        for index in 0...steps {
            let at = Double(index) / Double(steps)
            let isFilled = at >= min(from, to) - 1e-9 && at <= max(from, to) + 1e-9
            let value = scale.isCentred ? (at * 2 - 1) * scale.end : at * scale.end
            let level = isLarge ? row.shownLevels.rule(for: value)?.level : nil
            for inset in 0..<(isFilled ? thickness : 1) {
                dot(at, 1 - Double(inset) * step, owner: isFilled ? 1 : 0)
            }
            if let level, level != .note { dot(at, 0.72, owner: level.isGrave ? 3 : 2) }
        }
        if isLarge {
            for extreme in [row.minimum, row.maximum].compactMap(\.self) {
                for inset in 0..<thickness {
                    dot(place(extreme), 1 - Double(inset) * step, owner: 4)
                }
            }
        }
        // The lowest lines have the value in digits, with as many decimals as the half circle leaves room for.
        let fits = { (digits: [String]) in displayWidth(digits[0]) <= 5 * rows * 2 / 3 - 2 }
        let decimals = (0...max(0, row.decimals)).last {
            fits(BigDigits.small(fixed(scale.end, $0)))
        }
        let value = decimals.map { BigDigits.small(fixed(number, $0)) }
        let digits = isLarge && !isASCII ? value.flatMap { fits($0) ? $0 : nil } ?? [] : []
        let cells = digits.first.map(displayWidth) ?? 0
        let left = (5 * rows - cells) / 2
        return (0..<rows).map { line in
            let runs = canvas.runs(line, isASCII: isASCII)
            let place = line - (rows - digits.count)
            guard digits.indices.contains(place) else {
                return styled(runs, 0..<5 * rows)
            }
            return styled(runs, 0..<left) + palette(style, digits[place])
                + styled(runs, left + cells..<5 * rows)
        }
        func styled(_ runs: [(text: String, owner: UInt8)], _ cells: Range<Int>) -> String {
            var (text, first) = ("", 0)
            for run in runs {
                let part = run.text.dropFirst(max(0, cells.lowerBound - first))
                    .prefix(max(0, cells.upperBound - max(first, cells.lowerBound)))
                first += run.text.count
                text += styles[run.owner].map { palette($0, String(part)) } ?? String(part)
                if first >= cells.upperBound { break }
            }
            return text
        }
    }
}
