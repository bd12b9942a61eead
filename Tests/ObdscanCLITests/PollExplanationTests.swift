import Diagnostics
import Formats
import OBDCore
import Reports
import ScanSession
import ScanTool
import Testing

@testable import ObdscanCLI

/// Explains a poll with 1000 requests and 2000 readings; the parameters are the seconds in each
/// part.
private func explained(
    bus: Double = 10, wait: Double = 0, link: Double = 0, pauses: Double = 0, own: Double = 0,
    idle: Double = 0, rests: Double = 0, lost: Double = 0, silence: Double = 0,
    lineRate: Int? = nil,
    over capabilities: LinkCapabilities = LinkCapabilities(
        itemsPerRequest: 6, frameCountHelps: true, vehicleProtocol: .can11At500),
    _ change: (inout PollPlan.Report) -> Void = { _ in }
) -> PollExplanation {
    func time(_ seconds: Double) -> Duration { .nanoseconds(Int64(seconds * 1e9)) }
    var plan = PollPlan.Report()
    plan.batchesWork = true
    change(&plan)
    let report = PollReport(
        time: TimeAccount.Parts(
            bus: time(bus), adapterWait: time(wait), link: time(link), commands: .zero,
            pauses: time(pauses), own: time(own), idle: time(idle), rests: time(rests),
            lost: time(lost)),
        silent: silence > 0 ? 20 : 0, silence: time(silence), plan: plan,
        capabilities: capabilities, lineRate: lineRate)
    return PollExplanation(report, requests: 1000, readings: 2000) { "\($0)" }
}

private func record(
    _ pid: UInt32, every period: Duration? = nil, asked: Int = 100, answers: Int = 100,
    missed: Int = 0, reached: Duration? = nil, isBatched: Bool = true
) -> PollPlan.RecordReport {
    PollPlan.RecordReport(
        dataID: DataID(.currentData, pid), period: period, asked: asked, answers: answers,
        missed: missed, reached: reached, isBatched: isBatched)
}

@Suite struct `Advice for faster polling` {
    @Test func `there is no advice if the vehicle needs all of the time`() {
        #expect(explained().advice == [])
        #expect(explained().line == "Time: vehicle, adapter and line 100 %")
    }

    @Test func `the advice names an adapter with the count digit and the saved time`() {
        let link = LinkCapabilities(
            itemsPerRequest: 6, frameCountHelps: false, vehicleProtocol: .can11At500)
        // 2000 readings in 40 s. 30 s of them are waiting.
        #expect(
            explained(bus: 10, wait: 30, over: link).advice == [
                "The count digit is not understood by this adapter: waiting after the last answer "
                    + "took 30.0 s; one that takes it would save that (200.0 instead of 50.0 readings/s)."
            ])
    }

    @Test func `the advice names refused batches with a count digit`() {
        let advice = explained(wait: 10) { $0.batchesTakeFrameCount = false }.advice
        #expect(
            advice.count == 1 && advice[0].hasPrefix("Requests for several signals with a count"))
    }

    @Test func `the advice is a faster line, with the time of its bytes`() {
        // 4 s at 38400 bit/s are 1.33 s at 115200 bit/s: 2.67 s less.
        #expect(
            explained(bus: 6, link: 4, lineRate: 38_400).advice == [
                "115200 instead of 38400 bit/s would save 2.7 s of 10.0 s "
                    + "(272.7 instead of 200.0 readings/s), where the adapter can be set to it."
            ])
        #expect(explained(bus: 6, link: 4, lineRate: 500_000).advice == [])
        #expect(explained(bus: 9.9, link: 0.1, lineRate: 38_400).advice == [])
    }

    @Test func `the advice is an adapter or protocol with batches`() {
        let refused = explained { plan in
            plan.batchesWork = false
            plan.records = [record(0x0C), record(0x0D)]
        }
        #expect(refused.advice.first?.hasPrefix("Requests for several signals are refused") == true)
        let kwp = LinkCapabilities(frameCountHelps: true, vehicleProtocol: .iso14230Fast)
        let old = explained(over: kwp) { $0.records = [record(0x0C), record(0x0D)] }
        #expect(old.advice == ["This vehicle's protocol takes one signal per request."])
    }

    @Test func `the advice is fewer signals if the last signals need one more request`() {
        let seven = explained { $0.records = (1...7).map { record(UInt32($0)) } }
        #expect(seven.advice == ["7 signals at full rate need 2 requests: 6 fit one."])
        let six = explained { $0.records = (1...6).map { record(UInt32($0)) } }
        #expect(six.advice == [])
    }

    @Test func `the advice is to leave out signals without an answer`() {
        let advice = explained(wait: 4, silence: 4) {
            $0.records = [record(0x0C), record(0x66, asked: 20, answers: 0)]
        }.advice
        #expect(advice == ["20 requests without an answer took 4.0 s: leave out 01:66."])
        var summary = PollSummary(statistics: SessionStatistics())
        summary.explanation = explained {
            $0.records = [
                record(0x0C), record(0x66, asked: 20, answers: 0),
                record(0x67, asked: 0, answers: 0),
            ]
        }
        #expect(summary.text == "0 s, 0 readings, no answer: 01:66")
    }

    @Test func `the advice names requests that the adapter cannot send`() {
        let unsent = explained { plan in
            var record = record(0x66, asked: 20, answers: 0)
            record.notSent = 20
            plan.records = [record]
        }
        #expect(unsent.advice.count == 1 && unsent.advice[0].hasPrefix("Not asked: 01:66: this"))
        #expect(unsent.line?.hasSuffix("; not asked: 01:66") == true)
    }

    @Test func `the advice is fewer signals if only the vehicle is too slow for the deadlines`() {
        let late = explained {
            $0.records = [
                record(0x0C, every: .milliseconds(10), missed: 40, reached: .milliseconds(14))
            ]
        }
        #expect(late.advice.first?.hasPrefix("The vehicle takes 10.0 ms per request") == true)
        #expect(late.line?.hasSuffix("; too late: 01:0C") == true)
        #expect(
            late.lines.contains(
                "  01:0C: wanted every 0.010 s, came every 0.014 s, 40 missed"))
    }

    @Test func `the advice names a slow program or link`() {
        #expect(
            explained(bus: 8, own: 2).advice.first?.hasPrefix("obdscan itself took 2.0 s") == true)
        #expect(explained(bus: 8, lost: 2).advice.first?.hasPrefix("2.0 s were lost") == true)
    }

    @Test func `pauses and rests are listed separately`() {
        let disturbed = explained(bus: 6, pauses: 3, idle: 4, rests: 7)
        #expect(
            disturbed.line
                == "Time: vehicle, adapter and line 30 %, pauses before repeats 15 %, nothing due 20 %, "
                + "resting 35 %")
        #expect(
            disturbed.advice == [
                "3.0 s were pauses before requests were repeated, since answers came damaged or ECUs "
                    + "were busy: \"obdscan doctor\" looks for the reason."
            ])
    }

    @Test(arguments: [
        (0, 0, "no answer to 36 requests"), (0, 2, "no answer to 36 requests, 2 missed"),
        (1, 0, "came once, all met"),
    ])
    func `only an answer meets a deadline`(answers: Int, missed: Int, words: String) {
        let lines = explained {
            $0.records = [
                record(0x05, every: .seconds(10), asked: 36, answers: answers, missed: missed)
            ]
        }.lines
        #expect(lines.contains("  01:05: wanted every 10.000 s, \(words)"))
    }

    @Test func `the summary has every value`() {
        let explained = explained(bus: 6, link: 4, idle: 1, lineRate: 500_000) {
            $0.records = [record(0x0C, every: .seconds(1), missed: 2, reached: .seconds(2))]
            $0.rests = 1
            $0.rested = .seconds(90)
        }
        #expect(
            explained.timeSpent.shown
                == #"{"bus":6,"adapterWait":0,"link":4,"commands":0,"pauses":0,"own":0,"#
                + #""idle":1,"rests":0,"lost":0}"#)
        #expect(
            explained.deadlines(all: false).shown
                == #"[{"signal":"01:0C","wanted":1,"reached":2,"missed":2}]"#)
        #expect(explained.paused.shown == #"{"times":1,"seconds":90}"#)
    }
}
