public import OBDCore

/// Decides what to ask next: wanted records with their periods go in, and one request at a time comes out.
///
/// A pure value: every call passes the time. The rules, in this order:
/// 1. the adapter's voltage, when its period has passed;
/// 2. the record with the earliest deadline, and in the same request as many others as the link allows: due
///   records first, then those without a period that were not asked for the longest time.
///
/// A batch is only used while it helps. Records that an answer leaves out are asked alone at once, as are all
/// records of a batch that fails twice in a row. A refused batch ends batching for some minutes. A batch
/// never proves anything about a single record. A record that was asked alone may join a batch again after
/// ``answersBeforeBatch`` answers, or twice as many each time batches with the record fail. A record that
/// also failed alone may join at once, because the link was the cause.
///
/// A record that is silent or fails alone ``missesBeforeRest`` times in a row is asked less and less often,
/// but never abandoned. If no record is answered that was answered before, the interval grows less. The first
/// answer after a complete silence restores all records.
///
/// A count digit is used if two replies in a row had the same number of frames. The frame count is
/// forgotten after a reply that is damaged, incomplete, or followed "response pending" (NRC 78, a
/// frame that adapters count).
///
/// A parameter group of SAE J1939 that ECUs send by themselves is heard and not requested: see ``hear(_:at:)``.
///
/// Batches and count digits that an adapter refuses (`?`) are tried again later, because a single damaged
/// character in a command has the same effect.
public struct PollPlan: Sendable {
    /// A wanted record.
    public struct Want: Hashable, Sendable {
        /// The identifier to request.
        public var dataID: DataID
        /// The number of data bytes in its answer; nil if it varies, so that it cannot be in a batch.
        public var length: Int?
        /// The interval; nil means as fast as possible.
        public var period: Duration?
        /// The request address of the only ECU to ask; nil for all ECUs.
        public var target: ECUAddress?
        /// The only ECU that may answer, if it does not follow from `target`.
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

        /// A record of a table that is requested as `dataID`; it cannot share a request if its length varies.
        ///
        /// - Parameters:
        ///   - period: the interval; nil means as fast as possible.
        ///   - ecu: the only ECU to ask; nil for all ECUs, or for the one in the table.
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

        /// Whether the record can share a request.
        ///
        /// Batches are split by known lengths, and support maps are not mixed with data.
        var fitsBatch: Bool {
            guard length != nil else { return false }
            switch dataID.service {
            case .currentData: return dataID.id & 0x1F != 0
            case .readData: return !(0xF400...0xF8FF).contains(dataID.id) || dataID.id & 0x1F != 0
            default: return false
            }
        }
    }

    /// The next action.
    public enum Step: Hashable, Sendable {
        /// Send this request and report its outcome.
        case ask(VehicleRequest)
        /// Read the voltage at the adapter and report its outcome.
        case readVoltage(RequestID)
        /// No request is due before this time.
        case wait(until: Instant)
        /// All rounds are done.
        case done
    }

    /// The outcome of a request, as far as it matters for planning.
    public enum Outcome: Sendable {
        /// Messages were received; `intact` means that none was damaged or incomplete, and `pending` that an
        /// ECU first sent "response pending", so that there were more frames than messages here.
        case answered([ECUMessage], intact: Bool, pending: Bool = false)
        /// No ECU answered in time.
        case silent
        /// The adapter did not understand the request.
        case refused
        /// The link cannot send such a request, or the adapter refused a setting that it needs.
        ///
        /// Nothing was sent, and no other request follows at once.
        case notSent
        /// The link or the adapter failed, or all received data were damaged.
        case failed
    }

    /// Whether a kind of request works.
    enum Trust: Hashable, Sendable {
        case untried, works, refused
    }

    /// When to retry after a refusal.
    struct Refusals: Sendable {
        private var count = 0
        private var again: Instant?

        /// Records a refusal; the pause doubles each time.
        mutating func note(at now: Instant) {
            again = now + min(shortestRefusal * (1 << min(count, 5)), longestRefusal)
            count += 1
        }

        /// Whether there was a refusal and the pause is not over.
        func holds(at now: Instant) -> Bool { again.map { now < $0 } ?? false }
    }

    struct Item: Sendable {
        var want: Want
        var due: Instant
        var lastAsked: Instant?
        var misses = 0
        /// Whether the record was ever answered.
        var hasAnswered = false
        var mayBatch: Bool
        var answersAlone = 0
        /// The number of failed batches in a row that contained the record.
        var failedBatches = 0
        /// How often the record was removed from batches since a batch with it was answered.
        var timesTakenOut = 0
        /// Whether the record failed alone since it was removed from a batch.
        var failedAlone = false
        /// The time at which the record would have been due at its usual interval; nil if the interval is the
        /// usual one.
        var heldSince: Instant?
        var roundsDone = 0
        /// The request for this record only.
        var payload: [UInt8]
        /// The number of frames that answer the single request; nil until learned.
        var frameCount: FrameCount?
        /// The number of frames in the last answer to a single request without a count.
        var lastFrames: Int?
        /// Whether only the guard requests the record.
        var isWatched = false
        /// What ECUs send of a parameter group by themselves; nil if nothing was heard.
        var heard: HeardGroup?
        var fare = PollStatistics()
    }

    /// The content of a request, needed to evaluate its outcome.
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

    /// The most batches whose frame counts are stored.
    static let mostBatches = 256

    /// The longest interval of a record that is silent or fails.
    public static let longestRest = Duration.seconds(30)
    /// A shorter time without any answer is not an outage.
    public static let shortestOutage = Duration.milliseconds(500)
    /// The longest interval of a record that was answered before while no record is answered, because the
    /// link may work again at any moment.
    public static let longestRestInOutage = Duration.seconds(2)
    /// The number of single answers after which a record that a batch left out may join one again.
    ///
    /// The vehicle may have been asleep when the batch was sent.
    public static let answersBeforeBatch = 50
    /// The number of failures in a row after which the records of a batch are asked alone.
    public static let failuresBeforeAlone = 2
    /// The number of misses in a row after which a record is asked less often; a single miss proves nothing.
    public static let missesBeforeRest = 2
    /// The pause before refused batches and count digits are tried again.
    public static let shortestRefusal = Duration.seconds(120)
    /// The longest such pause, after repeated refusals.
    public static let longestRefusal = Duration.seconds(3600)
    /// The largest number of frames for a count digit.
    static let largestFrameCount = 15

    var items: [Item]
    var rounds: Int?
    private var voltagePeriod: Duration?
    var voltageDue: Instant?
    /// Whether the voltage is all that was wanted.
    ///
    /// Otherwise a plan is done when its records are.
    let isForVoltage: Bool
    var batching = Trust.untried
    var batchRefusals = Refusals()
    var batchWithFrameCount = Trust.untried
    var countedBatchRefusals = Refusals()
    /// The longest request for a single record with which the adapter accepts a count digit; unit: bytes.
    var longestCounted = Int.max
    var countRefusals = Refusals()
    // For batches.
    var frameCounts: [Key: FrameCount] = [:]
    var lastFrames: [Key: Int] = [:]
    /// The number of ECUs that had answered when these were learned.
    var heardECUs = 0
    // There is only one request at a time.
    var pending: Pending?
    private var lastID: UInt32 = 0
    /// When any record was last answered.
    var lastAnswer: Instant?
    /// Leaves a parked vehicle alone, if ``watchesMotion`` is set.
    // Not optional, because accessing such a large optional copies it.
    var battery = BatteryGuard()
    /// Whether the plan needs the ECUs' answers to detect a parked vehicle.
    public internal(set) var watchesMotion = false
    /// The signals from which the guard sees whether the vehicle is on.
    var motion = Motion()
    /// Records that the guard wants now.
    var probes: [Int] = []
    /// Whether the plan has listened before it requests the first parameter group.
    var hasListened = false

    /// A plan for `wants`; a repeated record is asked once, at the shorter period.
    ///
    /// - Parameters:
    ///   - wants: the records with their intervals.
    ///   - rounds: how often to ask each record until the plan is done; nil for no limit.
    ///   - voltagePeriod: the interval of voltage readings; nil for never.
    public init(wants: [Want], rounds: Int? = nil, voltagePeriod: Duration? = nil) {
        items = []
        self.rounds = rounds
        self.voltagePeriod = voltagePeriod
        isForVoltage = wants.isEmpty
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

    /// Whether requests with several records work; nil until tried.
    public var batchesWork: Bool? {
        switch batching {
        case .untried: nil
        case .works: true
        case .refused: false
        }
    }

    /// A new identifier for one of the caller's own requests.
    public mutating func nextID() -> RequestID {
        lastID &+= 1
        return RequestID(rawValue: lastID)
    }

    /// The next action at `now`.
    public mutating func next(at now: Instant, link: LinkCapabilities) -> Step {
        if link.hearsGroups, !hasListened { listenFirst(at: now) }
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
