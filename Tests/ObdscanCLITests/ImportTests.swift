import Foundation
import OBDCore
import Testing

@testable import ObdscanCLI

@Suite struct ImportTests {
    private let program: Program
    private let folder: URL

    init() throws {
        program = try Program()
        folder = program.home.appendingPathComponent("files")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func file(_ name: String, _ text: String) throws -> String {
        let url = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: url)
        return url.path
    }

    /// The exported readings, codes and other rows of a trip, without the object of the trip
    /// itself.
    private func exported(_ trip: String, _ database: String) throws -> [String] {
        let result = try program.run([
            "export", trip, "--format", "json", "--db", database,
        ])
        #expect(result.status == 0, "\(result.errors)")
        return result.output.split(separator: "\n").dropFirst().map(String.init)
    }

    @Test(arguments: ["jsonl", "csv"])
    func `our own exports are imported once and unchanged`(_ ending: String) throws {
        defer { program.remove() }
        let first = folder.appendingPathComponent("first.db").path
        let second = folder.appendingPathComponent("second.db").path
        let logged = try program.run([
            "log", "--duration", "2s", "--db", first, "--name", "Sea", "-d",
            "sim:?latency=1ms&seed=3",
        ])
        #expect(logged.status == 0, "\(logged.errors)")
        let out = folder.appendingPathComponent("trip.\(ending)").path
        let layout = ending == "csv" ? ["--layout", "long"] : []
        #expect(try program.run(["export", "1", "--to", out, "--db", first] + layout).status == 0)

        let imported = try program.run(["import", out, "--db", second, "--format", "json"])
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(imported.objects.first?["known"] as? Int == 0)
        let before = try exported("1", first)
        let after = try exported("1", second)
        // CSV holds only readings.
        let kept = ending == "csv" ? before.filter { $0.contains("\"signal\"") } : before
        #expect(after == kept, "\(after.count) of \(kept.count)")
        let trips = try program.run(["trips", "list", "--all", "--format", "json", "--db", second])
        #expect(trips.objects.count == 1)
        if ending == "jsonl" {
            #expect(trips.objects.first?["name"] as? String == "Sea")
            #expect(trips.objects.first?["vin"] as? String == "5XXBD1GA8LX000042")
        }
        #expect(try program.run(["db", "check", "--db", second]).status == 0)

        for database in [first, second] {
            let again = try program.run(["import", out, "--db", database, "--format", "json"])
            if ending == "jsonl" || database == second {
                #expect(again.objects.first?["known"] as? Int == 1, "\(again)")
            }
        }
    }

    @Test func `a file that cannot be imported does not stop the others`() throws {
        defer { program.remove() }
        let database = folder.appendingPathComponent("a.db").path
        let missing = folder.appendingPathComponent("missing.csv").path
        let files = [
            try file("one.csv", "time,RPM\n2026-11-21T08:15:02Z,900\n"), missing,
            try file("two.jsonl", "{\"kind\":\"trip\"\n"),
            try file("three.csv", "time,RPM\n2026-11-22T08:15:02Z,900\n"),
        ]
        let result = try program.run(["import", "--db", database] + files)
        #expect(result.status == 66)
        #expect(result.output.contains("one.csv: trip 1, 1 reading\n"), "\(result)")
        #expect(result.output.contains("three.csv: trip 2, 1 reading\n"), "\(result)")
        #expect(result.errors.contains("missing.csv: No such file"), "\(result)")
        #expect(result.errors.contains("two.jsonl:1: "), "\(result)")
        #expect(
            result.errors.hasSuffix("2 of 4 files were not imported: \(missing), \(files[2])\n"),
            "\(result)")
        // Nothing was measured between two speeds a day apart.
        let far = try file(
            "far.csv", "time,VSS\n2026-11-21T08:15:02Z,9\n2026-11-22T08:15:02Z,9\n")
        #expect(try program.run(["import", far, "--db", database]).status == 0)
        let shown = try program.run(["trips", "show", "3", "--db", database])
        #expect(shown.output.contains("—") && !shown.output.contains("moving"), "\(shown)")
    }

    /// The columns of Torque's own logs.
    ///
    /// Torque repeats the heading when it resumes a log.
    @Test func `a log of Torque becomes readings and a track`() throws {
        defer { program.remove() }
        let path = try file(
            "trackLog.csv",
            """
            GPS Time, Device Time, Longitude, Latitude,GPS Speed (Meters/second), Horizontal Dilution of Precision, Altitude, Bearing,Engine RPM(rpm),Speed (OBD)(mph),Engine Coolant Temperature(°F),Trip average MPG(mpg)
            Sat Nov 21 09:15:02 GMT+01:00 2026,21-Nov-2026 08:15:02.123,8.5,47.5,10,1.5,400,90,1726,60,212,-
            Sat Nov 21 09:15:03 GMT+01:00 2026,21-Nov-2026 08:15:03.123,8.501,47.501,10,1.5,401,91,1800.5,60,212,33.5
            GPS Time, Device Time, Longitude, Latitude,Engine RPM(rpm)
            -,21-Nov-2026 09:00:00.000,0,0,900

            """)
        let result = try program.run(["import", path, "--format", "json"])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.objects.first?["readings"] as? Int == 10)
        let lines = try program.run(["export", "1", "--format", "json"]).objects
        let readings = lines.filter { $0["signal"] != nil }
        #expect(readings.first?["time"] as? String == "2026-11-21T08:15:02.123000Z")
        let values = readings.map {
            "\($0["signal"] ?? "") \($0["value"] ?? "") \($0["unit"] ?? "")"
        }
        #expect(
            values == [
                "Horizontal Dilution of Precision 1.5 <null>", "RPM 1726 rpm", "VSS 96.56064 km/h",
                "ECT 100 °C", "Horizontal Dilution of Precision 1.5 <null>", "RPM 1800.5 rpm",
                "VSS 96.56064 km/h", "ECT 100 °C", "Trip average MPG 33.5 mpg",
            ])
        #expect(readings.dropFirst().first?["pid"] as? String == "0C")
        let places = lines.filter { $0["kind"] as? String == "position" }
        #expect(places.map { $0["latitude"] as? Double } == [47.5, 47.501])
        #expect(places.first?["speed"] as? Double == 36)
        let track = try program.run(["export", "1", "--format", "gpx"])
        #expect(track.output.contains("lat=\"47.501\" lon=\"8.501\""))
        #expect(try program.run(["trips", "list", "--all", "--format", "json"]).objects.count == 2)
        #expect(try program.run(["db", "check"]).status == 0)
    }

    @Test func `an export reports its rows, replaces its file and has notes as waypoints`()
        throws
    {
        defer { program.remove() }
        let path = try file(
            "drive.jsonl",
            """
            {"kind":"position","time":"2026-11-21T08:15:02Z","latitude":47.5,"longitude":8.5}
            {"time":"2026-11-21T08:15:02.5Z","ecu":"7E8","service":"01","pid":"0C","signal":"RPM","value":1726,"unit":"rpm","raw":"1AF8"}
            {"kind":"note","time":"2026-11-21T08:15:04Z","text":"mark 1"}
            {"kind":"note","time":"2026-11-21T08:16:04Z","text":"far from any position"}
            {"kind":"position","time":"2026-11-21T08:15:08Z","latitude":47.6,"longitude":8.5}

            """)
        #expect(try program.run(["import", path, "--format", "json"]).status == 0)
        #expect(try program.run(["trips", "note", "1", "about the whole trip"]).status == 0)
        let track = folder.appendingPathComponent("track.gpx").path
        #expect(try program.run(["export", "--to", track, "-q"]).status == 0)
        let written = try program.run(["export", "--to", track])
        let size = try Data(contentsOf: URL(fileURLWithPath: track)).count
        #expect(written.output.isEmpty)
        #expect(written.errors == "\(track): 1 trip, 2 positions, 1 note, \(byteText(size))\n")
        let text = try String(contentsOfFile: track, encoding: .utf8)
        let waypoint =
            "<wpt lat=\"47.5\" lon=\"8.5\"><time>2026-11-21T08:15:04.000000Z</time>"
            + "<name>mark 1</name></wpt>\n<trk>"
        #expect(text.contains(waypoint), "\(text)")
        let table = folder.appendingPathComponent("table.csv").path
        let csv = try program.run(["export", "--to", table])
        #expect(csv.errors.hasPrefix("\(table): 1 trip, 1 reading, "), "\(csv.errors)")
        let database = folder.appendingPathComponent("new.db").path
        let whole = try program.run(["export", "--to", database])
        #expect(whole.errors.hasPrefix("\(database): 1 trip, 1 reading, "), "\(whole.errors)")
        let places = folder.appendingPathComponent("track.kml").path
        for quiet in [["-q", "--to", places], ["--to", "-"], [], ["--to", "/dev/null"]] {
            let result = try program.run(["export", "--format", "kml"] + quiet)
            #expect(result.errors.isEmpty && result.status == 0, "\(quiet): \(result.errors)")
        }
    }

    /// In Berlin, July is two hours ahead of UTC.
    @Test(arguments: ["--layout long", "--layout wide", "--every 1s"], [";", "tab"])
    func `our own tables for spreadsheets are imported unchanged`(
        _ layout: String, _ separator: String
    ) throws {
        defer { program.remove() }
        let berlin = ["TZ": "CET-1CEST,M3.5.0,M10.5.0/3"]
        let times = ["2026-07-21T08:15:02.000000Z", "2026-07-21T08:15:03.000000Z"]
        let path = try file("drive.csv", "time,RPM (rpm)\n\(times[0]),801.5\n\(times[1]),802\n")
        #expect(try program.run(["import", path]).status == 0)
        let out = folder.appendingPathComponent("out.csv").path
        let words = layout.split(separator: " ").map(String.init)
        let written = try program.run(
            ["export", "--local-time", "--delimiter", separator, "--to", out] + words,
            environment: berlin)
        #expect(written.status == 0, "\(written.errors)")
        let text = try String(contentsOfFile: out, encoding: .utf8)
        let first = "2026-07-21 10:15:02.000000" + (separator == "tab" ? "\t" : separator)
        #expect(text.contains("\r\n\(first)"), "\(text)")
        let second = folder.appendingPathComponent("second.db").path
        let read = try program.run(["import", out, "--db", second], environment: berlin)
        #expect(read.status == 0, "\(read.errors)")
        let back = try program.run(["export", "--json", "--signal", "RPM", "--db", second]).objects
        #expect(back.compactMap { $0["time"] as? String } == times)
        #expect(back.compactMap { $0["value"] as? Double } == [801.5, 802])
    }

    @Test(arguments: ["--json --delimiter ;", "--format gpx --local-time"])
    func `options for CSV are refused for other formats`(arguments: String) throws {
        defer { program.remove() }
        let result = try program.run(["export"] + arguments.split(separator: " ").map(String.init))
        #expect(result.status == 64 && result.errors.contains("needs CSV"), "\(result.errors)")
    }

    @Test(arguments: ["us", "imperial"], ["jsonl", "csv"])
    func `our own exports in other units become metric again`(
        _ units: String, _ ending: String
    ) throws {
        defer { program.remove() }
        let lines = [
            ("FUEL_RATE", "5E", "L/h", 3.5), ("TQ_REF", "63", "N·m", 320), ("ECT", "05", "°C", -5),
            ("VSS", "0D", "km/h", 50),
        ].map { signal, pid, unit, value in
            """
            {"signal":"\(signal)","service":"01","pid":"\(pid)","value":\(value),"unit":"\(unit)",\
            "time":"2026-11-21T08:15:02Z"}
            """
        }
        let path = try file("metric.jsonl", lines.joined(separator: "\n"))
        #expect(try program.run(["import", path]).status == 0)
        let out = folder.appendingPathComponent("out.\(ending)").path
        #expect(try program.run(["export", "1", "--units", units, "--to", out]).status == 0)
        let second = folder.appendingPathComponent("second.db").path
        let result = try program.run(["import", out, "--units", units, "--db", second])
        #expect(result.status == 0, "\(result.errors)")
        func values(_ database: [String]) throws -> [String] {
            try program.run(["export", "1", "--format", "json"] + database).objects
                .filter { $0["signal"] != nil }
                .map { object in
                    let value = ((object["value"] as? Double ?? 0) * 100).rounded() / 100
                    return "\(object["pid"] ?? "") \(object["signal"] ?? "") \(value) "
                        + "\(object["unit"] ?? "")"
                }.sorted()
        }
        #expect(try values(["--db", second]) == values([]))
    }

    @Test func `two files whose first lines are equal are two trips`() throws {
        defer { program.remove() }
        let first = try file("a.csv", "time,RPM\n2026-11-21T08:15:02Z,800\n")
        let second = try file("b.csv", "time,VSS\n2026-11-21T08:15:02Z,50\n")
        // The same values as in the second file, but for another signal.
        let third = try file("c.csv", "time,ECT\n2026-11-21T08:15:02Z,50\n")
        let result = try program.run(["import", first, second, third, second, "--format", "json"])
        #expect(result.objects.map { $0["known"] as? Int } == [0, 0, 0, 1])
        // The message is that the trip was deleted, not that it is known.
        #expect(try program.run(["trips", "delete", "2", "--yes"]).status == 0)
        let again = try program.run(["import", second])
        #expect(again.errors.contains("trip 2 came from it and was deleted"), "\(again)")
        #expect(try program.run(["trips", "undo"]).status == 0)
    }

    @Test
    func `a joined part is known at the next import, and joined trips can be split again`() throws {
        defer { program.remove() }
        let first = try file("a.csv", "time,RPM\n2026-11-21T08:15:02Z,800\n")
        let second = try file("b.csv", "time,RPM\n2026-11-21T09:15:02Z,900\n")
        #expect(try program.run(["import", first, second]).status == 0)
        #expect(try program.run(["trips", "join", "1", "2"]).status == 0)
        let again = try program.run(["import", second, "--format", "json"])
        #expect(again.objects.first?["known"] as? Int == 1)
        #expect(try program.run(["trips", "undo"]).status == 0)
        #expect(try program.run(["trips", "list", "--all", "--format", "json"]).objects.count == 2)
    }

    @Test func `lines left out of a log are counted, and the first is named`() throws {
        defer { program.remove() }
        let path = try file(
            "a.csv", "Time,RPM\n2026-11-21 08:15:02,-\n2026-11-21 08:15:03,900\n2026-11-21 08:")
        let result = try program.run(["import", path])
        #expect(result.status == 0)
        #expect(
            result.errors == "\(path): left out 1 line (first: line 4, 1 cell, the heading has 2) "
                + "and 1 cell of \"RPM\" (first: line 2, \"-\" is not a number)\n")
    }

    @Test func `cells that are not a number are counted by column`() throws {
        defer { program.remove() }
        let path = try file(
            "a.csv",
            "time;Engine RPM (rpm);Vehicle speed (km/h)\n2024-03-08 10:00:00;1.726;50\n"
                + "2024-03-08 10:00:01;1.900;N/A\n")
        let result = try program.run(["import", path])
        #expect(
            result.errors == "\(path): left out 3 cells: 2 of \"Engine RPM (rpm)\", 1 of "
                + "\"Vehicle speed (km/h)\" (first: line 2, \"1.726\" may be 1.726 or 1726)\n")
    }

    @Test func `cells of a column without a name are counted`() throws {
        defer { program.remove() }
        let path = try file(
            "a.csv",
            "time,RPM,,VSS,\n2024-03-08 10:00:00,900,7,50,\n2024-03-08 10:00:01,910,8,51,\n"
                + "2024-03-08 10:00:02,910,,51,\n")
        let result = try program.run(["import", path])
        #expect(
            result.errors == "\(path): left out 2 cells of \"column 3\" "
                + "(first: line 2, \"7\" is in a column without a name)\n")
    }

    @Test func `an option decides a date with two meanings`() throws {
        defer { program.remove() }
        let path = try file("a.csv", "time,RPM\n02/03/2024 10:00:00,800\n")
        let result = try program.run(["import", path])
        #expect(result.status == 65)
        #expect(
            result.errors == "obdscan: \(path):2: \"02/03/2024\" may be 2 March, or 3 February\n"
                + "hint: \"obdscan import \(path) --date 2024-03-02\", or --date 2024-02-03\n")
    }

    @Test(arguments: [
        (
            "/proc/version",
            "/proc/version shows the state of this computer and is not a stored file"
        ),
        ("/dev/zero", "/dev/zero is a device, not a file"),
        ("/tmp", "/tmp: Is a directory"),
    ])
    func `a path without a file of a known program is refused`(path: String, message: String) throws
    {
        defer { program.remove() }
        let result = try program.run(["import", path])
        #expect(result.status == 66 && result.errors.hasPrefix("obdscan: \(message)\nhint: "))
    }

    @Test func `unknown names suggest --map, and the second import names the first trip`() throws {
        defer { program.remove() }
        let path = try file(
            "a.csv",
            "Zeit;Kühl (°C);Drehzahl (U/min)\n08.03.2024 10:00:00;83;800\n"
                + "08.03.2024 10:00:01;84;801\n")
        let first = try program.run(["import", path])
        #expect(
            first.errors == "\(path): 2 names are not known as a PID's: the line "
                + "\"Drehzahl = RPM\" in a file for --map says what one means\n")
        let map = try file("map.txt", "Drehzahl = RPM\n")
        let second = try program.run(["import", path, "--map", map])
        #expect(second.output == "\(path): trip 2, 4 readings, in place of trip 1\n")
        #expect(
            second.errors
                == "\(path): \"obdscan trips undo\" brings back the trips that were replaced\n")
    }

    private func trips() throws -> [Int] {
        try program.run(["trips", "list", "--format", "json"]).objects.compactMap {
            $0["id"] as? Int
        }
    }

    /// A signal in broadcast frames and one in answers; each table knows one of them.
    private func busLog() throws -> (log: String, first: String, second: String) {
        let log = try file(
            "bus.log",
            """
            (1700000000.000000) can0 100#0102030405060708
            (1700000000.500000) can0 200#0A02030405060708
            (1700000002.000000) can0 100#0202030405060708
            (1700000002.500000) can0 200#0B02030405060708
            (1700000004.000000) can0 200#0C02030405060708

            """)
        func table(_ name: String, _ id: Int, _ signal: String) throws -> String {
            try file(
                name,
                "VERSION \"\"\nBU_: X\nBO_ \(id) M\(id): 8 X\n"
                    + " SG_ \(signal) : 7|8@0+ (1,0) [0|255] \"\" X\n")
        }
        return (log, try table("a.dbc", 256, "One"), try table("b.dbc", 512, "Two"))
    }

    @Test func `another table for a log replaces its trip unless that has more or was edited`()
        throws
    {
        defer { program.remove() }
        let (log, one, two) = try busLog()
        #expect(try program.run(["import", log, "--table", one]).status == 0)
        let both = ["import", log, "--table", one, "--table", two]
        let better = try program.run(both + ["--format", "json"])
        #expect(better.objects.first?["replaced"] as? [String] == ["1"], "\(better)")
        #expect(try trips() == [2])
        // As often as the user likes.
        #expect(try program.run(both).output.hasSuffix("nothing new, 1 known already\n"))
        #expect(try trips() == [2])
        let poorer = try program.run(["import", log, "--table", one])
        #expect(poorer.status == 0 && poorer.output.contains("nothing new"), "\(poorer)")
        let other = try program.run(["import", log, "--table", two])
        #expect(other.status == 65, "\(other)")
        #expect(
            other.errors.contains("an earlier import found 5 readings (trip 2), this one 3"),
            "\(other)")
        #expect(try program.run(["trips", "undo"]).status == 0)
        #expect(try trips().sorted() == [1, 2])
        // Whoever brought both back keeps them.
        #expect(try program.run(both).output.hasSuffix("nothing new, 1 known already\n"))
        #expect(try trips().sorted() == [1, 2])
    }

    /// Each edit, and the number of trips that the log has after it.
    @Test(
        arguments: [
            ["trips", "name", "1", "Sea"], ["trips", "tag", "1", "sea"],
            ["trips", "note", "1", "rain"], ["trips", "shift", "1", "--by", "+2d"],
            ["trips", "split", "1", "--at", "2023-11-14T22:13:21Z"],
        ])
    func `an edited trip of a log is not replaced`(edit: [String]) throws {
        defer { program.remove() }
        let (log, one, two) = try busLog()
        #expect(try program.run(["import", log, "--table", one]).status == 0)
        let edited = try program.run(edit)
        #expect(edited.status == 0, "\(edited)")
        let before = try trips()
        let better = ["import", log, "--table", one, "--table", two]
        let refused = try program.run(better)
        #expect(refused.status == 65, "\(refused)")
        #expect(refused.errors.contains("trip 1 came from this file, and was edited since"))
        #expect(try trips() == before)
        for trip in before {
            #expect(try program.run(["trips", "delete", "\(trip)", "--yes"]).status == 0)
        }
        #expect(try program.run(better).status == 0)
        #expect(try trips().count == 1)
    }

    @Test func `a trip that went into another one is not replaced`() throws {
        defer { program.remove() }
        let (log, one, two) = try busLog()
        let day = try file(
            "day.csv",
            "time,RPM\n2023-11-14T20:00:00Z,900\n2023-11-14T20:00:05Z,901\n")
        #expect(try program.run(["import", day]).status == 0)
        #expect(try program.run(["import", log, "--table", one]).status == 0)
        #expect(try program.run(["trips", "join", "1", "2"]).status == 0)
        let better = ["import", log, "--table", one, "--table", two]
        let refused = try program.run(better)
        #expect(refused.status == 65 && refused.errors.contains("trip 1 came"), "\(refused)")
        #expect(try trips() == [1])
        #expect(try program.run(["trips", "undo"]).status == 0)
        #expect(try program.run(better).output.contains("in place of trip 2"))
        #expect(try trips().sorted() == [1, 3])
    }

    /// Summer time in Berlin ends on 27 October 2024 at 01:00 UTC and begins on 31 March at 01:00 UTC.
    @Test(
        arguments: [
            (
                "2024-10-27", ["02:59:59", "02:00:00", "02:30:00", "03:00:00"],
                ["00:59:59", "01:00:00", "01:30:00", "02:00:00"]
            ),
            (
                "2024-03-31", ["01:59:59", "03:00:00", "03:00:01"],
                ["00:59:59", "01:00:00", "01:00:01"]
            ),
            (
                "2024-03-31", ["01:59:59", "02:00:00", "03:00:00"],
                ["00:59:59", "01:00:00", "02:00:00"]
            ),
            ("2024-07-01", ["12:00:00", "11:00:00"], ["10:00:00", "09:00:00"]),
        ] as [(String, [String], [String])])
    func `local times are those of the computer's zone`(
        day: String, local: [String], expected: [String]
    ) throws {
        defer { program.remove() }
        let rows = local.map { "\(day) \($0),800\n" }.joined()
        let path = try file("a.csv", "time,RPM\n" + rows)
        let zone = ["TZ": "CET-1CEST,M3.5.0,M10.5.0/3"]
        #expect(try program.run(["import", path], environment: zone).status == 0)
        let times = try program.run(["export", "1", "--format", "json"]).objects
            .filter { $0["signal"] != nil }.compactMap { $0["time"] as? String }
        #expect(times.sorted() == expected.map { "\(day)T\($0).000000Z" }.sorted())
    }

    @Test func `the codes of a log are in the history`() throws {
        defer { program.remove() }
        let path = try file(
            "a.log",
            "(1700000000.0) can0 7E0#0103000000000000\n"
                + "(1700000000.1) can0 7E8#0443010301000000\n")
        let result = try program.run(["import", path])
        #expect(result.errors.contains("\"obdscan dtc history\" shows its trouble codes"))
        #expect(try program.run(["dtc", "history"]).output.contains("P0301"))
    }

    @Test func `our export of seconds is imported on the day that the user names`() throws {
        defer { program.remove() }
        let out = folder.appendingPathComponent("r.csv").path
        let path = try file("a.csv", "Time,RPM\n2026-11-21 08:15:02,800\n2026-11-21 08:16:02,900\n")
        #expect(try program.run(["import", path]).status == 0)
        #expect(try program.run(["export", "1", "--relative", "--to", out]).status == 0)
        #expect(try program.run(["import", out, "--date", "2021-02-28 10:00"]).status == 0)
        let times = try program.run(["export", "2", "--format", "json"]).objects
            .filter { $0["signal"] != nil }.compactMap { $0["time"] as? String }
        #expect(times == ["2021-02-28T10:00:00.000000Z", "2021-02-28T10:01:00.000000Z"])
    }

    /// 1 h at 60 km/h and 30 min at 20 km/h are 70 km in 90 min.
    @Test func `the list of a month ends with its sum in text output`() throws {
        defer { program.remove() }
        var paths: [String] = []
        for (hour, seconds, speed) in [(8, 3600, 60), (10, 1800, 20)] {
            let rows = (0...seconds).map { second in
                let (minutes, rest) = (second / 60, second % 60)
                let clock = String(
                    format: "%02d:%02d:%02d", hour + minutes / 60, minutes % 60, rest)
                return "2026-11-21 \(clock),\(speed)\n"
            }
            paths.append(try file("\(hour).csv", "Time,VSS\n" + rows.joined()))
        }
        #expect(try program.run(["import"] + paths).status == 0)
        let month = ["trips", "--month", "2026-11"]
        let last = try program.run(month).output.split(separator: "\n").last ?? ""
        #expect(
            last.split(separator: " ").prefix(7) == ["—", "2", "1", "h", "30", "min", "70.0"])
        #expect(try program.run(month + ["--format", "csv"]).output.contains("—") == false)
        #expect(try program.run(month + ["--format", "json"]).objects.count == 2)
    }

    /// Each command that an error suggests imports the file.
    @Test(arguments: [
        (
            "2024-01-02 08:15:02 CST", "RPM", "TZ=America/Chicago",
            "time zone \"CST\" may be UTC-06:00"
        ),
        ("2/3/2024 08:15:02", "RPM", "--date 2024-03-02", "\"2/3/2024\" may be 2 March"),
        ("2024-01-02 08:15:02", "Fuel (gal)", "--units us", "Fuel in gal: --units us"),
    ])
    func `an import that needs the user's decision suggests the option for each answer`(
        _ time: String, _ column: String, _ answer: String, _ message: String
    ) throws {
        defer { program.remove() }
        let path = try file("log.csv", "time,\(column)\n\(time),900\n")
        let asked = try program.run(["import", path])
        #expect(asked.status == 65 && asked.errors.contains(message), "\(asked.errors)")
        #expect(asked.errors.contains(answer), "\(asked.errors)")
        // TZ is a variable of the whole process.
        guard !answer.hasPrefix("TZ") else { return }
        let words = answer.split(separator: " ").map(String.init)
        #expect(try program.run(["import", path] + words).output.contains("trip 1, 1 reading"))
    }

    @Test func `two drives in a file are two trips, and no message suggests to delete one`() throws
    {
        defer { program.remove() }
        let path = try file(
            "log.csv", "Time (s),RPM\n0,900\n200,901\n400,902\n0,900\n200,901\n400,902\n")
        let result = try program.run(["import", path, "--date", "2024-01-02 08:00"])
        #expect(result.output == "\(path): trip 1, 2, 6 readings\n")
        #expect(
            result.errors
                == "\(path): its clock starts again in line 5: each part is a trip, 1 s after the "
                + "one before, because the file does not say when it began\n")
        let again = try program.run(["import", path, "--date", "2024-01-02 08:00"])
        #expect(again.output == "\(path): nothing new, 2 known already\n", "\(again)")
    }

    @Test func `a hint names the database that the user named`() throws {
        defer { program.remove() }
        let path = try file("a.csv", "Time,RPM\n2026-11-21 08:15:02,800\n")
        let other = folder.appendingPathComponent("other.db").path
        #expect(try program.run(["import", path, "--db", other]).status == 0)
        let result = try program.run(["trips", "show", "7", "--db", other])
        #expect(result.errors.contains("\"obdscan trips --db \(other)\" lists them"), "\(result)")
    }

    /// OBDb recorded this answer of a BMW i3 of 2018 with the value 52.3 %.
    @Test func `a table with an address byte decodes a log of the bus`() throws {
        defer { program.remove() }
        let set = try file(
            "i3.json",
            """
            {"commands": [{"hdr": "6F1", "rax": "607", "eax": "07", "cmd": {"22": "DDBC"},
              "signals": [{"id": "I3_CHARGE", "name": "Charge", "fmt": {"len": 16, "div": 10, "unit": "percent"}}]}]}
            """)
        let table = folder.appendingPathComponent("i3.pids").path
        let made = try program.run(["pids", "import", set, "--to", table])
        #expect(made.status == 0, "\(made.errors)")
        let log = try file(
            "bus.log",
            """
            (1700000000.000000) can0 6F1#070322DDBC000000
            (1700000000.010000) can0 607#F1100962DDBC020B
            (1700000000.020000) can0 6F1#0730000000000000
            (1700000000.030000) can0 607#F1210364006EFFFF

            """)
        let read = try program.run(["import", log, "--pids", table])
        #expect(read.status == 0, "\(read.errors)")
        let values = try program.run(["export", "1", "--format", "json"]).objects
            .filter { $0["signal"] as? String == "I3_CHARGE" }
        #expect(values.map { $0["value"] as? Double } == [52.3])
    }

    /// Not the second import, which would be a second trip.
    @Test func `a later table decodes the answers that the import of a log kept`() throws {
        defer { program.remove() }
        let log = try file(
            "bus.log",
            """
            (1700000000.000000) can0 7E0#0322123455555555
            (1700000000.010000) can0 7E8#056212340A0B5555
            (1700000001.000000) can0 7DF#02010C5555555555
            (1700000001.010000) can0 7E8#04410C1AF8555555

            """)
        let read = try program.run(["import", log])
        #expect(read.status == 0, "\(read.errors)")
        #expect(read.errors.contains("1 answer that no table decodes is kept"), "\(read.errors)")
        // Another file with the same readings, which differs only in what no table decodes.
        let text = try String(contentsOfFile: log, encoding: .utf8)
        let other = try file("other.log", text.replacingOccurrences(of: "0A0B", with: "0A0C"))
        for (name, trip) in [(other, "trip 2, 1 reading"), (log, "nothing new, 1 known")] {
            let again = try program.run(["import", name])
            #expect(again.status == 0 && again.output.contains(trip), "\(again)")
        }
        let table = try file(
            "own.pids",
            """
            record 22:1234 2 : Mine
              header 7E0
              reply 7E8
              signal MINE A..B scale 1/10 unit V : Mine

            """)
        let decoded = try program.run(["db", "redecode", "--pids", table])
        #expect(decoded.status == 0, "\(decoded.errors)")
        #expect(decoded.output.contains("MINE"), "\(decoded.output)")
        let values = try program.run(["export", "1", "--format", "json"]).objects
            .filter { $0["signal"] != nil }
        #expect(values.map { $0["signal"] as? String } == ["MINE", "RPM"])
        #expect(values.map { $0["value"] as? Double } == [257.1, 1726])
    }

    @Test func `a column that fits no PID is named and kept`() throws {
        defer { program.remove() }
        let path = try file(
            "a.csv", "timestamp,Speed(km/h)\n2026-11-21T08:15:02Z,20\n2026-11-21T08:15:03Z,300\n")
        let result = try program.run(["import", path])
        #expect(result.status == 0)
        #expect(
            result.errors
                == "\(path): \"Speed\" keeps the name of the file, because no PID has such values\n"
        )
        let values = try program.run(["export", "1", "--format", "json"]).objects
            .filter { $0["signal"] != nil }
        #expect(values.map { $0["signal"] as? String } == ["Speed", "Speed"])
    }

    @Test func `with semicolons a comma is a decimal point`() throws {
        defer { program.remove() }
        let path = try file("de.csv", "time;RPM\n2026-11-21T08:15:02Z;800,5\n")
        #expect(try program.run(["import", path]).status == 0)
        let readings = try program.run(["export", "1", "--format", "json"]).objects
            .filter { $0["signal"] != nil }
        #expect(readings.map { $0["value"] as? Double } == [800.5])
    }

    @Test func `CSV that a python-OBD script wrote is imported, with and without units`() throws {
        defer { program.remove() }
        let path = try file(
            "log.csv",
            """
            timestamp,RPM,SPEED,COOLANT_TEMP,ELM_VOLTAGE,GEAR
            2026-11-21 08:15:02.500000,1726.0 revolutions_per_minute,50.0 kilometer_per_hour,90 degree_Celsius,12.5 volt,third
            2026-11-21 08:15:03.500000,None,51.0 kilometer_per_hour,,12.4 volt,

            """)
        #expect(try program.run(["import", path, "--name", "Py"]).status == 0)
        let readings = try program.run(["export", "Py", "--format", "json"]).objects
            .filter { $0["signal"] != nil }
        let values = readings.map { "\($0["signal"] ?? "") \($0["value"] ?? "")" }
        #expect(
            values.sorted() == [
                "ADAPTER_VOLTAGE 12.4", "ADAPTER_VOLTAGE 12.5", "ECT 90", "GEAR third", "RPM 1726",
                "VSS 50", "VSS 51",
            ])
    }

    @Test(arguments: [
        (
            "a.jsonl", "{\"kind\":\"note\",\"time\":\"2026-11-21T08:15:02Z\",\"text\":\"a\"}\n{]\n",
            ":2: no JSON object"
        ),
        (
            "a.jsonl", "{\"kind\":\"new\",\"time\":\"2026-11-21T08:15:02Z\"}\n",
            ":1: unknown kind \"new\""
        ),
        ("a.jsonl", "{\"signal\":\"RPM\",\"value\":1,\"unit\":\"rpm\"}\n", ":1: there is no time"),
        (
            "a.csv", "time,7E8 RPM (rpm)\n2026-11-21T08:15:02Z,1\n2026-11-21T08:15:03Z\n",
            ":3: 1 cell, the heading has 2"
        ),
        ("a.csv", "time,RPM\nnoon,1\n", ":2: time \"noon\" is not a date"),
        ("a.csv", "time,RPM\n12.5,1\n", ": the file does not say on which day it begins"),
        (
            "a.jsonl",
            "{\"kind\":\"event\",\"event\":\"gap\",\"seconds\":1e300,"
                + "\"time\":\"2026-11-21T08:15:02Z\",\"text\":\"a\"}\n",
            ":1: 1e+300 s is not a length of time"
        ),
        (
            "a.jsonl",
            "{\"signal\":\"FUEL_RATE\",\"value\":1,\"unit\":\"gal/h\","
                + "\"time\":\"2026-11-21T08:15:02Z\"}\n",
            ":1: FUEL_RATE in gal/h: --units us or --units imperial says which gallons"
        ),
        (
            "a.csv", "time,latitude,longitude\n2026-11-21T08:15:02Z,91,8\n",
            ":2: 91.0, 8.0 is not a place on earth"
        ),
        ("a.csv", "a,b\n1,2\n", ": this is not a log that obdscan knows"),
    ])
    func `a line that cannot be read is named, and nothing of its file is stored`(
        _ name: String, _ text: String, _ words: String
    ) throws {
        defer { program.remove() }
        let path = try file(name, text)
        let result = try program.run(["import", path])
        #expect(result.status == 65)
        #expect(result.errors.contains("\(path)\(words)"), "\(result.errors)")
        #expect(
            try program.run(["trips", "list", "--all", "--format", "json"]).objects.isEmpty)
    }

    @Test(arguments: [
        ("[1,\"a\\u00e9\\ud83d\\ude00\\n\",true,null,-1.5e3,{}]", true), ("[1,]", false),
        ("{\"a\":1,}", false), ("\"a", false), ("[\"\\ud800\"]", false), ("01x", false),
        ("[nul]", false), ("{\"a\" 1}", false),
    ])
    func `JSON is read by its standard, or refused`(_ text: String, _ isValid: Bool) {
        let object = JSONReader.object(Array("{\"x\":\(text)}".utf8)[...])
        #expect((object != nil) == isValid)
        if isValid {
            #expect(
                object?["x"]
                    == .array([
                        .number(1), .string("aé😀\n"), .bool(true), .null, .number(-1500),
                        .object([:]),
                    ]))
        }
    }
}
