import Reports
import Synchronization
import SystemIO

/// Messages of other threads about a trip: in the view while the view has the terminal, else on
/// stderr.
package final class LiveNotices: Sendable {
    private struct State: Sendable {
        var waiting: [TripNews] = []
        var isViewShown = false
        /// Losses that the view shows only for some seconds.
        var losses = TripNews.Losses()
    }

    private let state = Mutex(State())
    private let arrived: EventDescriptor
    private let note: @Sendable (String) -> Void

    /// No message was printed yet, and no view is shown; `note` prints a message on stderr.
    package init(note: @escaping @Sendable (String) -> Void) throws(SystemError) {
        self.note = note
        arrived = try EventDescriptor()
    }

    /// Becomes readable when there are messages for the view.
    var descriptor: Int32 { arrived.descriptor }

    package func put(_ news: TripNews) {
        let waits = state.withLock { state in
            guard state.isViewShown else { return false }
            state.waiting.append(news)
            state.losses.add(news.losses)
            return true
        }
        if waits { arrived.signal() } else { note(news.text) }
    }

    /// The messages that the view has to show.
    package func take() -> [TripNews] {
        arrived.take()
        return state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    /// The view is shown from now on.
    package func viewBegins() { state.withLock { $0.isViewShown = true } }

    /// The view ended: prints the messages that it had no time for, and repeats the ones about the
    /// trip's faults.
    package func viewEnds() {
        let losses = state.withLock { state in
            state.isViewShown = false
            defer { state.losses = .init() }
            return state.losses
        }
        for news in take() where news.losses == .init() { note(news.text) }
        for line in losses.lines { note(line) }
    }
}
