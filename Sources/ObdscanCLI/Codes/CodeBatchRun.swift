import Accessory
import Formats
import Reports
import Settings
import SystemIO

/// `dtc --batch`: reads many devices at once into one table in the order of the list.
struct CodeBatchRun {
    struct Findings: Sendable {
        var rows: [Row]
        /// Why the result is incomplete; nil if it is complete.
        var failure: Failure?
        /// The path of the vehicle's report; nil = none.
        var report: String?
        /// Why the vehicle was not named after its label; nil = it was, or that was not wanted.
        var remark: String?
    }

    private let entries: [CodeBatch.Entry]
    /// Entries with the same device are read one after the other, by one thread.
    private let groups: [[Int]]
    private let output: OutputOptions
    /// Whether a line is printed for each vehicle.
    private let tells: Bool

    /// A run over the entries of a list, which can print a line for each vehicle.
    init(_ entries: [CodeBatch.Entry], tells: Bool, _ output: OutputOptions) {
        self.entries = entries
        self.tells = tells
        self.output = output
        groups = CodeBatch.groups(
            entries.map { entry in
                let transport = try? UserSettings.current.resolved(entry.device).transport
                return transport.flatMap { $0.isExclusive ? $0.identity : nil }
            })
    }

    /// Reads each entry with `read` and adds it to the table.
    ///
    /// - Returns: Whether there was a code, or an ECU that could not be read.
    /// - Throws: The exit code of the first failure, after all devices were read.
    func run(
        to table: CodeTable,
        _ read: @escaping @Sendable (CodeBatch.Entry, SignalInbox) throws -> Findings
    ) throws -> Bool {
        let inbox = try SignalInbox(SignalInbox.endings)
        var results = OrderedResults<Findings>(entries.count)
        var tally = CarTally()
        let (entries, groups) = (entries, groups)
        let signal = try ThreadGroup<[(Int, Findings?)]>().run(groups.count, inbox: inbox) {
            place, outcomes in
            for case (let index, let findings?) in outcomes {
                results.take(findings, at: index)
                tell(findings, of: entries[index], &tally)
            }
            for result in results.next() { try table.add(result.rows) }
        } body: { place, inbox in
            var outcomes: [(Int, Findings?)] = []
            for index in groups[place] {
                let result = Self.result(of: entries[index], inbox, read)
                outcomes.append((index, result))
                if result == nil { break }
            }
            return outcomes
        }
        // Each vehicle of the list has its row, so that an interrupted table does not look complete.
        let missing = results.missing
        let isEmpty = missing.count == entries.count
        for index in missing {
            let failure = Failure("interrupted before it was read", status: .timedOut)
            let row = CodeBatch.row(failed: entries[index], failure, time: SystemClock.utc)
            results.take(Findings(rows: [row], failure: failure), at: index)
        }
        for result in results.next() { try table.add(result.rows) }
        // A table without any result does not replace another.
        if !isEmpty { try table.finish() }
        if tells {
            if tally.cars > 0 { output.note(tally.sentence) }
            if !missing.isEmpty {
                let names = missing.map { entries[$0].label ?? entries[$0].accessory }
                output.note("Interrupted before these were read: \(names.joined(separator: ", ")).")
            }
            if !isEmpty, let sentence = table.sentence { output.note(sentence) }
        }
        if let signal { SignalInbox.die(of: signal) }
        if let failure = results.all.lazy.compactMap(\.failure).first {
            throw Failure.silent(failure.status)
        }
        return CodeBatch.hasFindings(results.all.flatMap(\.rows))
    }

    private func tell(
        _ findings: Findings, of entry: CodeBatch.Entry, _ tally: inout CarTally
    ) {
        let result = CarResult(findings.rows)
        tally.count(result)
        if tells, result.isRead {
            output.note("\(tally.cars) of \(entries.count)  \(result.text)")
        } else if tells {
            output.note(
                "\(tally.cars) of \(entries.count)  \(entry.label ?? entry.accessory): not read")
        }
        for note in [findings.report, tally.news(findings.remark)] {
            if let note { output.note("   \(note)") }
        }
        guard let failure = findings.failure else { return }
        // The failure is an error, which -q does not hide.
        tellOnStandardError(printable(failure.told(of: entry.accessory)) + "\n")
        if let hint = failure.hint { tellOnStandardError(printable("hint: \(hint)") + "\n") }
    }

    /// The result of one entry; nil = the user interrupted the reading.
    private static func result(
        of entry: CodeBatch.Entry, _ inbox: SignalInbox,
        _ read: (CodeBatch.Entry, SignalInbox) throws -> Findings
    ) -> Findings? {
        let failure: Failure
        do {
            return try read(entry, inbox)
        } catch is Interrupted {
            return nil
        } catch {
            failure =
                Failure(known: error)
                ?? Failure(
                    "unexpected: \(error)", hint: "this is a fault of obdscan: please report it",
                    status: .bug)
        }
        return Findings(
            rows: [CodeBatch.row(failed: entry, failure, time: SystemClock.utc)], failure: failure)
    }
}
