/// Whether the vehicle is polled, as a pure state machine: commands go in, orders come out.
///
/// The state machine has no plan and no clock. Every pair of state and event is listed below.
public struct Polling: Hashable, Sendable {
    /// The state of the poll.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// There is no poll.
        case idle
        /// A poll was cancelled; the next one continues its statistics.
        case cancelled
        /// A plan chooses the requests.
        case polling
        /// The plan is paused.
        case paused
        /// The session is over.
        case ended
    }

    /// The events.
    public enum Event: String, Hashable, Sendable, CaseIterable {
        /// Begin a poll.
        case begin
        /// Pause the poll.
        case pause
        /// Continue a paused poll.
        case resume
        /// End the poll before its plan is done.
        case cancel
        /// The plan has no more requests.
        case done
        /// The session ends.
        case end
    }

    /// An action for the caller; they are in order.
    public enum Order: String, Hashable, Sendable {
        /// Restart the statistics.
        case resetFigures
        /// Discard the time before the poll.
        case restartGap
        /// Do not count the time from here on as the program's own.
        case freeGap
        /// Use the new plan.
        case adopt
        /// Remove the plan.
        case drop
        /// Publish how the time was spent.
        case report
        /// Report that polling began or continues.
        case tellStart
        /// Report that polling is paused.
        case tellPause
        /// Report that polling was cancelled.
        case tellCancel
        /// Report that the plan is done.
        case tellFinish
    }

    /// The state of the poll.
    public private(set) var state = State.idle

    /// Creates a machine without a poll.
    public init() {}

    /// Whether there is a plan.
    public var hasPlan: Bool {
        switch state {
        case .polling, .paused: true
        case .idle, .cancelled, .ended: false
        }
    }

    /// Handles an event and returns the resulting actions.
    public mutating func take(_ event: Event) -> [Order] {
        switch (state, event) {
        case (.idle, .begin): go(to: .polling, [.resetFigures, .restartGap, .adopt, .tellStart])
        case (.cancelled, .begin), (.paused, .begin):
            go(to: .polling, [.restartGap, .adopt, .tellStart])
        // The new plan replaces the old one, and the statistics continue.
        case (.polling, .begin): go(to: .polling, [.adopt, .tellStart])
        case (.polling, .pause): go(to: .paused, [.freeGap, .tellPause])
        case (.paused, .resume): go(to: .polling, [.tellStart])
        case (.polling, .cancel), (.paused, .cancel):
            go(to: .cancelled, [.report, .drop, .tellCancel])
        case (.polling, .done): go(to: .idle, [.report, .drop, .tellFinish])
        case (.polling, .end), (.paused, .end): go(to: .ended, [.report, .tellCancel])
        case (.idle, .end), (.cancelled, .end): go(to: .ended, [])
        // There is no poll to pause, continue or end.
        case (.idle, .pause), (.idle, .resume), (.idle, .cancel), (.idle, .done),
            (.cancelled, .pause), (.cancelled, .resume), (.cancelled, .cancel), (.cancelled, .done):
            []
        // The poll already runs or is already paused; a paused plan cannot be done.
        case (.polling, .resume), (.paused, .pause), (.paused, .done): []
        case (.ended, .begin), (.ended, .pause), (.ended, .resume), (.ended, .cancel),
            (.ended, .done), (.ended, .end):
            []
        }
    }

    private mutating func go(to next: State, _ orders: [Order]) -> [Order] {
        state = next
        return orders
    }
}
