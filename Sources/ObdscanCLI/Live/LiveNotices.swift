import Accessory
import Synchronization
import SystemIO

/// Messages of other threads about a trip: shown in the view while it is open, else on stderr.
final class LiveNotices: Sendable {
    private struct State: Sendable {
        var waiting: [TripNews] = []
        var isViewShown = false
        /// Losses that the view shows only for some seconds.
        var losses = TripNews.Losses()
    }

    private let state = Mutex(State())
    private let arrived: EventDescriptor
    private let note: @Sendable (String) -> Void

    /// No messages and no open view; `note` prints to stderr.
    init(note: @escaping @Sendable (String) -> Void) throws(SystemError) {
        self.note = note
        arrived = try EventDescriptor()
    }

    /// Becomes readable when there are messages for the view.
    var descriptor: Int32 { arrived.descriptor }

    /// Adds a message.
    func put(_ news: TripNews) {
        let waits = state.withLock { state in
            guard state.isViewShown else { return false }
            state.waiting.append(news)
            state.losses.add(news.losses)
            return true
        }
        if waits { arrived.signal() } else { note(news.text) }
    }

    /// Returns the messages for the view.
    func take() -> [TripNews] {
        arrived.take()
        return state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    /// Messages go to the view from now on.
    func viewBegins() { state.withLock { $0.isViewShown = true } }

    /// The view was closed: prints messages that it did not show, and repeats the losses of the
    /// trip.
    func viewEnds() {
        let losses = state.withLock { state in
            state.isViewShown = false
            defer { state.losses = .init() }
            return state.losses
        }
        for news in take() where news.losses == .init() { note(news.text) }
        for line in losses.lines { note(line) }
    }
}
