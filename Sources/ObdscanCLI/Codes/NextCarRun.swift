import Formats
import Glibc
import Reports
import SystemIO

/// `dtc --next`: the user plugs one adapter into one vehicle after the other.
struct NextCarRun {
    /// Reads the vehicle that the adapter is plugged into now.
    ///
    /// `labels` has the labels of the vehicles before, by VIN.
    let read:
        (_ label: String?, _ labels: [String: String], _ inbox: SignalInbox) throws
            -> CodeBatchRun.Findings
    /// The name in the table for a vehicle that could not be read: the adapter.
    let device: String
    /// The label of vehicles that the user does not name.
    let label: String?
    let output: OutputOptions

    /// Asks for vehicles until the user stops, and adds each to `table`.
    ///
    /// - Returns: Whether there was a code, or an ECU that could not be read.
    /// - Throws: The exit code of the first failure, after the last vehicle.
    func run(_ table: CodeTable?) throws -> Bool {
        let inbox = try SignalInbox.ofProcess()
        var tally = CarTally()
        var labels: [String: String] = [:]
        var failed: ExitStatus?
        var hasFindings = false
        while let name = try ask(
            tally.cars == 0
                ? "Plug the adapter into a car and press Enter. Type a name for the car first if "
                    + "you like; q ends: "
                : "Plug into the next car and press Enter (q ends): ", inbox)
        {
            let name = name.isEmpty ? label : name
            let (findings, isLast) = try attempts(name, labels, inbox)
            let result = CarResult(findings.rows)
            let same = tally.count(result)
            if let vin = result.vin, let label = result.label, labels[vin] == nil {
                labels[vin] = label
            }
            output.note("\(tally.cars)  \(result.text)")
            if let same { output.note("  Number \(same) has the same VIN: is this the next car?") }
            for note in [findings.report, tally.news(findings.remark)] {
                if let note { output.note("  \(note)") }
            }
            failed = failed ?? findings.failure?.status
            hasFindings = hasFindings || !result.codes.isEmpty || !result.problems.isEmpty
            try table?.add(findings.rows)
            if isLast { break }
        }
        if tally.cars > 0 {
            output.note(tally.sentence)
            if let sentence = table?.sentence { output.note(sentence) }
        }
        try inbox.end()
        if let failed { throw Failure.silent(failed) }
        return hasFindings
    }

    /// Reads a vehicle, and again as often as the user wants.
    ///
    /// - Returns: The vehicle's result, and whether the user stops there.
    private func attempts(
        _ name: String?, _ labels: [String: String], _ inbox: SignalInbox
    ) throws -> (findings: CodeBatchRun.Findings, isLast: Bool) {
        var name = name
        while true {
            let failure: Failure
            do {
                return (try read(name, labels, inbox), false)
            } catch let error as Failure {
                failure = error
            } catch {
                guard let known = Failure(known: error) else { throw error }
                failure = known
            }
            output.note(failure.told(of: device))
            if let hint = failure.hint { output.note("hint: \(hint)") }
            let question = "Press Enter to try this car again, or s to skip it (q ends): "
            let answer = try ask(question, inbox)
            if let answer, !["s", "skip"].contains(answer.lowercased()) {
                // A name, as at the first question.
                if !answer.isEmpty { name = answer }
                continue
            }
            let entry = CodeBatch.Entry(accessory: device, label: name)
            let findings = CodeBatchRun.Findings(
                rows: [CodeBatch.row(failed: entry, failure, time: SystemClock.utc)],
                failure: failure)
            return (findings, answer == nil)
        }
    }

    /// Asks a question; nil = the user stops.
    private func ask(_ question: String, _ inbox: SignalInbox) throws -> String? {
        tellOnStandardError(question)
        do {
            let line = try LineReader.next(STDIN_FILENO, interruptedBy: inbox.descriptor)
            if line == nil || !Confirmation.isPossible { writeToStandardError("\n") }
            let words = line?.split(separator: " ").joined(separator: " ")
            return ["q", "quit"].contains(words?.lowercased()) ? nil : words
        } catch {
            writeToStandardError("\n")
            return nil
        }
    }
}
