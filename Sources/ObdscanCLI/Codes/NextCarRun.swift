import Formats
import Glibc
import SystemIO
import VehicleReports

/// `dtc --next`: one adapter that a person plugs into one vehicle after the other.
struct NextCarRun {
    /// Reads the vehicle that is plugged in now.
    let read: (_ label: String?, _ inbox: SignalInbox) throws -> CodeBatchRun.Findings
    /// What the table calls a vehicle that was not read: the adapter.
    let device: String
    /// What each vehicle is called that its user gives no name.
    let label: String?
    let output: OutputOptions

    /// Asks for vehicles until the person ends it, and adds each to `table`.
    ///
    /// - Returns: whether there was a code, or an ECU that did not tell.
    /// - Throws: with the first failure's exit code when a vehicle failed, after the others.
    func run(_ table: CodeTable?) throws -> Bool {
        let inbox = try SignalInbox.ofProcess()
        var tally = CarTally()
        var failed: ExitStatus?
        var hasFindings = false
        while let name = try ask(
            tally.cars == 0
                ? "Plug the adapter into a car and press Enter. Type a name for the car first if "
                    + "you like; q ends: "
                : "Plug into the next car and press Enter (q ends): ", inbox)
        {
            let name = name.isEmpty ? label : name
            let findings = try attempts(name, inbox)
            let result = CarResult(findings.rows)
            tally.count(result)
            output.note("\(tally.cars)  \(result.text)")
            if let report = findings.report { output.note("   \(report)") }
            failed = failed ?? findings.failure?.status
            hasFindings = hasFindings || !result.codes.isEmpty || !result.problems.isEmpty
            try table?.add(findings.rows)
        }
        if tally.cars > 0 {
            output.note(tally.sentence)
            if let sentence = table?.sentence { output.note(sentence) }
        }
        try inbox.end()
        if let failed { throw Failure.silent(failed) }
        return hasFindings
    }

    /// Reads a vehicle, again as long as the person wants that.
    private func attempts(_ name: String?, _ inbox: SignalInbox) throws -> CodeBatchRun.Findings {
        while true {
            let failure: Failure
            do {
                return try read(name, inbox)
            } catch let error as Failure {
                failure = error
            } catch {
                guard let known = Failure(known: error) else { throw error }
                failure = known
            }
            output.note(failure.told(of: device))
            if let hint = failure.hint { output.note("hint: \(hint)") }
            let answer = try ask("Press Enter to try this car again, or s to skip it: ", inbox)
            guard answer?.isEmpty ?? false else {
                let entry = CodeBatch.Entry(accessory: device, label: name)
                return CodeBatchRun.Findings(
                    rows: [CodeBatch.row(failed: entry, failure, time: SystemClock.utc)],
                    failure: failure)
            }
        }
    }

    /// A line of the person's; nil = they end it.
    private func ask(_ question: String, _ inbox: SignalInbox) throws -> String? {
        writeToStandardError(question)
        do {
            let line = try LineReader.next(STDIN_FILENO, interruptedBy: inbox.descriptor)
            if line == nil || !Confirmation.isPossible { writeToStandardError("\n") }
            let words = line?.split(separator: " ").joined(separator: " ")
            return words == "q" ? nil : words
        } catch {
            writeToStandardError("\n")
            return nil
        }
    }
}
