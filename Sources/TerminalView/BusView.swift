import Formats
import OBDCore

/// Draws a ``BusModel``; the output depends only on model, time and size.
package struct BusView: Sendable {
    /// The styles to use, if any.
    package var palette: Palette
    /// The name of the device.
    package var accessory: String

    /// A view of one device.
    package init(palette: Palette, accessory: String) {
        self.palette = palette
        self.accessory = accessory
    }

    /// How long ago a byte changed that counts as new, and as recent.
    private static let new = Duration.seconds(1)
    private static let recent = Duration.seconds(5)
    /// Lines beside the rows: head, names of columns, keys.
    private static let otherLines = 3

    /// The number of rows that fit on a screen.
    package static func room(_ size: LiveView.Size) -> Int { max(0, size.rows - otherLines) }

    /// The screen as lines, at most `size.rows`, each at most `size.columns` cells wide.
    package func render(
        _ model: BusModel, at now: Instant, size: LiveView.Size, isHeld: Bool = false
    ) -> [String] {
        guard size.columns >= 20, size.rows > Self.otherLines else {
            return size.rows > 0 ? [fitted("enlarge", max(0, size.columns))] : []
        }
        var head = "\(printable(accessory))  \(counted(model.rows.count, "identifier"))  "
        head += counted(model.frames, "frame")
        if model.lost > 0 { head += "  \(counted(model.lost, "frame")) lost" }
        if isHeld { head += "  held" }
        if model.frames == 0 { head += "  no frame yet: is the ignition on?" }
        var lines = [
            palette(.bold, fitted(head, size.columns)),
            palette(
                .dim,
                fitted("ID        PER SECOND       AGE  BYTES: * new, + recent", size.columns)),
        ]
        let room = Self.room(size)
        let first = max(0, min(model.scrolled, model.rows.count - room))
        for row in model.rows.dropFirst(first).prefix(room) {
            lines.append(line(row, at: now, size.columns))
        }
        while lines.count < size.rows - 1 { lines.append("") }
        let keys = "q quit   space hold   # what changes is known   r forget   ↑↓ scroll"
        lines.append(fitted(palette.shown(keys), size.columns))
        return lines
    }

    private func line(_ row: BusModel.Row, at now: Instant, _ columns: Int) -> String {
        let isOver = row.isOver(at: now)
        let rate = row.gap.flatMap { $0 > .zero && !isOver ? 1 / $0.seconds : nil }
        let age = max(.zero, now - row.last).seconds
        let head =
            fitted(row.id.digits, 8) + "  "
            + fitted(rate.map { tenths($0) } ?? "-", 10, right: true)
            + "  " + fitted(tenths(age) + " s", 8, right: true) + "  "
        var line = isOver ? palette(.dim, fitted(head, columns)) : fitted(head, min(columns, 32))
        var width = 32
        for (place, byte) in row.data.enumerated() where width + 3 <= columns {
            let passed = row.times[place].map { now - $0 }
            let text = Hex.string([byte])
            switch passed {
            case let passed? where passed <= Self.new: line += palette(.inverse, text) + "*"
            case let passed? where passed <= Self.recent: line += palette(.bold, text) + "+"
            default: line += row.changed[place] == 0 ? palette(.dim, text) + " " : text + " "
            }
            width += 3
        }
        return line
    }

    private func tenths(_ number: Double) -> String {
        let tenths = Int((min(number, 1e9) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
