import Accessory
import Formats
import Settings
import SystemIO
import TripReports
import VehicleReports

/// `dtc --batch`: many accessories at once, one table in the order of the list.
struct CodeBatchRun {
    /// What one entry came to; nil = it was interrupted.
    private struct Result: Sendable {
        var rows: [Row]
        var failure: Failure?
    }

    /// What one vehicle said.
    struct Findings {
        var rows: [Row]
        /// Why it is not all; nil when it is.
        var failure: Failure?
    }

    private let entries: [CodeBatch.Entry]
    /// Entries that name the same accessory are read one after the other, by one thread.
    private let groups: [[Int]]
    private let descriptor: Int32
    private let hasHeading: Bool
    private let format: OutputFormat
    private let output: OutputOptions

    /// A run that writes to an open file: CSV, or JSON Lines.
    init(
        _ entries: [CodeBatch.Entry], to file: (descriptor: Int32, hasHeading: Bool),
        _ output: OutputOptions
    ) {
        format = output.format == .json ? .json : .csv
        self.entries = entries
        descriptor = file.descriptor
        hasHeading = file.hasHeading
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

    /// Reads each entry by `read` and writes the table.
    ///
    /// - Returns: whether there was a code, or an ECU that did not tell.
    /// - Throws: with the first failure's exit code when an accessory failed, after the others.
    func run(
        _ read: @escaping @Sendable (CodeBatch.Entry, SignalInbox) throws -> Findings
    ) throws -> Bool {
        let inbox = try SignalInbox(SignalInbox.endings)
        var writer = TextOutput(descriptor: descriptor)
        var table = RowWriter(format, columns: CodeBatch.columns, hasHeading: hasHeading)
        try writer.append { table.finish(&$0) }
        try writer.flush()
        var results = [Result?](repeating: nil, count: entries.count)
        /// Entries whose rows are written.
        var written = 0
        let (entries, groups) = (entries, groups)
        let signal = try ThreadGroup<[(Int, Result?)]>().run(groups.count, inbox: inbox) {
            place, outcomes in
            for (index, result) in outcomes {
                results[index] = result
                if let failure = result?.failure {
                    output.note(failure.told(of: entries[index].accessory))
                    if let hint = failure.hint { output.note("hint: \(hint)") }
                }
            }
            while written < results.count, let result = results[written] {
                try write(result, &table, &writer)
                written += 1
            }
        } body: { place, inbox in
            var outcomes: [(Int, Result?)] = []
            for index in groups[place] {
                let result = Self.result(of: entries[index], inbox, read)
                outcomes.append((index, result))
                if result == nil { break }
            }
            return outcomes
        }
        if let signal {
            // What was read stays read.
            for result in results.dropFirst(written) {
                if let result { try write(result, &table, &writer) }
            }
            SignalInbox.die(of: signal)
        }
        let failure = results.lazy.compactMap { $0?.failure }.first
        if let failure { throw Failure.silent(failure.status) }
        return results.contains { result in
            result?.rows.contains { !$0["code"].isNull || !$0["error"].isNull } ?? false
        }
    }

    private static func result(
        of entry: CodeBatch.Entry, _ inbox: SignalInbox,
        _ read: (CodeBatch.Entry, SignalInbox) throws -> Findings
    ) -> Result? {
        let failure: Failure
        do {
            let findings = try read(entry, inbox)
            return Result(rows: findings.rows, failure: findings.failure)
        } catch is Interrupted {
            return nil
        } catch let error as Failure {
            failure = error
        } catch {
            failure = Failure(
                "unexpected: \(error)", hint: "this is a fault of obdscan: please report it",
                status: .bug)
        }
        return Result(
            rows: [CodeBatch.row(failed: entry, failure, time: SystemClock.utc)], failure: failure)
    }

    private func write(
        _ result: Result, _ table: inout RowWriter, _ writer: inout TextOutput
    ) throws {
        for row in result.rows { try writer.print(row, &table) }
        try writer.flush()
    }
}
