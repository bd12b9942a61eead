import Accessory
import Synchronization

/// What other threads have to say of a trip: in the view while that has the terminal, else on stderr.
final class LiveNotices: Sendable {
    private struct State: Sendable {
        var waiting: [TripRecording.News] = []
        var isViewShown = false
    }

    private let state = Mutex(State())
    private let arrived: EventDescriptor
    private let output: OutputOptions

    /// Nothing is said yet, and no view is shown.
    init(_ output: OutputOptions) throws(Failure) {
        self.output = output
        arrived = try EventDescriptor.made()
    }

    /// Becomes readable when the view has something to say.
    var descriptor: Int32 { arrived.descriptor }

    /// Says it.
    func put(_ news: TripRecording.News) {
        let waits = state.withLock { state in
            if state.isViewShown { state.waiting.append(news) }
            return state.isViewShown
        }
        if waits { arrived.signal() } else { output.note(news.text) }
    }

    /// What the view has to say.
    func take() -> [TripRecording.News] {
        arrived.take()
        return state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    /// The view is shown from now on.
    func viewBegins() { state.withLock { $0.isViewShown = true } }

    /// The view is shown no longer: what it had no time for is said now.
    func viewEnds() {
        state.withLock { $0.isViewShown = false }
        for news in take() { output.note(news.text) }
    }
}
