public import OBDCore

/// Where the time of a poll went: a value that is told of every exchange and of the time between them.
public struct TimeAccount: Hashable, Sendable {
    /// The sum over all exchanges.
    public private(set) var exchanges = ExchangeTiming.Split()
    /// Between an answer and the next request, though something was due: reading and planning.
    public private(set) var own = Duration.zero
    /// Nothing was due.
    public private(set) var idle = Duration.zero
    /// Nothing was due but what rests.
    public private(set) var rests = Duration.zero
    /// Exchanges that failed, and the time without a link.
    public private(set) var lost = Duration.zero
    /// Exchanges that were answered, silence included.
    public private(set) var count = 0
    /// Exchanges that no ECU answered.
    public private(set) var silent = 0
    /// What those took.
    public private(set) var silence = Duration.zero
    /// Exchanges that took less time than their bytes need at the line's rate.
    private var tooFast = 0

    /// Nothing spent yet.
    public init() {}

    /// Takes note of an exchange that ended at `instant`.
    public mutating func take(
        _ timing: ExchangeTiming, at instant: Instant, rate: Int?, isSilent: Bool
    ) {
        if let rate, timing.disproves(rate: rate, by: instant) { tooFast += 1 }
        let split = timing.split(at: instant, rate: rate, isSilent: isSilent)
        count += 1
        if isSilent {
            silent += 1
            silence += split.total
        }
        exchanges.bus += split.bus
        exchanges.adapterWait += split.adapterWait
        exchanges.link += split.link
        exchanges.commands += split.commands
        exchanges.pauses += split.pauses
    }

    /// Takes note of an exchange that failed.
    public mutating func takeFailure(_ time: Duration) { lost += max(.zero, time) }

    /// Takes note of the time between two exchanges.
    ///
    /// - Parameters:
    ///   - end: of the exchange before.
    ///   - next: the begin of the one behind.
    ///   - freeSince: when there was nothing to ask; nil = there was always something.
    ///   - restsSince: when there was nothing but what rests since it was not answered; nil = never.
    ///   - isOutage: whether the link was not usable in between.
    public mutating func takeGap(
        from end: Instant, freeSince: Instant?, restsSince: Instant? = nil, until next: Instant,
        isOutage: Bool
    ) {
        if isOutage {
            lost += max(.zero, next - end)
            return
        }
        let free = min(max(end, freeSince ?? next), next)
        own += max(.zero, free - end)
        let resting = min(max(free, restsSince ?? next), next)
        idle += max(.zero, resting - free)
        rests += max(.zero, next - resting)
    }

    /// Whether the line's rate says nothing about how fast bytes travel.
    public var rateIsFiction: Bool { tooFast * 20 > count }

    /// Where the time went, each part in its own right.
    public var parts: Parts {
        var parts = Parts(
            bus: exchanges.bus, adapterWait: exchanges.adapterWait, link: exchanges.link,
            commands: exchanges.commands, pauses: exchanges.pauses, own: own, idle: idle,
            rests: rests, lost: lost)
        if rateIsFiction {
            parts.bus += parts.link
            parts.link = .zero
        }
        return parts
    }

    /// The parts of a poll's time.
    public struct Parts: Hashable, Sendable {
        /// From the request to the last line of its answer: the adapter, the bus, the ECUs; with the
        /// line's own time where its rate is not known.
        public var bus: Duration
        /// The adapter's waiting for more answers that did not come.
        public var adapterWait: Duration
        /// Bytes on the line between here and the adapter.
        public var link: Duration
        /// Commands to the adapter itself: its voltage, settings between requests.
        public var commands: Duration
        /// Pauses before a request was repeated.
        public var pauses: Duration
        /// This program, from a reply to the next request.
        public var own: Duration
        /// Nothing was due.
        public var idle: Duration
        /// Nothing was due but what was silent or failed and is asked less often, or the vehicle
        /// was left alone.
        public var rests: Duration
        /// Requests that failed and outages of the link.
        public var lost: Duration

        /// Parts by their times.
        public init(
            bus: Duration, adapterWait: Duration, link: Duration, commands: Duration,
            pauses: Duration = .zero, own: Duration, idle: Duration, rests: Duration = .zero,
            lost: Duration
        ) {
            self.bus = bus
            self.adapterWait = adapterWait
            self.link = link
            self.commands = commands
            self.pauses = pauses
            self.own = own
            self.idle = idle
            self.rests = rests
            self.lost = lost
        }

        /// All of it.
        public var total: Duration {
            bus + adapterWait + link + commands + pauses + own + idle + rests + lost
        }
    }
}
