/// Leads a driver through the guided test: takes readings with their times, gives sentences, progress and the end.
///
/// A value without a clock. A step is done only when readings show it for the wanted seconds; after its limit it is
/// skipped. What is dangerous for the engine, or shows that the driver does something else, ends the test. Operating
/// points are those by which a trip is judged, so that nothing is asked of the driver that does not count.
package struct Coach: Sendable {
    /// How much is tested.
    package enum Course: String, Hashable, Sendable {
        /// Standing and driving.
        case guided
        /// Standing only.
        case parked
        /// What the vehicle says now.
        case quick
        /// The 12 V side only.
        case battery
    }

    package enum Kind: Hashable, Sendable, CaseIterable {
        case petrol, diesel, hybrid, electric

        /// The kind by the code of PID 51, and by whether the vehicle reports an engine speed.
        package init(fuelType: Int?, hasEngineSpeed: Bool) {
            self =
                switch fuelType ?? 0 {
                case 8: .electric
                case 16...22: .hybrid
                case 4, 23: .diesel
                default: hasEngineSpeed ? .petrol : .electric
                }
        }
    }

    package struct Plan: Hashable, Sendable {
        package var course: Course
        package var kind: Kind
        package var isAutomatic = false
        /// Whether the speedometer shows miles per hour.
        package var usesMiles = false

        package init(
            _ course: Course, _ kind: Kind, isAutomatic: Bool = false, usesMiles: Bool = false
        ) {
            self.course = course
            self.kind = kind
            self.isAutomatic = isAutomatic
            self.usesMiles = usesMiles
        }

        /// The steps with a warm engine, in their order.
        var steps: [CoachStep] {
            switch (course, kind) {
            case (.quick, _): [.glance]
            case (.battery, .petrol), (.battery, .diesel): [.park, .ignition, .start, .charge]
            // An electric vehicle answers only when it is on, so it has no ignition without it.
            case (_, .electric): [.park, .ready]
            case (.battery, .hybrid), (.parked, .hybrid): [.park, .ignition, .ready]
            case (.guided, .hybrid): [.park, .ignition, .ready, .cruise, .pull, .roll]
            case (.parked, _): [.park, .ignition, .start, .charge] + Self.standing
            case (.guided, _): [.park, .ignition, .start] + Self.standing + driving
            }
        }

        static let standing: [CoachStep] = [.idle, .raised, .release]

        var driving: [CoachStep] {
            // A diesel engine does not say that its fuel is cut.
            kind == .diesel ? [.cruise, .pull] : [.cruise, .pull, .roll]
        }
    }

    /// Why the test was broken off.
    package enum Break: String, Hashable, Sendable, CaseIterable {
        case heat, misfire, misfireRate, oil, overspeed, moves, voltage, battery, engineOff, silence
    }

    /// Why a step was skipped.
    package enum Skip: String, Hashable, Sendable {
        /// Its time was over.
        case late
        /// The engine ran already.
        case running
        case engineOff
        case cold
        case hot
        /// The vehicle does not report what shows the step.
        case unknown
        case misfire
        case overboost
        /// The step before it was not done.
        case before
        /// The test was broken off.
        case ended

        /// In words.
        package var text: String {
            switch self {
            case .late: "its time was over"
            case .running: "the engine ran already"
            case .engineOff: "the engine was off"
            case .cold: "the engine was too cold"
            case .hot: "the engine was too hot"
            case .unknown: "the vehicle does not report what it needs"
            case .misfire: "a misfire code is stored or pending"
            case .overboost: "there was too much boost"
            case .before: "the step before it was not done"
            case .ended: "the test ended before"
            }
        }
    }

    /// What became of a step.
    package struct Result: Hashable, Sendable {
        package var step: CoachStep
        /// Nil = done.
        package var skip: Skip?
        /// Microseconds since the start of the trip.
        package var from, to: Int64
        /// The seconds that the data showed.
        package var held: Double
    }

    package struct Sentence: Hashable, Sendable {
        package var text: String
        /// Whether it cannot wait for the sentence before it.
        package var isUrgent: Bool
    }

    package struct Progress: Hashable, Sendable {
        package var step: CoachStep
        package var held, wanted: Double
        /// The engine speed, where the step wants one.
        package var engineSpeed: Double?
        /// What the driver should do to reach it.
        package var hint: String?
    }

    /// A step that is under way.
    private struct Active: Sendable {
        var step: CoachStep
        var since: Int64
        var held = 0.0
        /// The latest reading that showed the step, if no other came after it.
        var shown: Int64?
        /// The last hint, and when it was given.
        var hint: (text: String, t: Int64)?
        var pulls = 0
        var pull: Pull?
        var engineOffSince: Int64?
    }

    /// A full throttle that is under way.
    private struct Pull: Sendable {
        /// The first and the latest of the readings that show it without a gap.
        var from, latest: Int64
        /// The seconds that earlier readings have shown.
        var before: Double
        var isCounted = false
        var isEnding = false
    }

    private enum State: Sendable {
        case step(Active)
        case ended(Break?)
    }

    package let plan: Plan
    private var state: State
    private var queue: [CoachStep]
    private var now: Int64 = 0
    private var moment = DriveMoment()
    private var guardian = CoachGuard()
    private var crank = CrankAlert()
    private var misfires = MisfireShare()
    private var volts: (t: Int64, value: Double)?
    private var sentences: [Sentence] = []
    private var misfireCodes: [String: Set<String>] = [:]
    private var hasMisfireCode = false
    private var isWithoutSpeed = false
    private var lastAnswer: Int64 = 0
    package private(set) var results: [Result] = []

    package init(_ plan: Plan) {
        self.plan = plan
        queue = plan.steps
        state = .ended(nil)
        beginNext()
    }

    // MARK: Inputs

    /// Takes a reading; `t` is in microseconds since the start of the trip.
    package mutating func take(_ value: Double, _ quantity: DriveQuantity, t: Int64) {
        guard value.isFinite else { return }
        advance(to: t)
        lastAnswer = now
        if quantity == .voltage, value <= Self.noVoltage { return }
        moment.take(value, quantity, t: now)
        if quantity == .engineSpeed { misfires.takeEngine(value, t: now) }
        if quantity == .voltage { volts = (now, value) }
        follow(quantity, value)
    }

    /// Takes the voltage at the adapter.
    package mutating func take(adapterVoltage value: Double, t: Int64) {
        guard value.isFinite else { return }
        advance(to: t)
        guard value > Self.noVoltage else { return }
        crank.take(value)
        // The ECU measures better than many adapters.
        guard fresh(.voltage) == nil else { return }
        volts = (now, value)
        follow(.voltage, value, isOfAdapter: true)
    }

    /// A lower voltage is a wrong reading: the adapter itself would not work with it; unit: V.
    private static let noVoltage = 5.0

    /// Takes the codes of a list, which has a name such as "pending".
    package mutating func take(codes: [String], of list: String, t: Int64) {
        advance(to: t)
        let found = Set(codes.filter(Self.isMisfire))
        hasMisfireCode = hasMisfireCode || !found.isEmpty
        let known = misfireCodes.updateValue(found, forKey: list)
        // Only a new code ends the test: the first list may have codes of earlier drives.
        if let known, !found.subtracting(known).isEmpty { end(.misfire) }
    }

    /// P0300 to P0316.
    private static func isMisfire(_ code: String) -> Bool {
        code.hasPrefix("P030") || ("P0310"..."P0316").contains(code.prefix(5))
    }

    /// Takes the misfires that an ECU has counted at a cylinder in this driving cycle.
    package mutating func take(misfires count: Double, of cylinder: String, t: Int64) {
        guard count.isFinite else { return }
        advance(to: t)
        misfires.take(count, of: cylinder)
        if misfires.share ?? 0 > 0.05 { end(.misfireRate) }
    }

    /// Lets time pass; `t` is in microseconds since the start of the trip.
    package mutating func advance(to t: Int64) {
        now = max(now, t)
        guard case .step(let active) = state else { return }
        let waited = Double(now - active.since) / 1e6
        if now - lastAnswer > 60_000_000, !active.step.mayBeSilent { return end(.silence) }
        if waited >= limit(of: active.step) { runOut(active) }
    }

    private func limit(of step: CoachStep) -> Double {
        // An engine needs some minutes until it is warm.
        step == .cruise && !moment.isWarm(70) ? 2 * step.limit : step.limit
    }

    // MARK: Outputs

    /// What was not said yet.
    package mutating func takeSentences() -> [Sentence] {
        defer { sentences = [] }
        return sentences
    }

    package var isOver: Bool { if case .ended = state { true } else { false } }

    /// Why the test was broken off; nil = it was not.
    package var broken: Break? { if case .ended(let reason) = state { reason } else { nil } }

    /// The step that is under way.
    package var step: CoachStep? {
        if case .step(let active) = state { active.step } else { nil }
    }

    /// Whether nothing but the voltage at the adapter matters, as fast as possible: the starter is about to turn.
    package var wantsVoltageOnly: Bool { step == .start && crank.isAwaited(at: now) }

    /// The full throttles of three seconds in this step.
    package var pulls: Int { if case .step(let active) = state { active.pulls } else { 0 } }

    /// Whether the driver asks for everything now.
    package var isPulling: Bool {
        if case .step(let active) = state { active.pull != nil } else { false }
    }

    package var progress: Progress? {
        guard case .step(let active) = state else { return nil }
        let range = Self.range(of: active.step)
        let speed = range == nil ? nil : fresh(.engineSpeed)
        return Progress(
            step: active.step, held: min(active.held, active.step.wanted),
            wanted: active.step.wanted, engineSpeed: speed,
            hint: range.flatMap { range in speed.map { Self.hint($0, range) } })
    }

    // MARK: Steps

    private mutating func say(_ text: String, isUrgent: Bool = false) {
        sentences.append(Sentence(text: text, isUrgent: isUrgent))
    }

    private var engineRuns: Bool { fresh(.engineSpeed) ?? 0 > 400 }

    /// A value that is at most `seconds` old.
    private func fresh(_ quantity: DriveQuantity, within seconds: Int64 = 3) -> Double? {
        moment.latest(quantity).flatMap { now - $0.t <= seconds * 1_000_000 ? $0.value : nil }
    }

    private mutating func beginNext() {
        while !queue.isEmpty {
            let step = queue.removeFirst()
            if let reason = obstacle(to: step) {
                results.append(Result(step: step, skip: reason, from: now, to: now, held: 0))
                continue
            }
            state = .step(Active(step: step, since: now))
            // Silence is that of a step: while the starter turns, nothing but the voltage is asked.
            lastAnswer = now
            if step == .start { crank.await(at: now) }
            for text in CoachWords.opening(step, plan, engineRuns: engineRuns) { say(text) }
            if step == .idle, !moment.isWarm(70), moment.latest(.coolant) != nil {
                say(CoachWords.cold)
            }
            return
        }
        state = .ended(nil)
        say(CoachWords.done)
    }

    /// Why a step need not begin.
    private func obstacle(to step: CoachStep) -> Skip? {
        let coolant = fresh(.coolant, within: 30)
        switch step {
        case .park, .ignition, .ready, .glance: return nil
        case .start: return engineRuns ? .running : nil
        case .charge, .loads: return engineRuns ? nil : .engineOff
        case .idle, .raised:
            guard let coolant, !isWithoutSpeed else { return .unknown }
            // Idling warms an engine by some 20 degrees within the limit of the step.
            return coolant < (step == .idle ? 50 : 70) ? .cold : nil
        case .release:
            return isDone(.raised) ? nil : .before
        case .cruise, .stop: return isWithoutSpeed ? .unknown : nil
        case .pull:
            if isWithoutSpeed { return .unknown }
            return dangerOfPull ?? (isDone(.cruise) ? nil : .before)
        case .roll:
            if isWithoutSpeed || moment.latest(.fuelStatus) == nil { return .unknown }
            return isDone(.cruise) ? nil : .before
        }
    }

    private func isDone(_ step: CoachStep) -> Bool {
        results.contains { $0.step == step && $0.skip == nil }
    }

    /// Why full throttle is out of the question.
    private var dangerOfPull: Skip? {
        if hasMisfireCode { return .misfire }
        if guardian.hasOverboost { return .overboost }
        guard let coolant = fresh(.coolant, within: 30) else { return .unknown }
        if coolant < 70 { return .cold }
        if coolant >= 108 { return .hot }
        let reports = [DriveQuantity.load, .pedal].contains { moment.latest($0) != nil }
        return reports ? nil : .unknown
    }

    private mutating func finish(_ active: Active, _ skip: Skip?) {
        results.append(
            Result(step: active.step, skip: skip, from: active.since, to: now, held: active.held))
        if active.step == .park { isWithoutSpeed = moment.latest(.speed) == nil }
        // The step after 2,500 rpm begins with the pedal.
        if active.step != .raised || skip != nil, let text = CoachWords.closing(active.step) {
            say(text)
        }
        if skip == .late {
            if active.pull != nil { say(CoachWords.liftOff) }
            say(CoachWords.skipped)
        }
        if active.step == .charge, skip != nil, plan.course == .battery {
            queue.insert(.loads, at: 0)
        }
        if active.step == .start || (active.step == .ignition && engineRuns) {
            let isCold = moment.latest(.coolant) != nil && !moment.isWarm(70)
            if plan.course == .guided, isCold, !isWithoutSpeed, queue.contains(.cruise),
                queue.contains(.idle)
            {
                say(CoachWords.coldDrive)
                queue =
                    (queue.contains(.start) ? [.start] : []) + plan.driving + [.stop]
                    + Plan.standing
            }
        }
        beginNext()
    }

    /// The time of a step is over.
    private mutating func runOut(_ active: Active) {
        switch active.step {
        // Nobody who may be driving is asked to switch the engine off.
        case .park where moment.latest(.speed) != nil && fresh(.speed) != 0:
            end(fresh(.speed) == nil ? .silence : .moves)
        case .ignition where fresh(.engineSpeed) == nil: end(.silence)
        case .stop where fresh(.speed) != 0:
            // What follows needs a parked vehicle.
            let left = queue
            queue = []
            finish(active, .late)
            results += left.map { Result(step: $0, skip: .late, from: now, to: now, held: 0) }
        case let step where (step == .start || step.needsEngine) && !engineRuns:
            end(fresh(.engineSpeed) == nil ? .silence : .engineOff)
        case .glance where moment.latest(.engineSpeed) == nil: finish(active, .unknown)
        default: finish(active, .late)
        }
    }

    private mutating func end(_ reason: Break) {
        guard case .step(let active) = state else { return }
        results.append(
            Result(step: active.step, skip: .ended, from: active.since, to: now, held: active.held))
        results += queue.map { Result(step: $0, skip: .ended, from: now, to: now, held: 0) }
        queue = []
        state = .ended(reason)
        sentences = []
        say(CoachWords.end(reason), isUrgent: true)
        if let text = CoachWords.closing(active.step), !CoachWords.end(reason).hasPrefix(text) {
            say(text)
        }
    }

    /// Follows a reading that `moment` has taken.
    private mutating func follow(
        _ quantity: DriveQuantity, _ value: Double, isOfAdapter: Bool = false
    ) {
        guard case .step(var active) = state else { return }
        guardian.take(value, quantity, moment, t: now, isOfAdapter: isOfAdapter)
        if let reason = guardian.reason(in: active.step) { return end(reason) }
        if active.step == .pull, let danger = dangerOfPull {
            state = .step(active)
            say(CoachWords.noPull, isUrgent: true)
            return finish(active, danger)
        }
        if quantity == .engineSpeed { watchEngine(value, &active) }
        if active.step != .pull, quantity == active.step.shownBy {
            if shows(active.step) {
                if let last = active.shown, now - last <= 3_000_000 {
                    active.held += Double(now - last) / 1e6
                }
                active.shown = now
            } else {
                active.shown = nil
                if active.step.isInOnePiece { active.held = 0 }
            }
        }
        state = .step(active)
        if active.pull == nil, Self.isShown(active) { finish(active, nil) }
    }

    private static func isShown(_ active: Active) -> Bool {
        active.held >= active.step.wanted && (active.step != .pull || active.pulls >= 2)
    }

    /// Whether the latest readings show a step.
    private func shows(_ step: CoachStep) -> Bool {
        let rpm = fresh(.engineSpeed)
        let scale = guardian.isFor24Volts ? 2.0 : 1
        switch step {
        case .park, .stop: return fresh(.speed) == 0
        case .ignition: return rpm == 0
        case .start: return rpm ?? 0 > 500
        case .ready: return volts.map { $0.value >= 13 * scale } ?? false
        case .charge:
            return rpm ?? 0 > 400 && volts.map { $0.value >= 13.2 * scale } ?? false
        case .loads: return rpm.map { Self.range(of: .loads)?.contains($0) ?? false } ?? false
        case .idle: return moment.place == .idle
        case .raised: return moment.place == .raised
        case .release: return rpm.map { (400...1_200).contains($0) } ?? false
        case .cruise: return moment.place == .cruise
        case .pull:
            // What is older says nothing of a pull.
            let recent = { (quantity: DriveQuantity, least: Double) in
                moment.latest(quantity).map { now - $0.t <= Self.pullGap && $0.value >= least }
                    ?? false
            }
            return recent(.engineSpeed, 1_500) && moment.isWarm(70) && fresh(.speed) ?? 0 > 20
                && (recent(.load, 80) || recent(.pedal, 70))
        case .roll: return moment.sinceFuelCut != nil
        case .glance: return rpm != nil
        }
    }

    // MARK: Hints

    private static func range(of step: CoachStep) -> ClosedRange<Double>? {
        switch step {
        case .raised: 2_200...2_800
        case .loads: 1_200...1_900
        default: nil
        }
    }

    private static func hint(_ rpm: Double, _ range: ClosedRange<Double>) -> String {
        rpm < range.lowerBound
            ? CoachWords.more : rpm > range.upperBound ? CoachWords.less : CoachWords.good
    }

    private mutating func watchEngine(_ rpm: Double, _ active: inout Active) {
        var hint: String?
        if active.step.needsEngine, rpm < 100 {
            let since = active.engineOffSince ?? now
            active.engineOffSince = since
            if now - since >= 5_000_000 { hint = CoachWords.engineOff }
        } else {
            active.engineOffSince = nil
            if let range = Self.range(of: active.step) {
                hint = Self.hint(rpm, range)
            } else if [.idle, .charge].contains(active.step), rpm > 1_500,
                now - active.since > 10_000_000
            {
                hint = CoachWords.idle
            }
        }
        if active.step == .pull { watchPull(&active) }
        guard let hint else { return }
        if let last = active.hint {
            // Someone who has heard it needs time to do it; who forgets it hears it again.
            let pause: Int64 = last.text == hint ? 20_000_000 : 4_000_000
            if now - last.t < pause || (last.text == hint && hint == CoachWords.good) { return }
        } else if now - active.since < 4_000_000 {
            return
        }
        active.hint = (hint, now)
        say(hint)
    }

    /// Readings of a pull follow one another at least so fast, in microseconds.
    private static let pullGap: Int64 = 1_500_000

    /// Counts pulls of three seconds, and says when the fourth is over.
    private mutating func watchPull(_ active: inout Active) {
        guard shows(.pull) else {
            let isCounted = active.pull?.isCounted ?? false
            active.pull = nil
            if isCounted, !Self.isShown(active) { say(CoachWords.again) }
            return
        }
        var pull = active.pull ?? Pull(from: now, latest: now, before: active.held)
        if now - pull.latest > Self.pullGap { (pull.from, pull.before) = (now, active.held) }
        pull.latest = now
        let seconds = Double(now - pull.from) / 1e6
        // In the first second the air follows the throttle.
        active.held = pull.before + max(0, seconds - 1)
        if seconds >= 3, !pull.isCounted {
            pull.isCounted = true
            active.pulls += 1
        }
        if seconds >= 4, !pull.isEnding {
            pull.isEnding = true
            say(CoachWords.liftOff, isUrgent: true)
        }
        active.pull = pull
    }
}
