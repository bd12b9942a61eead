import OBDCore

/// A note with its position.
public struct TrackNote: Sendable {
    /// The text.
    public var text: String
    /// The time of the note.
    public var time: UTC
    /// The position nearest in time, with its own time.
    public var point: TrackPoint
}

/// Finds the positions of notes; it takes positions and notes in the order of time.
public struct TrackNotes: Sendable {
    /// The greatest time between a note and its position; unit: µs.
    public static let reach: Int64 = 5_000_000

    private var latest: TrackPoint?
    /// Notes after the latest position.
    private var waiting: [(text: String, time: UTC)] = []
    private var placed: [TrackNote] = []

    /// A track without positions and notes.
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

    /// The notes with a position, after all input.
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
