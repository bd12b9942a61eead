public import OBDCore

// Hears parameter groups of SAE J1939 instead of requesting them.
extension PollPlan {
    /// The messages of a parameter group that ECUs have sent by themselves.
    struct HeardGroup: Sendable {
        /// The time of the last message.
        var last: Instant
        /// The newest intervals between messages.
        var intervals: [Duration] = []
        /// When the next message of each sender is due to be used in place of an answer.
        var due: [ECUAddress: Instant] = [:]

        /// How long after the last message the group counts as silent: five times its usual interval.
        var patience: Duration {
            let middle = intervals.isEmpty ? .zero : intervals.sorted()[intervals.count / 2]
            return min(max(middle * 5, shortestSilence), longestSilence)
        }

        mutating func note(at time: Instant) {
            if time > last { intervals.append(time - last) }
            if intervals.count > Self.mostIntervals { intervals.removeFirst() }
            last = max(last, time)
        }

        private static let mostIntervals = 5
        /// An address has one sender at a time; a bus of random frames has more.
        static let mostSenders = 256
    }

    /// How long a plan listens before it requests the first parameter group: most of those that ECUs send by themselves
    /// come at least once per second.
    public static let listeningTime = Duration.milliseconds(1_250)
    /// The shortest time without a message after which a group may be requested that was heard before.
    public static let shortestSilence = Duration.seconds(1)
    /// The longest such time.
    public static let longestSilence = Duration.seconds(60)
    /// The interval of heard messages of a group that is wanted as fast as possible.
    public static let shortestHeardInterval = Duration.milliseconds(100)

    /// Takes a message that an ECU sent by itself; returns whether to use it in place of an answer.
    ///
    /// It is used if the plan wants its group and the interval of the record has passed. The group is not requested until
    /// ECUs have been silent about it for five of its usual intervals, and for a second at least.
    public mutating func hear(_ message: ECUMessage, at time: Instant) -> Bool {
        guard let index = items.firstIndex(where: { $0.want.isAnswered(byHearing: message) })
        else { return false }
        if watchesMotion { battery.takeAnswer(at: time) }
        var heard = items[index].heard ?? HeardGroup(last: time)
        heard.note(at: time)
        defer {
            items[index].heard = heard
            items[index].due = max(items[index].due, time + heard.patience)
            items[index].heldSince = nil
        }
        guard !isFinished(items[index]), battery.rest == nil else { return false }
        let sender = message.ecu ?? ECUAddress(0, .byte)
        let interval = items[index].want.period ?? Self.shortestHeardInterval
        let due = heard.due[sender] ?? time
        // ECUs are not exact about their intervals.
        if due - time > interval / 10, due - time <= interval * 2 { return false }
        if heard.due.count >= HeardGroup.mostSenders { heard.due.removeAll() }
        // Counted from the due time, so that a late message does not shift the others.
        heard.due[sender] = due + interval > time ? due + interval : time + interval
        let wasOut = lastAnswer.map { time - $0 >= Self.shortestOutage } ?? true
        let isFirst = wasOut && nothingIsAnswered
        noteAnswer(of: index, inBatch: false, at: time)
        if isFirst { beginAnew(at: time) }
        lastAnswer = time
        items[index].due = max(items[index].due, time + interval)
        return true
    }

    /// Waits with the requests for parameter groups until those that ECUs send by themselves were heard.
    mutating func listenFirst(at now: Instant) {
        hasListened = true
        for index in items.indices where items[index].want.dataID.service == DataID.parameterGroups
        {
            items[index].due = max(items[index].due, now + Self.listeningTime)
        }
    }
}

extension PollPlan.Want {
    /// Whether a message that an ECU sent by itself has the data of the record, from an ECU that would be asked.
    fileprivate func isAnswered(byHearing message: ECUMessage) -> Bool {
        guard dataID.service == DataID.parameterGroups, message.parameterGroup == dataID.id else {
            return false
        }
        guard let only = responder ?? target else { return true }
        return message.ecu.map { $0.value & 0xFF == only.value & 0xFF } ?? false
    }
}
