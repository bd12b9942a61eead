import Diagnostics
import Formats
import OBDCore

/// One line per signal; with enough room a graph below the lines, or a second column.
extension LiveView {
    /// The width of each of two columns of lines.
    private static let halfWidth = 78
    /// The least height of a graph below the lines.
    private static let leastGraph = 9

    /// The number of signals on one screen, for the keys that turn pages.
    package static func room(_ size: Size, _ model: LiveModel) -> Int {
        if model.mode == .gauges {
            let grid = grid(size, model)
            return grid.rows * grid.columns
        }
        let (lines, isDouble) = listShape(
            Size(columns: size.columns, rows: size.rows - 5), model)
        return max(1, isDouble ? lines * 2 : lines)
    }

    /// The signals in each column below its heading; two columns have the same number of signals.
    private static func listShape(
        _ size: Size, _ model: LiveModel
    ) -> (lines: Int, isDouble: Bool) {
        let (room, count) = (listRoom(size.rows, model), model.shown.count)
        guard count > room, size.columns >= 2 * halfWidth + 2 else { return (room, false) }
        return (min(room, (count + 1) / 2), true)
    }

    /// The number of signals below each other, without the heading and the line of constants.
    private static func listRoom(_ rows: Int, _ model: LiveModel) -> Int {
        max(0, rows - 1 - (rows >= leastConstants && !model.constantRows.isEmpty ? 1 : 0))
    }

    /// The least height of a list that has a line of constants.
    private static let leastConstants = 8

    /// The dials of a screen, without its header and footer.
    package static func grid(_ size: Size, _ model: LiveModel) -> GaugeGrid {
        GaugeGrid(
            Size(columns: size.columns, rows: max(0, size.rows - 5)), count: model.shown.count)
    }

    func list(
        _ model: LiveModel, _ now: Instant, _ size: Size
    ) -> (lines: [String], footer: String) {
        let places = model.shown
        let (room, isDouble) = Self.listShape(size, model)
        let count = isDouble ? room * 2 : room
        let first = max(0, min(model.scroll, places.count - count))
        let seen = Array(places.dropFirst(first).prefix(count))
        let footer = keys(of: model, seen: seen.count, from: first, size.columns)
        let width = isDouble ? (size.columns - 2) / 2 : size.columns
        let columns = LiveColumns(model, shown: places, isASCII: isASCII, width: width)
        let heading = palette(.underlined, fitted(columns.heading, width))
        let end = model.pauseStart ?? now
        let drawn = seen.map { place in
            line(
                model.rows[place], columns, now, trendEnd: end, isChosen: place == model.cursor,
                plot: model.plotPlace(of: model.rows[place]), hasReadings: model.readings > 0)
        }
        var lines = isDouble ? [heading + "  " + heading] : [heading]
        for place in 0..<min(room, drawn.count) {
            let right = isDouble && place + room < drawn.count ? "  " + drawn[place + room] : ""
            lines.append(drawn[place] + right)
        }
        lines += constants(model, size)
        let rest = size.rows - lines.count - 1
        let graphs = model.graphs(atMost: rest / Self.leastGraph).map { $0.map { model.rows[$0] } }
        if !graphs.isEmpty, model.adding == nil {
            lines.append("")
            for (place, rows) in graphs.enumerated() {
                // The rest of the lines goes to the first graphs.
                let height = rest / graphs.count + (place < rest % graphs.count ? 1 : 0)
                lines += graph(
                    rows, window: model.graphWindow(at: end), at: end,
                    hasTimes: place == graphs.count - 1,
                    size: Size(columns: size.columns, rows: height))
            }
        }
        return (lines, footer)
    }

    /// The line of the signals that describe the vehicle and do not change; none if the list is too low.
    private func constants(_ model: LiveModel, _ size: Size) -> [String] {
        let rows = model.constantRows
        guard size.rows >= Self.leastConstants, !rows.isEmpty else { return [] }
        var facts: [String] = []
        for row in rows where row.updated != nil {
            let value = row.text ?? row.number.map { fixed($0, row.decimals) + " " + row.remark }
            guard let fact = value.map({ row.name + ": " + $0.trimmed }), !facts.contains(fact)
            else { continue }
            facts.append(fact)
        }
        guard !facts.isEmpty else { return [""] }
        // The shortest first, so that as many as possible are complete.
        facts.sort { ($0.count, $0) < ($1.count, $1) }
        return [palette(.dim, fitted(" " + words(facts.joined(separator: " · ")), size.columns))]
    }

    /// The row on a line of the screen, counted from 0; nil = none.
    package func row(_ model: LiveModel, at line: Int, column: Int, size: Size) -> Int? {
        let places = model.shown
        let rows = max(0, size.rows - 5)
        switch model.mode {
        case .signal: return nil
        case .gauges:
            let grid = Self.grid(size, model)
            let columns = grid.columns
            let first = max(
                0, min(model.scroll / columns, (places.count + columns - 1) / columns - grid.rows))
            let place = (first + (line - 4) / grid.height) * columns + column / grid.width
            guard line >= 4, column / grid.width < columns else { return nil }
            return places.indices.contains(place) ? places[place] : nil
        case .list:
            let (room, isDouble) = Self.listShape(
                Size(columns: size.columns, rows: rows), model)
            let count = isDouble ? room * 2 : room
            let first = max(0, min(model.scroll, places.count - count))
            guard line >= 5, line - 5 < room else { return nil }
            let place = first + line - 5 + (isDouble && column > size.columns / 2 ? room : 0)
            return places.indices.contains(place) ? places[place] : nil
        }
    }

    /// Whether the last value of a row is too old to be useful.
    static func isStale(_ row: LiveModel.Row, _ now: Instant) -> Bool {
        guard let updated = row.updated else { return true }
        // A signal that is polled rarely, such as the odometer, is not old between two answers.
        let usual = row.pace.map { max(.seconds(5), min($0 * 3, .seconds(60))) } ?? .seconds(15)
        return now - updated > usual
    }

    func valueStyle(_ row: LiveModel.Row, _ isStale: Bool) -> Style {
        if isStale { return .dim }
        if row.isAlarming { return .bad }
        guard let level = row.level?.level else { return .bold }
        return level.isGrave ? .bad : level == .note ? .accent : .warning
    }

    /// The mark of an unusual value.
    static func shape(_ level: SignalLevels.Level) -> String {
        switch level {
        case .note: "•"
        case .low: "▼"
        case .high: "▲"
        case .tooLow: "▼▼"
        case .tooHigh: "▲▲"
        }
    }

    private func line(
        _ row: LiveModel.Row, _ columns: LiveColumns, _ now: Instant, trendEnd: Instant,
        isChosen: Bool, plot: Int?, hasReadings: Bool
    ) -> String {
        let isStale = Self.isStale(row, now)
        // An old value may be within its limit by now.
        let isAlarming = row.isAlarming && !isStale
        let mark =
            row.isAlarming ? "!" : isChosen ? "›" : plot == nil ? " " : isASCII ? "*" : "•"
        let plotStyle = plot.map { Self.plotStyles[$0 % 3] }
        let name = fitted(words(row.name), columns.name)
        let style: Style? = isChosen ? .inverse : isAlarming ? .bad : isStale ? .dim : nil
        func styled(_ text: String, _ style: Style?) -> String {
            style.map { palette($0, text) } ?? text
        }
        let markStyle = isAlarming ? .bad : isChosen ? nil : isStale ? .dim : plotStyle
        var cells = [styled(mark, markStyle) + styled(name, style)]
        // A stale row is dimmed entirely.
        let plainStyle: Style? = isStale ? .dim : nil
        if columns.id > 0 { cells.append(palette(.dim, fitted(row.id, columns.id))) }
        if columns.ecu > 0 {
            cells.append(styled(fitted(columns.ecuText(row.ecu), columns.ecu), plainStyle))
        }
        if let text = row.words(hasReadings: hasReadings) {
            // Words use the columns up to the age, because there are no numbers in them.
            cells.append(styled(fitted(words(text), columns.words), plainStyle))
        } else {
            let value = row.number.map { text(of: $0, row, in: columns.value) } ?? "—"
            let shown = fitted(value, columns.value, right: true)
            cells.append(palette(valueStyle(row, isStale), shown))
            cells.append(styled(fitted(words(row.remark), columns.unit), plainStyle))
            if columns.level > 0 { cells.append(level(row, columns.level, isStale)) }
            if columns.bar > 0 { cells.append(bar(row, columns, isStale)) }
            if columns.extremes > 0 {
                for extreme in [row.minimum, row.maximum] {
                    let number = extreme.map { text(of: $0, row, in: columns.extremes) } ?? ""
                    cells.append(
                        styled(fitted(number, columns.extremes, right: true), plainStyle))
                }
            }
            if columns.trend > 0 {
                let line = sparkline(row.trend.values(columns.trend, at: trendEnd))
                cells.append(styled(line, plainStyle))
            }
        }
        if columns.age > 0 {
            cells.append(styled(fitted(age(row, now), columns.age, right: true), plainStyle))
        }
        return cells.joined(separator: " ")
    }

    private func level(_ row: LiveModel.Row, _ width: Int, _ isStale: Bool) -> String {
        guard let rule = row.level else { return fitted("", width) }
        let shape = Self.shape(rule.level)
        let text = fitted(width > 2 ? "\(shape) \(words(rule.word))" : shape, width)
        return palette(valueStyle(row, isStale), text)
    }

    private func age(_ row: LiveModel.Row, _ now: Instant) -> String {
        guard let updated = row.updated else { return "—" }
        let seconds = max(0, (now - updated).seconds)
        if seconds < 10 { return fixed(seconds, 1) + "s" }
        if seconds < 100 { return fixed(seconds, 0) + "s" }
        return seconds < 3600 ? fixed((seconds / 60).rounded(.down), 0) + "m" : ">1h"
    }

    /// A bar and the end of its scale.
    private func bar(_ row: LiveModel.Row, _ columns: LiveColumns, _ isStale: Bool) -> String {
        let width = columns.bar + 1 + columns.barEnd
        guard let number = row.number, let scale = row.scale else { return fitted("", width) }
        let part = scale.part(of: number)
        let picture: String
        if scale.isCentred {
            let half = (columns.bar - 1) / 2
            let left = fitted(part < 0 ? fromRight(-part, half) : "", half, right: true)
            picture = left + "│" + fitted(part > 0 ? fromLeft(part, half) : "", half)
        } else {
            picture = fromLeft(part, columns.bar)
        }
        let end = fitted("│" + words(scale.label), 1 + columns.barEnd)
        let style: Style =
            isStale
            ? .dim
            : row.level.map { $0.level.isGrave ? .bad : $0.level == .note ? .accent : .warning }
                ?? .accent
        return palette(style, fitted(picture, columns.bar)) + (isStale ? palette(.dim, end) : end)
    }

    /// A row's number in this many cells; if they do not suffice, decimals are dropped.
    private func text(of number: Double, _ row: LiveModel.Row, in cells: Int) -> String {
        var decimals = row.decimals
        while decimals > 0, fixed(number, decimals).count > cells { decimals -= 1 }
        return fixed(number, decimals)
    }

    /// A bar from the left for a part of this many cells, in eighths of a cell.
    private func fromLeft(_ part: Double, _ width: Int) -> String {
        let eighths = Int((part * Double(width * 8)).rounded())
        let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        return String(repeating: "█", count: eighths / 8) + rest
    }

    /// A bar from the right, in half cells, because Unicode has no eighths for that direction.
    private func fromRight(_ part: Double, _ width: Int) -> String {
        let halves = Int((part * Double(width * 2)).rounded())
        return (halves % 2 == 1 ? "▐" : "") + String(repeating: "█", count: halves / 2)
    }

    private func sparkline(_ values: [Double?]) -> String {
        var (low, high) = (Double.infinity, -Double.infinity)
        for case let value? in values {
            low = min(low, value)
            high = max(high, value)
        }
        let span = high - low
        var text: [UInt8] = []
        text.reserveCapacity(values.count * 3)
        for value in values {
            let level = value.map { span > 0 ? ($0 - low) / span * 7 : 3 }
            guard let level, level.isFinite else {
                text.append(UInt8(ascii: " "))
                continue
            }
            // U+2581 to U+2588, an eighth of a cell to a whole one.
            text += [0xE2, 0x96, 0x81 + UInt8(max(0, min(7, level.rounded())))]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
