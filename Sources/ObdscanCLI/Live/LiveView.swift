import OBDCore

/// Draws a ``LiveModel``: a pure function of model, time and size.
struct LiveView {
    /// A terminal's size in cells.
    struct Size: Hashable, Sendable {
        var columns: Int
        var rows: Int
    }

    /// Styles, or none.
    var palette: Palette
    /// Whether the terminal shows nothing but ASCII.
    var isASCII = false

    /// The screen as lines, at most `size.rows`, each at most `size.columns` cells wide.
    func render(_ model: LiveModel, at now: Instant, size: Size) -> [String] {
        guard size.columns >= 20, size.rows >= 4 else {
            return size.rows > 0 ? [fitted("enlarge", max(0, size.columns))] : []
        }
        var lines = header(model, now, size.columns)
        if let page = model.page {
            lines += text(page, columns: size.columns, rows: size.rows - lines.count - 1)
            while lines.count < size.rows - 1 { lines.append("") }
            let footer = palette(.dim, fitted("any key: back   ↑↓ scroll", size.columns))
            lines.append(remark(model, now, size.columns) ?? footer)
            return finished(lines, size)
        }
        let columns = Columns(model, width: size.columns)
        lines.append(palette(.dim, columns.heading))
        let room = max(0, size.rows - lines.count - 1)
        let first = firstRow(model, room: room)
        let shown = model.rows.indices.dropFirst(first).prefix(room)
        for place in shown {
            lines.append(line(model.rows[place], columns, now, isChosen: place == model.cursor))
        }
        while lines.count < size.rows - 1 { lines.append("") }
        if let typed = model.typed {
            lines.append(fitted("add a signal: " + printable(typed) + "_", size.columns))
            return finished(lines, size)
        }
        var footer = "q quit   ? help"
        if model.rows.count > shown.count {
            footer += "   ↑↓ scroll   \(first + 1)–\(first + shown.count) of \(model.rows.count)"
        }
        lines.append(
            remark(model, now, size.columns) ?? palette(.dim, fitted(footer, size.columns)))
        return finished(lines, size)
    }

    /// What stands at the foot for some seconds; nil = nothing does.
    private func remark(_ model: LiveModel, _ now: Instant, _ columns: Int) -> String? {
        guard let remark = model.remark, now < remark.end else { return nil }
        return palette(.accent, fitted(printable(remark.text), columns))
    }

    private func finished(_ lines: [String], _ size: Size) -> [String] {
        let lines = lines.prefix(size.rows)
        return isASCII ? lines.map(asciiText) : Array(lines)
    }

    /// A title and as many lines as there is room for.
    private func text(_ page: LiveModel.Page, columns: Int, rows: Int) -> [String] {
        let room = max(0, rows - 1)
        let first = max(0, min(page.scroll, page.lines.count - room))
        return [palette(.bold, fitted(page.title, columns))]
            + page.lines.dropFirst(first).prefix(room).map { fitted($0, columns) }
    }

    /// The scroll position that counts: never so far that room stays empty.
    private func firstRow(_ model: LiveModel, room: Int) -> Int {
        max(0, min(model.scroll, model.rows.count - room))
    }

    // MARK: Header

    private func header(_ model: LiveModel, _ now: Instant, _ width: Int) -> [String] {
        let head = model.header
        let state = model.isPaused ? "‖ paused" : "● " + head.activity
        let title = "obdscan live  " + printable(head.accessory)
        let recording = head.trip.map { "  ⏺ trip \($0)" } ?? ""
        let room = width - displayWidth(state) - 1
        let left = fitted(title + recording, room)
        let first = palette(.bold, left) + " " + palette(style(of: model), state)
        let facts = [head.vehicle, head.adapter, head.vehicleProtocol].compactMap { $0 }
        let second = facts.isEmpty ? "connecting …" : printable(facts.joined(separator: " · "))
        var figures: [String] = []
        if let voltage = head.voltage { figures.append(fixed(voltage, 1) + " V") }
        figures.append(fixed(model.readingsPerSecond(at: now), 1) + " readings/s")
        figures.append(fixed(model.requestsPerSecond(at: now), 1) + " requests/s")
        if let roundTrip = model.roundTrip {
            figures.append(fixed(roundTrip.seconds * 1000, 0) + " ms")
        }
        figures.append(clockText((now - model.start).seconds))
        let third = fitted(figures.joined(separator: " · "), width)
        // What is not stored comes first: an alarm stands in its row as well.
        let news = [head.storing, head.alarm ?? (head.storing == nil ? head.notice : nil)]
            .compactMap { $0 }.map { "! " + printable($0) }.joined(separator: "  ")
        let notice =
            news.isEmpty
            ? "" : palette(head.alarm == nil ? .warning : .bad, fitted(news, width))
        return [first, fitted(second, width), third, notice]
    }

    private func style(of model: LiveModel) -> Style {
        switch model.header.state {
        case .initializing: .accent
        case .idle, .waiting, .processing: .good
        case .error: .bad
        }
    }

    // MARK: Rows

    private func line(
        _ row: LiveModel.Row, _ columns: Columns, _ now: Instant, isChosen: Bool
    ) -> String {
        let isStale = row.updated.map { now - $0 > .seconds(5) } ?? true
        let mark = row.isAlarming ? "!" : isChosen ? "›" : ""
        let id = fitted(mark + row.id, columns.id)
        let style: Style? =
            isChosen ? .inverse : row.isAlarming ? .bad : isStale ? .dim : nil
        var cells = [style.map { palette($0, id) } ?? id]
        if columns.name > 0 { cells.append(palette(.dim, fitted(row.name, columns.name))) }
        if columns.ecu > 0 { cells.append(fitted(row.ecu?.description ?? "", columns.ecu)) }
        if let text = row.text {
            // Words may run on over unit and bar: they have neither.
            let width = columns.value + 1 + columns.unit + (columns.bar > 0 ? 1 + columns.bar : 0)
            cells.append(fitted(text, width))
        } else {
            let value = row.number.map { fixed($0, row.decimals) } ?? "—"
            let shown = fitted(value, columns.value, right: true)
            cells.append(palette(row.isAlarming ? .bad : isStale ? .dim : .bold, shown))
            cells.append(fitted(row.unit, columns.unit))
            if columns.bar > 0 { cells.append(palette(.accent, bar(row, columns.bar))) }
        }
        if columns.extremes > 0 {
            for extreme in [row.minimum, row.maximum] {
                let text = extreme.map { fixed($0, row.decimals) } ?? ""
                cells.append(fitted(text, columns.extremes, right: true))
            }
        }
        if columns.trend > 0 {
            cells.append(sparkline(row.trend.suffix(columns.trend), columns.trend))
        }
        if columns.age > 0 { cells.append(fitted(age(row, now), columns.age, right: true)) }
        return cells.joined(separator: " ")
    }

    private func age(_ row: LiveModel.Row, _ now: Instant) -> String {
        guard let updated = row.updated else { return "—" }
        let seconds = max(0, (now - updated).seconds)
        if seconds < 10 { return fixed(seconds, 1) + "s" }
        return seconds < 3600 ? fixed(seconds, 0) + "s" : ">1h"
    }

    /// A bar from the lower to the upper end of a scale that grows with the values seen.
    private func bar(_ row: LiveModel.Row, _ width: Int) -> String {
        guard let number = row.number, let scale = row.scale else { return fitted("", width) }
        let span = scale.upperBound - scale.lowerBound
        let part = span > 0 ? (number - scale.lowerBound) / span : 0
        let eighths = Int((max(0, min(1, part)) * Double(width * 8)).rounded())
        let partial = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        let full = String(repeating: "█", count: eighths / 8) + partial
        return fitted(full, width)
    }

    private func sparkline(_ values: ArraySlice<Double>, _ width: Int) -> String {
        guard let low = values.min(), let high = values.max() else { return fitted("", width) }
        let levels: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        var text = ""
        for value in values {
            let level = high > low ? (value - low) / (high - low) * 7 : 3
            text.append(levels[max(0, min(7, Int(level.rounded())))])
        }
        return fitted(text, width, right: true)
    }
}

extension LiveModel.Header {
    /// What goes on, in a word for people: to wait for an answer is a part of reading.
    fileprivate var activity: String {
        switch state {
        case .initializing: "connecting"
        case .idle, .waiting, .processing:
            isResting ? "resting" : asksNothing ? "idle" : "reading"
        case .error: "error"
        }
    }
}

extension LiveModel.Row {
    /// The ends of the bar: percentages whole, everything else from 0 (or the least value seen, if
    /// it is below) to a round number above the greatest one seen.
    fileprivate var scale: ClosedRange<Double>? {
        guard let bounds, let minimum, let maximum else { return nil }
        if unit == "%" { return bounds }
        let lower = max(bounds.lowerBound, minimum < 0 ? -Self.roundedUp(-minimum) : 0)
        let upper = min(bounds.upperBound, maximum > 0 ? Self.roundedUp(maximum) : 0)
        return lower < upper ? lower...upper : nil
    }

    /// The next of 1, 2, 2.5, 5, 10, 20 … that is not below `value`.
    private static func roundedUp(_ value: Double) -> Double {
        var decade = 1e-6
        while decade < 1e12 {
            for step in [1, 2, 2.5, 5] where step * decade >= value { return step * decade }
            decade *= 10
        }
        return value
    }
}

/// How wide each column is; 0 = not shown.
private struct Columns {
    var id = 0
    var name = 0
    var ecu = 0
    var value = 0
    var unit = 0
    var bar = 0
    var extremes = 0
    var trend = 0
    var age = 0

    /// Gives the width out: first what is needed to read a value, then what explains it.
    init(_ model: LiveModel, width: Int) {
        let longestID = model.rows.map { displayWidth($0.id) }.max() ?? 6
        let longestUnit = model.rows.map { displayWidth($0.unit) }.max() ?? 4
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
            ecu = take(model.rows.map { $0.ecu?.description.count ?? 0 }.max() ?? 3)
        }
        bar = take(8)
        if rest >= 16 {
            extremes = take(7)
            _ = take(extremes)
        }
        trend = take(10)
        let longestName = model.rows.map { displayWidth($0.name) }.max() ?? 0
        if rest >= 24 { name = take(min(longestName, 36, max(16, rest / 2))) }
        // What is left goes to the pictures.
        if bar > 0 {
            let share = min(30 - bar, trend > 0 ? rest / 2 : rest)
            bar += max(0, share)
            rest -= max(0, share)
        }
        if trend > 0 { trend += max(0, min(rest, 50)) }
    }

    var heading: String {
        var cells = [fitted("SIGNAL", id)]
        if name > 0 { cells.append(fitted("NAME", name)) }
        if ecu > 0 { cells.append(fitted("ECU", ecu)) }
        cells.append(fitted("VALUE", value, right: true))
        cells.append(fitted("UNIT", unit))
        if bar > 0 { cells.append(fitted("", bar)) }
        if extremes > 0 {
            cells.append(fitted("MIN", extremes, right: true))
            cells.append(fitted("MAX", extremes, right: true))
        }
        if trend > 0 { cells.append(fitted("TREND", trend)) }
        if age > 0 { cells.append(fitted("AGE", age, right: true)) }
        return cells.joined(separator: " ")
    }
}
