import Formats
import OBDCore
import VehicleScan

/// Draws a ``LiveModel``: a pure function of model, time and size.
public struct LiveView: Sendable {
    /// A terminal's size in cells.
    public struct Size: Hashable, Sendable {
        /// How wide.
        public var columns: Int
        /// How high.
        public var rows: Int

        /// A size of this many cells.
        public init(columns: Int, rows: Int) {
            self.columns = columns
            self.rows = rows
        }
    }

    /// Styles, or none.
    public var palette: Palette
    /// Whether the terminal shows nothing but ASCII.
    public var isASCII: Bool

    /// A view for one kind of terminal.
    public init(palette: Palette, isASCII: Bool = false) {
        self.palette = palette
        self.isASCII = isASCII
    }

    /// The screen as lines, at most `size.rows`, each at most `size.columns` cells wide.
    public func render(_ model: LiveModel, at now: Instant, size: Size) -> [String] {
        guard size.columns >= 20, size.rows >= 4 else {
            return size.rows > 0 ? [fitted("enlarge", max(0, size.columns))] : []
        }
        var lines = header(model, now, size.columns)
        if let page = model.page {
            let (shown, footer) = text(
                page, columns: size.columns, rows: size.rows - lines.count - 1)
            lines += shown
            while lines.count < size.rows - 1 { lines.append("") }
            lines.append(
                remark(model, now, size.columns) ?? palette(.dim, fitted(footer, size.columns)))
            return finished(lines, size)
        }
        let columns = LiveColumns(
            model, isASCII: isASCII, width: size.columns)
        lines.append(palette(.dim, columns.heading))
        let room = max(0, size.rows - lines.count - 1)
        let first = firstRow(model, room: room)
        let shown = model.rows.indices.dropFirst(first).prefix(room)
        for place in shown {
            lines.append(
                line(
                    model.rows[place], columns, now, trendEnd: model.pauseStart ?? now,
                    isChosen: place == model.cursor, hasReadings: model.readings > 0))
        }
        while lines.count < size.rows - 1 { lines.append("") }
        if let choice = model.adding {
            let count = min(room, Self.choices(room) + 1)
            lines.removeLast(count)
            lines += offers(choice, count: count, size.columns)
            lines = lines.prefix(size.rows - 1) + [asking(choice, size.columns)]
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

    /// What is at the foot for some seconds; nil = nothing does.
    private func remark(_ model: LiveModel, _ now: Instant, _ columns: Int) -> String? {
        guard let remark = model.remark, now < remark.end else { return nil }
        // Bold, not coloured: a colour that is read on a dark ground is pale on a light one.
        return palette(.bold, fitted(words(printable(remark.text)), columns))
    }

    private func finished(_ lines: [String], _ size: Size) -> [String] {
        let lines = lines.prefix(size.rows)
        return isASCII ? lines.map(asciiText) : Array(lines)
    }

    /// The lines of a page as a terminal of this many columns shows them.
    public func folded(_ page: LiveModel.Page, columns: Int) -> [String] {
        page.lines.flatMap { hanging(words($0), to: columns) }.map { fitted($0, columns) }
    }

    /// A line that is folded below its last column, where that leaves room for words.
    private func hanging(_ line: String, to width: Int) -> [String] {
        let last = displayWidth(line) > width ? line.ranges(of: "  ").last : nil
        guard let body = last.map({ line[$0.upperBound...] }), !body.isEmpty else {
            return Formats.folded(line, to: width)
        }
        let head = line.dropLast(body.count)
        let column = displayWidth(String(head))
        guard column > 0, column <= width / 2 else { return Formats.folded(line, to: width) }
        let lines = Formats.folded(String(body), to: width - column)
        let blank = String(repeating: " ", count: column)
        return lines.enumerated().map { ($0 == 0 ? head : blank[...]) + $1 }
    }

    /// A title and as many lines as there is room for; what is at the foot.
    private func text(
        _ page: LiveModel.Page, columns: Int, rows: Int
    ) -> (lines: [String], footer: String) {
        let all = folded(page, columns: columns)
        let room = max(0, rows - 1)
        let first = max(0, min(page.scroll, all.count - room))
        let shown = all.dropFirst(first).prefix(room)
        var footer = page.isBeingRead ? "reading …   Ctrl-C quit" : "any key: back"
        if shown.count < all.count {
            footer += "   ↑↓ scroll   \(first + 1)–\(first + shown.count) of \(all.count)"
        }
        return ([palette(.bold, fitted(page.title, columns))] + shown, footer)
    }

    /// `text` in characters that the terminal has, where a word has to take the place of a sign.
    private func words(_ text: String) -> String { isASCII ? asciiWords(text) : text }

    /// The scroll position that counts: never so far that room stays empty.
    private func firstRow(_ model: LiveModel, room: Int) -> Int {
        max(0, min(model.scroll, model.rows.count - room))
    }

    // MARK: Adding a signal

    /// How many of the signals that may be added are shown at once, of this many lines.
    public static func choices(_ room: Int) -> Int { min(12, room * 2 / 3) }

    /// Signals that may be added, under a heading, in place of the last rows.
    private func offers(_ choice: SignalChoice, count: Int, _ width: Int) -> [String] {
        let all = choice.matches
        // On a very small screen the signals need the room themselves.
        let hasHeading = all.isEmpty || count > 2
        let room = max(0, hasHeading ? count - 1 : count)
        let first = max(0, min((choice.chosen ?? 0) - room / 2, all.count - room))
        let shown = all.indices.dropFirst(first).prefix(room)
        let longest = shown.map { displayWidth(all[$0].id) + 1 }.max() ?? 0
        let names = max(6, min(longest, width / 3))
        var heading = "SIGNALS TO ADD"
        if all.isEmpty, !choice.text.isEmpty { heading = "no signal has that in its name" }
        if shown.count < all.count {
            heading += "   \(first + 1)–\(first + shown.count) of \(all.count)"
        }
        var lines = hasHeading ? [palette(.dim, fitted(heading, width))] : []
        for place in shown {
            let isChosen = place == choice.chosen
            let id = fitted((isChosen ? "›" : "") + printable(all[place].id), names)
            let title = fitted(words(printable(all[place].title)), max(0, width - names - 1))
            lines.append((isChosen ? palette(.inverse, id) : id) + " " + palette(.dim, title))
        }
        let blank = max(0, count - lines.count)
        return Array(repeating: "", count: blank) + lines.prefix(count)
    }

    /// What was typed, and the keys, where there is room for them.
    private func asking(_ choice: SignalChoice, _ width: Int) -> String {
        let text = "add a signal: " + printable(choice.text) + "_"
        let keys = "   ↑↓ choose   Enter add   Esc back"
        guard displayWidth(text + keys) <= width else { return fitted(text, width) }
        return text + palette(.dim, fitted(keys, width - displayWidth(text)))
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
        let third = fitted(figures(model, now, width), width)
        return [first, fitted(second, width), third, news(of: head, width)]
    }

    /// Voltage, rates, times: what there is room for, whole.
    private func figures(_ model: LiveModel, _ now: Instant, _ width: Int) -> String {
        let requests = fixed(model.requestsPerSecond(at: now), 1) + " requests/s"
        var figures = [fixed(model.readingsPerSecond(at: now), 1) + " readings/s", requests]
        if let voltage = model.header.voltage { figures.insert(fixed(voltage, 1) + " V", at: 0) }
        // The last reply says nothing of a link that is lost.
        if let roundTrip = model.roundTrip, !model.header.isLinkLost {
            figures.append(fixed(roundTrip.seconds * 1000, 0) + " ms a reply")
        }
        figures.append(clockText((now - model.start).seconds) + " running")
        let text = { figures.joined(separator: " · ") }
        if displayWidth(text()) > width { figures.removeAll { $0 == requests } }
        if displayWidth(text()) > width { figures.removeAll { $0.hasSuffix("reply") } }
        return text()
    }

    /// What the user should know now, the first of it first; an empty line where there is nothing.
    private func news(of head: LiveModel.Header, _ width: Int) -> String {
        // What is not stored comes first: an alarm is in its row as well.
        let news = [head.storing, head.alarm ?? (head.storing == nil ? head.notice : nil)]
            .compactMap { $0 }.map { words(printable($0)) }
        guard !news.isEmpty else { return "" }
        let text = fitted("! " + news.joined(separator: "  ! "), width)
        // The sign is coloured alone: the words have to be read on a light ground, too.
        return palette(head.alarm == nil ? .warning : .bad, String(text.prefix(1)))
            + palette(.bold, String(text.dropFirst()))
    }

    private func style(of model: LiveModel) -> Style {
        if model.header.isLinkLost { return .bad }
        return switch model.header.state {
        case .initializing: .accent
        case .idle, .waiting, .processing: .good
        case .error: .bad
        }
    }

    // MARK: Rows

    private func line(
        _ row: LiveModel.Row, _ columns: LiveColumns, _ now: Instant, trendEnd: Instant,
        isChosen: Bool, hasReadings: Bool
    ) -> String {
        let isStale = row.updated.map { now - $0 > .seconds(5) } ?? true
        let mark = row.isAlarming ? "!" : isChosen ? "›" : ""
        let id = fitted(mark + row.id, columns.id)
        let style: Style? =
            isChosen ? .inverse : row.isAlarming ? .bad : isStale ? .dim : nil
        var cells = [style.map { palette($0, id) } ?? id]
        if columns.name > 0 {
            cells.append(palette(.dim, fitted(words(row.name), columns.name)))
        }
        if columns.ecu > 0 { cells.append(fitted(row.ecu?.description ?? "", columns.ecu)) }
        if let text = row.words(hasReadings: hasReadings) {
            // Words run on up to the age: where they are there are no numbers.
            let shown = fitted(words(text), columns.words)
            cells.append(row.updated == nil ? palette(.dim, shown) : shown)
        } else {
            let value = row.number.map { text(of: $0, row, in: columns.value) } ?? "—"
            let shown = fitted(value, columns.value, right: true)
            cells.append(palette(row.isAlarming ? .bad : isStale ? .dim : .bold, shown))
            cells.append(fitted(words(row.unit), columns.unit))
            if columns.bar > 0 { cells.append(bar(row, columns)) }
            if columns.extremes > 0 {
                for extreme in [row.minimum, row.maximum] {
                    let number = extreme.map { text(of: $0, row, in: columns.extremes) } ?? ""
                    cells.append(fitted(number, columns.extremes, right: true))
                }
            }
            if columns.trend > 0 {
                cells.append(sparkline(row.trend.values(columns.trend, at: trendEnd)))
            }
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

    /// A bar, and after it the end of its scale.
    private func bar(_ row: LiveModel.Row, _ columns: LiveColumns) -> String {
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
        let end = "│" + words(scale.label)
        return palette(.accent, fitted(picture, columns.bar))
            + palette(.dim, fitted(end, 1 + columns.barEnd))
    }

    /// A row's number in this many cells: where they do not suffice, decimals give way.
    private func text(of number: Double, _ row: LiveModel.Row, in cells: Int) -> String {
        var decimals = row.decimals
        while decimals > 0, fixed(number, decimals).count > cells { decimals -= 1 }
        return fixed(number, decimals)
    }

    /// A part of this many cells, in eighths of a cell.
    private func fromLeft(_ part: Double, _ width: Int) -> String {
        let eighths = Int((part * Double(width * 8)).rounded())
        let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        return String(repeating: "█", count: eighths / 8) + rest
    }

    /// The same towards the left, in half cells: there are no other characters for it.
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

extension LiveModel.Header {
    /// What goes on, in a word for people: to wait for an answer is a part of reading.
    fileprivate var activity: String {
        if isLinkLost { return "reconnecting" }
        return switch state {
        case .initializing: "connecting"
        case .idle, .waiting, .processing:
            isResting ? "resting" : asksNothing ? "idle" : "reading"
        case .error: "error"
        }
    }
}

extension LiveModel.Row {
    /// What is in the place of a number; nil = a number does, or will.
    ///
    /// To stay silent is how an ECU says that it does not support what was asked; where nobody has
    /// answered anything yet, it says nothing.
    fileprivate func words(hasReadings: Bool) -> String? {
        text ?? (isUnanswered ? (hasReadings ? "not supported" : "no answer") : nil)
    }
}
