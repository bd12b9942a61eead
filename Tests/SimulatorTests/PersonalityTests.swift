import OBDCore
import Testing

@testable import Simulator

/// Faults of clones that users have reported (elm327 clone lists, issue trackers).
@Suite struct `Personalities` {
    private func ready(_ name: String) throws -> Bench {
        try Bench.ready("?latency=0&personality=\(name)&vin=1D4GP00R55B123456")
    }

    @Test func `the common clone lacks half of the commands`() throws {
        var bench = try ready("clone-1.5")
        for command in [
            "ATPPS", "ATIGN", "ATCRA7E8", "ATFCSD300000", "ATRD", "ATBRD23", "AT@2", "ATCEA",
        ] {
            #expect(bench.lines(command) == ["?"])
        }
        for command in ["ATS0", "ATH1", "ATSP6", "ATST19", "ATSH7E0", "ATAT2"] {
            #expect(bench.lines(command) == ["OK"])
        }
        #expect(bench.adapter.settings.adaptive == 1)
    }

    @Test func `some clones fail at batches`() throws {
        var bench = try ready("clone-2.1")
        #expect(bench.lines("010C0D") == ["NO DATA"])
        #expect(bench.lines("010C").count == 2)
    }

    @Test func `some clones never send spaces`() throws {
        var bench = try ready("clone-nospaces")
        #expect(bench.lines("ATS1") == ["OK"])
        #expect(bench.lines("0100").first == "7E8064100BE3FA81300")
    }

    @Test func `some clones never send headers`() throws {
        var bench = try ready("clone-noheaders")
        #expect(bench.lines("ATH1") == ["OK"])
        #expect(bench.lines("0100").first == "41 00 BE 3F A8 13 ")
    }

    @Test func `some clones refuse a count digit`() throws {
        var bench = try ready("clone-nodigit")
        #expect(bench.lines("010C1") == ["?"])
        #expect(bench.lines("010C").count == 2)
    }

    @Test func `some clones cut requests after two bytes`() throws {
        var bench = try ready("clone-twobytes")
        _ = bench.ask("22F190")
        #expect(bench.adapter.requests.last?.payload == [0x22, 0xF1])
    }

    @Test func `some clones cut long answers, run out of buffer, or hang`() throws {
        var cut = try ready("clone-truncate")
        #expect(cut.lines("0902").joined().count < 64)
        var full = try ready("clone-bufferfull")
        #expect(full.lines("0904").last?.hasSuffix("BUFFER FULL") == true)
        #expect(full.lines("0100").count == 2)
        var hanging = try ready("clone-hanglong")
        #expect(!hanging.ask("0904").contains(">"))
        #expect(hanging.ask("ATI") == "")
    }

    @Test func `some clones lose the last frame of a long answer`() throws {
        var bench = try ready("clone-lastframe")
        #expect(bench.lines("0902").count == 2)
        #expect(bench.lines("0100").count == 2)
    }

    @Test func `some clones append the prompt to the last line`() throws {
        var bench = try ready("clone-glued")
        #expect(bench.ask("ATI") == "ELM327 v1.5↵>")
    }

    @Test func `some clones fall silent after some requests`() throws {
        var bench = try ready("clone-hang")
        for _ in 0..<39 { #expect(bench.ask("010C").hasSuffix(">")) }
        #expect(bench.ask("010C") == "")
        #expect(bench.ask("ATZ") == "")
    }

    @Test func `some clones restart after some requests and forget their settings`() throws {
        var bench = try ready("clone-restart")
        for _ in 0..<38 { _ = bench.ask("010C") }
        #expect(bench.ask("010C") == "↵↵ELM327 v2.1↵↵>")
        #expect(bench.ask("ATI").hasPrefix("ATI"))
    }

    @Test func `some clones insert NUL bytes`() throws {
        var bench = try ready("clone-nul")
        #expect(bench.ask("ATI") == "␀ELM327 v1.5↵↵>")
    }
}
