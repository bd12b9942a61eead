import Formats

/// How wide each column is; 0 = not shown.
struct LiveColumns {
    var id = 0
    var name = 0
    var ecu = 0
    var value = 0
    var unit = 0
    /// Cells of the bar itself.
    var bar = 0
    /// Cells of the end of its scale.
    var barEnd = 0
    var extremes = 0
    var trend = 0
    var age = 0

    /// Gives the width out: first what is needed to read a value, then what explains it.
    init(_ model: LiveModel, isASCII: Bool, width: Int) {
        let shown = { (text: String) in displayWidth(isASCII ? asciiWords(text) : text) }
        let longestID = model.rows.map { displayWidth($0.id) }.max() ?? 6
        let longestUnit = model.rows.map { shown($0.unit) }.max() ?? 4
        id = max(6, min(longestID, width >= 100 ? 20 : 12))
        value = 9
        unit = max(4, min(longestUnit, 8))
        var rest = width - id - value - unit - 2
        if rest < 0 {
            unit = max(0, unit + rest)
            value = max(0, width - id - unit - 2)
        }
        func take(_ cells: Int) -> Int {
            guard rest >= cells + 1 else { return 0 }
            rest -= cells + 1
            return cells
        }
        age = take(5)
        if model.namesECUs {
            ecu = take(model.rows.map { $0.ecu?.description.count ?? 0 }.reduce(3, max))
        }
        let longestName = model.rows.map { shown($0.name) }.max() ?? 0
        // Short names that are numbers say nothing alone.
        if model.rows.contains(where: { $0.id.hasPrefix("SPN") }) {
            name = take(min(longestName, 28, max(16, rest - 12)))
        }
        if let end = model.rows.compactMap({ $0.scale.map { shown($0.label) } }).max() {
            // Room for a bar, a line at its end and the number there; not less as the scale grows.
            barEnd = max(4, end)
            bar = max(0, take(5 + 1 + barEnd) - 1 - barEnd)
        }
        if rest >= 16 {
            extremes = take(7)
            _ = take(extremes)
        }
        trend = take(10)
        if name > 0 {
            let more = max(0, min(min(longestName, 36) - name, rest - 6))
            name += more
            rest -= more
        } else if rest >= 24 {
            name = take(min(longestName, max(26, min(36, rest - 12)), rest - 1))
        }
        // What is left goes to the pictures.
        if bar > 0 {
            let share = min(24 - bar, trend > 0 ? rest / 2 : rest)
            bar += max(0, share)
            rest -= max(0, share)
            // The middle is a cell.
            if bar % 2 == 0 {
                bar -= 1
                value += 1
            }
        }
        if trend > 0 { trend += max(0, min(rest, 50)) }
    }

    /// Cells of what is not a number: all up to the age.
    var words: Int {
        value + 1 + unit + (bar > 0 ? 2 + bar + barEnd : 0) + 2 * (extremes > 0 ? extremes + 1 : 0)
            + (trend > 0 ? 1 + trend : 0)
    }

    /// How much time this many cells show: `TREND 36 s`.
    private static func trendHeading(_ cells: Int) -> String {
        let seconds = Double(cells) * Trend.slot.seconds
        return "TREND "
            + (seconds < 100 ? fixed(seconds, 0) + " s" : fixed(seconds / 60, 0) + " min")
    }

    var heading: String {
        var cells = [fitted("SIGNAL", id)]
        if name > 0 { cells.append(fitted("NAME", name)) }
        if ecu > 0 { cells.append(fitted("ECU", ecu)) }
        cells.append(fitted("VALUE", value, right: true))
        cells.append(fitted("UNIT", unit))
        if bar > 0 { cells.append(fitted("", bar + 1 + barEnd)) }
        if extremes > 0 {
            cells.append(fitted("MIN", extremes, right: true))
            cells.append(fitted("MAX", extremes, right: true))
        }
        if trend > 0 { cells.append(fitted(Self.trendHeading(trend), trend)) }
        if age > 0 { cells.append(fitted("AGE", age, right: true)) }
        return cells.joined(separator: " ")
    }
}
