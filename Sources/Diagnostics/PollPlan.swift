public import OBDCore

/// Decides what to ask next: wanted records and their periods in, one request at a time out.
///
/// Pure: time comes in with every call. Rules, in this order:
/// 1. the adapter's voltage, when its period has passed;
/// 2. the record whose deadline is nearest, and with it in one request as many others as the link
///    takes, due ones first, then those without a period, longest unasked first.
///
/// A batch is trusted only as long as it pays: whatever it leaves out is asked alone at once, and so
/// is all of one that fails twice in a row; a refused one ends batching for some minutes, and nothing is
/// ever concluded from a batch about one record. Who was asked alone may join a batch again after
/// ``answersBeforeBatch`` answers, twice as many each time that batches fail with it, and at once if
/// it failed alone as well: then the link was to blame.
///
/// A record that stays silent or fails alone, ``missesBeforeRest`` times in a row, rests: it is
/// asked ever less often, but never given up, and while nothing answers that did before, not so
/// rarely. The first answer after none to all that was asked ends every rest.
///
/// A count digit is used where two replies in a row had as many frames. Any reply that is damaged,
/// incomplete or came after "response pending" (NRC 78, a frame that adapters count) forgets it.
///
/// What an adapter refuses (`?`), batches and count digits, is tried again later: one damaged character
/// on the way to it looks the same.
public struct PollPlan: Sendable {
    /// A record that is wanted.
    public struct Want: Hashable, Sendable {
        /// What to ask for.
        public var dataID: DataID
        /// Data bytes of its answer; nil = varies, so that it cannot be in a batch.
        public var length: Int?
        /// How often; nil = as often as the link allows.
        public var period: Duration?
        /// The one ECU asked (its request address); nil = all of them.
        public var target: ECUAddress?
        /// The only ECU that may answer, where it does not follow from `target`.
        public var responder: ECUAddress?

        /// A wanted record.
        public init(
            _ dataID: DataID, length: Int?, period: Duration? = nil, target: ECUAddress? = nil,
            responder: ECUAddress? = nil
        ) {
            self.dataID = dataID
            self.length = length
            self.period = period
            self.target = target
            self.responder = responder
        }

        /// A record of a table, asked for under `dataID`; one whose length varies cannot share a
        /// request.
        ///
        /// - Parameters:
        ///   - period: how often; nil = as often as the link allows.
        ///   - ecu: the one ECU asked; nil = all of them, or the one that the table names.
        public init(
            _ record: PIDTable.Record, as dataID: DataID, period: Duration?, ecu: ECUAddress?
        ) {
            let length = record.length
            let (target, responder) = record.route(to: ecu)
            self.init(
                dataID,
                length: length.lowerBound == length.upperBound ? length.lowerBound : nil,
                period: period, target: target, responder: responder)
        }

        /// Whether it can share a request: batches are cut apart by known lengths alone, and
        /// support maps are not mixed with data.
        var fitsBatch: Bool {
            guard length != nil else { return false }
            switch dataID.service {
            case .currentData: return dataID.id & 0x1F != 0
            case .readData: return !(0xF400...0xF8FF).contains(dataID.id) || dataID.id & 0x1F != 0
            default: return false
            }
        }
    }

    /// What to do next.
    public enum Step: Hashable, Sendable {
        /// Send this request and report its outcome.
        case ask(VehicleRequest)
        /// Read the voltage at the adapter and report its outcome.
        case readVoltage(RequestID)
        /// Nothing is due before this instant.
        case wait(until: Instant)
        /// All rounds are done.
        case done
    }

    /// What became of a request, as far as planning is concerned.
    public enum Outcome: Sendable {
        /// Messages came; `intact` = without any damaged or unfinished one beside them, `pending` =
        /// an ECU said first that its answer was on its way, so that frames came that are not here.
        case answered([ECUMessage], intact: Bool, pending: Bool = false)
        /// No ECU answered in time.
        case silent
        /// The adapter did not understand the request.
        case refused
        /// The link cannot carry such a request, or the adapter refused a setting that it needs:
        /// nothing was sent, and nothing is asked at once.
        case notSent
        /// The link or the adapter failed, or nothing but damage came.
        case failed
    }

    /// How a request fared that could stand for many.
    enum Trust: Hashable, Sendable {
        case untried, works, refused
    }

    /// When what was refused is tried again.
    struct Refusals: Sendable {
        private var count = 0
        private var again: Instant?

        /// Takes note of a refusal: twice the pause each time.
        mutating func note(at now: Instant) {
            again = now + min(shortestRefusal * (1 << min(count, 5)), longestRefusal)
            count += 1
        }

        /// Whether it was refused, and its time has not come.
        func holds(at now: Instant) -> Bool { again.map { now < $0 } ?? false }
    }

    struct Item: Sendable {
        var want: Want
        var due: Instant
        var lastAsked: Instant?
        var misses = 0
        /// Whether it was ever answered.
        var hasAnswered = false
        var mayBatch: Bool
        var answersAlone = 0
        /// Batches in a row that failed with it.
        var failedBatches = 0
        /// How often it was taken out of batches since one with it was answered.
        var timesTakenOut = 0
        /// Whether it failed alone since it was taken out of a batch.
        var failedAlone = false
        /// When it would have been due, had it not to rest; nil = it does not.
        var heldSince: Instant?
        var roundsDone = 0
        /// The request that asks for it alone.
        var payload: [UInt8]
        /// Frames that answer it when asked alone; nil until learnt.
        var frameCount: FrameCount?
        /// Frames that came when it was last asked alone without a count.
        var lastFrames: Int?
        /// Whether it is asked for by the guard alone.
        var isWatched = false
        var fare = PollStatistics()
    }

    /// What a request asked, to read its outcome by.
    struct Pending: Sendable {
        var id: RequestID
        var items: [Int]
        var payload: [UInt8]
        var target: ECUAddress?
        var withFrameCount: Bool

        var isBatch: Bool { items.count > 1 }
    }

    struct Key: Hashable, Sendable {
        var payload: [UInt8]
        var target: ECUAddress?
    }

    struct FrameCount: Sendable {
        var frames: Int
        var uses = 0
    }

    /// Batches whose frame counts are known at the same time.
    static let mostBatches = 256

    /// A record that is silent or fails is asked ever less often, down to this period.
    public static let longestRest = Duration.seconds(30)
    /// Less than this without any answer is not an outage.
    public static let shortestOutage = Duration.milliseconds(500)
    /// The same for one that has answered before, while nothing answers: the link may be good again
    /// any moment.
    public static let longestRestInOutage = Duration.seconds(2)
    /// A record that a batch left out may join one again after this many answers alone: the vehicle
    /// may have been asleep when the batch was asked.
    public static let answersBeforeBatch = 50
    /// Failures in a row after which the records of a batch are asked alone.
    public static let failuresBeforeAlone = 2
    /// Misses in a row before a record is asked less often; one miss proves nothing.
    public static let missesBeforeRest = 2
    /// Batches and count digits that were refused are tried again after this long.
    public static let shortestRefusal = Duration.seconds(120)
    /// The same where they are refused again and again.
    public static let longestRefusal = Duration.seconds(3600)
    /// Frames that a count digit can announce.
    static let largestFrameCount = 15

    var items: [Item]
    var rounds: Int?
    private var voltagePeriod: Duration?
    var voltageDue: Instant?
    var batching = Trust.untried
    var batchRefusals = Refusals()
    var batchWithFrameCount = Trust.untried
    var countedBatchRefusals = Refusals()
    /// Bytes of a request for one record at most behind which the adapter takes a count digit.
    var longestCounted = Int.max
    var countRefusals = Refusals()
    // Of batches.
    var frameCounts: [Key: FrameCount] = [:]
    var lastFrames: [Key: Int] = [:]
    /// How many ECUs the link had heard when those were learnt.
    var heardECUs = 0
    // One request is under way at a time.
    var pending: Pending?
    private var lastID: UInt32 = 0
    /// When any record was last answered.
    var lastAnswer: Instant?
    /// Leaves a parked vehicle alone, where ``watchesMotion`` says so.
    // Not optional: a look at an optional as large as this copies it.
    var battery = BatteryGuard()
    /// Whether what ECUs tell has to be shown to the plan, so that it leaves a parked vehicle alone.
    public internal(set) var watchesMotion = false
    /// Which signals tell the guard whether the vehicle is on.
    var motion = Motion()
    /// Records that the guard wants to have asked now.
    var probes: [Int] = []

    /// A plan for `wants`; doubles are asked once, at the shorter period.
    ///
    /// - Parameters:
    ///   - wants: the records, and how often each is wanted.
    ///   - rounds: how often each record is asked before the plan is done; nil = without end.
    ///   - voltagePeriod: how often the voltage is read; nil = never.
    public init(wants: [Want], rounds: Int? = nil, voltagePeriod: Duration? = nil) {
        items = []
        self.rounds = rounds
        self.voltagePeriod = voltagePeriod
        for want in wants {
            let same = items.firstIndex {
                $0.want.dataID == want.dataID && $0.want.target == want.target
                    && $0.want.responder == want.responder
            }
            guard let same else {
                items.append(
                    Item(
                        want: want, due: Instant(nanoseconds: .min), mayBatch: want.fitsBatch,
                        payload: want.dataID.requestPayload))
                continue
            }
            if let period = want.period, let earlier = items[same].want.period {
                items[same].want.period = min(period, earlier)
            } else {
                items[same].want.period = nil
            }
        }
    }

    /// Whether several records are asked in one request now; nil until it was tried.
    public var batchesWork: Bool? {
        switch batching {
        case .untried: nil
        case .works: true
        case .refused: false
        }
    }

    /// A fresh identifier for a request of the caller's own.
    public mutating func nextID() -> RequestID {
        lastID &+= 1
        return RequestID(rawValue: lastID)
    }

    /// What to do at `now`.
    public mutating func next(at now: Instant, link: LinkCapabilities) -> Step {
        if watchesMotion, let step = guardedStep(at: now, link: link) { return step }
        if let period = voltagePeriod, voltageDue.map({ $0 <= now }) ?? true {
            voltageDue = now + period
            return .readVoltage(nextID())
        }
        guard let first = mostUrgentItem(at: now) else {
            return nextDue(at: now).map { .wait(until: $0) } ?? .done
        }
        let chosen = batch(around: first, at: now, link: link)
        return .ask(request(for: chosen, at: now, link: link))
    }
}
