import Formats
import Glibc
import OBDCore

/// Dials: one per signal that has a scale.
extension LiveView {
    /// Size of a dial with its borders.
    static let gauge = Size(columns: 26, rows: 8)

    /// The number of dials per screen row.
    package static func gaugeColumns(_ width: Int) -> Int { max(1, width / gauge.columns) }

    /// As many dials as fit, including the selected one.
    func gauges(_ model: LiveModel, _ now: Instant, _ size: Size) -> (lines: [String], count: Int) {
        let columns = Self.gaugeColumns(size.columns)
        let shown = model.shown
        let rows = max(1, size.rows / Self.gauge.rows)
        let first = max(
            0, min(model.scroll / columns, (shown.count + columns - 1) / columns - rows))
        let seen = shown.dropFirst(first * columns).prefix(rows * columns)
        var lines: [String] = []
        var rest = seen[...]
        while !rest.isEmpty {
            let dials = rest.prefix(columns).map { place in
                dial(
                    model.rows[place], now, isChosen: place == model.cursor,
                    hasReadings: model.readings > 0)
            }
            for line in 0..<Self.gauge.rows {
                lines.append(dials.map { $0[line] }.joined())
            }
            rest = rest.dropFirst(columns)
        }
        return (Array(lines.prefix(size.rows)), seen.count)
    }

    /// A half circle with the value below it; a word if there is no number.
    private func dial(
        _ row: LiveModel.Row, _ now: Instant, isChosen: Bool, hasReadings: Bool
    ) -> [String] {
        let width = Self.gauge.columns - 2
        let blank = String(repeating: " ", count: Self.gauge.columns)
        let isStale = Self.isStale(row, now)
        let plainStyle: Style? = isStale ? .dim : nil
        func line(_ text: String, _ style: Style?) -> String {
            let text = displayWidth(text) > width ? fitted(text, width) : text
            let left = (width - displayWidth(text)) / 2
            let body = style.map { palette($0, text) } ?? text
            return String(repeating: " ", count: left + 1) + body
                + String(repeating: " ", count: Self.gauge.columns - left - 1 - displayWidth(text))
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
            return [title] + (body + Array(repeating: blank, count: 7)).prefix(7)
        }
        let style = valueStyle(row, isStale)
        let value = fixed(number, row.decimals) + (row.unit.isEmpty ? "" : " " + words(row.unit))
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
            return [title, blank] + big + [line(words(row.unit) + word, plainStyle), blank, blank]
        }
        let arc = arc(scale.part(of: number), isCentred: scale.isCentred, style)
        let ends =
            scale.isCentred
            ? ("-" + scale.label.dropFirst(), String(scale.label.dropFirst())) : ("0", scale.label)
        let gap = max(1, 20 - displayWidth(ends.0) - displayWidth(ends.1))
        return [title] + arc.map { "   " + $0 + "   " }
            + [
                line(ends.0 + String(repeating: " ", count: gap) + ends.1, plainStyle),
                line(value + word, style), blank,
            ]
    }

    /// Four lines of twenty cells: a half circle that is thick up to the value.
    private func arc(_ part: Double, isCentred: Bool, _ style: Style) -> [String] {
        let (columns, rows) = (20, 4)
        var canvas = Canvas(columns: columns, rows: rows)
        let radius = Double(canvas.width) / 2 - 0.5
        let height = Double(canvas.height) - 0.5
        let steps = 120
        let from = isCentred ? 0.5 : 0
        let to = isCentred ? 0.5 + part / 2 : part
        for step in 0...steps {
            let at = Double(step) / Double(steps)
            let angle = Double.pi * (1 - at)
            let isFilled = at >= min(from, to) - 1e-9 && at <= max(from, to) + 1e-9
            for inset in 0..<(isFilled ? 5 : 1) {
                let inner = 1 - Double(inset) * 0.055
                canvas.dot(
                    Int((radius + cos(angle) * radius * inner).rounded()),
                    Int((height - sin(angle) * height * inner).rounded()),
                    owner: isFilled ? 1 : 0)
            }
        }
        return (0..<rows).map { row in
            canvas.runs(row, isASCII: isASCII).map { run in
                run.owner == 1 ? palette(style, run.text) : run.text
            }.joined()
        }
    }
}
