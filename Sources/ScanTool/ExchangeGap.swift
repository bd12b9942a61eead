public import OBDCore

/// The time since the latest exchange, until the next request is written; a value without a clock.
public struct ExchangeGap: Hashable, Sendable {
    /// When the latest exchange was over; nil = there was none, or its time was taken.
    private var end: Instant?
    /// When there was nothing more to ask after it.
    private var freeSince: Instant?
    /// When there was nothing more to ask but what rests.
    private var restsSince: Instant?
    /// Whether the link was not usable meanwhile.
    private var isOutage = false

    /// Before the first exchange.
    public init() {}

    /// Whether there is nothing to ask but what rests.
    public var isResting: Bool { restsSince != nil }

    /// An exchange is over; `isFree` = nothing is asked after it.
    public mutating func begin(at time: Instant, isFree: Bool) {
        end = time
        freeSince = isFree ? time : nil
    }

    /// The gap begins here, whatever was before.
    public mutating func restart(at time: Instant) {
        self = ExchangeGap()
        end = time
    }

    /// The gap goes on as one in which there is something to ask.
    public mutating func goOn() {
        freeSince = nil
        isOutage = false
    }

    /// Nothing is asked from here on.
    public mutating func free(from time: Instant) {
        freeSince = time
        restsSince = nil
    }

    /// Nothing is due now; `rests` = it would be, but for what is left alone.
    public mutating func wait(at time: Instant, rests: Bool) {
        freeSince = freeSince ?? time
        if rests { restsSince = restsSince ?? time }
    }

    /// The link cannot be used.
    public mutating func noteOutage() { isOutage = true }

    /// The next request is written: the gap's time goes to `account`.
    public mutating func close(at time: Instant, into account: inout TimeAccount) {
        if let end {
            account.takeGap(
                from: end, freeSince: freeSince, restsSince: restsSince, until: time,
                isOutage: isOutage)
            // A request that is refused has no end of its own.
            self.end = time
        }
        freeSince = nil
        restsSince = nil
        isOutage = false
    }

    /// Nothing follows: the gap's time goes to `account`.
    public mutating func finish(at time: Instant, into account: inout TimeAccount) {
        close(at: time, into: &account)
        end = nil
    }
}
