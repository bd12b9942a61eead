import Accessory
import Glibc
import Paddle

/// A session with one device: receives positions and buttons, sends lights and ten kilobytes.
final class Demonstration {
    /// The steps of sending, one per half second.
    private enum Step {
        case lightOn, lightOff, bulk
    }

    /// Why a demonstration ends early.
    enum Fault: Error {
        /// No valid frame arrived for three seconds, although a paddle sends one 20 times per
        /// second.
        case silent
    }

    /// The counts until now.
    struct Summary: Hashable, CustomStringConvertible {
        var positions = 0
        var buttons = 0
        var damaged = 0
        var strayBytes = 0
        var bytesSent = 0

        var description: String {
            "\(positions) positions, \(buttons) buttons, \(damaged) damaged frames, "
                + "\(strayBytes) stray bytes; \(bytesSent) bytes sent"
        }
    }

    /// The long transfer: 10 KB.
    static let bulkFrames = 10_240 / 4
    private static let pause = Duration.milliseconds(500)
    private static let patience = Duration.seconds(3)

    /// The device's name.
    let name: String
    private let report: (String) -> Void
    private var session: DescriptorSession
    private var lexer = PaddleLexer()
    private var position: UInt16?
    private var buttons: UInt16?
    private var steps: [Step] = [.lightOn, .lightOff, .bulk]
    private var nextStep: Duration
    private var lastHeard: Duration
    private var counts = Summary()

    /// Takes over a session at `now`; `report` is called with a line for each event.
    init(
        _ session: consuming DescriptorSession, _ name: String, at now: Duration,
        report: @escaping (String) -> Void
    ) {
        self.session = session
        self.name = name
        self.report = report
        nextStep = now + Self.pause
        lastHeard = now
    }

    /// The counts until now.
    var summary: Summary {
        var summary = counts
        summary.damaged = lexer.damaged
        summary.strayBytes = lexer.stray
        return summary
    }

    /// The events to wait for with `poll`.
    var wanted: pollfd {
        let events = POLLIN | (session.wantsToWrite ? POLLOUT : 0)
        return pollfd(fd: session.descriptor, events: Int16(events), revents: 0)
    }

    /// The latest time to call ``proceed(_:at:)``.
    var deadline: Duration {
        let silent = lastHeard + Self.patience
        return steps.isEmpty || session.wantsToWrite ? silent : min(silent, nextStep)
    }

    /// Reads, writes and continues with the next step; `events` are the results of `poll`.
    func proceed(_ events: Int16, at now: Duration) throws {
        if Int32(events) & POLLOUT != 0 { try session.flush() }
        if Int32(events) & ~POLLOUT != 0 {
            for frame in lexer.receive(try session.receive()) { take(frame, at: now) }
        }
        if now >= lastHeard + Self.patience { throw Fault.silent }
        if now >= nextStep, !steps.isEmpty, !session.wantsToWrite {
            try send(steps.removeFirst())
            nextStep = now + Self.pause
        }
    }

    /// Switches the lights off and closes the session.
    func finish() throws {
        try send(lights: [0])
        report(summary.description)
    }

    private func take(_ frame: PaddleFrame, at now: Duration) {
        switch frame.command {
        case .position:
            counts.positions += 1
            if position != frame.payload { report("position \(frame.payload)") }
            position = frame.payload
        case .buttons:
            counts.buttons += 1
            if buttons != frame.payload { report("buttons \(frame.payload)") }
            buttons = frame.payload
        // A terminal with echo returns our own frames.
        case .lights, .reserved: return
        }
        lastHeard = now
    }

    private func send(_ step: Step) throws {
        switch step {
        case .lightOn:
            report("light on")
            try send(lights: [1])
        case .lightOff:
            report("light off")
            try send(lights: [0])
        case .bulk:
            report("sending \(Self.bulkFrames * 4) bytes")
            try send(lights: (0..<Self.bulkFrames).map { UInt16(truncatingIfNeeded: $0) })
        }
    }

    private func send(lights: [UInt16]) throws {
        let bytes = lights.flatMap { PaddleFrame(.lights, $0).bytes }
        counts.bytesSent += bytes.count
        try session.write(bytes)
    }
}

/// Runs all demonstrations at once until `limit`.
func run(
    _ demonstrations: [Demonstration], since begin: ContinuousClock.Instant, for limit: Duration
)
    throws
{
    let clock = ContinuousClock()
    var now = clock.now - begin
    while now < limit {
        var waiting = demonstrations.map(\.wanted)
        let deadline = demonstrations.map(\.deadline).min().map { min($0, limit) } ?? limit
        poll(&waiting, nfds_t(waiting.count), milliseconds(until: deadline, from: now))
        now = clock.now - begin
        for (demonstration, result) in zip(demonstrations, waiting) {
            try demonstration.proceed(result.revents, at: now)
        }
    }
    for demonstration in demonstrations { try demonstration.finish() }
}
