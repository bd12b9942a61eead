import OBDCore
import Testing

@testable import TripImport

/// Times in the spelling of programs, phones and countries.
///
/// Local time is UTC minus one hour here.
@Suite struct `Times in logs` {
    private func source(_ name: String = "", start: String? = nil) -> ImportSource {
        var source = ImportSource()
        source.fileName = name
        source.start = start.flatMap { WallClock($0) }
        return source
    }

    @Test(arguments: [
        // The names of November, July and other months in CLDR.
        ("12-marrask.-2014 13:40:39.474", "2014-11-12T14:40:39.474000Z"),
        ("23-févr.-2022 06:41:05", "2022-02-23T07:41:05.000000Z"),
        ("23-paź-2022 06:41:05", "2022-10-23T07:41:05.000000Z"),
        ("23-окт.-2022 06:41:05", "2022-10-23T07:41:05.000000Z"),
        ("23-Σεπ-2022 06:41:05", "2022-09-23T07:41:05.000000Z"),
        ("23-Ağu-2022 06:41:05", "2022-08-23T07:41:05.000000Z"),
        ("23-čvc-2022 06:41:05", "2022-07-23T07:41:05.000000Z"),
        ("23-10月-2022 06:41:05", "2022-10-23T07:41:05.000000Z"),
        ("2022年2月23日 06:41:05", "2022-02-23T07:41:05.000000Z"),
        ("Jul 16, 2017 2:47:57 PM", "2017-07-16T15:47:57.000000Z"),
        ("16 de julio de 2017 2:47:57 p. m.", "2017-07-16T15:47:57.000000Z"),
        ("1/2/2024 8:00:04 AM", "2024-01-02T09:00:04.000000Z"),
        ("1/2/2024 12:00:04 AM", "2024-01-02T01:00:04.000000Z"),
        ("1/2/2024 12:00:04\u{202F}PM", "2024-01-02T13:00:04.000000Z"),
        ("13/2/2024 08:00:04", "2024-02-13T09:00:04.000000Z"),
        ("2/13/2024 08:00:04", "2024-02-13T09:00:04.000000Z"),
        ("2024/02/13 08:00:04", "2024-02-13T09:00:04.000000Z"),
        ("13-02-2024 08:00:04", "2024-02-13T09:00:04.000000Z"),
        ("1502902504267", "2017-08-16T16:55:04.267000Z"),
        ("1502902504267123", "2017-08-16T16:55:04.267123Z"),
        ("1502902504.267", "2017-08-16T16:55:04.267000Z"),
    ])
    func `times are read`(_ text: String, _ time: String) throws {
        let file = try ImportedFile("time,RPM\n\"\(text)\",900\n")
        #expect(file.entries.first?.time.text == time)
    }

    /// June in Croatian is July in Polish; October in Croatian is November in Polish and Czech.
    @Test(arguments: [
        ("21-lip-2021 08:15:02", "June in Croatian", "2021-07-21", "2021-07-21T09:15:02.000000Z"),
        ("21-lip-2021 08:15:02", "July in Polish", "2021-06-21", "2021-06-21T09:15:02.000000Z"),
        (
            "21-lis-2021 08:15:02", "October in Croatian", "2021-10-20",
            "2021-10-21T09:15:02.000000Z"
        ),
        ("21-srp-2021 08:15:02", "August in Czech", "2021-08-21", "2021-08-21T09:15:02.000000Z"),
        ("2/3/2024 08:00:04", "2 March", "2024-03-02", "2024-03-02T09:00:04.000000Z"),
        ("2/3/2024 08:00:04", "3 February", "2024-02-03", "2024-02-03T09:00:04.000000Z"),
    ])
    func `a time with two meanings is an error that asks for the day`(
        _ text: String, _ meaning: String, _ day: String, _ time: String
    ) throws {
        let log = "time,RPM\n\(text),900\n"
        let fault = #expect(throws: ImportFault.self) { try ImportedFile(log) }
        #expect(fault?.isQuestion == true && fault?.reason.contains(meaning) == true)
        let given = try ImportedFile(log, from: source(start: day))
        #expect(given.entries.first?.time.text == time)
        let named = try ImportedFile(log, from: source("log \(day).csv"))
        #expect(named.entries.first?.time.text == time)
    }

    @Test func `one clear date shows the order of the others`() throws {
        let file = try ImportedFile(
            "time,RPM\n13/2/2024 08:00:04,900\n1/3/2024 08:00:04,901\n")
        #expect(file.entries.last?.time.text == "2024-03-01T09:00:04.000000Z")
    }

    /// A date with a day above 12 shows the order of all dates, also of earlier ones.
    @Test(arguments: [
        (["2/3/2024", "2/13/2024"], ["2024-02-03", "2024-02-13"]),
        (["2/3/2024", "13/3/2024"], ["2024-03-02", "2024-03-13"]),
        (["4/5/24", "6/5/24", "5/31/24"], ["2024-04-05", "2024-06-05", "2024-05-31"]),
        // Each of these dates is clear.
        (["13/3/2024", "3/14/2024"], ["2024-03-13", "2024-03-14"]),
    ])
    func `the whole file shows the order of day and month`(
        _ dates: [String], _ days: [String]
    ) throws {
        let rows = dates.map { "\($0) 08:00:00,900\n" }.joined()
        for start in [nil, "2024-03-02", "2024-02-03"] {
            let file = try ImportedFile("time,RPM\n" + rows, from: source(start: start))
            #expect(file.entries.map { String($0.time.text.prefix(10)) } == days)
        }
    }

    @Test func `a file with both orders does not decide an unclear date`() {
        let log = "time,RPM\n1/2/2024 08:00,1\n13/3/2024 08:00,1\n3/14/2024 08:00,1\n"
        let fault = #expect(throws: ImportFault.self) { try ImportedFile(log) }
        #expect(fault?.line == 2 && fault?.days == ["2024-02-01", "2024-01-02"])
    }

    @Test(arguments: [
        ("02.03.24 08:00:04", "2024-03-02T09:00:04.000000Z"),
        ("2/13/24 8:00:04 AM", "2024-02-13T09:00:04.000000Z"),
    ])
    func `a year may have two digits`(_ text: String, _ time: String) throws {
        let file = try ImportedFile("time,RPM\n\(text),900\n")
        #expect(file.entries.first?.time.text == time)
    }

    @Test func `elapsed time counts from the beginning`() throws {
        for cells in [["0:00:01.5", "0:01:00"], ["1.5", "60"]] {
            let rows = cells.map { "\($0),900\n" }.joined()
            let file = try ImportedFile(
                "Elapsed Time,RPM\n" + rows, from: source(start: "2024-01-02 08:00"))
            #expect(
                file.entries.map(\.time.text) == [
                    "2024-01-02T09:00:01.500000Z", "2024-01-02T09:01:00.000000Z",
                ])
        }
    }

    @Test func `a day and a time may be in two columns`() throws {
        let file = try ImportedFile(
            "Date,Time,RPM\n2024-01-02,08:00:00,900\n2024-01-03,08:00:01,901\n")
        #expect(
            file.entries.map(\.time.text) == [
                "2024-01-02T09:00:00.000000Z", "2024-01-03T09:00:01.000000Z",
            ])
        #expect(file.values == [.init("RPM", 900, "rpm"), .init("RPM", 901, "rpm")])
    }

    @Test(arguments: [
        ("time_stamp", "2024-01-02T09:00:00.000000Z"), ("Date_Time", "2024-01-02T09:00:00.000000Z"),
        ("Timestamp (UTC)", "2024-01-02T08:00:00.000000Z"),
        ("UTC Time", "2024-01-02T08:00:00.000000Z"),
    ])
    func `a column of times may have many names`(_ name: String, _ time: String) throws {
        let file = try ImportedFile("\(name),RPM\n2024-01-02 08:00:00,900\n")
        #expect(file.entries.first?.time.text == time)
        #expect(file.values == [.init("RPM", 900, "rpm")])
    }

    @Test func `a time of day may have twelve hours`() throws {
        let file = try ImportedFile(
            "Time,RPM\n11:59:59 PM,900\n12:00:01 AM,901\n", from: source("2024-01-02.csv"))
        #expect(
            file.entries.map(\.time.text) == [
                "2024-01-03T00:59:59.000000Z", "2024-01-03T01:00:01.000000Z",
            ])
    }

    /// Berlin in 2024: summer time ends on 27 October at 01:00 UTC and begins on 31 March at 01:00 UTC.
    private static func berlin(_ wall: UTC) -> [UTC] {
        let (spring, autumn): (Int64, Int64) = (1_711_846_800, 1_729_990_800)
        return [7200, 3600].compactMap { (shift: Int64) in
            let second = wall.microseconds / 1_000_000 - shift
            let isSummer = (spring..<autumn).contains(second)
            return isSummer == (shift == 7200)
                ? UTC(microseconds: wall.microseconds - shift * 1_000_000) : nil
        }
    }

    /// Seconds since the first row.
    private func steps(
        _ text: String, _ name: String = "", _ start: String? = nil
    ) throws -> [Int64] {
        let file = try ImportedFile(text, from: source(name, start: start), localTime: Self.berlin)
        let times = file.entries.map(\.time.microseconds)
        return times.map { ($0 - (times.first ?? 0)) / 1_000_000 }
    }

    @Test(
        arguments: [
            // The second pass of the repeated hour, and rows out of order in both.
            (
                ["02:59:58", "02:59:59", "02:00:00", "02:30:00", "03:00:00"],
                [0, 1, 2, 1802, 3602]
            ),
            (["01:59:59", "02:00:00", "02:59:59", "02:00:01"], [0, 1, 3600, 3602]),
            (["02:10:05", "02:10:03", "02:10:06"], [0, -2, 1]),
            (["02:59:59", "02:00:05", "02:00:03", "02:00:06"], [0, 6, 4, 7]),
            // A log that begins in the second pass continues without a break after it.
            (["02:59:59", "03:00:00"], [0, 1]),
            (["02:30:00", "02:59:30", "03:00:00"], [0, 1770, 1800]),
            (["02:59:59", "02:59:57", "03:00:00"], [0, -2, 1]),
            // After a break, nothing shows the pass.
            (["02:50:00", "03:00:00"], [0, 4200]), (["01:00:00", "04:00:00"], [0, 14_400]),
        ] as [([String], [Int64])])
    func `times in the hour that autumn repeats are in the order of recording`(
        clocks: [String], expected: [Int64]
    ) throws {
        let dated = clocks.map { "27.10.2024 \($0);1\n" }.joined()
        #expect(try steps("time;RPM\n" + dated) == expected)
        let plain = clocks.map { "\($0);1\n" }.joined()
        #expect(try steps("time;RPM\n" + plain, "2024-10-27.csv") == expected)
        let twoColumns = clocks.map { "27.10.2024;\($0);1\n" }.joined()
        #expect(try steps("Date;Time;RPM\n" + twoColumns) == expected)
        let seconds = clocks.map {
            "\(WallClock.seconds($0) ?? 0);Engine RPM;1;rpm\n"
        }.joined()
        #expect(
            try steps("SECONDS;PID;VALUE;UNITS\n" + seconds, "2024-10-27.csv") == expected)
    }

    @Test(
        arguments: [
            (["02:00:00", "02:59:59"], true), (["02:30:00", "02:29:59"], true),
            (["02:59:59", "02:00:00"], false), (["02:59:59", "03:00:00"], false),
            (["01:59:59", "02:00:00"], false), (["04:00:00"], false),
        ] as [([String], Bool)])
    func `a log within the repeated hour does not show which pass it is`(
        clocks: [String], expected: Bool
    ) throws {
        let rows = clocks.map { "27.10.2024 \($0);1\n" }.joined()
        let file = try ImportedFile("time;RPM\n" + rows, from: source(""), localTime: Self.berlin)
        #expect(file.isInRepeatedHour == expected)
    }

    /// A clock that shows a time that does not exist has not followed the change.
    @Test(
        arguments: [
            (["01:59:59", "03:00:00", "03:00:01"], [0, 1, 2]),
            (["01:59:59", "02:00:00", "02:59:59", "03:00:00"], [0, 1, 3600, 3601]),
            (["01:59:59", "03:00:00", "02:59:59"], [0, 1, 3600]),
        ] as [([String], [Int64])])
    func `times in the hour that spring skips are in the order of recording`(
        clocks: [String], expected: [Int64]
    ) throws {
        let rows = clocks.map { "31.03.2024 \($0);1\n" }.joined()
        #expect(try steps("time;RPM\n" + rows) == expected)
    }

    @Test(arguments: ["2024-10-27 01:59:59", "2024-03-31 01:59:59", "2024-10-27 02:59:59"])
    func `elapsed time does not follow changes of local time`(start: String) throws {
        let text = "Time (s);RPM\n0;1\n1;1\n3600;1\n7200;1\n"
        #expect(try steps(text, "", start) == [0, 1, 3600, 7200])
    }

    @Test(
        arguments: [
            (["23:59:58", "23:59:59", "00:00:00", "00:00:01"], [0, 1, 2, 3]),
            // A row that is out of order does not start a new day.
            (["08:00:05", "08:00:03", "07:00:00", "08:00:06"], [0, -2, -3605, 1]),
            (["23:59:58", "00:00:01", "23:59:59", "00:00:02"], [0, 3, 1, 4]),
            (["20:00:00", "07:00:00", "20:00:00", "07:00:00"], [0, 39_600, 86_400, 126_000]),
            (["08:00:00", "21:00:00"], [0, 46_800]),
        ] as [([String], [Int64])])
    func `a time of day that steps back by nearly a day is on the next day`(
        clocks: [String], expected: [Int64]
    ) throws {
        let rows = clocks.map { "\($0),1\n" }.joined()
        #expect(try steps("time,RPM\n" + rows, "2024-07-05.csv") == expected)
        let seconds = clocks.map {
            "\(WallClock.seconds($0) ?? 0);Engine RPM;1;rpm\n"
        }.joined()
        let log = "SECONDS;PID;VALUE;UNITS\n" + seconds
        let clock = clocks[0].replacing(":", with: "-")
        #expect(try steps(log, "2024-07-05 \(clock).csv") == expected)
        #expect(try steps(log, "2024-07-05.csv") == expected)
    }

    @Test(arguments: [
        ("2024-03-08 23-59-58.csv", "0.5", "2024-03-08T23:00:00.500000Z"),
        ("2024-03-08 23-59-58.csv", "86399.5", "2024-03-08T22:59:59.500000Z"),
        ("2024-03-08 10-00-00.csv", "36000.5", "2024-03-08T09:00:00.500000Z"),
        // Logs of 2019 count from the start of the program.
        ("2019-03-08 23-00-00.csv", "7.5", "2019-03-08T22:00:07.500000Z"),
    ])
    func `the first row of Car Scanner may be after midnight`(
        name: String, seconds: String, time: String
    ) throws {
        let file = try ImportedFile(
            "SECONDS;PID;VALUE;UNITS\n\(seconds);Engine RPM;900;rpm\n", from: source(name),
            localTime: Self.berlin)
        #expect(file.entries.first?.time.text == time)
    }

    /// carOBD writes no other clock.
    @Test func `the engine's run time is a clock and a signal`() throws {
        let text = "ENGINE_RUN_TINE (),ENGINE_RPM ()\n5,900\n6,901\n"
        #expect(throws: ImportFault.self) { try ImportedFile(text) }
        let file = try ImportedFile(text, from: source(start: "2024-01-02 08:00"))
        #expect(file.values.map(\.signal) == ["RUNTM", "RPM", "RUNTM", "RPM"])
        #expect(file.entries.last?.time.text == "2024-01-02T09:00:06.000000Z")
        let again = try ImportedFile(
            text + "1,902\n", from: source(start: "2024-01-02 08:00"))
        // The engine was started again at an unknown time.
        #expect(again.values.count == 6 && again.trips == 2)
    }

    @Test(arguments: ["13/13/2024 08:00", "31/2/2024 08:00", "32-lip-2021 08:00", "8:61:00 AM"])
    func `impossible times are refused`(_ text: String) {
        #expect(throws: ImportFault.self) { try ImportedFile("time,RPM\n\(text),900\n") }
    }

    /// Freematics' old logs count milliseconds from line to line, and from power-up in lines with `#`.
    @Test func `the time differences of a Freematics log are added up`() throws {
        let file = try ImportedFile(
            """
            #5506,10D,55
            0,ACC,-913,18,528
            111,104,0
            8,UTC,2020520
            0,DTE,200116
            0,LAT,-33730629
            0,LNG,151159065
            0,ALT,16200
            0,SPD,55
            33,10C,830

            """)
        // Power-up was 5.625 s before 02:02:05.20.
        #expect(file.entries.first?.time.text == "2016-01-20T02:02:05.081000Z")
        #expect(file.entries.last?.time.text == "2016-01-20T02:02:05.200000Z")
        #expect(
            file.values == [
                .init("VSS", 55, "km/h"), .init("FREEMATICS_ACC_X", -913, ""),
                .init("FREEMATICS_ACC_Y", 18, ""), .init("FREEMATICS_ACC_Z", 528, ""),
                .init("LOAD_PCT", 0, "%"), .init("RPM", 830, "rpm"),
            ])
        var place = try #require(Position(latitude: -33.730629, longitude: 151.159065))
        (place.altitude, place.speed) = (162, 55)
        #expect(file.positions == [place])
    }
}
