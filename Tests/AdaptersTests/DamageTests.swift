import Adapters
import OBDCore
import Testing

/// Damage that `scripts/seeds` found: text that is not a frame of the current protocol, and answers
/// to other requests.
@Suite struct `Damaged answers` {
    private func adapter(_ more: [String: String] = [:]) -> ScriptedAdapter {
        var adapter = ScriptedAdapter.genuine(more)
        adapter.initialise()
        adapter.written = []
        adapter.outputs = []
        return adapter
    }

    private func errors(_ adapter: ScriptedAdapter) -> Int {
        adapter.outputs.count { if case .linkError = $0 { true } else { false } }
    }

    /// A line that came in a session on 11-bit CAN after the request 010C to all ECUs.
    @Test(arguments: [
        // 00C76 is the rest of a flood before 7E804410C1AF8.
        "00C767E804410C1AF8", "18DAF11004410C1AF8", "18DA110034410C1A",
        // One digit or bit of the identifier is wrong or missing.
        "6E804410C1AF8", "7F804410C1AF8", "7E04410C1AF8", "7E804410C1AF", "E804410C1AF8",
        // Other protocols and other forms.
        "486B10410C1AF8C4", "84F110410C1AF8E4", "410C1AF8", "04410C1AF8", "014", "0:410C1AF8",
        "OK", "AT",
    ])
    func `on 11-bit CAN a line of another form is an error`(line: String) {
        var adapter = adapter(["010C": line + "\r7E904410C1AF8"])
        adapter.send(ask([0x01, 0x0C]))
        adapter.timeOut()
        #expect(adapter.messages.map(\.ecu) == [ECUAddress(0x7E9, .can11)])
        #expect(errors(adapter) == 1)
        #expect(adapter.ends == [.complete])
    }

    @Test(arguments: ["18DA1100340D0000000000", "18DAF10004410D00", "7E804410D00", "410D00"])
    func `on 29-bit CAN a line of another form is an error`(line: String) {
        var adapter = adapter(["0100": "18DAF110064100BE3EB813", "ATDPN": "A7", "010D": line])
        adapter.send(ask([0x01, 0x0D]))
        let senders = adapter.messages.map { $0.ecu?.description }
        #expect(senders.allSatisfy { $0 == "18DAF100" })
        #expect(errors(adapter) + adapter.messages.count == 1)
    }

    @Test func `the form of the vehicle's answers outweighs the answer to DPN`() {
        var adapter = adapter(["0100": "18DAF110064100BE3EB813", "ATDPN": "A6"])
        #expect(adapter.dialect.identity.vehicleProtocol == .can29At500)
        adapter.answers["010C"] = "18DAF11004410C1AF8"
        adapter.send(ask([0x01, 0x0C]))
        #expect(adapter.messages.count == 1)
    }

    // MARK: Settings

    /// The answers to ATH1 in their order.
    ///
    /// The last one repeats.
    @Test(arguments: [
        (["OK"], 1), (["?", "OK"], 2), (["O", "OK"], 2), (["K", "OOK", "OK"], 3),
        (["OK\rOK", "OK"], 2), (["", "OK"], 2), (["?", "?"], 2),
    ])
    func `a setting counts only if the whole answer is OK`(answers: [String], times: Int) {
        var adapter = ScriptedAdapter.genuine()
        adapter.series["ATH1"] = answers
        adapter.initialise()
        // After an answer other than OK or `?`, the dialect waits until the adapter is quiet.
        adapter.timeOut(answers.count { $0 != "OK" && $0 != "?" })
        #expect(adapter.isReady)
        #expect(adapter.commands.count { $0 == "ATH1" } == times)
    }

    @Test func `confirmed headers that are missing are set again`() {
        var adapter = ScriptedAdapter.genuine()
        adapter.series["0100"] = ["4100BE3EB813", "7E8064100BE3EB813"]
        adapter.initialise()
        #expect(adapter.isReady)
        #expect(adapter.commands.count { $0 == "ATH1" } == 2)
        #expect(adapter.commands.count { $0 == "0100" } == 2)
        // A clone that never shows headers is used without them.
        var clone = ScriptedAdapter.genuine(["0100": "4100BE3EB813"])
        clone.initialise()
        #expect(clone.isReady)
        #expect(clone.commands.count { $0 == "ATH1" } == 2)
        // Even two refusals may have been damaged answers.
        var noisy = ScriptedAdapter.genuine()
        noisy.series["ATH1"] = ["?", "?", "OK"]
        noisy.series["0100"] = ["4100BE3EB813", "7E8064100BE3EB813"]
        noisy.initialise()
        #expect(noisy.isReady)
        #expect(noisy.commands.count { $0 == "ATH1" } == 3)
    }

    @Test func `a request whose header was not confirmed is not sent`() {
        var adapter = adapter()
        adapter.answers["ATSH7E0"] = "?"
        adapter.send(ask([0x01, 0x0C], target: ECUAddress(0x7E0, .can11)))
        #expect(adapter.commands == ["ATSH7E0", "ATSH7E0"])
        #expect(adapter.ends == [.refused])
        #expect(adapter.statuses == [.unknownCommand])
        adapter.written = []
        adapter.outputs = []
        // It is unknown which header is set. So the header and all of its settings are sent again.
        for command in ["ATCRA", "ATFCSM0"] { adapter.answers[command] = "OK" }
        adapter.send(ask([0x01, 0x0C]))
        #expect(adapter.commands == ["ATSH7DF", "ATCRA", "ATFCSM0", "ATST32", "010C"])
        #expect(adapter.ends == [.complete])
    }

    // MARK: Prompts

    @Test func `an answer to another command is waited out and ignored`() {
        for reply in ["?\r\rOK", "OK", "OK\r7E804410C1AF8"] {
            var adapter = adapter(["010C": reply])
            adapter.send(ask([0x01, 0x0C]))
            #expect(adapter.ends.isEmpty)
            // It is unknown to which request this late answer belongs.
            adapter.receive("7E804410C0000\r\r>")
            adapter.timeOut()
            #expect(adapter.ends == [.complete])
            #expect(errors(adapter) >= 1 || adapter.statuses == [.confirmation])
            #expect(!adapter.messages.contains { $0.payload == [0x41, 0x0C, 0, 0] })
        }
    }

    /// A warning before sleep is no answer if nothing else comes; before an answer it is only news.
    @Test(arguments: [
        ("ACT ALERT", AdapterStatus.activityAlert), ("LP ALERT", .lowPowerAlert),
    ])
    func `a warning before sleep is a status if nothing else comes`(
        text: String, status: AdapterStatus
    ) {
        var adapter = adapter(["010C": text, "010D": text + "\r7E803410D64"])
        adapter.send(ask([0x01, 0x0C]))
        #expect(adapter.statuses == [status])
        adapter.send(ask([0x01, 0x0D]))
        #expect(adapter.statuses == [status])
        #expect(adapter.messages.map(\.payload) == [[0x41, 0x0D, 0x64]])
    }

    /// The adapter prints a warning by itself, so that data on the same line only lost a line end.
    @Test(arguments: [
        "7E803410D64ACT ALERT", "7E803410D64 !LP ALERT", "LOW POWER ALERT7E803410D64",
    ])
    func `a warning before sleep does not hide data on its line`(reply: String) {
        var adapter = adapter(["010D": reply])
        adapter.send(ask([0x01, 0x0D]))
        #expect(adapter.messages.map(\.payload) == [[0x41, 0x0D, 0x64]])
        #expect(adapter.statuses.isEmpty && errors(adapter) == 0)
    }

    @Test func `an empty reply means NO DATA after the line stays quiet`() {
        var adapter = adapter(["010C": ""])
        adapter.send(ask([0x01, 0x0C]))
        #expect(adapter.ends.isEmpty)
        adapter.timeOut()
        #expect(adapter.statuses == [.noData])
        #expect(adapter.ends == [.complete])
    }

    @Test func `an echo after "echo off" shows that the adapter restarted`() {
        var adapter = adapter(["010C": "010C\r41 0C 1A F8"])
        adapter.send(ask([0x01, 0x0C]))
        #expect(adapter.ends == [.adapterRestarted])
    }
}
