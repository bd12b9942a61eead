import Accessory
import Glibc
import ScanSession
import Settings
import SystemIO
import TripRecorder
import VehicleScan

/// `obdscan log` with several devices: each has its own thread, session and trip in one database.
struct LogFleet {
    let plan: LogPlan
    /// The devices as the user named them.
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

    /// Records all of them until each has ended.
    func run(_ inbox: SignalInbox) throws {
        var outcomes = [LogOutcome?](repeating: nil, count: devices.count)
        let isWatched = LogProgress.isWatched(plan.output)
        let progress = LogProgress()
        var threads = ThreadGroup<Result<LogOutcome, any Error>>()
        threads.atOnce = devices.count
        threads.period = isWatched ? .seconds(1) : nil
        threads.other = (plan.marks.descriptor, plan.marks.take)
        let (plan, devices, link) = (plan, devices, link)
        plan.output.note("Ctrl-C ends the recording of \(devices.count) devices.")
        let signal = try threads.run(devices.count, inbox: inbox) {
            progress.show()
        } ended: { place, result in
            if isWatched { StatusLine.clear() }
            let outcome = try outcome(of: result)
            outcomes[place] = outcome
            if let failure = outcome?.failure { tell(failure, of: devices[place]) }
        } body: { place, inbox in
            Result {
                try LogRecording(
                    plan: plan, vehicle: VehicleOptions(device: devices[place], link: link),
                    accessory: devices[place], inbox: inbox, progress: progress
                ).run()
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

    /// The outcome of a thread; nil = it was interrupted before its trip began.
    ///
    /// - Throws: Errors that concern all of them: the reader closed the output.
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
            if plan.output.format == .json {
                try plan.printer.print { writer, _ in
                    try writer.print(
                        outcome.summary.row(of: device, error: outcome.failure?.message), .json)
                }
            } else if outcome.summary.trip != nil {
                for line in outcome.summary.lines { plan.output.remark("\(device): \(line)") }
            } else {
                plan.output.remark("\(device): no trip was recorded")
            }
        }
    }
}
