public import OBDCore

/// The time between the last exchange and the next request, as a value without a clock.
public struct ExchangeGap: Hashable, Sendable {
    /// When the last exchange ended; nil if there was none or its time was already counted.
    private var end: Instant?
    /// When no more requests were due.
    private var freeSince: Instant?
    /// When no requests were due except those that are asked less often.
    private var restsSince: Instant?
    /// Whether the link was unusable in the meantime.
    private var isOutage = false

    /// A gap before the first exchange.
    public init() {}

    /// Whether no requests are due except those that are asked less often.
    public var isResting: Bool { restsSince != nil }

    /// Begins the gap at the end of an exchange; `isFree` means that no request is due after it.
    public mutating func begin(at time: Instant, isFree: Bool) {
        end = time
        freeSince = isFree ? time : nil
    }

    /// Begins the gap here and discards the earlier time.
    public mutating func restart(at time: Instant) {
        self = ExchangeGap()
        end = time
    }

    /// Continues the gap as one in which requests are due.
    public mutating func goOn() {
        freeSince = nil
        isOutage = false
    }

    /// Records that no request is due from here on.
    public mutating func free(from time: Instant) {
        freeSince = time
        restsSince = nil
    }

    /// Records that no request is due now; `rests` means that some would be, but are asked less often.
    public mutating func wait(at time: Instant, rests: Bool) {
        freeSince = freeSince ?? time
        if rests { restsSince = restsSince ?? time }
    }

    /// Records that the link is unusable.
    public mutating func noteOutage() { isOutage = true }

    /// Ends the gap when the next request is written, and adds its time to `account`.
    public mutating func close(at time: Instant, into account: inout TimeAccount) {
        if let end {
            account.takeGap(
                from: end, freeSince: freeSince, restsSince: restsSince, until: time,
                isOutage: isOutage)
            // A refused request has no end, so it ends here.
            self.end = time
        }
        freeSince = nil
        restsSince = nil
        isOutage = false
    }

    /// Ends the gap without another request, and adds its time to `account`.
    public mutating func finish(at time: Instant, into account: inout TimeAccount) {
        close(at: time, into: &account)
        end = nil
    }
}
