import Foundation
import Testing

/// An adapter that knows neither headers nor the number of its protocol.
///
/// Without headers a list of codes has two meanings: a count and codes on CAN, or three codes before it.
@Suite(.ownThreads) struct `Lists of codes on an unknown protocol` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// Runs `dtc` with these answers to 0101, 03 and 07.
    private func dtc(count: String, list: String, pending: String = "NO DATA") async throws
        -> Outcome
    {
        let unknown: Set = ["ATH1", "ATS0", "ATDPN", "ATDP", "STI", "ATCRA"]
        let answers = ["0100": "41 00 BE 3F A8 13", "0101": count, "03": list, "07": pending]
        let adapter = try ScriptedAdapter(.tcp) { line in
            let text = line.text
            if unknown.contains(text) { return .say(PlainAdapter.said("?")) }
            guard text.allSatisfy(\.isHexDigit) else { return .say(PlainAdapter.answer(text)) }
            // An odd last digit is the expected number of answers.
            let request = text.count.isMultiple(of: 2) ? text : String(text.dropLast())
            return .say(PlainAdapter.said(answers[request] ?? "NO DATA"))
        }
        return try await workplace.run(["dtc", "-d", adapter.address])
    }

    /// The count in PID 01, its padding, and a later list settle it.
    @Test(arguments: [
        ("41 01 81 07 65 04", "NO DATA", "P0420"), ("41 01 82 07 65 04", "NO DATA", "P0104"),
        ("41 01 83 07 65 04 00", "NO DATA", "P0420"), ("NO DATA", "47 00", "P0420"),
    ])
    func `an answer to another request decides the meaning of a list of codes`(
        count: String, pending: String, code: String
    ) async throws {
        let outcome = try await dtc(count: count, list: "43 01 04 20 00 00 00", pending: pending)
        let others = ["P0420", "P0104"].filter { $0 != code }
        // A list with fewer codes than counted is incomplete.
        let status: Int32 = count.hasPrefix("41 01 83") ? 75 : 0
        #expect(outcome.output.contains(code) && outcome.status == status, "\(outcome)")
        #expect(!others.contains { outcome.output.contains($0) }, "\(outcome)")
    }

    /// No code is shown, no advice is given, and both meanings are named.
    @Test func `a list of codes without a clear meaning is an error`() async throws {
        let outcome = try await dtc(
            count: "41 01 83 07 65 04", list: "43 01 04 20 00 00 00", pending: "NO DATA")
        #expect(outcome.status == 65, "\(outcome)")
        #expect(!outcome.output.contains("P0") && !outcome.output.contains("Drive"), "\(outcome)")
        #expect(
            outcome.errors.contains("not settled: P0420 on CAN, or P0104 P2000 before CAN"),
            "\(outcome)")
    }
}
