import Accessory
import Adapters
import Diagnostics
import OBDCore
import ScanTool
import SystemIO
import VehicleLink

/// Runs a scan tool over a session with an accessory: the body of a session's thread.
///
/// It waits in one place, for bytes, for commands, for space in a store or for the nearest deadline,
/// and carries the machine's effects out. Nothing here decides anything about the conversation.
///
/// A value without copies, so that the exclusive use of its parts is proven when it is compiled and
/// not checked at every step.
struct Runner<Dialect: AdapterDialect>: ~Copyable {
    let core: SessionCore
    let configuration: SessionConfiguration
    let sinks: [any ReadingSink]
    let observers: [any ScanObserver]
    let ready: Ticket<Void>
    /// The kinds of events that are queued.
    let queued: ScanEvent.Kinds
    /// The kinds of events that anyone wants.
    let wanted: ScanEvent.Kinds
    var machine: ScanTool<Dialect>
    var decoder: ResponseDecoder
    var session: DescriptorSession?
    var connectPlan: ConnectPlan
    var recorder: Recorder?
    /// The present, read after every wait.
    var now = SystemClock.now()

    // What the machine said and what follows from doing it.
    var effects: [Effect] = []
    var followUps: [Event] = []
    var deadlines: [(deadline: Deadline, time: Instant)] = []

    // Work.
    var asks: [Ask] = []
    var plan: PollPlan?
    /// Whether there is a plan: a look at an optional as large as that would copy it.
    var driver = PollDriver()
    var planWatchesMotion = false
    /// Whether the plan leaves the vehicle alone.
    var vehicleRests = false
    /// Requests of the plan that could not be sent, as far as that was told.
    var notSent: Set<VehicleRequest> = []
    var planWaits: Instant?
    var current: RunningRequest?
    /// What came and is not decoded yet; at most one waits while a batch is offered.
    var undecoded: Delivered?
    var offering: Offering?
    /// Until when a store may keep a stop waiting; nil = as long as it likes.
    var offeringEnds: Instant?
    var lastID: UInt32 = 0
    var lastVoltage: Double?

    // Where the time of a poll goes.
    var account = TimeAccount()
    /// When the bytes of the request under way travelled.
    var timing = ExchangeTiming(at: .zero)
    /// The time since the latest exchange.
    var gap = ExchangeGap()
    /// The rate of a line whose bytes take time; unit: bit/s.
    var wireRate: Int?

    // The end.
    var isStopping = false
    var wasReady = false
    var wasLost = false
    var lastFault: AccessoryError?
    var endReason: ScanError?
    var isOver = false

    private var set = PollSet()

    init(
        core: SessionCore, configuration: SessionConfiguration, dialect: Dialect,
        decoder: ResponseDecoder, sinks: [any ReadingSink], observers: [any ScanObserver],
        ready: Ticket<Void>
    ) {
        self.core = core
        self.configuration = configuration
        self.sinks = sinks
        self.observers = observers
        self.ready = ready
        self.decoder = decoder
        queued = configuration.queuedEvents
        wanted = observers.reduce(configuration.queuedEvents) { $0.union($1.interests) }
        machine = ScanTool(dialect: dialect, policy: configuration.effectivePolicy)
        connectPlan = ConnectPlan(remembered: configuration.memory?.lineRate)
    }

    /// Works until the session is stopped or cannot go on.
    mutating func run() {
        startRecording()
        handle(.retry)
        while !isOver {
            takeOver()
            processDelivered()
            drainFollowUps()
            if isOver { break }
            wait()
        }
        handOnTheRest()
        finish()
    }

    /// Goes by this plan from here on; nil = nothing is polled.
    mutating func take(_ plan: PollPlan?) {
        self.plan = plan
        planWatchesMotion = plan?.watchesMotion ?? false
        vehicleRests = plan?.isResting ?? false
    }

    // MARK: Waiting

    /// Waits once, and does what there is to do then; false = it cannot be waited.
    @discardableResult
    private mutating func wait() -> Bool {
        set.removeAll()
        let wake = set.add(core.wake.descriptor)
        let link = set.add(
            session?.descriptor ?? -1, writing: session?.wantsToWrite ?? false)
        let space = set.add(offering.flatMap { sinks[$0.sink].spaceDescriptor } ?? -1)
        do {
            try set.wait(until: nearestDeadline())
        } catch {
            endReason = .system(call: error.call, errno: error.errno)
            isOver = true
            return false
        }
        now = SystemClock.now()
        if set.isReadable(link) || set.isWritable(link) {
            transfer(reading: set.isReadable(link), writing: set.isWritable(link))
        }
        if set.isReadable(wake) {
            core.wake.take()
            for command in core.takeCommands() { obey(command) }
            if core.isStopRequested { beginStop() }
        }
        if let sink = offering?.sink, let descriptor = sinks[sink].spaceDescriptor,
            set.isReadable(space)
        {
            EventDescriptor.take(descriptor)
            continueOffering()
            drainFollowUps()
        }
        expireDeadlines()
        if let offeringEnds, offeringEnds <= now { dropOffering() }
        return true
    }

    // Mutating: reading a property would copy the whole runner.
    private mutating func nearestDeadline() -> Instant? {
        var nearest = planWaits
        if let offeringEnds, nearest.map({ offeringEnds < $0 }) ?? true { nearest = offeringEnds }
        for (_, time) in deadlines where nearest.map({ time < $0 }) ?? true { nearest = time }
        return nearest
    }

    private mutating func expireDeadlines() {
        while let place = deadlines.firstIndex(where: { $0.time <= now }) {
            let deadline = deadlines.remove(at: place).deadline
            handle(.deadlineExpired(deadline))
        }
    }

    private mutating func transfer(reading: Bool, writing: Bool) {
        do {
            if writing { try session?.flush() }
            if reading, let bytes = try session?.receive(), !bytes.isEmpty { take(bytes) }
        } catch {
            lose(error)
            drainFollowUps()
        }
    }

    private mutating func take(_ bytes: [UInt8]) {
        record(bytes, .fromAdapter)
        timing.received(bytes, at: now)
        if machine.isAtPrompt { noteUnasked(bytes) }
        handle(.received(bytes))
    }

    /// Takes what has come before the next request is written: it cannot be its answer.
    ///
    /// Bounded, for a device that talks without end: its request tells of it.
    mutating func takeEarlyBytes() {
        do {
            for _ in 0..<Self.earlyReads {
                guard case .idle = machine.state, let bytes = try session?.receive(),
                    !bytes.isEmpty
                else { return }
                take(bytes)
            }
        } catch {
            lose(error)
            drainFollowUps()
        }
    }

    /// Reads of at most 4 KiB before a request.
    private static var earlyReads: Int { 16 }

    private mutating func noteUnasked(_ bytes: [UInt8]) {
        // What is left of a reply's end is nothing that came by itself.
        let count = bytes.count { $0 > 0x20 && $0 != UInt8(ascii: ">") }
        guard count > 0 else { return }
        core.noteUnasked(count)
        if wanted.contains(.requests) { tell(.didReceiveUnasked(bytes: count)) }
    }

    /// The accessory has gone.
    mutating func lose(_ error: AccessoryError) {
        guard session != nil else { return }
        session = nil
        lastFault = error
        wasLost = true
        gap.noteOutage()
        tell(.toolDidDisconnect(error))
        followUps.append(.closed)
    }

    // MARK: The machine

    /// Gives the machine an event and carries out what it says, and what follows from that.
    mutating func handle(_ event: Event) {
        process(event)
        drainFollowUps()
    }

    mutating func drainFollowUps() {
        guard !followUps.isEmpty else { return }
        var place = 0
        while place < followUps.count {
            let event = followUps[place]
            place += 1
            process(event)
        }
        followUps.removeAll(keepingCapacity: true)
    }

    private mutating func process(_ event: Event) {
        let before = machine.state.kind
        machine.handle(event, &effects)
        let after = machine.state.kind
        if before != after {
            core.publish(after)
            if wanted.contains(.states) {
                tell(
                    .didChangeState(
                        StateTransition(time: now, from: before, to: after, event: event.kind)))
            }
        }
        // Carrying out effects only adds to `followUps`.
        var orders: [Effect] = []
        swap(&orders, &effects)
        do {
            // Not `for order in orders`, which would copy each of them.
            let all = orders.span
            for place in all.indices { carryOut(all[place]) }
        }
        orders.removeAll(keepingCapacity: true)
        swap(&orders, &effects)
        if isStopping, machine.state == .initializing(.detached) { isOver = true }
    }

    mutating func arm(_ deadline: Deadline, after time: Duration) {
        let entry = (deadline: deadline, time: now + time)
        if let place = deadlines.firstIndex(where: { $0.deadline == deadline }) {
            deadlines[place] = entry
        } else {
            deadlines.append(entry)
        }
    }

    mutating func disarm(_ deadline: Deadline) {
        guard let place = deadlines.firstIndex(where: { $0.deadline == deadline }) else { return }
        deadlines.remove(at: place)
    }

    // MARK: Events

    /// Tells everyone who wants it.
    mutating func tell(_ event: ScanEvent) {
        let kind = event.kind
        if queued.contains(kind) { core.publish(event, at: now) }
        for observer in observers where observer.interests.contains(kind) {
            observer.scan(event, at: now)
        }
    }

    // MARK: The end

    mutating func beginStop() {
        guard !isStopping else { return }
        isStopping = true
        endReason = endReason ?? .stopped
        if offering != nil { offeringEnds = now + configuration.drainLimit }
        handle(.stopRequested)
    }

    /// A store that makes no space must not keep the session from ending.
    private mutating func dropOffering() {
        guard offering != nil else {
            offeringEnds = nil
            return
        }
        core.noteError()
        // The reply behind it has no time of its own.
        endOffering()
        if offering == nil { offeringEnds = nil }
        drainFollowUps()
    }

    /// Hands on what came before the end: a store that makes no space is waited for as long as at a
    /// stop.
    private mutating func handOnTheRest() {
        processDelivered()
        while offering != nil {
            offeringEnds = offeringEnds ?? now + configuration.drainLimit
            guard wait() else { break }
        }
    }

    private mutating func finish() {
        session = nil
        // What could not be handed on.
        if offering != nil { core.noteError() }
        if undecoded != nil { core.noteError() }
        carryOut(driver.take(.end))
        let reason = endReason ?? .stopped
        if let ask = undecoded?.current.ask { ask.ticket.fulfil(.failure(reason)) }
        if let ask = current?.ask { ask.ticket.fulfil(.failure(reason)) }
        for ask in asks { ask.ticket.fulfil(.failure(reason)) }
        ready.fulfil(.failure(reason))
        tell(.sessionDidEnd(reason == .stopped ? nil : reason))
        core.end(endReason)
    }
}
