import Diagnostics
import Formats
import OBDCore

/// The width of each column; 0 = hidden.
struct LiveColumns {
    var name = 0
    var id = 0
    var ecu = 0
    /// Whether there is room for the function of each ECU: `Engine (7E8)`.
    private var namesECUs = false
    private let names: ECUNames
    var value = 0
    var unit = 0
    /// The mark, or mark and word, of an unusual value.
    var level = 0
    /// Cells of the bar without its scale.
    var bar = 0
    /// Cells of the number at the end of the scale.
    var barEnd = 0
    var extremes = 0
    var trend = 0
    var age = 0

    /// Widths of trends that show a round time: 10 s to 4 minutes.
    private static let trends = [120, 90, 60, 30, 15, 10, 5]

    /// Distributes the width: first to the columns for reading a value, then to the columns that explain it.
    ///
    /// The first cell of a line shows an alarm, the cursor, or the sign of a signal in the graph.
    init(_ model: LiveModel, shown places: [Int], isASCII: Bool, width: Int) {
        names = model.names
        let rows = places.map { model.rows[$0] }
        let cells = { (text: String) in displayWidth(isASCII ? asciiWords(text) : text) }
        let longestName = rows.map { cells($0.name) }.max() ?? 0
        let longestID = rows.map { displayWidth($0.id) }.max() ?? 6
        let longestUnit = rows.map { cells($0.remark) }.max() ?? 4
        value = 7
        unit = max(4, min(longestUnit, 8))
        name = max(6, min(longestName, max(14, width * 33 / 100)))
        var rest = width - 1 - name - 1 - value - 1 - unit
        if rest < 0 {
            name = max(6, name + rest)
            unit = max(0, min(unit, width - 1 - name - 1 - value - 1))
            value = max(0, min(value, width - 1 - name - 2 - unit))
        }
        func take(_ cells: Int) -> Int {
            guard rest >= cells + 1 else { return 0 }
            rest -= cells + 1
            return cells
        }
        age = take(4)
        if rows.contains(where: \.isJudged) { level = take(2) }
        if Set(rows.compactMap(\.ecu)).count > 1 {
            namesECUs = width >= 100
            ecu = take(rows.map { ecuText($0.ecu).count }.reduce(3, max))
        }
        let hasBars = rows.contains { $0.scale != nil }
        if hasBars {
            // Room for a bar, a separator and the number; the minimum keeps the width as the scale
            // grows.
            barEnd = max(4, rows.compactMap { $0.scale.map { cells($0.label) } }.max() ?? 0)
        }
        let least = 5 + 1 + barEnd
        // On a narrow terminal the bar is more useful than the short name.
        if hasBars, rest < longestID + 1 + least + 1 { bar = max(0, take(least) - 1 - barEnd) }
        id = take(max(6, min(longestID, width >= 100 ? 20 : 12)))
        if hasBars, bar == 0 { bar = max(0, take(least) - 1 - barEnd) }
        trend = take(10)
        if rest >= 16 {
            extremes = take(7)
            _ = take(extremes)
        }
        if level > 0, rest >= 12 {
            level += 9
            rest -= 9
        }
        let more = max(0, min(min(longestName, 44) - name, rest))
        name += more
        rest -= more
        // The rest of the width goes to bars and trends.
        if bar > 0 {
            let share = min(24 - bar, trend > 0 ? rest / 2 : rest)
            bar += max(0, share)
            rest -= max(0, share)
            // The middle of a centred bar needs its own cell, so the width is odd.
            if bar % 2 == 0 {
                bar -= 1
                value += 1
            }
        }
        if trend > 0 {
            let room = trend + rest
            trend = Self.trends.first { $0 <= room } ?? trend
        }
    }

    func ecuText(_ ecu: ECUAddress?) -> String {
        namesECUs ? names.title(of: ecu, none: "") : ecu?.description ?? ""
    }

    /// Cells for words in place of a number: from the value up to the age.
    var words: Int {
        value + 1 + unit + (level > 0 ? 1 + level : 0) + (bar > 0 ? 2 + bar + barEnd : 0)
            + 2 * (extremes > 0 ? extremes + 1 : 0) + (trend > 0 ? 1 + trend : 0)
    }

    /// The heading with the time that this many cells show: `LAST 20 s`.
    private static func trendHeading(_ cells: Int) -> String {
        let seconds = Double(cells) * Trend.slot.seconds
        return "LAST "
            + (seconds < 60 ? fixed(seconds, 0) + " s" : fixed(seconds / 60, 0) + " min")
    }

    var heading: String {
        var cells = [fitted(" SIGNAL", name + 1)]
        if id > 0 { cells.append(fitted("", id)) }
        if ecu > 0 { cells.append(fitted("ECU", ecu)) }
        cells.append(fitted("VALUE", value, right: true))
        cells.append(fitted("UNIT", unit))
        if level > 0 { cells.append(fitted("", level)) }
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
