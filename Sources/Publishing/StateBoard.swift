import OBDCore

/// The newest values of topics, and which of them must be sent.
///
/// A value is sent when it changes, but not too often, and again after a while, so that readers
/// know that it is still valid.
package struct StateBoard: Sendable {
    /// After this time a value is sent again, if it was read again.
    package static let heartbeat = Duration.seconds(60)

    private struct Entry {
        var value: JSONValue
        var unit: String
        var time: UTC
        var sent: (value: JSONValue, time: UTC, at: Instant)?
    }

    package struct Message: Hashable, Sendable {
        package var topic: String
        package var payload: [UInt8]
    }

    private let every: Duration
    private var entries: [String: Entry] = [:]
    /// Topics that may have to be sent.
    private var open: Set<String> = []

    /// An empty board; a topic gets a value at most at this interval.
    package init(every: Duration) { self.every = every }

    /// Stores a newer value of a topic.
    package mutating func put(_ topic: String, _ value: JSONValue, unit: String, time: UTC) {
        if let known = entries[topic] {
            if time < known.time { return }
            entries[topic]?.value = value
            entries[topic]?.unit = unit
            entries[topic]?.time = time
        } else {
            entries[topic] = Entry(value: value, unit: unit, time: time)
        }
        open.insert(topic)
    }

    /// Forgets the topics that begin like this.
    package mutating func removeAll(under prefix: String) {
        for topic in entries.keys.filter({ $0.hasPrefix(prefix) }) {
            entries[topic] = nil
            open.remove(topic)
        }
    }

    /// Everything has to be sent again to a broker that may have no messages.
    package mutating func forgetSent() {
        for topic in entries.keys {
            entries[topic]?.sent = nil
            open.insert(topic)
        }
    }

    /// The messages to send now; they count as sent.
    package mutating func due(at now: Instant) -> [Message] {
        var messages: [Message] = []
        for topic in open.sorted() {
            guard let entry = entries[topic] else { continue }
            if let sent = entry.sent {
                if sent.time == entry.time {
                    open.remove(topic)
                    continue
                }
                let wait = sent.value == entry.value ? Self.heartbeat : every
                if now < sent.at + wait { continue }
            }
            messages.append(
                Message(
                    topic: topic,
                    payload: StatePayload.signal(entry.value, unit: entry.unit, time: entry.time)))
            entries[topic]?.sent = (entry.value, entry.time, now)
            open.remove(topic)
        }
        return messages
    }
}
