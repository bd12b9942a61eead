import Diagnostics
import Formats
import OBDCore

/// The effects of keys on the rows.
extension LiveModel {
    /// Moves the cursor by this many rows.
    package mutating func moveCursor(by step: Int, page: Int) {
        let shown = shown
        guard !shown.isEmpty else { return }
        // At first the cursor appears in the first visible row or the last row. Home and End always
        // go to the first or last row.
        let first = step <= -rows.count ? 0 : step >= rows.count ? shown.count - 1 : nil
        let current = cursor.flatMap { shown.firstIndex(of: $0) }
        let wanted = current.map { $0 + step } ?? first ?? (step > 0 ? scroll : shown.count - 1)
        let position = max(0, min(shown.count - 1, wanted))
        cursor = shown[position]
        if position < scroll { scroll = position }
        if position >= scroll + page { scroll = position - page + 1 }
    }

    /// Scrolls by this many rows without selecting one.
    package mutating func scroll(by step: Int, page: Int) {
        scroll = max(0, min(shown.count - page, scroll + step))
    }

    /// Removes the selected row.
    /// - Returns: The signal, if no other row shows it and it need not be polled any more.
    package mutating func removeRow() -> SignalIndex? {
        guard let place = cursor, rows.indices.contains(place) else { return nil }
        let row = rows.remove(at: place)
        hidden.insert(Key(row))
        // Remove the hidden rows of the same signal, too.
        if foldsECUs, !row.isFolded {
            for other in rows where other.signal == row.signal && other.isFolded {
                hidden.insert(Key(other))
            }
            rows.removeAll { $0.signal == row.signal && $0.isFolded }
        }
        cursor = rows.isEmpty ? nil : min(place, rows.count - 1)
        findPlaces()
        return rows.contains { $0.signal == row.signal } ? nil : row.signal
    }

    /// Shows a removed signal again.
    package mutating func allow(_ signal: SignalIndex) {
        hidden = hidden.filter { $0.signal != signal }
    }

    /// Moves the selected row; the rows of one signal stay together.
    package mutating func moveRow(by step: Int) {
        var signals: [SignalIndex] = []
        for place in shown where signals.last != rows[place].signal {
            signals.append(rows[place].signal)
        }
        guard let cursor, rows.indices.contains(cursor),
            let from = signals.firstIndex(of: rows[cursor].signal),
            signals.indices.contains(from + step)
        else { return }
        let key = Key(rows[cursor])
        signals.swapAt(from, from + step)
        // New rows follow the order that is now on the screen.
        ranks = [:]
        for signal in signals where ranks[signal] == nil { ranks[signal] = ranks.count }
        order = .asked
        rows.sort(by: comesBefore)
        findPlaces()
        self.cursor = places[key]
    }

    /// Switches to the next order.
    package mutating func changeOrder() {
        let all = Order.allCases
        let place = all.firstIndex(of: order) ?? 0
        order = all[(place + 1) % all.count]
        scroll = 0
    }

    /// Toggles between the rows of all ECUs and hiding equal rows.
    package mutating func toggleFolding() { foldsECUs.toggle() }

    /// Changes the units, including those of values already on the screen.
    package mutating func show(in units: UnitSystem) {
        guard units != self.units else { return }
        for place in rows.indices {
            rows[place].convert(from: self.units, to: units)
        }
        self.units = units
    }

    /// Shows a message for some seconds.
    package mutating func say(_ text: String, at now: Instant) {
        remark = Remark(text: text, end: now + .seconds(4))
    }

    /// Pauses or resumes the display.
    package mutating func togglePause(at now: Instant) {
        pauseStart = isPaused ? nil : now
    }

    /// Resets extremes, the ends of bars, which depend on them, and trends.
    package mutating func resetExtremes() {
        for place in rows.indices { rows[place].reset() }
    }
}
