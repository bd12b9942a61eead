import OBDCore
import ScanTool

/// The deadlines on which a session's thread waits, as a pure value.
struct Deadlines: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var deadline: Deadline
        var time: Instant
    }

    /// The deadlines of the scan tool.
    private var entries: [Entry] = []
    /// When the plan has its next request.
    var plan: Instant?
    /// When to report a long search for the vehicle; nil = no search, or already reported.
    var longSearch: Instant?
    /// When to write again to a queue that was full.
    var write: Instant?
    /// The time until which a store may delay the end.
    private(set) var drain: Instant?

    /// The earliest deadline; nil if there is none.
    var nearest: Instant? {
        var nearest = plan
        if let longSearch, nearest.map({ longSearch < $0 }) ?? true { nearest = longSearch }
        if let write, nearest.map({ write < $0 }) ?? true { nearest = write }
        if let drain, nearest.map({ drain < $0 }) ?? true { nearest = drain }
        for entry in entries where nearest.map({ entry.time < $0 }) ?? true { nearest = entry.time }
        return nearest
    }

    /// Arms a deadline and replaces an earlier one with the same name.
    mutating func arm(_ deadline: Deadline, at time: Instant) {
        if let place = entries.firstIndex(where: { $0.deadline == deadline }) {
            entries[place].time = time
        } else {
            entries.append(Entry(deadline: deadline, time: time))
        }
    }

    /// Removes a deadline; false if it was not armed.
    @discardableResult
    mutating func disarm(_ deadline: Deadline) -> Bool {
        guard let place = entries.firstIndex(where: { $0.deadline == deadline }) else {
            return false
        }
        entries.remove(at: place)
        return true
    }

    /// Removes and returns an expired deadline of the scan tool.
    mutating func takeExpired(at time: Instant) -> Deadline? {
        guard let place = entries.firstIndex(where: { $0.time <= time }) else { return nil }
        return entries.remove(at: place).deadline
    }

    /// Takes the moment after a long search; false = the moment has not come yet.
    mutating func takeLongSearch(at time: Instant) -> Bool {
        guard let longSearch, longSearch <= time else { return false }
        self.longSearch = nil
        return true
    }

    /// Limits how long a store keeps the end waiting, unless it is limited.
    mutating func limitDrain(to time: Instant) { drain = drain ?? time }

    /// Whether a store has delayed the end for too long.
    func isDrainOver(at time: Instant) -> Bool { drain.map { $0 <= time } ?? false }

    /// Removes that time, because no store delays the end.
    mutating func endDrain() { drain = nil }
}
