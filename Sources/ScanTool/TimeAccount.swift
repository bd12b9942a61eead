public import OBDCore

/// How a poll spent its time, summed over its exchanges and the time between them.
public struct TimeAccount: Hashable, Sendable {
    /// The sum over all exchanges.
    public private(set) var exchanges = ExchangeTiming.Split()
    /// Between an answer and the next request while requests were due: reading and planning.
    public private(set) var own = Duration.zero
    /// While no request was due.
    public private(set) var idle = Duration.zero
    /// While no request was due except those that are asked less often.
    public private(set) var rests = Duration.zero
    /// Failed exchanges, and the time without a link.
    public private(set) var lost = Duration.zero
    /// The number of answered exchanges, including those with silence.
    public private(set) var count = 0
    /// The number of exchanges that no ECU answered.
    public private(set) var silent = 0
    /// The total time of those exchanges.
    public private(set) var silence = Duration.zero
    /// The number of exchanges that took less time than their bytes need at the line's rate.
    private var tooFast = 0

    /// Creates an empty account.
    public init() {}

    /// Adds an exchange that ended at `instant`.
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
        Self.add(split.bus, to: &exchanges.bus)
        Self.add(split.adapterWait, to: &exchanges.adapterWait)
        Self.add(split.link, to: &exchanges.link)
        Self.add(split.commands, to: &exchanges.commands)
        Self.add(split.pauses, to: &exchanges.pauses)
    }

    /// Most parts are zero, and a sum of durations is a call that adds 128 bits.
    private static func add(_ part: Duration, to sum: inout Duration) {
        if part != .zero { sum += part }
    }

    /// Adds a failed exchange.
    public mutating func takeFailure(_ time: Duration) { lost += max(.zero, time) }

    /// Adds the time between two exchanges.
    ///
    /// - Parameters:
    ///   - end: the end of the earlier exchange.
    ///   - next: the beginning of the later exchange.
    ///   - freeSince: when no request was due; nil if requests were always due.
    ///   - restsSince: when no request was due except those that are asked less often because they were not
    ///     answered; nil if never.
    ///   - isOutage: whether the link was unusable in between.
    public mutating func takeGap(
        from end: Instant, freeSince: Instant?, restsSince: Instant? = nil, until next: Instant,
        isOutage: Bool
    ) {
        if isOutage {
            lost += max(.zero, next - end)
            return
        }
        let free = min(max(end, freeSince ?? next), next)
        Self.add(max(.zero, free - end), to: &own)
        let resting = min(max(free, restsSince ?? next), next)
        Self.add(max(.zero, resting - free), to: &idle)
        Self.add(max(.zero, next - resting), to: &rests)
    }

    /// Whether the line's rate does not determine how fast bytes are transferred.
    public var rateIsFiction: Bool { tooFast * 20 > count }

    /// The parts of the time.
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
        /// The time from the request to the last line of its answer: the adapter, the bus, and the ECUs.
        ///
        /// If the rate is unknown, this includes the transfer time of the line.
        public var bus: Duration
        /// The adapter's wait for more answers that did not arrive.
        public var adapterWait: Duration
        /// The transfer of bytes on the line to the adapter.
        public var link: Duration
        /// Commands to the adapter itself: its voltage, and settings between requests.
        public var commands: Duration
        /// Pauses before a request was repeated.
        public var pauses: Duration
        /// This program's time from a reply to the next request.
        public var own: Duration
        /// While no request was due.
        public var idle: Duration
        /// The time in which no request was due except rare ones after silence or a failure, or in which the
        /// vehicle rested.
        public var rests: Duration
        /// Failed requests and outages of the link.
        public var lost: Duration

        /// Creates the parts from their times.
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

        /// The total time.
        public var total: Duration {
            bus + adapterWait + link + commands + pauses + own + idle + rests + lost
        }
    }
}
