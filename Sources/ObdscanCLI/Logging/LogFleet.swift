import Accessory
import Formats
import Glibc
import OBDCore
import ScanSession
import Settings
import SystemIO
import TripRecorder
import VehicleScan

/// `obdscan log` with several devices: each has its own thread, session and trip in one database.
struct LogFleet {
    let plan: LogPlan
    /// The devices with the names that the user typed.
    let devices: [String]
    let link: LinkOptions

    /// Refuses devices that cannot be distinguished.
    static func check(_ devices: [String]) throws {
        var seen: [String: String] = [:]
        for device in devices {
            let address = try UserSettings.current.resolved(device)
            if let earlier = seen.updateValue(device, forKey: address.transport.identity) {
                let also = earlier == device ? "" : ": it is \(earlier), too"
                throw Failure(
                    "\(device) is named twice\(also)",
                    hint: "an adapter serves one session; simulated ones differ by their "
                        + "options: sim:petrol, sim:diesel",
                    status: .usage)
            }
        }
    }

    /// Records all devices until each has ended.
    func run(_ inbox: SignalInbox) throws {
        var outcomes = [LogOutcome?](repeating: nil, count: devices.count)
        let isWatched = LogProgress.isWatched(plan.output)
        let progress = LogProgress()
        var threads = ThreadGroup<Result<LogOutcome, any Error>>()
        threads.atOnce = devices.count
        threads.period = isWatched ? .seconds(1) : nil
        threads.other = (plan.marks.descriptor, plan.marks.take)
        let (plan, devices, link) = (plan, devices, link)
        let retries = StartRetries(threads: devices.count)
        plan.output.note("Ctrl-C ends the recording of \(devices.count) devices.")
        let signal = try threads.run(devices.count, inbox: inbox) {
            progress.show()
        } ended: { place, result in
            if isWatched { StatusLine.clear() }
            let outcome = try outcome(of: result)
            outcomes[place] = outcome
            // Failures with a further attempt were reported at once.
            if case .failure(let error) = result, Self.pause(after: error) != nil { return }
            if let failure = outcome?.failure { tell(failure, of: devices[place]) }
        } body: { place, inbox in
            let device = devices[place]
            var recording = LogRecording(
                plan: plan, vehicle: VehicleOptions(device: device, link: link),
                accessory: device, inbox: inbox, progress: progress)
            let begun = SystemClock.now()
            var told: Failure?
            return retries.run(inbox, pause: Self.pause) { error, pause in
                guard let failure = error as? Failure, failure != told else { return }
                told = failure
                if isWatched { StatusLine.clear() }
                tell(failure, of: device)
                if let pause {
                    plan.output.remark(
                        "\(device): it is tried again every \(durationText(pause.seconds)) while "
                            + "others are recorded.")
                }
            } attempt: {
                // The time to record counts from the start of the program.
                let passed: Duration = SystemClock.now() - begun
                if let told, let all = plan.duration, all <= passed { throw told }
                recording.plan.duration = plan.duration.map { max(.zero, $0 - passed) }
                return try recording.run()
            }
        }
        if isWatched { StatusLine.clear() }
        try summarise(outcomes)
        try plan.printer.finish(
            patience: signal == nil ? nil : PollLoop.End.stopped.patience, plan.output)
        // No trip had begun, so the signal is an interruption and not a normal end.
        if let signal, outcomes.allSatisfy({ $0 == nil || $0?.failure != nil }) {
            SignalInbox.die(of: signal)
        }
        if let failure = outcomes.lazy.compactMap({ $0?.failure }).first {
            throw Failure.silent(failure.status)
        }
    }

    /// The time until a device is tried again; nil if another attempt would fail in the same way.
    ///
    /// An attempt at a vehicle that does not answer wakes its bus, and so drains its battery.
    private static func pause(after error: any Error) -> Duration? {
        guard let failure = error as? Failure else { return nil }
        return switch failure.status {
        case .unavailable, .linkLost, .timedOut:
            failure.isOfSilentVehicle ? .seconds(180) : .seconds(15)
        default: nil
        }
    }

    /// The outcome of a thread; nil = the thread was interrupted before its trip began.
    ///
    /// - Throws: Errors that concern all devices: the reader closed the output.
    private func outcome(of result: Result<LogOutcome, any Error>) throws -> LogOutcome? {
        var outcome = LogOutcome()
        do {
            return try result.get()
        } catch is Interrupted {
            return nil
        } catch let error as OutputError {
            throw error
        } catch {
            outcome.failure =
                Failure(known: error)
                ?? Failure(
                    "unexpected: \(error)", hint: "this is a fault of obdscan: please report it",
                    status: .bug)
        }
        return outcome
    }

    private func tell(_ failure: Failure, of device: String) {
        var named = failure
        named.message = failure.told(of: device)
        tellOnStandardError(named.text)
    }

    private func summarise(_ outcomes: [LogOutcome?]) throws {
        for (device, outcome) in zip(devices, outcomes) {
            let outcome = outcome ?? LogOutcome()
            if plan.output.format == .json || outcome.summary.trip != nil {
                try outcome.printSummary(plan, of: device)
            } else {
                plan.output.remark("\(device): no trip was recorded")
            }
        }
    }
}
