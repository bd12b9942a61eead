/// A clock that counts from the beginning of a log, and may start again within it.
///
/// Such a log has the readings of two drives. Nothing says how long the break was, so that the second drive
/// gets the earliest times that do not overlap with the first.
struct Stopwatch {
    /// The lines in which the clock starts again, as an earlier reading has found them; nil in the first one.
    private let known: Set<Int>?
    /// The lines that this reading has found.
    private var found: Set<Int> = []
    /// The first and the latest time since the clock started; unit: s.
    private var first: Double?
    private var latest = 0.0
    /// A step back that may be a start of the clock, or a row out of order.
    private var step: (line: Int, to: Double, latest: Double)?
    /// The shift that is added to times of this part; unit: s.
    private var offset = 0.0
    /// Whether the next time belongs to another part of the log.
    private var isNewPart = false
    private var lastLine = 0
    /// Whether the clock has started again with the last time.
    private(set) var hasRestarted = false
    /// Rows of several sources are out of order by less; unit: s.
    private static let jitter = 0.1
    /// The break between two parts; unit: s.
    private static let pause = 1.0

    init(_ known: Set<Int>?) { self.known = known }

    /// The lines in which the clock starts again; only the end of the log shows whether the last step back is
    /// such a line.
    var restarts: Set<Int> {
        guard let step, let first, step.to <= first else { return found }
        return found.union([step.line])
    }

    /// The clock counts from a moment that the log contains.
    mutating func beginsAnew() {
        found = restarts
        (first, step, offset, isNewPart) = (nil, nil, 0, false)
    }

    /// A heading begins another part.
    mutating func partBegins() { isNewPart = true }

    /// The next time may be one of another clock.
    mutating func endsRestart() { hasRestarted = false }

    /// Seconds since the beginning of the log for a time of the clock.
    mutating func seconds(_ time: Double, line: Int) -> Double {
        defer { isNewPart = false }
        hasRestarted = line != lastLine && known?.contains(line) ?? false
        lastLine = line
        if hasRestarted {
            offset += latest + Self.pause - time
            (first, latest) = (time, time)
        } else if let first {
            if known == nil { look(time, first, line) }
            latest = max(latest, time)
        } else {
            (first, latest) = (time, time)
        }
        return time + offset
    }

    /// Looks whether the clock has started again.
    ///
    /// After a row out of order, the clock goes on where it was. A clock that has started again goes on from
    /// there. It is set back to its first time, or loses most of what has passed.
    private mutating func look(_ time: Double, _ first: Double, _ line: Int) {
        if let before = step {
            if time == before.latest, before.to != first { return }
            step = nil
            if time <= before.latest {
                found.insert(before.line)
                (self.first, latest) = (before.to, max(before.to, time))
                return look(time, before.to, line)
            }
        }
        guard time < latest || isNewPart && time == latest else { return }
        if isNewPart {
            found.insert(line)
            (self.first, latest) = (time, time)
        } else if latest - time > Self.jitter,
            time <= first || latest - time > (latest - first) / 2
        {
            step = (line, time, latest)
        }
    }
}
