import Accessory
import Adapters
import Diagnostics
import OBDCore
import ScanTool
import SystemIO
import VehicleLink

/// Runs a scan tool over a session with an adapter: the body of a session's thread.
///
/// The session waits in a single place for bytes, commands, space in a store, or the nearest deadline, and
/// then reads and writes. `ScanTool` decides about the conversation, `PollDriver` about the next action.
///
/// The type is not copyable, so that the compiler proves the exclusive access to its parts instead of
/// checking the access at run time.
struct Runner<Dialect: AdapterDialect>: ~Copyable {
    let core: SessionCore
    let configuration: SessionConfiguration
    let sinks: [any ReadingSink]
    let audience: Audience
    let ready: Promise<Void>
    var machine: ScanTool<Dialect>
    var driver = SessionDriver()
    var decoder: ResponseDecoder
    var session: DescriptorSession?
    var connectPlan: ConnectPlan
    var recorder: Recorder?
    /// The current time, updated after every wait.
    var now = SystemClock.now()

    // The effects of the state machine and the events that follow from the effects.
    var effects: [Effect] = []
    var followUps: [Event] = []
    var deadlines = Deadlines()

    /// The plan; nil if there is no poll.
    var polled: PolledPlan?
    var times = PollTimes()
    /// Receives the batches of the poll.
    var stream: PollStream?
    var heard = HeardECUs()
    var lastVoltage: Double?
    var lastFault: AccessoryError?
    /// The time at which each status of the adapter was last reported.
    var reportedStatuses: [AdapterStatus: Instant] = [:]
    /// The status with which the adapter last restarted.
    var lastRestart: AdapterStatus?

    /// The filters of the listening; nil if the session does not listen by itself.
    var listening: [CANFilter]?
    /// Before this time, a session does not begin to listen again.
    var listeningPause: Instant?
    /// Decodes what is heard.
    var listener: (any BusListener)?
    /// Whether what is heard is passed on.
    var isHearing = false
    /// Heard frames that were not accepted yet.
    var heardBatches = HeardBatches()
    /// The kernel's time of the frame that is handled; nil if there is none.
    var frameTime: Instant?

    private var set = PollSet()

    init(
        core: SessionCore, configuration: SessionConfiguration, dialect: Dialect,
        decoder: ResponseDecoder, sinks: [any ReadingSink], observers: [any ScanObserver],
        ready: Promise<Void>
    ) {
        self.core = core
        self.configuration = configuration
        self.sinks = sinks
        audience = Audience(core, queued: configuration.queuedEvents, observers: observers)
        self.ready = ready
        self.decoder = decoder
        listener = configuration.listener
        machine = ScanTool(dialect: dialect, policy: configuration.effectivePolicy)
        connectPlan = ConnectPlan(remembered: configuration.memory?.lineRate)
    }

    /// Runs until the session is stopped or cannot continue.
    mutating func run() {
        startRecording()
        handle(.retry)
        while driver.life.end == nil {
            takeOver()
            decodeReplies()
            drainFollowUps()
            if driver.life.end == nil { wait() }
        }
        handOnTheRest()
        finish()
    }

    // MARK: Waiting

    /// Waits once and handles the events that ended the wait; false if waiting is not possible.
    @discardableResult
    private mutating func wait() -> Bool {
        if driver.keepsEndWaiting { deadlines.limitDrain(to: now + configuration.drainLimit) }
        set.removeAll()
        let wake = set.add(core.wake.descriptor)
        let link = set.add(
            session?.descriptor ?? -1, reading: !leavesFramesUnread(),
            writing: session?.wantsToWrite ?? false)
        let full = driver.handover.batch?.sink ?? heardBatches.fullSink
        let space = set.add(full.flatMap { sinks[$0].spaceDescriptor } ?? -1)
        do {
            deadlines.write = session?.retryTime
            session?.noteWait()
            try set.wait(until: deadlines.nearest)
        } catch {
            carryOut(driver.life.take(.cannotWait(call: error.call, errno: error.errno)))
            return false
        }
        now = SystemClock.now()
        let retries = deadlines.write.map { $0 <= now } ?? false
        if set.isReadable(link) || set.isWritable(link) || retries {
            transfer(reading: set.isReadable(link), writing: set.isWritable(link) || retries)
        }
        if set.isReadable(wake) {
            core.wake.take()
            for command in core.takeCommands() {
                if command.endsListening { hearTheRest() }
                obey(command)
            }
        }
        if let full, let descriptor = sinks[full].spaceDescriptor, set.isReadable(space) {
            EventDescriptor.take(descriptor)
            retryHeard()
            continueOffering()
            drainFollowUps()
        }
        // What arrived before a deadline counts before it. A thread that had to wait for the processor finds more frames
        // of a busy bus than one read returns.
        if machine.dialect.capabilities.hearsOthers, let due = deadlines.nearest, due <= now {
            readArrived()
        }
        while let deadline = deadlines.takeExpired(at: now) {
            if deadline == .dialect(.listen) { hearTheRest() }
            handle(.deadlineExpired(deadline))
        }
        if deadlines.takeLongSearch(at: now) { tellProgress(.longSearch) }
        if deadlines.isDrainOver(at: now) { dropBatch() }
        return true
    }

    /// Whether frames that arrive may wait until the next request, before which they are read.
    ///
    /// Between requests, the answers that other testers get would otherwise wake this thread up for nothing.
    /// The loss of the interface wakes this thread anyway. A session that hears the bus reads each frame.
    private mutating func leavesFramesUnread() -> Bool {
        guard session?.kind == .frames, case .idle = machine.state else { return false }
        guard listener != nil else { return true }
        let link = machine.dialect.capabilities
        return !configuration.onlyListens && !link.hearsFrames && !link.hearsGroups
    }

    /// Writes and reads what is possible at once; returns the number of bytes that were read.
    @discardableResult
    private mutating func transfer(reading: Bool, writing: Bool) -> Int {
        var count = 0
        do {
            if writing { try session?.flush() }
            if reading {
                repeat {
                    if let bytes = try session?.receive(), !bytes.isEmpty {
                        count += bytes.count
                        take(bytes)
                    }
                } while session?.isEnding ?? false
            }
            noteLostFrames()
        } catch {
            noteLostFrames(isEnd: true)
            lose(error)
            drainFollowUps()
        }
        return count
    }

    private mutating func noteLostFrames(isEnd: Bool = false) {
        guard let lost = session?.takeDropped(isEnd: isEnd), lost > 0 else { return }
        loseFrames(lost)
    }

    /// Reads what arrived before now, because a slow reader may be behind when the listening ends.
    private mutating func hearTheRest() {
        guard configuration.onlyListens, driver.handover.request != nil else { return }
        readArrived()
        noteLostFrames(isEnd: true)
    }

    /// Reads all that arrived before now.
    ///
    /// On a busy bus, more frames arrive meanwhile: the time of a frame shows that all earlier ones were read.
    private mutating func readArrived() {
        let end = now
        var waiting = session?.waitingBytes ?? 0
        while let kind = session?.kind {
            let count = transfer(reading: true, writing: false)
            waiting -= count
            let isBehind =
                kind == .frames ? session?.frameTimes.last.map { $0 < end } ?? false : waiting > 0
            guard count > 0, isBehind, !(session?.isDrained ?? true) else { break }
        }
    }

    private mutating func take(_ bytes: [UInt8]) {
        record(bytes, .fromAdapter)
        times.received(bytes, at: now)
        if machine.isAtPrompt, !machine.dialect.capabilities.hearsOthers { noteUnasked(bytes) }
        let times = session?.frameTimes ?? []
        guard !times.isEmpty else { return handle(.received(bytes)) }
        // Each frame has its own time.
        for (place, time) in times.enumerated() {
            frameTime = time
            let start = place * CANRecord.length
            handle(.received(Array(bytes[start..<start + CANRecord.length])))
        }
        frameTime = nil
    }

    /// Reads bytes that arrived before the next request is written, because they cannot be its answer.
    ///
    /// The number of reads is limited. If a device never stops sending, the next request reports the fault.
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

    /// The number of reads before a request, each of at most 4 KiB.
    private static var earlyReads: Int { 16 }

    private mutating func noteUnasked(_ bytes: [UInt8]) {
        // A late line end or prompt does not count as unexpected data.
        let count = bytes.count { $0 > 0x20 && $0 != UInt8(ascii: ">") }
        guard count > 0 else { return }
        core.noteUnasked(count)
        if audience.wants(.requests) { tell(.didReceiveUnasked(bytes: count)) }
    }

    /// Handles the loss of the adapter.
    mutating func lose(_ error: AccessoryError) {
        guard session != nil else { return }
        session = nil
        lastFault = error
        times.gap.noteOutage()
        polled?.plan.noteLoss(at: now)
        tell(.toolDidDisconnect(error))
        carryOut(driver.life.take(.linkLost))
        followUps.append(.closed)
    }

    // MARK: The machine

    /// Passes an event to the state machine and carries out its effects and the events that follow.
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
            if audience.wants(.states) {
                tell(
                    .didChangeState(
                        StateTransition(time: now, from: before, to: after, event: event.kind)))
            }
        }
        // Carrying out effects only appends to `followUps`.
        var orders: [Effect] = []
        swap(&orders, &effects)
        do {
            // Not `for order in orders`, because that would copy each element.
            let all = orders.span
            for place in all.indices { carryOut(all[place]) }
        }
        orders.removeAll(keepingCapacity: true)
        swap(&orders, &effects)
        if driver.life.isStopping, machine.state == .initializing(.detached) {
            carryOut(driver.life.take(.detached))
        }
    }

    /// Sends an event to every receiver that accepts it.
    mutating func tell(_ event: ScanEvent) { audience.tell(event, at: now) }

    // MARK: The end

    /// Carries out an order for the session.
    mutating func carryOut(_ order: SessionLife.Order?) {
        switch order {
        case .countReconnect: core.noteReconnect()
        case .retry: followUps.append(.retry)
        case .stopTool: followUps.append(.stopRequested)
        case nil: break
        }
    }

    /// Drops the batch, because a store without space must not prevent the end of the session.
    private mutating func dropBatch() {
        guard driver.handover.batch != nil else {
            deadlines.endDrain()
            return
        }
        core.noteError()
        // The next reply gets no additional time.
        endOffering()
        if driver.handover.batch == nil { deadlines.endDrain() }
        drainFollowUps()
    }

    /// Delivers the data from before the end, and waits for a full store as long as at a stop.
    private mutating func handOnTheRest() {
        finishListening()
        decodeReplies()
        while driver.handover.batch != nil {
            guard wait() else { break }
        }
        let limit = now + configuration.drainLimit
        while heardBatches.fullSink != nil, now < limit {
            deadlines.limitDrain(to: limit)
            guard wait() else { break }
        }
    }

    private mutating func finish() {
        session = nil
        let reason = scanError(driver.life.end ?? .stopped)
        let rest = driver.handover.end()
        carryOut(driver.polling.take(.end))
        for one in rest {
            switch one {
            case .batch: core.noteError()
            case .reply(let reply):
                core.noteError()
                reply.current.ask?.promise.fulfil(.failure(reason))
            case .request(let request): request.ask?.promise.fulfil(.failure(reason))
            }
        }
        for promise in driver.requests.removeAll() { promise.fulfil(.failure(reason)) }
        ready.fulfil(.failure(reason))
        let fault = reason == .stopped ? nil : reason
        follow(nil, fault)
        tell(.sessionDidEnd(fault))
        core.end(reason)
    }

    private mutating func scanError(_ end: SessionLife.End) -> ScanError {
        switch end {
        case .stopped: .stopped
        case .cannotWait(let call, let errno): .system(call: call, errno: errno)
        case .gaveUp(let reason, let wasReady): scanError(reason, wasReady: wasReady)
        }
    }

    private mutating func scanError(_ reason: ErrorReason, wasReady: Bool) -> ScanError {
        let fault = lastFault ?? configuration.connector.loss
        switch reason {
        case .openFailed: return wasReady ? .linkLost(fault) : .accessory(fault)
        case .linkLost: return .linkLost(fault)
        case .initialisation(let failure): return .initialisation(failure)
        case .adapterRestarted:
            return lastRestart.map { .adapterRestarted($0) } ?? .adapterSilent
        case .initialisationTimedOut, .unresponsive, .flooded: return .adapterSilent
        }
    }
}
