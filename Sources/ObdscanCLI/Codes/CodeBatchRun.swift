import Accessory
import Formats
import Settings
import SystemIO
import VehicleReports

/// `dtc --batch`: reads many devices at once into one table in the order of the list.
struct CodeBatchRun {
    /// The result for one vehicle.
    struct Findings: Sendable {
        var rows: [Row]
        /// Why the result is incomplete; nil if it is complete.
        var failure: Failure?
        /// The path of its report; nil = none.
        var report: String?
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
        var places: [String: Int] = [:]
        var groups: [[Int]] = []
        for (index, entry) in entries.enumerated() {
            guard let address = try? UserSettings.current.resolved(entry.device),
                address.transport.isExclusive
            else {
                groups.append([index])
                continue
            }
            if let place = places[address.transport.identity] {
                groups[place].append(index)
            } else {
                places[address.transport.identity] = groups.count
                groups.append([index])
            }
        }
        self.groups = groups
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
        var results = [Findings?](repeating: nil, count: entries.count)
        var tally = CarTally()
        /// The number of entries whose rows are written.
        var written = 0
        let (entries, groups) = (entries, groups)
        let signal = try ThreadGroup<[(Int, Findings?)]>().run(groups.count, inbox: inbox) {
            place, outcomes in
            for (index, findings) in outcomes {
                results[index] = findings
                if let findings { tell(findings, of: entries[index], &tally) }
            }
            while written < results.count, let result = results[written] {
                try table.add(result.rows)
                written += 1
            }
        } body: { place, inbox in
            var outcomes: [(Int, Findings?)] = []
            for index in groups[place] {
                let result = Self.result(of: entries[index], inbox, read)
                outcomes.append((index, result))
                if result == nil { break }
            }
            return outcomes
        }
        if signal != nil {
            // Keep the results that are complete.
            for result in results.dropFirst(written) {
                if let result { try table.add(result.rows) }
            }
        }
        if tells, tally.cars > 0 {
            output.note(tally.sentence)
            if let sentence = table.sentence { output.note(sentence) }
        }
        if let signal { SignalInbox.die(of: signal) }
        let failure = results.lazy.compactMap { $0?.failure }.first
        if let failure { throw Failure.silent(failure.status) }
        return results.contains { result in
            result?.rows.contains { !$0["code"].isNull || !$0["error"].isNull } ?? false
        }
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
        if let report = findings.report { output.note("   \(report)") }
        guard let failure = findings.failure else { return }
        // This is an error, which -q does not hide.
        tellOnStandardError(printable(failure.told(of: entry.accessory)) + "\n")
        if let hint = failure.hint { tellOnStandardError(printable("hint: \(hint)") + "\n") }
    }

    /// The result of one entry; nil = it was interrupted.
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
