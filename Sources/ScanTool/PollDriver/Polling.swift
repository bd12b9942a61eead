/// Whether the vehicle is polled, as a pure machine: commands go in, orders come out.
///
/// It knows no plan and no clock. Every pair of state and event is spelled out below.
public struct Polling: Hashable, Sendable {
    /// Where it is.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// Nothing is polled.
        case idle
        /// A poll was cancelled: the next one goes on with its figures.
        case cancelled
        /// A plan says what is asked next.
        case polling
        /// The plan is held.
        case paused
        /// The session is over.
        case ended
    }

    /// What happens.
    public enum Event: String, Hashable, Sendable, CaseIterable {
        /// A plan is to be polled by.
        case begin
        /// The poll is to be held.
        case pause
        /// A held poll is to go on.
        case resume
        /// The poll is to end before its plan is done.
        case cancel
        /// The plan has nothing more to ask.
        case done
        /// The session comes to its end.
        case end
    }

    /// What has to be done, in order.
    public enum Order: String, Hashable, Sendable {
        /// Count from here.
        case resetFigures
        /// What passed before does not belong to the poll.
        case restartGap
        /// The time from here on is not the program's.
        case freeGap
        /// Go by the new plan.
        case adopt
        /// Forget the plan.
        case drop
        /// Publish where the time went.
        case report
        /// Say that polling began, or goes on.
        case tellStart
        /// Say that polling is held.
        case tellPause
        /// Say that polling was cancelled.
        case tellCancel
        /// Say that the plan is done.
        case tellFinish
    }

    /// Where it is.
    public private(set) var state = State.idle

    /// Nothing is polled.
    public init() {}

    /// Whether there is a plan.
    public var hasPlan: Bool {
        switch state {
        case .polling, .paused: true
        case .idle, .cancelled, .ended: false
        }
    }

    /// Takes an event; what has to be done about it.
    public mutating func take(_ event: Event) -> [Order] {
        switch (state, event) {
        case (.idle, .begin): go(to: .polling, [.resetFigures, .restartGap, .adopt, .tellStart])
        case (.cancelled, .begin), (.paused, .begin):
            go(to: .polling, [.restartGap, .adopt, .tellStart])
        // The new plan takes the place of the old one, and the figures go on.
        case (.polling, .begin): go(to: .polling, [.adopt, .tellStart])
        case (.polling, .pause): go(to: .paused, [.freeGap, .tellPause])
        case (.paused, .resume): go(to: .polling, [.tellStart])
        case (.polling, .cancel), (.paused, .cancel):
            go(to: .cancelled, [.report, .drop, .tellCancel])
        case (.polling, .done): go(to: .idle, [.report, .drop, .tellFinish])
        case (.polling, .end), (.paused, .end): go(to: .ended, [.report, .tellCancel])
        case (.idle, .end), (.cancelled, .end): go(to: .ended, [])
        // There is no poll to hold, to go on with or to end.
        case (.idle, .pause), (.idle, .resume), (.idle, .cancel), (.idle, .done),
            (.cancelled, .pause), (.cancelled, .resume), (.cancelled, .cancel), (.cancelled, .done):
            []
        // It goes on, or is held already; a plan that is held is not asked whether it is done.
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
