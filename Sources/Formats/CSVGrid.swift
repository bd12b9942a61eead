import Diagnostics
import OBDCore

/// Readings as a table with lines at regular times and one column per signal.
///
/// The first column's name shows the grid and the fill: `time [every 0.1 s, last value]`.
public struct CSVGrid: Sendable {
    /// The value of a cell at a time without a reading.
    public enum Fill: String, Hashable, Sendable, CaseIterable {
        /// The last value before that time.
        case last
        /// A linear interpolation between neighbouring values that are at most ``longestGap``
        /// apart; the last value if it is not a number.
        case linear
        /// No value; a reading between two times goes to the earlier line.
        case none
    }

    /// Values further apart than this are not interpolated; unit: µs.
    public static let longestGap: Int64 = 60_000_000

    /// The greatest number of lines that ``advance(to:time:_:)`` appends.
    public static let linesAtOnce = 10_000

    private struct Line {
        var time: Int64
        var cells: [[UInt8]]
    }

    private let columns: CSVColumns
    private let start: UTC
    private let step: Int64
    private let fill: Fill
    /// The cells of the next line (``Fill/none``), or the last values.
    private var current: [[UInt8]]
    /// The last number of each column, for ``Fill/linear``.
    private var last: [(time: Int64, value: Double)?]
    private var waiting: [Line] = []
    /// µs from the start to the next line; nil before the first reading.
    private var next: Int64?
    private var latest: Int64 = .min
    private var timeText: TimeText

    /// A table with lines that are `every` apart, counted from `start`; at least a millisecond.
    ///
    /// Numbers are rounded to what the step of their signal needs, unless `isExact`. `steps` has the step of each
    /// column if the table lacks them, as that of a stored trip does; 0 = not known.
    public init(
        table: PIDTable, columns: [CSVWide.Column], units: UnitSystem = .metric,
        times: TimeStyle = .utc, separator: Unicode.Scalar = ",", start: UTC, every: Duration,
        fill: Fill, isExact: Bool = false, steps: [Double]? = nil
    ) {
        self.columns = CSVColumns(
            table: table, columns: columns, units: units, separator: separator,
            isRounded: !isExact, steps: steps)
        timeText = TimeText(times)
        self.start = start
        self.fill = fill
        step = max(1000, every.nanoseconds / 1000)
        current = Array(repeating: [], count: self.columns.columns.count)
        last = Array(repeating: nil, count: self.columns.columns.count)
    }

    /// Appends the heading; the name of the first column shows the grid, and `zone` if the times do not
    /// have it.
    public func appendHeader(zone: String? = nil, to output: inout [UInt8]) {
        var seconds: [UInt8] = []
        NumberText.append(Double(step) / 1e6, to: &seconds)
        let how =
            switch fill {
            case .last: "last value"
            case .linear: "linear"
            case .none: "as read"
            }
        let grid =
            "time [every \(String(decoding: seconds, as: UTF8.self)) s, \(how)"
            + (zone.map { ", \($0)" } ?? "") + "]"
        columns.appendHeader(time: grid, to: &output)
    }

    /// Appends at most ``linesAtOnce`` lines that `reading` completes; returns whether there are
    /// more.
    ///
    /// Call this method until there are no more lines, then call ``append(_:time:to:)``. A pause of days in a
    /// trip therefore need not fit into memory.
    public mutating func advance(
        to reading: borrowing Reading, time: UTC, _ output: inout [UInt8]
    ) -> Bool {
        guard next != nil, columns.place(of: reading) != nil else { return false }
        let t = time.microseconds &- start.microseconds
        switch fill {
        case .none: return emit(before: t - step + 1, atMost: Self.linesAtOnce, &output)
        case .last: return emit(before: t, atMost: Self.linesAtOnce, &output)
        case .linear: return makeLines(before: t, atMost: Self.linesAtOnce, &output)
        }
    }

    /// Takes a reading, in the order of time, and appends the completed lines.
    public mutating func append(
        _ reading: borrowing Reading, time: UTC, to output: inout [UInt8]
    ) {
        guard let place = columns.place(of: reading) else { return }
        let t = time.microseconds &- start.microseconds
        if next == nil {
            let slot = t >= 0 ? t / step : (t - step + 1) / step
            next = (fill == .none || slot * step == t ? slot : slot + 1) * step
        }
        latest = max(latest, t)
        switch fill {
        case .none: _ = emit(before: t - step + 1, &output)
        case .last: _ = emit(before: t, &output)
        case .linear: _ = makeLines(before: t, &output)
        }
        if fill == .linear, case .number(let value) = reading.value {
            let shown = columns.conversions[place].map { $0(value) } ?? value
            join(place, to: t, shown)
            last[place] = (t, shown)
            return
        }
        current[place].removeAll(keepingCapacity: true)
        columns.append(reading, at: place, to: &current[place])
    }

    /// Appends the lines up to the last reading; call it at the end.
    public mutating func finish(_ output: inout [UInt8]) {
        guard next != nil else { return }
        switch fill {
        case .none, .last: _ = emit(before: latest + 1, &output)
        case .linear:
            _ = makeLines(before: latest + 1, &output)
            for place in columns.columns.indices {
                if let known = last[place] { join(place, to: known.time, known.value) }
            }
            for line in waiting { append(line.time, line.cells, to: &output) }
            waiting = []
        }
    }

    // MARK: Lines

    /// Appends the known lines before `t`; returns whether more than `limit` of them are due.
    private mutating func emit(
        before t: Int64, atMost limit: Int = .max, _ output: inout [UInt8]
    ) -> Bool {
        var room = limit
        while let due = next, due < t {
            if room == 0 { return true }
            room -= 1
            append(due, current, to: &output)
            next = due + step
            guard fill == .none else { continue }
            for place in current.indices { current[place].removeAll(keepingCapacity: true) }
        }
        return false
    }

    /// Begins the lines before `t` and appends those that are complete.
    /// - Returns: Whether more than `limit` of them are due.
    private mutating func makeLines(
        before t: Int64, atMost limit: Int = .max, _ output: inout [UInt8]
    ) -> Bool {
        // Values further apart are not interpolated.
        let complete = t - Self.longestGap
        let done = waiting.prefix { $0.time < complete }.count
        for line in waiting[..<done] { append(line.time, line.cells, to: &output) }
        waiting.removeFirst(done)
        var room = limit
        while let due = next, due < t {
            if room == 0 { return true }
            room -= 1
            // A number that was read at exactly this time is used unchanged.
            var cells = current
            for place in cells.indices {
                if let known = last[place], known.time == due {
                    columns.append(known.value, at: place, to: &cells[place])
                }
            }
            if due < complete {
                append(due, cells, to: &output)
            } else {
                waiting.append(Line(time: due, cells: cells))
            }
            next = due + step
        }
        return false
    }

    /// Interpolates a column's cells between its last number and this one.
    private mutating func join(_ place: Int, to t: Int64, _ value: Double) {
        guard let before = last[place], t - before.time <= Self.longestGap else { return }
        var index = waiting.count - 1
        while index >= 0, waiting[index].time > before.time {
            let line = waiting[index].time
            if line <= t, waiting[index].cells[place].isEmpty {
                let share =
                    t == before.time ? 1 : Double(line - before.time) / Double(t - before.time)
                let number = before.value + (value - before.value) * share
                // An estimate does not justify more digits.
                let rounded = (number * 1e4).rounded() / 1e4
                columns.append(rounded, at: place, to: &waiting[index].cells[place])
            }
            index -= 1
        }
    }

    private mutating func append(
        _ t: Int64, _ cells: [[UInt8]], to output: inout [UInt8]
    ) {
        timeText.append(UTC(microseconds: start.microseconds &+ t), to: &output)
        for cell in cells {
            output.append(columns.separator)
            output.append(contentsOf: cell)
        }
        CSVText.endLine(&output)
    }
}
