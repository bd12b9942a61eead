import TestSupport
import Testing

/// Numbers that no log has: the line is skipped, the file refused, or the value is read exactly.
@Suite struct `Extreme numbers in logs` {
    @Test(arguments: `Damaged logs`.samples.map(\.name))
    func `extreme numbers crash nothing`(name: String) throws {
        let text = try #require(`Damaged logs`.samples.first { $0.name == name }).text
        let logs = `Damaged logs`()
        Extremes.forEach(of: text) { changed in
            _ = logs.readings(Array(changed.utf8), name)
        }
    }

    @Test func `extreme times that count from the one before crash nothing`() {
        let line = "8796093022207.9 1 7E8 Rx d 5 04 41 0C 1A F8\n"
        let text =
            "date Sat Sep 30 10:06:13.191 PM 2017\nbase hex timestamps relative\n"
            + String(repeating: line, count: 4)
        _ = `Damaged logs`().readings(Array(text.utf8), "log.asc")
    }
}
