public import OBDCore

// Reports the results of the wanted records.
extension PollPlan {
    struct PollStatistics: Hashable, Sendable {
        var asked = 0
        var answers = 0
        var missed = 0
        /// Requests for the record that the link could not send.
        var notSent = 0
        var first: Instant?
        var last: Instant?
        /// The time of rests between the first and the last answer.
        var rested = Duration.zero
        /// The time of rests since the last answer.
        var restedSince = Duration.zero

        mutating func noteAnswer(at now: Instant) {
            answers += 1
            if first == nil { first = now } else { rested = rested + restedSince }
            restedSince = .zero
            last = now
        }

        /// The mean interval between answers while the vehicle was asked; nil before the second answer.
        var reached: Duration? {
            guard let first, let last, answers > 1 else { return nil }
            return (last - first - rested) / (answers - 1)
        }

        /// Counts the periods that passed while a record that was due before `since` was not asked.
        mutating func noteMissed(of period: Duration, since: Instant, at now: Instant) {
            let periods = period > .zero ? (now - since) / period : 0
            missed += 1 + Int(min(periods, 1e9))
        }
    }

    /// The results of one record, which explain its actual interval.
    public struct RecordReport: Hashable, Sendable {
        /// The requested identifier.
        public var dataID: DataID
        /// The wanted interval; nil means as fast as possible.
        public var period: Duration?
        /// The number of requests for the record.
        public var asked: Int
        /// The number of answered requests.
        public var answers: Int
        /// The number of periods that passed without a request.
        public var missed: Int
        /// The mean interval between answers, without rests; nil before the second answer.
        public var reached: Duration?
        /// Whether the record shares requests with others at the end.
        public var isBatched: Bool
        /// Single requests for the record that the link could not send.
        public var notSent = 0
        /// The request address of the only ECU to ask; nil for all ECUs.
        public var target: ECUAddress?

        /// Creates the results of a record.
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

    /// The results of all records, and the abilities of the link.
    public struct Report: Hashable, Sendable {
        /// The wanted records, in the plan's order.
        public var records: [RecordReport] = []
        /// Whether requests for several records work; nil if not tried.
        public var batchesWork: Bool?
        /// Whether batches work with a count digit; nil if not tried.
        public var batchesTakeFrameCount: Bool?
        /// How often the vehicle was left alone.
        public var rests = 0
        /// The time of those rests.
        public var rested = Duration.zero

        /// A report without records.
        public init() {}
    }

    /// The results until `now`.
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
