public import OBDCore

// What became of what was wanted.
extension PollPlan {
    /// How one record fared.
    struct PollStatistics: Hashable, Sendable {
        var asked = 0
        var answers = 0
        var missed = 0
        /// Requests for it that the link could not carry.
        var notSent = 0
        var first: Instant?
        var last: Instant?
        /// Rests between the first and the last answer.
        var rested = Duration.zero
        /// Rests since the last answer.
        var restedSince = Duration.zero

        mutating func noteAnswer(at now: Instant) {
            answers += 1
            if first == nil { first = now } else { rested = rested + restedSince }
            restedSince = .zero
            last = now
        }

        /// The mean time between two answers while the vehicle was asked; nil before the second.
        var reached: Duration? {
            guard let first, let last, answers > 1 else { return nil }
            return (last - first - rested) / (answers - 1)
        }

        /// A record that should have been asked for again before `since` and is asked for now.
        mutating func noteMissed(of period: Duration, since: Instant, at now: Instant) {
            let periods = period > .zero ? (now - since) / period : 0
            missed += 1 + Int(min(periods, 1e9))
        }
    }

    /// How one record fared, for whoever wants to know why it comes so rarely.
    public struct RecordReport: Hashable, Sendable {
        /// What was asked for.
        public var dataID: DataID
        /// How often it was wanted; nil = as often as the link allows.
        public var period: Duration?
        /// Requests that asked for it.
        public var asked: Int
        /// Requests in which it was answered.
        public var answers: Int
        /// Periods that passed without its being asked for.
        public var missed: Int
        /// The mean time between two answers, rests left out; nil before the second.
        public var reached: Duration?
        /// Whether it shares requests at the end.
        public var isBatched: Bool
        /// Requests for it alone that the link could not carry: nothing was sent.
        public var notSent = 0
        /// The one ECU asked (its request address); nil = all of them.
        public var target: ECUAddress?

        /// How a record fared.
        public init(
            dataID: DataID, period: Duration?, asked: Int, answers: Int, missed: Int,
            reached: Duration?, isBatched: Bool
        ) {
            self.dataID = dataID
            self.period = period
            self.asked = asked
            self.answers = answers
            self.missed = missed
            self.reached = reached
            self.isBatched = isBatched
        }
    }

    /// How all of them fared, and what the link turned out to take.
    public struct Report: Hashable, Sendable {
        /// The wanted records, in the plan's order.
        public var records: [RecordReport] = []
        /// Whether requests for several records work; nil = not tried.
        public var batchesWork: Bool?
        /// Whether they work with a count digit; nil = not tried.
        public var batchesTakeFrameCount: Bool?
        /// How often the vehicle was left alone, and for how long.
        public var rests = 0
        /// The time of those rests.
        public var rested = Duration.zero

        /// Nothing wanted.
        public init() {}
    }

    /// How everything fared until `now`.
    public func report(at now: Instant) -> Report {
        var report = Report()
        report.batchesWork = batchesWork
        report.batchesTakeFrameCount =
            switch batchWithFrameCount {
            case .untried: nil
            case .works: true
            case .refused: false
            }
        for item in items where !item.isWatched {
            var record = RecordReport(
                dataID: item.want.dataID, period: item.want.period, asked: item.fare.asked,
                answers: item.fare.answers, missed: item.fare.missed,
                reached: item.fare.reached, isBatched: item.mayBatch && batching == .works)
            record.notSent = item.fare.notSent
            record.target = item.want.target
            report.records.append(record)
        }
        if watchesMotion {
            report.rests = battery.rests
            report.rested = battery.rested
            if let rest = battery.rest {
                report.rests += 1
                report.rested = report.rested + (now - rest.since)
            }
        }
        return report
    }
}
