import Diagnostics
import Formats
import OBDCore
import ScanSession
import ScanTool

/// Lists the parts of a poll's time, from measurements, and ways to poll faster.
package struct PollExplanation: Sendable {
    package let report: PollReport
    package let requests: Int
    /// Readings from the answers to these requests.
    package let readings: Int
    /// Returns the name of a record.
    package let name: @Sendable (DataID) -> String

    /// The smallest share of the time that is mentioned.
    package static let worthTelling = 0.05
    /// More than this is only explained by a slow disk, reader or computer; unit: ms per request.
    package static let slowOwn = 0.5

    package init(_ report: PollReport, _ statistics: SessionStatistics, _ table: PIDTable) {
        self.report = report
        requests = statistics.requests
        readings = statistics.readings
        name = { id in
            guard let record = table.record(id) else { return "\(id)" }
            let signals = record.signals.map { table[SignalIndex(rawValue: $0)].id }
            return signals.count == 1 ? signals[0] : "\(id) (\(record.name))"
        }
    }

    package init(
        _ report: PollReport, requests: Int, readings: Int,
        name: @escaping @Sendable (DataID) -> String
    ) {
        self.report = report
        self.requests = requests
        self.readings = readings
        self.name = name
    }

    private var time: TimeAccount.Parts { report.time }
    /// The time during which requests were running.
    private var active: Double { (time.total - time.idle - time.rests - time.lost).seconds }

    private func share(_ part: Duration) -> Double {
        active > 0 ? part.seconds / active : 0
    }

    // MARK: The parts

    private var parts: [(name: String, time: Duration, remark: String)] {
        let line = report.lineRate.map { "line at \($0) bit/s" } ?? "line"
        let vehicle =
            report.lineRate == nil
            ? "vehicle, adapter and line" : "vehicle and adapter"
        let each =
            requests > 0
            ? "\(fixed(time.bus.seconds * 1000 / Double(requests), 1)) ms per request" : ""
        return [
            (vehicle, time.bus, each),
            ("adapter waiting", time.adapterWait, "for more answers after the last"),
            (line, time.link, ""),
            ("adapter commands", time.commands, ""),
            ("pauses before repeats", time.pauses, "busy ECUs, damaged answers"),
            ("obdscan", time.own, "from a reply to the next request"),
            ("nothing due", time.idle, ""),
            ("resting", time.rests, "signals that do not answer are asked less often"),
            ("failed requests, outages", time.lost, ""),
        ].filter { $0.1 > .zero && ($0.0 != "line" || report.lineRate != nil) }
    }

    /// One line with all parts of at least half a percent.
    package var line: String? {
        let total = time.total.seconds
        guard total > 0 else { return nil }
        let shares = parts.compactMap { part -> String? in
            let percent = part.time.seconds * 100 / total
            return percent >= 0.5 ? "\(part.name) \(fixed(percent, 0)) %" : nil
        }
        guard !shares.isEmpty else { return nil }
        var text = "Time: " + shares.joined(separator: ", ")
        let late = report.plan.records.filter { $0.missed > 0 }
        if !late.isEmpty {
            let most = late.sorted { $0.missed > $1.missed }.prefix(3).map { name($0.dataID) }
            text += "; too late: " + most.joined(separator: ", ")
            if late.count > most.count { text += " and \(late.count - most.count) more" }
        }
        if !unsent.isEmpty { text += "; not asked: " + unsent.joined(separator: ", ") }
        return text
    }

    /// The complete explanation for `--why`; lines without line ends.
    package var lines: [String] {
        let total = time.total.seconds
        var lines = ["Where the time went (\(fixed(total, 1)) s):"]
        let width = parts.map(\.name.count).max() ?? 0
        for part in parts {
            let name = part.name + String(repeating: " ", count: width - part.name.count)
            let percent = fixed(part.time.seconds * 100 / total, 0)
            let remark = part.remark.isEmpty ? "" : "  \(part.remark)"
            lines.append(
                "  \(name)  \(padded(fixed(part.time.seconds, 2), 8)) s  \(padded(percent, 3)) %\(remark)"
            )
        }
        if report.plan.rests > 0 {
            lines.append("  Polling was paused for \(durationText(report.plan.rested.seconds)).")
        }
        let timed = report.plan.records.filter { $0.period != nil }
        if !timed.isEmpty {
            lines.append("Deadlines:")
            for record in timed { lines.append("  " + deadline(of: record)) }
        }
        lines.append("What would make it faster:")
        let advice = advice
        lines +=
            advice.isEmpty
            ? ["  This run showed nothing that would help."] : advice.map { "  " + $0 }
        return lines
    }

    private func deadline(of record: PollPlan.RecordReport) -> String {
        let wanted = record.period.map { fixed($0.seconds, 3) } ?? "—"
        let reached =
            record.reached.map { "came every \(fixed($0.seconds, 3)) s" }
            ?? (record.answers == 0
                ? "no answer to \(counted(record.asked, "request"))" : "came once")
        var text = "\(name(record.dataID)): wanted every \(wanted) s, \(reached)"
        if record.missed > 0 {
            text += ", \(record.missed) missed"
        } else if record.answers > 0 {
            text += ", all met"
        }
        return text
    }

    private func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// Records that were never requested because the adapter cannot; at most five names.
    package var unsent: [String] {
        report.plan.records.filter { $0.notSent > 0 && $0.answers == 0 }
            .prefix(5).map { name($0.dataID) }
    }

    /// Records that were requested but never answered; at most five names.
    ///
    /// Parameter groups are left out: commercial vehicles are asked for all of them and lack some.
    package var unanswered: [String] { unanswered(except: []) }

    /// The records of ``unanswered``, except those that were reported to the user before.
    package func unanswered(except known: Set<DataID>) -> [String] {
        report.plan.records.filter {
            $0.asked > 0 && $0.answers == 0 && $0.notSent == 0
                && $0.dataID.service != DataID.parameterGroups && !known.contains($0.dataID)
        }
        .prefix(5).map { name($0.dataID) }
    }

    // MARK: Advice

    /// Advice for faster polling, the largest gain first.
    package var advice: [String] {
        let found = [notAsked, waiting, silence, rate, batches, rotation, pauses, own, failures]
            .compactMap(\.self)
        if found.isEmpty, report.plan.records.contains(where: { $0.missed > 0 }), requests > 0 {
            return [
                "The vehicle takes \(fixed(time.bus.seconds * 1000 / Double(requests), 1)) ms per "
                    + "request: fewer signals or a longer --every let the others come in time."
            ]
        }
        return found
    }

    /// The readings per second without this much of the time, as text.
    private func rate(without saved: Duration) -> String {
        let now = active > 0 ? Double(readings) / active : 0
        let left = active - saved.seconds
        guard left > 0 else { return "" }
        return " (\(fixed(Double(readings) / left, 1)) instead of \(fixed(now, 1)) readings/s)"
    }

    private var waiting: String? {
        let wait = time.adapterWait - report.silence
        guard wait > .zero, share(wait) >= Self.worthTelling else { return nil }
        let cost = "waiting after the last answer took \(fixed(wait.seconds, 1)) s"
        if !report.capabilities.frameCountHelps {
            return "The count digit is not understood by this adapter: \(cost); one that takes it "
                + "would save that\(rate(without: wait))."
        }
        if report.plan.batchesTakeFrameCount == false {
            return "Requests for several signals with a count digit are refused by this adapter: "
                + "\(cost)\(rate(without: wait))."
        }
        return "The number of answers was not known or varied, so that the adapter had to wait for "
            + "more: \(cost)\(rate(without: wait))."
    }

    private var notAsked: String? {
        guard !unsent.isEmpty else { return nil }
        return
            "Not asked: \(unsent.joined(separator: ", ")): this adapter cannot send it, or refuses a "
            + "setting that it needs; \"obdscan doctor\" shows what the adapter can do."
    }

    private var silence: String? {
        guard report.silent > 0, share(report.silence) >= Self.worthTelling else { return nil }
        let names = unanswered.joined(separator: ", ")
        return "\(counted(report.silent, "request")) without an answer took "
            + "\(fixed(report.silence.seconds, 1)) s"
            + (names.isEmpty ? "." : ": leave out \(names).")
    }

    private var rate: String? {
        guard let lineRate = report.lineRate, share(time.link) >= Self.worthTelling,
            let faster = [115_200, 500_000].first(where: { $0 > lineRate })
        else { return nil }
        let saved = time.link * (1 - Double(lineRate) / Double(faster))
        return "\(faster) instead of \(lineRate) bit/s would save \(fixed(saved.seconds, 1)) s of "
            + "\(fixed(active, 1)) s\(rate(without: saved)), where the adapter can be set to it."
    }

    private var batches: String? {
        guard report.plan.records.count > 1 else { return nil }
        guard let spoken = report.capabilities.vehicleProtocol else { return nil }
        if spoken.family != .can {
            return spoken == .j1939
                ? nil : "This vehicle's protocol takes one signal per request."
        }
        guard report.plan.batchesWork == false else { return nil }
        return "Requests for several signals are refused by this adapter or vehicle: each signal "
            + "needs its own request."
    }

    private var rotation: String? {
        let fast = report.plan.records.filter { $0.period == nil && $0.isBatched }
        guard let first = fast.first, let shape = ServiceShape.of(first.dataID.service.rawValue)
        else { return nil }
        let room = report.capabilities.selectors(of: shape, to: first.target)
        let needed = (fast.count + room - 1) / room
        guard room > 1, needed > 1 else { return nil }
        return "\(fast.count) signals at full rate need \(needed) requests: "
            + "\(room) fit one."
    }

    private var own: String? {
        guard share(time.own) >= Self.worthTelling, requests > 0 else { return nil }
        let each = time.own.seconds * 1000 / Double(requests)
        guard each >= Self.slowOwn else { return nil }
        return
            "obdscan itself took \(fixed(time.own.seconds, 1)) s, \(fixed(each, 1)) ms per request: "
            + "its disk, the reader of its output or this computer cannot keep up."
    }

    private var pauses: String? {
        guard share(time.pauses) >= Self.worthTelling else { return nil }
        return
            "\(fixed(time.pauses.seconds, 1)) s were pauses before requests were repeated, since "
            + "answers came damaged or ECUs were busy: \"obdscan doctor\" looks for the reason."
    }

    private var failures: String? {
        let total = time.total.seconds
        guard total > 0, time.lost.seconds >= Self.worthTelling * total else { return nil }
        return "\(fixed(time.lost.seconds, 1)) s were lost to failed requests and outages of the "
            + "link: \"obdscan doctor\" looks for the reason."
    }

    // MARK: Values of a summary

    /// The parts of the time, for the summary; unit: s.
    package var timeSpent: FieldValue {
        .object([
            "bus": seconds(time.bus), "adapterWait": seconds(time.adapterWait),
            "link": report.lineRate == nil ? .null : seconds(time.link),
            "commands": seconds(time.commands), "pauses": seconds(time.pauses),
            "own": seconds(time.own), "idle": seconds(time.idle), "rests": seconds(time.rests),
            "lost": seconds(time.lost),
        ])
    }

    /// Signals that missed their interval, or all signals with an interval; unit: s.
    package func deadlines(all: Bool) -> FieldValue {
        let records = report.plan.records.filter { all || $0.missed > 0 }
        return .objects(
            records.compactMap { record in
                guard let period = record.period else { return nil }
                return [
                    "signal": .text(name(record.dataID)), "wanted": .number(period.seconds),
                    "reached": record.reached.map(seconds) ?? .null,
                    "missed": .integer(record.missed),
                ]
            })
    }

    /// How often and for how long polling was paused; unit: s.
    package var paused: FieldValue {
        guard report.plan.rests > 0 else { return .null }
        return .object([
            "times": .integer(report.plan.rests), "seconds": seconds(report.plan.rested),
        ])
    }

    private func seconds(_ time: Duration) -> FieldValue { .number(time.seconds, places: 4) }
}
