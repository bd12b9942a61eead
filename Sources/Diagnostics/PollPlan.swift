public import OBDCore

/// Decides what to ask next: wanted records and their periods in, one request at a time out.
///
/// Pure: time comes in with every call. Rules, in this order:
/// 1. urgent requests, first in, first out;
/// 2. the adapter's voltage, when its period has passed;
/// 3. the record whose deadline is nearest, and with it in one request as many others as the link
///    takes, due ones first, then those without a period, longest unasked first.
///
/// A batch is trusted only as long as it pays: whatever it leaves out is asked alone at once, a
/// refused one ends batching, and nothing is ever concluded from a batch about one record.
public struct PollPlan: Sendable {
    /// A record that is wanted.
    public struct Want: Hashable, Sendable {
        /// What to ask for.
        public var dataID: DataID
        /// Data bytes of its answer; nil = varies, so that it cannot stand in a batch.
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
        /// Messages came; `intact` = without any damaged or unfinished one beside them.
        case answered([ECUMessage], intact: Bool)
        /// Nobody answered in time.
        case silent
        /// The adapter did not understand the request.
        case refused
        /// The link or the adapter failed; says nothing about the vehicle.
        case failed
    }

    /// How a request fared that could stand for many.
    enum Trust: Hashable, Sendable {
        case untried, works, refused
    }

    struct Item: Sendable {
        var want: Want
        var due: Instant
        var lastAsked: Instant?
        var misses = 0
        var mayBatch: Bool
        var answersAlone = 0
        var roundsDone = 0
        /// The request that asks for it alone.
        var payload: [UInt8]
        /// Frames that answer it when asked alone; nil until learnt.
        var frameCount: FrameCount?
        /// Frames that came when it was last asked alone without a count.
        var lastFrames: Int?
        /// Whether it is asked for by the guard alone.
        var isWatched = false
        var fare = Fare()
    }

    /// What a request asked, to read its outcome by.
    private struct Pending: Sendable {
        var id: RequestID
        var items: [Int]
        var payload: [UInt8]
        var target: ECUAddress?
        var withFrameCount: Bool
    }

    private struct Key: Hashable, Sendable {
        var payload: [UInt8]
        var target: ECUAddress?
    }

    struct FrameCount: Sendable {
        var frames: Int
        var uses = 0
    }

    /// A frame count is learnt anew after so many uses, so that an ECU that appears late is heard.
    public static let frameCountUses = 50
    /// A silent record is asked ever more seldom, down to this period, but never given up.
    public static let longestRest = Duration.seconds(30)
    /// A record that a batch left out may join one again after so many answers alone: the vehicle
    /// may have been asleep when the batch was asked.
    public static let answersBeforeBatch = 50
    /// Misses in a row before a record is asked more seldom; one miss proves nothing.
    public static let missesBeforeRest = 2
    /// Frames that a count digit can announce.
    static let largestFrameCount = 15

    var items: [Item]
    private var rounds: Int?
    private var urgent: [VehicleRequest] = []
    private var voltagePeriod: Duration?
    private var voltageDue: Instant?
    var batching = Trust.untried
    var batchWithFrameCount = Trust.untried
    // Of batches.
    private var frameCounts: [Key: FrameCount] = [:]
    private var lastFrames: [Key: Int] = [:]
    // One request is under way at a time; urgent ones are the caller's.
    private var pending: Pending?
    private var lastID: UInt32 = 0
    /// Leaves a parked vehicle alone; nil = it is asked whatever happens.
    var battery: BatteryGuard?
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

    /// Asks `request` before anything else; its outcome is the caller's alone.
    public mutating func enqueue(urgent request: VehicleRequest) {
        urgent.append(request)
    }

    /// A fresh identifier for a request of the caller's own.
    public mutating func nextID() -> RequestID {
        lastID &+= 1
        return RequestID(rawValue: lastID)
    }

    /// What to do at `now`.
    public mutating func next(at now: Instant, link: LinkCapabilities) -> Step {
        if !urgent.isEmpty { return .ask(urgent.removeFirst()) }
        if battery != nil, let step = guardedStep(at: now, link: link) { return step }
        if let period = voltagePeriod, voltageDue.map({ $0 <= now }) ?? true {
            voltageDue = now + period
            return .readVoltage(nextID())
        }
        guard let first = mostUrgentItem(at: now) else {
            return nextDue().map { .wait(until: $0) } ?? .done
        }
        let chosen = batch(around: first, at: now, link: link)
        return .ask(request(for: chosen, at: now, link: link))
    }

    /// Takes note of what became of request `id`.
    public mutating func answered(_ id: RequestID, _ outcome: Outcome, at now: Instant) {
        guard let asked = pending, asked.id == id else { return }
        pending = nil
        if battery != nil { tellGuard(outcome, at: now) }
        switch outcome {
        case .answered(let messages, let intact):
            learn(from: messages, intact: intact, to: asked, at: now)
        case .silent:
            setFrameCount(nil, of: asked)
            if asked.items.count > 1 {
                askAlone(asked.items, at: now)
            } else {
                noteMiss(of: asked.items[0], at: now)
            }
        case .refused:
            setFrameCount(nil, of: asked)
            if asked.items.count > 1 {
                if asked.withFrameCount {
                    batchWithFrameCount = .refused
                } else {
                    batching = .refused
                }
                retryNow(asked.items, at: now)
            } else {
                noteMiss(of: asked.items[0], at: now)
            }
        case .failed:
            setFrameCount(nil, of: asked)
            retryNow(asked.items, at: now)
        }
    }

    // MARK: Choosing

    private func isFinished(_ item: Item) -> Bool {
        if item.isWatched { return true }
        return rounds.map { item.roundsDone >= $0 } ?? false
    }

    /// The due record with the nearest deadline; among those without a period the longest unasked.
    private func mostUrgentItem(at now: Instant) -> Int? {
        var best: Int?
        for (index, item) in items.enumerated() where item.due <= now && !isFinished(item) {
            guard let current = best else {
                best = index
                continue
            }
            if comesBefore(item, items[current]) { best = index }
        }
        return best
    }

    private func comesBefore(_ left: Item, _ right: Item) -> Bool {
        let leftDeadline = deadline(of: left)
        let rightDeadline = deadline(of: right)
        if leftDeadline != rightDeadline { return leftDeadline < rightDeadline }
        let never = Instant(nanoseconds: .min)
        return (left.lastAsked ?? never) < (right.lastAsked ?? never)
    }

    /// Behind this a record without a period goes before those whose time has come later: what is to
    /// be asked as fast as possible must not starve beside periods that the link cannot keep.
    private static let longestWait = Duration.seconds(1)

    /// By when a due record should be asked.
    private func deadline(of item: Item) -> Instant {
        guard let period = item.want.period else {
            return (item.lastAsked ?? item.due) + Self.longestWait
        }
        return item.due + period
    }

    private func nextDue() -> Instant? {
        var earliest = items.filter { !isFinished($0) }.map(\.due).min()
        if earliest != nil, let voltageDue { earliest = earliest.map { min($0, voltageDue) } }
        return earliest
    }

    private func batch(around first: Int, at now: Instant, link: LinkCapabilities) -> [Int] {
        let limit = batchLimit(link, items[first].want.dataID.service)
        guard limit > 1, items.count > 1, items[first].mayBatch else { return [first] }
        var others: [Int] = []
        for index in items.indices
        where index != first && mayJoin(items[index], items[first], at: now) {
            others.append(index)
        }
        if others.count >= limit {
            others.sort { comesBefore(items[$0], items[$1]) }
            others.removeLast(others.count - limit + 1)
        }
        others.append(first)
        // In the table's order, so that a rotation asks the same batch again and its count holds.
        others.sort()
        return others
    }

    private func mayJoin(_ item: Item, _ first: Item, at now: Instant) -> Bool {
        item.mayBatch && item.due <= now && !isFinished(item)
            && item.want.target == first.want.target
            && item.want.dataID.service == first.want.dataID.service
            && item.want.responder == first.want.responder
    }

    private func batchLimit(_ link: LinkCapabilities, _ service: Service) -> Int {
        guard batching != .refused, link.vehicleProtocol?.family == .can else { return 1 }
        // Identifiers of two bytes: three and the service fill the one frame that adapters send.
        return max(1, min(service == .readData ? 3 : 6, link.itemsPerRequest))
    }

    mutating func request(
        for chosen: [Int], at now: Instant, link: LinkCapabilities
    ) -> VehicleRequest {
        let target = items[chosen[0]].want.target
        var payload = items[chosen[0]].payload
        for index in chosen.dropFirst() {
            payload += items[index].payload.dropFirst()
        }
        for index in chosen {
            items[index].fare.asked += 1
            if let period = items[index].want.period {
                // From the due time, not from now: a late answer must not shift the whole grid.
                let next = items[index].due + period
                if next > now {
                    items[index].due = next
                } else {
                    if items[index].lastAsked != nil, battery?.rest == nil {
                        items[index].fare.noteMissed(of: period, since: next, at: now)
                    }
                    items[index].due = now + period
                }
            }
            items[index].lastAsked = now
        }
        let id = nextID()
        var asked = Pending(
            id: id, items: chosen, payload: payload, target: target, withFrameCount: false)
        let frames = takeFrameCount(for: asked, link: link)
        asked.withFrameCount = frames != nil
        pending = asked
        var request = VehicleRequest(
            id: id, target: target, payload: payload, expectedFrames: frames)
        if let responder = items[chosen[0]].want.responder { request.responders = .one(responder) }
        return request
    }

    /// The frames to wait for; forgotten after so many uses, so that they are learnt anew.
    private mutating func takeFrameCount(for asked: Pending, link: LinkCapabilities) -> Int? {
        guard link.frameCountHelps else { return nil }
        if asked.items.count > 1 && batchWithFrameCount == .refused { return nil }
        guard var known = frameCount(of: asked) else { return nil }
        known.uses += 1
        let isWornOut = known.uses > Self.frameCountUses
        setFrameCount(isWornOut ? nil : known, of: asked)
        return isWornOut ? nil : known.frames
    }

    private func frameCount(of asked: Pending) -> FrameCount? {
        if asked.items.count == 1 { return items[asked.items[0]].frameCount }
        return frameCounts[Key(payload: asked.payload, target: asked.target)]
    }

    /// Keeps how many frames answered; gives whether it were as many the time before.
    private mutating func noteFrames(_ frames: Int, of asked: Pending) -> Bool {
        if asked.items.count == 1 {
            defer { items[asked.items[0]].lastFrames = frames }
            return items[asked.items[0]].lastFrames == frames
        }
        return lastFrames.updateValue(
            frames, forKey: Key(payload: asked.payload, target: asked.target)) == frames
    }

    private mutating func setFrameCount(_ count: FrameCount?, of asked: Pending) {
        if asked.items.count == 1 {
            items[asked.items[0]].frameCount = count
        } else {
            frameCounts[Key(payload: asked.payload, target: asked.target)] = count
        }
    }

    // MARK: Learning

    private mutating func learn(
        from messages: [ECUMessage], intact: Bool, to asked: Pending, at now: Instant
    ) {
        let answered = answeredItems(messages, asked)
        let complete = intact && answered.count == asked.items.count
        for index in answered {
            items[index].misses = 0
            items[index].roundsDone += 1
            // Probes of a resting vehicle are no pace.
            if battery?.rest == nil { items[index].fare.noteAnswer(at: now) }
        }
        let missing = asked.items.filter { !answered.contains($0) }
        if asked.items.count > 1 {
            if complete {
                batching = .works
                if asked.withFrameCount { batchWithFrameCount = .works }
            }
            // What a batch left out may be unsupported, or the batch not understood: ask alone.
            if !missing.isEmpty { askAlone(missing, at: now) }
        } else if let only = missing.first {
            noteMiss(of: only, at: now)
        } else if let only = asked.items.first, !items[only].mayBatch {
            items[only].answersAlone += 1
            if items[only].answersAlone >= Self.answersBeforeBatch {
                items[only].answersAlone = 0
                items[only].mayBatch = items[only].want.fitsBatch
            }
        }
        guard complete else {
            setFrameCount(nil, of: asked)
            return
        }
        let frames = messages.reduce(0) { $0 + $1.frames }
        // Twice the same: a character too many on the way to the adapter is a count, too, and cuts
        // the others' answers off.
        if !asked.withFrameCount, noteFrames(frames, of: asked),
            frames <= Self.largestFrameCount
        {
            setFrameCount(FrameCount(frames: frames), of: asked)
        }
    }

    /// Which of the asked records stand in the answers of any ECU.
    private func answeredItems(_ messages: [ECUMessage], _ asked: Pending) -> [Int] {
        let service = items[asked.items[0]].want.dataID.service
        guard asked.items.count > 1 else {
            let dataID = items[asked.items[0]].want.dataID
            return messages.contains(where: dataID.isAnswered(by:)) ? asked.items : []
        }
        var found: Set<Int> = []
        let width = service == .readData ? 2 : 1
        for message in messages where message.payload.first == service.positiveResponse {
            var place = 1
            while place + width <= message.payload.count {
                let id = message.payload[place..<place + width].reduce(UInt32(0)) {
                    $0 << 8 | UInt32($1)
                }
                guard let index = asked.items.first(where: { items[$0].want.dataID.id == id }),
                    let length = items[index].want.length,
                    place + width + length <= message.payload.count
                else { break }
                found.insert(index)
                place += width + length
            }
        }
        return asked.items.filter(found.contains)
    }

    private mutating func askAlone(_ indices: [Int], at now: Instant) {
        for index in indices { items[index].mayBatch = false }
        retryNow(indices, at: now)
    }

    private mutating func retryNow(_ indices: [Int], at now: Instant) {
        for index in indices { items[index].due = min(items[index].due, now) }
    }

    private mutating func noteMiss(of index: Int, at now: Instant) {
        items[index].misses += 1
        items[index].roundsDone += 1
        guard items[index].misses >= Self.missesBeforeRest else { return }
        let doublings = min(items[index].misses - Self.missesBeforeRest, 5)
        let rest = min(Duration.seconds(1 << doublings), Self.longestRest)
        items[index].due = max(items[index].due, now + rest)
    }
}
