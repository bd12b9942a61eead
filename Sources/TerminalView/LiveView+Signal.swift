import Diagnostics
import Formats
import OBDCore

/// One large signal: its value, graph, statistics and source.
extension LiveView {
    func signal(_ model: LiveModel, _ now: Instant, _ size: Size) -> [String] {
        let places = model.graphed
        guard let first = places.first else { return ["no signal is chosen"] }
        let row = model.rows[first]
        let end = model.pauseStart ?? now
        let isLarge = size.rows >= 24 && size.columns >= 60
        var lines = [title(row, model.names, size.columns)]
        let facts = facts(row, model, now)
        lines += head(
            row, now, facts, isLarge: isLarge, size.columns, hasReadings: model.readings > 0)
        let rows = places.map { model.rows[$0] }
        let room = size.rows - lines.count - 1
        if rows.contains(where: \.isPlottable) {
            lines.append("")
            lines += graph(
                rows, window: model.graphWindow(at: end), at: end,
                size: Size(columns: size.columns, rows: room))
        }
        return Array(lines.prefix(size.rows))
    }

    private func title(_ row: LiveModel.Row, _ names: ECUNames, _ width: Int) -> String {
        let id = words(row.id) + (row.ecu == nil ? "" : "  " + names.title(of: row.ecu))
        let name = fitted(
            (row.isAlarming ? "! " : "") + words(row.name), max(0, width - displayWidth(id) - 2))
        return palette(row.isAlarming ? .bad : .bold, name) + "  " + palette(.dim, id)
    }

    /// The value in large digits with the facts beside it, or below it on a narrow screen.
    private func head(
        _ row: LiveModel.Row, _ now: Instant, _ facts: [(String, String)], isLarge: Bool,
        _ width: Int, hasReadings: Bool
    ) -> [String] {
        let isStale = Self.isStale(row, now)
        let style = valueStyle(row, isStale)
        var left: [(text: String, style: Style?)] = []
        if let number = row.number {
            let text = fixed(number, row.decimals)
            let digits =
                isLarge
                ? BigDigits.large(text) : isASCII ? BigDigits.thin(text) : BigDigits.small(text)
            left = digits.map { ($0, style) }
            let word = row.level.map { "  \(Self.shape($0.level)) \($0.word)" } ?? ""
            left.append((words(row.remark) + word, isStale ? .dim : row.level == nil ? nil : style))
        } else {
            left = [(words(row.words(hasReadings: hasReadings) ?? "—"), isStale ? .dim : .bold)]
        }
        let cells = min(width, (left.map { displayWidth($0.text) }.max() ?? 0) + 3)
        let heading = facts.map { displayWidth($0.0) }.max() ?? 0
        let rest = width - cells - heading - 2
        var right: [String] = []
        for (name, text) in facts {
            let room = rest >= 24 ? rest : width - heading - 2
            for (place, part) in Formats.folded(words(text), to: max(10, room), hanging: 0)
                .enumerated()
            {
                right.append(fitted(place == 0 ? name : "", heading) + "  " + fitted(part, room))
            }
        }
        func cell(_ place: Int) -> String {
            guard left.indices.contains(place) else { return String(repeating: " ", count: cells) }
            let text = fitted(left[place].text, cells)
            return left[place].style.map { palette($0, text) } ?? text
        }
        guard rest >= 24 else {
            // Show statistics only; the source needs more room.
            return left.indices.map(cell) + right.prefix(2)
        }
        return (0..<max(left.count, min(right.count, isLarge ? 9 : 4))).map { place in
            cell(place) + (right.indices.contains(place) ? right[place] : "")
        }
    }

    /// Statistics and source of the value.
    private func facts(
        _ row: LiveModel.Row, _ model: LiveModel, _ now: Instant
    ) -> [(String, String)] {
        let number = { (value: Double?) in value.map { fixed($0, row.decimals) } ?? "—" }
        var facts: [(String, String)] = []
        if row.count > 0 {
            facts.append(
                (
                    "Range",
                    "\(number(row.minimum)) to \(number(row.maximum)), mean \(number(row.mean))"
                ))
            let seconds = row.firstNumber.map { (now - $0).seconds } ?? 0
            let rate = seconds > 1 ? ", \(fixed(Double(row.count) / seconds, 1)) per second" : ""
            facts.append(("Readings", "\(row.count) in \(clockText(seconds))\(rate)"))
        }
        if let level = row.level {
            facts.append(("Note", "\(level.word) (\(level.source)): \(level.reason)"))
        }
        if let dataID = row.dataID {
            let name =
                dataID.service == DataID.parameterGroups
                ? "parameter group \(dataID.idText)"
                : "service \(dataID.service), PID \(dataID.idText)"
            let ecu =
                row.ecu.map { ecu in
                    (model.names.name(of: ecu) == nil ? ", ECU " : ", ")
                        + model.names.title(of: ecu)
                } ?? ""
            facts.append(("Source", name + ecu))
        } else if row.updated != nil {
            facts.append(("Source", "the adapter"))
        }
        let alike = model.likes(of: row)
        if !alike.isEmpty {
            facts.append(("Same in", alike.map(\.printed).joined(separator: ", ")))
        }
        if !row.raw.isEmpty {
            facts.append(
                (
                    "Bytes",
                    Hex.string(row.raw.prefix(16))
                        + (row.raw.count > 16 ? "…" : "")
                        + (row.formula.isEmpty ? "" : "; " + row.formula)
                ))
        }
        if let bounds = row.bounds {
            facts.append(
                (
                    "Can be",
                    "\(plain(bounds.lowerBound)) to \(plain(bounds.upperBound))"
                        + (row.unit.isEmpty ? "" : " " + row.unit)
                ))
        }
        if let updated = row.updated {
            facts.append(("Newest", "\(fixed(max(0, (now - updated).seconds), 1)) s ago"))
        }
        return facts
    }
}
