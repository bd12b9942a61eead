import OBDCore

/// The receivers of a session's events: observers and the event queue.
struct Audience {
    private let core: SessionCore
    private let observers: [any ScanObserver]
    /// The kinds of events that are queued.
    private let queued: ScanEvent.Kinds
    /// The kinds of events that any receiver accepts.
    private let wanted: ScanEvent.Kinds

    init(_ core: SessionCore, queued: ScanEvent.Kinds, observers: [any ScanObserver]) {
        self.core = core
        self.observers = observers
        self.queued = queued
        wanted = observers.reduce(queued) { $0.union($1.interests) }
    }

    /// Whether any receiver accepts events of this kind.
    func wants(_ kind: ScanEvent.Kinds) -> Bool { wanted.contains(kind) }

    /// Sends an event to every receiver that accepts it.
    func tell(_ event: ScanEvent, at time: Instant) {
        let kind = event.kind
        if queued.contains(kind) { core.publish(event, at: time) }
        for observer in observers where observer.interests.contains(kind) {
            observer.scan(event, at: time)
        }
    }
}
