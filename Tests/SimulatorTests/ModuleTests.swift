import OBDCore
import Testing

@testable import Simulator

/// Modules that answer only at their own addresses.
///
/// UDS: ISO 14229-1, KWP: ISO 14230-3.
@Suite struct `Modules beside the engine` {
    private func asked(_ address: String, _ settings: [String], _ request: String) throws
        -> [String]
    {
        var bench = try Bench.ready(address)
        for command in settings { _ = bench.ask(command) }
        return bench.lines(request)
    }

    @Test(
        arguments: [
            // Three codes with failure types and status: C0035-11, C0040-12, U0121-87.
            (
                ["ATSH7B0", "ATCRA7B8"], "1902FF",
                [
                    "7B8 10 0F 59 02 FF 40 35 11 ", "7B8 21 2F 40 40 12 08 C1 21 ",
                    "7B8 22 87 2C 00 00 00 00 00 ",
                ]
            ),
            (
                ["ATSH7B0", "ATCRA7B8"], "190208",
                [
                    "7B8 10 0F 59 02 FF 40 35 11 ", "7B8 21 2F 40 40 12 08 C1 21 ",
                    "7B8 22 87 2C 00 00 00 00 00 ",
                ]
            ),
            (["ATSH726", "ATCRA72E"], "1902FF", ["72E 03 59 02 FF 00 00 00 00 "]),
            (["ATSH720", "ATCRA728"], "1902FF", ["728 03 7F 19 11 00 00 00 00 "]),
            (
                ["ATSH737", "ATCRA73F"], "1902FF",
                ["73F 03 7F 19 78 00 00 00 00 ", "73F 07 59 02 FF 80 01 1B 2F "]
            ),
            (["ATSH744", "ATCRA764"], "1902FF", ["764 07 59 02 FF 90 83 00 28 "]),
            (["ATSH7A2", "ATCRA7AA"], "1902FF", ["NO DATA"]),
            // Without a filter the adapter shows only 7E8 to 7EF.
            (["ATSH7B0"], "1902FF", ["NO DATA"]),
            (["ATSH7B0", "ATCRA7B8"], "03", ["7B8 03 7F 03 11 00 00 00 00 "]),
            // Only the emissions ECUs listen to 7DF.
            (["ATCRA7B8"], "1902FF", ["NO DATA"]),
        ] as [([String], String, [String])])
    func `modules on 11 bits answer`(settings: [String], request: String, lines: [String]) throws {
        #expect(try asked("?latency=0", settings, request) == lines)
    }

    /// ISO 15765-2: a long answer ends after its first frame if no flow control reaches the right
    /// identifier.
    @Test func `flow control goes eight below the address of the answer`() throws {
        var bench = try Bench.ready("?latency=0")
        for command in ["ATSH744", "ATCRA764"] { _ = bench.ask(command) }
        #expect(bench.lines("22F197").count == 1)
        for command in ["ATFCSH744", "ATFCSD300000", "ATFCSM1"] { _ = bench.ask(command) }
        #expect(bench.lines("22F197").count > 1)
    }

    @Test func `modules on 29 bits answer`() throws {
        #expect(
            try asked("diesel?latency=0", ["ATSHDA28F1"], "1902FF").first
                == "18 DA F1 28 10 0F 59 02 FF 40 35 11 ")
        #expect(try asked("diesel?latency=0", ["ATSHDA99F1"], "1902FF") == ["NO DATA"])
    }

    /// `58 n {code status}`: 60 = present and stored, 20 = only stored.
    ///
    /// The sums were calculated with Python.
    @Test func `modules on the K line answer`() throws {
        let address = "?latency=0&protocol=5"
        #expect(
            try asked(address, ["ATSH8128F1"], "1800FF00")
                == ["8B F1 28 58 03 40 35 60 40 40 20 C1 21 20 76 "])
        #expect(try asked(address, ["ATSH8160F1"], "1800FF00") == ["83 F1 60 7F 18 11 7C "])
        #expect(
            try asked(address, ["ATSH8158F1"], "1800FF00")
                == ["83 F1 58 7F 18 78 DB ", "85 F1 58 58 01 80 01 60 08 "])
        #expect(
            try asked(address, ["ATSH8128F1"], "1A9B")
                == ["8C F1 28 5A 9B 4F 42 44 53 49 4D 2D 41 42 53 5B "])
        #expect(try asked(address, ["ATSH8180F1"], "1800FF00") == ["NO DATA"])
    }
}
