import Diagnostics
import Formats
import OBDCore
import VehicleScan

/// Draws a ``LiveModel``; the output depends only on model, time and size.
package struct LiveView: Sendable {
    /// A terminal's size in cells.
    package struct Size: Hashable, Sendable {
        /// The width.
        package var columns: Int
        /// The height.
        package var rows: Int

        /// A size of this many cells.
        package init(columns: Int, rows: Int) {
            self.columns = columns
            self.rows = rows
        }
    }

    /// The styles to use, if any.
    package var palette: Palette
    /// Whether the terminal can show only ASCII characters.
    package var isASCII: Bool

    /// A view for one kind of terminal.
    package init(palette: Palette, isASCII: Bool = false) {
        self.palette = palette
        self.isASCII = isASCII
    }

    /// The screen as lines, at most `size.rows`, each at most `size.columns` cells wide.
    package func render(_ model: LiveModel, at now: Instant, size: Size) -> [String] {
        guard size.columns >= 20, size.rows >= 4 else {
            return size.rows > 0 ? [fitted("enlarge", max(0, size.columns))] : []
        }
        var lines = header(model, now, size.columns)
        let room = max(0, size.rows - lines.count - 1)
        let footer: String
        if let page = model.page {
            let (shown, foot) = text(page, columns: size.columns, rows: room)
            lines += shown
            footer = foot
        } else {
            let body = Size(columns: size.columns, rows: room)
            let isNarrow = size.columns < Self.leastGauge
            switch model.mode == .gauges && isNarrow ? .list : model.mode {
            case .list:
                let (shown, foot) = list(model, now, body)
                lines += shown
                footer = foot
            case .gauges:
                let (shown, count) = gauges(model, now, body)
                lines += shown
                footer = keys(of: model, seen: count, from: nil, size.columns)
            case .signal:
                lines += signal(model, now, body)
                footer = keys(of: model, seen: model.rows.count, from: nil, size.columns)
            }
        }
        while lines.count < size.rows - 1 { lines.append("") }
        if model.page == nil, let choice = model.adding {
            let count = min(max(0, size.rows - 6), Self.choices(max(0, size.rows - 6)) + 1)
            lines = Array(lines.prefix(size.rows - 1 - count))
            lines += offers(choice, count: count, size.columns)
            lines = lines.prefix(size.rows - 1) + [asking(choice, size.columns)]
            return finished(lines, size)
        }
        lines.append(remark(model, now, size.columns) ?? fitted(footer, size.columns))
        return finished(lines, size)
    }

    /// The keys that are useful now, as many as fit.
    func keys(of model: LiveModel, seen: Int, from first: Int?, _ width: Int) -> String {
        var keys: [String]
        let record = model.header.recording == nil ? "l record" : "l end trip"
        switch model.mode {
        case .list:
            keys = [
                "q quit", "? keys", "Enter open", "v dials", "c codes", record, "x graph",
                "s sort", "a add", "p pause",
            ]
        case .gauges:
            keys = ["q quit", "? keys", "Enter open", "v list", "c codes", record, "p pause"]
        case .signal:
            keys = ["Esc back", "? keys", "↑↓ other signal", "+ - time", "r reset", "p pause"]
        }
        let count = model.shown.count
        if seen < count, model.mode != .signal {
            let range = first.map { "\($0 + 1)–\($0 + seen) of \(count)" } ?? "\(seen) of \(count)"
            keys.insert("↑↓ \(range)", at: 2)
        }
        if model.mode == .list, model.folded > 0 { keys.append("f \(model.folded) folded") }
        var text = ""
        for key in keys {
            let next = text.isEmpty ? key : text + "   " + key
            guard displayWidth(next) <= width else { continue }
            text = next
        }
        return text
    }

    /// The message at the bottom of the screen; nil = none.
    func remark(_ model: LiveModel, _ now: Instant, _ columns: Int) -> String? {
        guard let remark = model.remark, now < remark.end else { return nil }
        // Bold without a colour, because a colour for a dark background is pale on a light one.
        return palette(.bold, fitted(words(printable(remark.text)), columns))
    }

    private func finished(_ lines: [String], _ size: Size) -> [String] {
        let lines = lines.prefix(size.rows)
        return isASCII ? lines.map(asciiText) : Array(lines)
    }

    /// The lines of a page as a terminal of this many columns shows them.
    package func folded(_ page: LiveModel.Page, columns: Int) -> [String] {
        page.lines.flatMap { line in
            let parts = hanging(words(line.text), line.hanging, to: columns)
            return parts.enumerated().map { place, part in
                let text = fitted(part, columns)
                let head = place == 0 ? min(line.head, text.count) : 0
                let styled = { (style: Style?, text: String) in
                    style.map { palette($0, text) } ?? text
                }
                return styled(line.headStyle, String(text.prefix(head)))
                    + styled(line.style, String(text.dropFirst(head)))
            }
        }
    }

    /// Folds a line and indents its parts to a column, if the indentation leaves enough room for words.
    private func hanging(_ line: String, _ column: Int?, to width: Int) -> [String] {
        if let column, column > 0, column <= width / 2, line.count > column {
            let lines = Formats.folded(
                String(line.dropFirst(column)), to: width - column, hanging: 0)
            let blank = String(repeating: " ", count: column)
            return lines.enumerated().map { ($0 == 0 ? line.prefix(column) : blank[...]) + $1 }
        }
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

    /// The title, as many lines as fit, and the footer.
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

    /// `text` in characters that the terminal can show; words replace some signs on ASCII
    /// terminals.
    func words(_ text: String) -> String { isASCII ? asciiWords(text) : text }

    // MARK: Adding a signal

    /// The number of signals in the list of choices, if the screen has `room` lines.
    package static func choices(_ room: Int) -> Int { min(12, room * 2 / 3) }

    /// The signals that can be added, with a heading, in place of the last rows.
    private func offers(_ choice: SignalChoice, count: Int, _ width: Int) -> [String] {
        let all = choice.matches
        // A very small screen needs the line of the heading for a signal.
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
        var lines = hasHeading ? [palette(.underlined, fitted(heading, width))] : []
        for place in shown {
            let isChosen = place == choice.chosen
            let id = fitted((isChosen ? "›" : "") + printable(all[place].id), names)
            let title = fitted(words(printable(all[place].title)), max(0, width - names - 1))
            lines.append((isChosen ? palette(.inverse, id) : id) + " " + title)
        }
        let blank = max(0, count - lines.count)
        return Array(repeating: "", count: blank) + lines.prefix(count)
    }

    /// The search text, and the keys if they fit.
    private func asking(_ choice: SignalChoice, _ width: Int) -> String {
        let text = "add a signal: " + printable(choice.text) + "_"
        let keys = "   ↑↓ choose   Enter add   Esc back"
        guard displayWidth(text + keys) <= width else { return fitted(text, width) }
        return text + fitted(keys, width - displayWidth(text))
    }

    // MARK: Header

    private func header(_ model: LiveModel, _ now: Instant, _ width: Int) -> [String] {
        let head = model.header
        let loss = model.loss(at: now)
        let state =
            model.isPaused ? "‖ paused" : "● " + (loss?.activity ?? head.activity)
        let room = width - displayWidth(state) - 1
        let first =
            palette(.bold, fitted(title(head, room), room)) + " "
            + palette(loss == nil ? style(of: model) : .bad, state)
        let third = fitted(figures(model, now, width), width)
        let age = model.lightAge(at: now)
        let light = light(head, age, width)
        let rest = light.map { width - displayWidth($0) - 2 } ?? width
        let left = fitted(facts(head, rest), rest)
        let isLit = head.light == true || head.lamps.isAnyOn
        let style: Style? = age != nil ? .dim : isLit ? .bad : nil
        let right = light.map { text in "  " + (style.map { palette($0, text) } ?? text) } ?? ""
        return [first, left + right, third, news(of: model, now, width)]
    }

    /// The device, and what is said of the trip that is being recorded, as far as it fits.
    private func title(_ head: LiveModel.Header, _ room: Int) -> String {
        var title = "obdscan live  " + printable(head.accessory)
        guard let recording = head.recording else { return title }
        title += "  ⏺ trip \(recording.trip)"
        for part in [
            " since \(recording.since)", " · " + counted(recording.readings, "reading"),
        ] where displayWidth(title + part) <= room {
            title += part
        }
        return title
    }

    /// Vehicle, adapter and protocol, except parts of which too little fits to be of use.
    private func facts(_ head: LiveModel.Header, _ room: Int) -> String {
        var text = "connecting …"
        for (place, fact) in [head.vehicle, head.adapter, head.vehicleProtocol].compactMap({ $0 })
            .map(printable).enumerated()
        {
            let longer = place == 0 ? fact : text + " · " + fact
            let least = place == 0 ? 0 : displayWidth(text) + 15
            guard min(displayWidth(longer), least) <= room else { break }
            text = longer
        }
        return text
    }

    /// Check engine light and number of codes, with their age if they are old; nil = not reported.
    private func light(_ head: LiveModel.Header, _ age: Duration?, _ width: Int) -> String? {
        guard head.light != nil || head.lamps.isAnyOn else { return nil }
        var lamps = head.lamps
        lamps.malfunction = head.light
        let lit = lamps.lit
        let isNarrow = width < 80
        var text = "○ light off"
        if lit.count > 1 {
            text = isNarrow ? "● \(lit.count) lights on" : "● \(lit.joined(separator: ", ")) on"
        } else if let lamp = lit.first {
            text = isNarrow && head.light == true ? "● light on" : "● \(lamp) on"
        }
        // Several lamps leave little room for the vehicle.
        if let codes = head.codes, width >= (lit.count > 1 ? 100 : 45) {
            // Pending and permanent codes are not in this count, but on the page of codes.
            let stored = width >= 80 ? "stored " : ""
            text +=
                codes == 0
                ? " · no \(stored)codes"
                : codes == 1 ? " · 1 \(stored)code" : " · \(codes) \(stored)codes"
        }
        guard let age else { return text }
        let aged = text + " \(durationText(age.seconds.rounded())) ago"
        return displayWidth(aged) + 2 <= width ? aged : text
    }

    /// Voltage, rates and times, as many as fit completely.
    private func figures(_ model: LiveModel, _ now: Instant, _ width: Int) -> String {
        let requests = fixed(model.requestsPerSecond(at: now), 1) + " requests/s"
        var figures = [fixed(model.readingsPerSecond(at: now), 1) + " readings/s", requests]
        if let voltage = model.header.voltage { figures.insert(fixed(voltage, 1) + " V", at: 0) }
        // The last round trip is meaningless if nothing answers.
        if let roundTrip = model.roundTrip, model.loss(at: now) == nil {
            figures.append(fixed(roundTrip.seconds * 1000, 0) + " ms a reply")
        }
        figures.append(clockText((now - model.start).seconds) + " running")
        let text = { figures.joined(separator: " · ") }
        if displayWidth(text()) > width { figures.removeAll { $0 == requests } }
        if displayWidth(text()) > width { figures.removeAll { $0.hasSuffix("reply") } }
        return text()
    }

    /// The most important news for the user; an empty line if there is none.
    private func news(of model: LiveModel, _ now: Instant, _ width: Int) -> String {
        let head = model.header
        let fault =
            model.isWithoutReadings(at: now)
            ? "no answer can be read as these signals; obdscan read says why" : nil
        let loss = model.loss(at: now)
        let lost = loss.map { loss in
            "\(loss.kind.text) for \(durationText((now - loss.start).seconds.rounded())): "
                + loss.kind.remedy + (loss.reason.map { " (\($0))" } ?? "")
        }
        // Without readings an alarm is as old as the loss.
        let alarm = head.alarm.map { loss == nil ? $0 : "before that: " + $0 }
        // A storage failure comes first, because an alarm is also marked in its row.
        let news = [
            head.storing, lost,
            alarm ?? (head.storing == nil && loss == nil ? head.notice ?? fault : nil),
        ]
        .compactMap { $0 }.map { words(printable($0)) }
        guard !news.isEmpty else { return "" }
        let text = fitted("! " + news.joined(separator: "  ! "), width)
        // Colour only the sign: the words must be readable on a light background.
        let isAlarming = head.alarm != nil && loss == nil
        return palette(isAlarming ? .bad : .warning, String(text.prefix(1)))
            + palette(.bold, String(text.dropFirst()))
    }

    private func style(of model: LiveModel) -> Style {
        return switch model.header.state {
        case .initializing: .accent
        case .idle, .waiting, .processing: .good
        case .error: .bad
        }
    }
}

extension LiveModel.Loss {
    /// The current activity in one word for people.
    fileprivate var activity: String { kind == .vehicle ? "no answer" : "reconnecting" }
}

extension LiveModel.Header {
    /// The current activity in one word for people; waiting for an answer counts as reading.
    fileprivate var activity: String {
        return switch state {
        case .initializing: "connecting"
        case .idle, .waiting, .processing:
            isResting ? "resting" : asksNothing ? "idle" : "reading"
        case .error: "error"
        }
    }
}

extension LiveModel.Row {
    /// The words in place of a number; nil = there is a number, or one may still arrive.
    ///
    /// An ECU does not answer a request that it does not support. If no ECU has answered anything yet,
    /// the ECU's silence does not prove that the ECU lacks the signal.
    func words(hasReadings: Bool) -> String? {
        text ?? (isUnanswered ? (hasReadings ? "not supported" : "no answer") : nil)
    }
}
