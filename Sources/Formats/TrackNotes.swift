import OBDCore

/// A note and where it was made.
public struct TrackNote: Sendable {
    /// What it says.
    public var text: String
    /// When it was made.
    public var time: UTC
    /// The position nearest in time; its own time is another.
    public var point: TrackPoint
}

/// Finds out where notes were made: positions and notes are taken in the order of time.
public struct TrackNotes: Sendable {
    /// A note that is farther from every position has no place; unit: µs.
    public static let reach: Int64 = 5_000_000

    private var latest: TrackPoint?
    /// Notes after the latest position.
    private var waiting: [(text: String, time: UTC)] = []
    private var placed: [TrackNote] = []

    /// No position and no note yet.
    public init() {}

    /// Takes a position.
    public mutating func take(_ point: TrackPoint) {
        place(before: point)
        latest = point
    }

    /// Takes a note.
    public mutating func take(note text: String, at time: UTC) {
        waiting.append((text, time))
    }

    /// The notes that have a place, once everything was taken.
    public mutating func finish() -> [TrackNote] {
        place(before: nil)
        return placed
    }

    private mutating func place(before next: TrackPoint?) {
        for note in waiting {
            let candidates = [latest, next].compactMap { point -> (Int64, TrackPoint)? in
                guard let point else { return nil }
                let gap = note.time.microseconds.subtractingReportingOverflow(
                    point.time.microseconds)
                return gap.overflow || gap.partialValue.magnitude > UInt64(Self.reach)
                    ? nil : (abs(gap.partialValue), point)
            }
            guard let nearest = candidates.min(by: { $0.0 < $1.0 }) else { continue }
            placed.append(TrackNote(text: note.text, time: note.time, point: nearest.1))
        }
        waiting = []
    }
}
