import Formats
import Foundation
import OBDCore
import Reports
import Testing

@testable import ObdscanCLI

@Suite struct `Figures of the bench` {
    @Test func `percentiles come from the measured times`() {
        var figures = BenchFigures(.records(1, countDigit: false))
        #expect(figures.roundTrip(0.5) == nil)
        figures.roundTrips = [0.030, 0.010, 0.020, 0.040]
        #expect(figures.roundTrip(0.5) == 0.020)
        #expect(figures.roundTrip(0.95) == 0.040)
        #expect(figures.roundTrip(0) == 0.010)
    }

    @Test func `a rate needs readings and time`() {
        var figures = BenchFigures(.polling)
        #expect(figures.readingsPerSecond == nil)
        figures.readings = 120
        figures.seconds = 0.5
        #expect(figures.readingsPerSecond == 240)
    }

    @Test(arguments: [
        (
            BenchVerdict(countDigit: true, saved: 0.08, batch: 6, readingsPerSecond: 234.94),
            """
            Count digit: yes, it saves 80.0 ms per request.
            Batches: 6 records per request are answered.
            Reached by polling: 234.9 readings per second.

            """
        ),
        (
            BenchVerdict(countDigit: false, saved: nil, batch: 1, readingsPerSecond: nil),
            """
            Count digit: this adapter does not support it.
            Batches: not answered; one record per request.

            """
        ),
        (
            BenchVerdict(),
            """
            Count digit: not tried, because it would not help here.
            Batches: not tried; this link takes one record per request.

            """
        ),
    ])
    func `the verdict is printed in sentences`(verdict: BenchVerdict, text: String) {
        #expect(BenchPrinter.sentences(verdict) == text)
    }

    @Test func `a kind of request is printed in each format`() {
        var figures = BenchFigures(.records(6, countDigit: true))
        figures.requests = 2
        figures.roundTrips = [0.025, 0.026]
        figures.readings = 12
        figures.seconds = 0.051
        func text(_ format: OutputFormat) -> String {
            var output: [UInt8] = []
            var printer = BenchPrinter(OutputForm(format: format))
            printer.append(figures, to: &output)
            return String(decoding: output, as: UTF8.self)
        }
        #expect(
            text(.text)
                == "6 records per request, count digit      25.0 ms    26.0 ms       235.3\n")
        #expect(
            text(.json)
                == #"{"kind":"bench","what":"records","records":6,"countDigit":true,"requests":2,"#
                + #""failed":0,"p50":0.025,"p95":0.026,"readingsPerSecond":235.3}"# + "\n")
        #expect(
            text(.csv)
                == "kind,what,records,countDigit,requests,failed,p50,p95,readingsPerSecond,saved,"
                + "recordsPerRequest\r\nbench,records,6,true,2,0,0.025,0.026,235.3,,\r\n")
    }

    @Test func `failures are shown beside their kind of request`() {
        var figures = BenchFigures(.records(6, countDigit: false))
        figures.requests = 3
        figures.failed = 3
        var output: [UInt8] = []
        var printer = BenchPrinter(OutputForm(format: .text))
        printer.append(figures, to: &output)
        #expect(String(decoding: output, as: UTF8.self).contains("(3 failed)"))
        #expect(!figures.works)
    }
}

/// Runs `bench` as a process.
@Suite(.serialized) struct `The bench at work` {
    private func run(_ device: String, _ signals: String...) throws -> Program.Result {
        let program = try Program()
        defer { program.remove() }
        return try program.run(
            ["bench"] + signals + [
                "-d", device, "--requests", "3", "--duration", "200ms", "--format", "json",
            ])
    }

    @Test func `each kind of request is measured, then polling, then the verdict`() throws {
        let result = try run("sim:petrol?latency=1ms")
        #expect(result.status == 0, "\(result.errors)")
        let kinds = result.objects.map { object -> String in
            guard let what = object["what"] as? String else { return "verdict" }
            guard let records = object["records"] as? Int else { return what }
            return "\(records)" + (object["countDigit"] as? Bool == true ? " with digit" : "")
        }
        #expect(
            kinds == ["adapter", "1", "1 with digit", "6", "6 with digit", "polling", "verdict"])
        for object in result.objects.dropLast() { #expect(object["failed"] as? Int == 0) }
        let verdict = try #require(result.objects.last)
        #expect(verdict["countDigit"] as? Bool == true)
        #expect(verdict["recordsPerRequest"] as? Int == 6)
        #expect((verdict["readingsPerSecond"] as? Double ?? 0) > 0)
    }

    @Test func `the bench reports no count digit for a clone without the digit`() throws {
        let result = try run("sim:petrol?latency=1ms&personality=clone-nodigit", "rpm", "speed")
        #expect(result.status == 0, "\(result.errors)")
        let digit = result.objects.filter { $0["countDigit"] as? Bool == true }
        #expect(digit.first?["failed"] as? Int == 3)
        #expect(digit.first?["p50"] is NSNull)
        #expect(result.objects.last?["countDigit"] as? Bool == false)
    }

    @Test func `a clone without batches is asked for one record per request`() throws {
        let result = try run("sim:petrol?latency=1ms&personality=clone-2.1", "rpm", "speed")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.objects.last?["recordsPerRequest"] as? Int == 1)
    }

    @Test func `before CAN there are no batches`() throws {
        let result = try run("sim:petrol?latency=1ms&protocol=3", "rpm", "speed")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.objects.allSatisfy { ($0["records"] as? Int ?? 1) == 1 })
        #expect(result.objects.last?["recordsPerRequest"] is NSNull)
    }

    @Test func `for the voltage alone the vehicle is not asked`() throws {
        let result = try run("sim:petrol?latency=1ms", "adapter-voltage")
        #expect(result.status == 64)
    }
}
