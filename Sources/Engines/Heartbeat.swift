import OBDCore
import Publishing
import SystemIO
import TripStore

/// The state of this computer, at an interval.
package struct Heartbeat: Sendable {
    package var interval: Duration
    /// The name of the computer.
    package var name: String
    /// The name for people.
    package var title: String
    package var version: String
    private var next: Instant?
    private var hasEnded = false

    package init(interval: Duration, name: String, title: String, version: String) {
        self.interval = interval
        self.name = name
        self.title = title
        self.version = version
    }

    /// Begins with a connection.
    ///
    /// A sink that only delivers what is left tells the state at its end, when nothing waits any more.
    mutating func begin(at now: Instant, drains: Bool) {
        next = drains ? now + interval : nil
    }

    /// Whether a beat is due; it then counts as sent.
    mutating func isDue(at now: Instant) -> Bool {
        if let next, now < next { return false }
        next = now + interval
        return true
    }

    /// Makes the last beat due; false if that was done before.
    mutating func end() -> Bool {
        if hasEnded { return false }
        hasEnded = true
        next = nil
        return true
    }

    /// The state now.
    ///
    /// Texts of events, addresses of other sinks, files and secrets are left out. A fault of the sink
    /// itself could not be sent to it.
    ///
    /// - Parameter deliveries: nil if they are not known.
    package func state(
        _ database: String, _ deliveries: DeliveryStore?, sink: String, hasHistory: Bool
    ) -> MachineState {
        let clock = SystemClock.reading()
        var state = MachineState(
            name: name, version: version, isClockSet: clock.isSet,
            uptime: Double(clock.instant.nanoseconds) / 1e9, time: clock.utc)
        state.freeSpace = Files.freeSpace(at: database)
        if let store = try? TripStore(path: database, access: .readOnly, limits: .oneWay) {
            if hasHistory { state.waiting = (try? store.backlog(of: sink, deliveries))?.readings }
            if let activity = try? store.activity() {
                state.isRecording = activity.isRecording
                state.lastRecord = activity.lastRecord
                if let kind = activity.fault {
                    state.error = .init(
                        kind == .linkLost ? .linkLost : .linkError, at: activity.faultTime)
                }
            }
        }
        for other in (try? deliveries?.sinks()) ?? [] where other.name != sink {
            guard other.fault != nil, let time = other.faultTime,
                (state.error?.time).map({ $0 < time }) ?? true
            else { continue }
            state.error = .init(.sink, at: time)
        }
        if deliveries?.isInMemory ?? false {
            state.error = .init(.disk, at: clock.utc)
        }
        return state
    }
}
