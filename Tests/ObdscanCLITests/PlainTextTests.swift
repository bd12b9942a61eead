import Formats
import Glibc
import Reports
import ScanSession
import Settings
import SystemIO
import Testing

@testable import ObdscanCLI

@Suite struct `Text for terminals that show only ASCII` {
    @Test func `data that a program reads stays unchanged`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        var output = TextOutput(descriptor: ends[1], shown: asciiWords)
        try output.write("21 °C;")
        try output.write(bytes: Array("21 °C;".utf8))
        try output.append { $0.append(contentsOf: "°".utf8) }
        try output.flush()
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = bytes.withUnsafeMutableBytes { read(ends[0], $0.baseAddress, $0.count) }
        #expect(String(decoding: bytes.prefix(count), as: UTF8.self) == "21 C;21 °C;°")
    }
}

@Suite struct `Lines for narrow terminals` {
    @Test(arguments: [("connecting to sim:", 80, "connecting to sim:"), ("abcdefgh", 6, "abcd…")])
    func `a status line leaves the last cell empty`(
        _ text: String, _ columns: Int, _ expected: String
    ) {
        #expect(StatusLine.line(text, columns) == expected)
    }

    @Test func `long table cells continue on the next line`() {
        var table = TextTable([("A", .left), ("B", .left)])
        table.add(["PIDs", "01 03 04 05 06 07 0B 0C 0D"])
        table.add(["ECU", "7E8"])
        let plain = Palette(isOn: false)
        #expect(
            table.text(plain, indent: 2, columns: 26) == """
                  A     B
                  PIDs  01 03 04 05 06 07
                        0B 0C 0D
                  ECU   7E8

                """)
        // Each line gets its own colour codes, which do not count as width.
        var coloured = TextTable([("", .left)])
        coloured.add([.init("aaaaaaaaaaaaaaaa bbbb", .bold)])
        #expect(
            coloured.text(Palette(isOn: true), columns: 16)
                == "\u{1B}[1maaaaaaaaaaaaaaaa\u{1B}[0m\n\u{1B}[1mbbbb\u{1B}[0m\n")
        #expect(table.text(plain, columns: nil) == table.text(plain, columns: 200))
        // Too narrow for columns side by side: one block per row.
        #expect(
            table.text(plain, columns: 4) == """
                A  PIDs
                B  01 03 04 05 06
                   07 0B 0C 0D

                A  ECU
                B  7E8

                """)
    }

    @Test func `in a table the widest columns are narrowed first`() {
        var table = TextTable([("A", .left), ("B", .left), ("N", .right)], flexible: [0, 1])
        table.add(["one two three four five six", "seven eight nine ten eleven", "1"])
        #expect(
            table.text(Palette(isOn: false), columns: 47) == """
                A                      B                      N
                one two three four     seven eight nine ten   1
                five six               eleven

                """)
    }
}

@Suite struct `The end of a recording` {
    private func summary() -> PollSummary {
        var statistics = SessionStatistics()
        statistics.seconds = 4.2
        statistics.readings = 737
        statistics.requests = 119
        return PollSummary(statistics: statistics, trip: 9)
    }

    @Test func `the summary answers a driver's questions`() {
        var summary = summary()
        #expect(summary.lines == ["Trip 9: 4.2 s, 737 readings"])
        // The trip began after the session, so its figures are smaller.
        summary.recorded = "3.9 s, 0.1 km, 730 readings"
        summary.statistics.reconnects = 1
        #expect(summary.lines == ["Trip 9: 3.9 s, 0.1 km, 730 readings, 1 reconnect"])
    }

    @Test func `the summary shows the rates if the user wants them`() {
        var summary = summary()
        summary.tellsPace = true
        #expect(summary.lines.count == 2)
        #expect(summary.lines[1].hasPrefix("Pace: ") && summary.lines[1].contains("119 requests"))
    }
}

@Suite struct `The default device` {
    @Test func `the environment precedes the configuration, and aliases are resolved`() {
        var settings = UserSettings()
        #expect(ChosenAccessory(environment: nil, settings: settings) == nil)
        settings.device = "van"
        settings.aliases = ["van": "tcp:192.168.0.10:35000"]
        let kept = ChosenAccessory(environment: nil, settings: settings)
        #expect(kept?.text == "config.toml chooses van, tcp:192.168.0.10:35000")
        let named = ChosenAccessory(environment: "sim:", settings: settings)
        #expect(named?.text == "OBDSCAN_DEVICE chooses sim:")
    }

    @Test func `messages have one colon`() {
        let failure = Failure("sim:: no ECU answered", status: .timedOut)
        #expect(failure.text == "obdscan: sim: no ECU answered\n")
    }
}
