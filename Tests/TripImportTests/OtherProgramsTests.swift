import Diagnostics
import OBDCore
import Testing
import TripImport

@Suite struct `Logs of other programs` {
    // By definition: a mile is 1.609344 km, a pound 0.45359237 kg, an inch 25.4 mm; 9.80665 m/s²;
    // °F = °C · 1.8 + 32.
    @Test(
        arguments: [
            ("Speed (OBD)(mph)", "100", "VSS", 160.9344, "km/h"),
            ("SPEED", "50 kilometer_per_hour", "VSS", 50, "km/h"),
            ("SPEED", "10 mile / hour", "VSS", 16.09344, "km/h"),
            ("Engine Coolant Temperature(°F)", "212", "ECT", 100, "°C"),
            ("COOLANT_TEMP", "21 degree_Celsius", "ECT", 21, "°C"),
            ("Mass Air Flow Rate(lb/min)", "1", "MAF", 7.55987, "g/s"),
            ("Intake Manifold Pressure(psi)", "10", "MAP", 68.9476, "kPa"),
            ("Rail(bar)", "1.5", "Rail", 150, "kPa"),
            ("Range(miles)", "10", "Range", 16.09344, "km"),
            ("Own(furlong)", "3", "Own", 3, "furlong"), ("Angle(deg)", "-3", "Angle", -3, "°"),
            ("Flow(l/hr)", "2", "Flow", 2, "L/h"), ("Run(sec)", "7", "Run", 7, "s"),
            ("Share(percent)", "7", "Share", 7, "%"), ("Cell(volt)", "3.7", "Cell", 3.7, "V"),
        ])
    func `values are stored in metric units`(
        _ column: String, _ cell: String, _ signal: String, _ value: Double, _ unit: String
    ) throws {
        let file = try ImportedFile("time,\(column)\n2026-11-21T08:15:02Z,\(cell)\n")
        let found = try #require(file.values.first)
        guard case .number(let number) = found.value else {
            Issue.record("\(found)")
            return
        }
        #expect(found.signal == signal && found.unit == unit)
        #expect(abs(number - value) < 1e-4, "\(number)")
    }

    // By definition a US gallon is 3.785411784 L.
    @Test func `the user decides which gallon is meant`() throws {
        let text = "time,Tank(gal)\n2026-11-21T08:15:02Z,10\n"
        #expect(throws: ImportFault.self) { try ImportedFile(text) }
        let file = try ImportedFile(text, isUS: true)
        let found = try #require(file.values.first)
        guard case .number(let litres) = found.value else {
            Issue.record("\(found)")
            return
        }
        #expect(found.signal == "Tank" && found.unit == "L")
        #expect(abs(litres - 37.85411784) < 1e-9)
    }

    // The names of our own exports. By definition an imperial gallon is 4.54609 L.
    @Test(arguments: [("US gal", 37.85411784), ("UK gal", 45.4609)])
    func `gallons with a full name need no decision`(_ unit: String, _ expected: Double) throws {
        let file = try ImportedFile("time,Tank(\(unit))\n2026-11-21T08:15:02Z,10\n")
        guard case .number(let litres)? = file.values.first?.value else {
            Issue.record("\(file.values)")
            return
        }
        #expect(abs(litres - expected) < 1e-9)
    }

    // Local time is UTC minus one hour here, so UTC is an hour later.
    @Test(arguments: [
        ("2026-11-21T08:15:02Z", "2026-11-21T08:15:02.000000Z"),
        ("2026-11-21T08:15:02.5", "2026-11-21T09:15:02.500000Z"),
        ("2026-11-21 08:15:02", "2026-11-21T09:15:02.000000Z"),
        ("2026-11-21T08:15:02+01:30", "2026-11-21T06:45:02.000000Z"),
        ("2026-11-21T08:15:02-01:00", "2026-11-21T09:15:02.000000Z"),
        ("21-Nov-2026 08:15:02.123", "2026-11-21T09:15:02.123000Z"),
        ("1-Feb-2026 08:15:02", "2026-02-01T09:15:02.000000Z"),
        ("1795249302.5", "2026-11-21T08:21:42.500000Z"),
        ("2026-11-21", "2026-11-21T01:00:00.000000Z"),
        ("21.11.2026 08:15:02", "2026-11-21T09:15:02.000000Z"),
        ("1.2.2026 08:15", "2026-02-01T09:15:00.000000Z"),
        ("12.11.2026", "2026-11-12T01:00:00.000000Z"),
        ("21.11.2026 08:15:02 +01:00", "2026-11-21T07:15:02.000000Z"),
        ("21-Nov-2026 08:15:02.5+0200", "2026-11-21T06:15:02.500000Z"),
        ("2026-11-21 08:15:02 GMT-02:30", "2026-11-21T10:45:02.000000Z"),
        ("2026-11-21 08:15:02 UTC", "2026-11-21T08:15:02.000000Z"),
        ("2026-11-21 08:15:02+01", "2026-11-21T07:15:02.000000Z"),
    ])
    func `the forms of times in logs are read`(_ text: String, _ time: String) throws {
        let file = try ImportedFile("time,RPM\n\(text),900\n")
        #expect(file.entries.first?.time.text == time)
    }

    @Test(arguments: [
        "12.5", "noon", "2026-11-21T08:15:02+99:00", "2026-11-21T08:15:02+1",
        "32-Xyz-2026 08:00:00", "11.21.2026 08:15:02", "2026-11-21T08:15:02+0199",
        "x2026-11-21T",
    ])
    func `text that is not a time is a fault`(_ text: String) {
        #expect(throws: ImportFault.self) { try ImportedFile("time,RPM\n\(text),900\n") }
    }

    @Test func `a track, a voltage and two ECUs are read`() throws {
        let file = try ImportedFile(
            """
            Device Time,Latitude,Longitude,Altitude(m),Bearing,GPS Speed (Meters/second),Voltage (OBD Adapter)(V),ECU(7EA): Engine RPM(rpm),7E8 RPM [rpm],Fuel(null)
            21-Nov-2026 08:15:02,47.5,8.5,400,90,10,12.4,900,901,-
            21-Nov-2026 08:15:03,0,0,,,,,902,,∞
            21-Nov-2026 08:15:04,47.5,8.5,,360,-1,,,,n/a
            """)
        var first = try #require(Position(latitude: 47.5, longitude: 8.5))
        (first.altitude, first.course, first.speed) = (400, 90, 36)
        var last = try #require(Position(latitude: 47.5, longitude: 8.5))
        last.course = 0
        #expect(file.positions == [first, last])
        #expect(file.skipped.columns["GPS Speed (Meters/second)"] == 1)
        #expect(file.voltages == [12.4])
        #expect(
            file.readings.map(\.ecu) == [
                ECUAddress(0x7EA, .can11), ECUAddress(0x7E8, .can11), ECUAddress(0x7EA, .can11),
            ])
    }

    @Test func `a quote may follow a blank`() throws {
        let file = try ImportedFile(
            "timestamp , \"RPM\" , \"a, b\"\n2024-01-02 08:00:00 , \" 900 \" , \"1\"\n")
        #expect(file.values == [.init("RPM", 900, "rpm"), .init("a, b", 1, "")])
    }

    @Test func `units with gallons need the country`() throws {
        for unit in ["gal", "gal/h", "gal/hr", "gallons"] {
            let log = "timestamp,X (\(unit))\n2024-01-02 08:00:00,1\n"
            if unit == "gal" || unit == "gal/h" {
                let fault = #expect(throws: ImportFault.self) { try ImportedFile(log) }
                #expect(fault?.isQuestion == true)
            } else {
                #expect(try ImportedFile(log).values == [.init("X", 1, unit)])
            }
            let file = try ImportedFile(log, isUS: true)
            guard case .number(let litres)? = file.values.first?.value else {
                Issue.record("no number")
                continue
            }
            #expect(abs(litres - 3.785411784) < 1e-12)
        }
        let log = "timestamp,X (mpg)\n2024-01-02 08:00:00,30\n"
        #expect(try ImportedFile(log).values == [.init("X", 30, "mpg")])
        #expect(try ImportedFile(log, isUS: true).values == [.init("X", 30, "US mpg")])
    }

    @Test func `a number beyond all numbers in a line of JSON is a fault`() {
        let line = #"{"time":"2024-01-02T08:00:00Z","signal":"X","value":1e999}"#
        let fault = #expect(throws: ImportFault.self) { try ImportedFile(line + "\n") }
        #expect(fault?.reason == "1e999 exceeds all numbers")
        let other = #expect(throws: ImportFault.self) { try ImportedFile(#"{"a":1e5,}"# + "\n") }
        #expect(other?.reason == "no JSON object")
    }

    @Test func `semicolons allow decimal commas, and text stays text`() throws {
        let file = try ImportedFile(
            "time;RPM;State\n2026-11-21T08:15:02Z;1726,5;'=idle\n2026-11-21T08:15:03Z;None;\n")
        #expect(file.values == [.init("RPM", 1726.5, "rpm"), .init("State", .text("=idle"))])
    }

    /// The first column has the vehicle's number.
    ///
    /// The other column must not change the vehicle.
    @Test func `two columns of VINs do not make a trip of every row`() throws {
        let file = try ImportedFile(
            """
            time,VIN,Vehicle identification number,Engine RPM
            2026-01-01 10:00:00,1HGCM82633A004352,WXXBD2DA8MX000077,800
            2026-01-01 10:00:01,,WXXBD2DA8MX000077,801
            2026-01-01 10:00:02,1HGCM82633A004352,WXXBD2DA8MX000077,802

            """)
        #expect(file.trips == 1)
        #expect(file.vehicles == ["1HGCM82633A004352"])
        #expect(file.values.filter { $0.signal == "RPM" }.count == 3)
    }

    @Test func `a cell beyond all numbers is left out and is not text`() throws {
        let file = try ImportedFile(
            "time,RPM,ELM_VOLTAGE,Altitude\n2026-01-01 10:00:00,1e999,-1e999,1e999\n"
                + "2026-01-01 10:00:01,800,12.1,4\n")
        #expect(file.values == [.init("RPM", 800, "rpm"), .init("Altitude", 4, "")])
    }

    /// Torque writes its own clock without a zone, and the satellites' with one; both show the time
    /// of the phone.
    @Test func `a clock without a zone has the zone of another clock with the same time`() throws {
        let file = try ImportedFile(
            """
            GPS Time, Device Time, Engine RPM(rpm)
            Thu Jan 01 01:00:00 GMT+01:00 1970,05-Jul-2021 16:45:24.000,811
            Mon Jul 05 16:45:25 GMT+02:00 2021,05-Jul-2021 16:45:25.123,812
            -,05-Jul-2021 16:45:26.123,813

            """)
        #expect(
            file.entries.map(\.time.text) == [
                "2021-07-05T14:45:24.000000Z", "2021-07-05T14:45:25.123000Z",
                "2021-07-05T14:45:26.123000Z",
            ])
    }

    /// Lines of killed programs and damaged cells: each is counted, and the first one named.
    @Test(
        arguments: [
            ("Time,RPM\n2021-11-19 16:45:25,800\n2021-11-19 16:4", 1, 3, 0, nil),
            ("Time,RPM\nnoon,1\n2021-11-19 16:45:25,800\nrubbish,,,\n", 2, 2, 0, nil),
            ("Time,RPM\n2021-11-19 16:45:25,800\n2021-11-19 16:45:26,\"81", 1, 3, 0, nil),
            ("Time,RPM\n2021-11-19 16:45:25,-\n2021-11-19 16:45:26,800\n", 0, nil, 1, 2),
            ("Time,RPM\n2021-11-19 16:45:25,800\n2021-11-19 16:45:26,1e999\n", 0, nil, 1, 3),
            ("Time,RPM\n2021-11-19 16:45:25,abc\n2021-11-19 16:45:26,800\n", 0, nil, 1, 2),
            ("Time,Foo(bar)\n2021-11-19 16:45:25,abc\n2021-11-19 16:45:26,8\n", 0, nil, 1, 2),
            ("Time,RPM\n2021-11-19 16:45:25,\n2021-11-19 16:45:26,800\n", 0, nil, 0, nil),
            (
                "SECONDS;PID;VALUE;UNITS\n1600000000;\"Engine RPM\";x;rpm\n"
                    + "1600000001;\"Engine RPM\";800;rpm\n1600000002;\"Engi", 1, 4, 1, 2
            ),
        ] as [(String, Int, Int?, Int, Int?)])
    func `unreadable rows are counted and left out`(
        text: String, lines: Int, first: Int?, cells: Int, firstCell: Int?
    ) throws {
        let file = try ImportedFile(text)
        #expect(file.values.count == 1)
        #expect(file.table.signals.allSatisfy { $0.kind == .number })
        #expect(file.skipped.count == lines && file.skipped.first?.line == first)
        #expect(file.skipped.cells == cells && file.skipped.firstCell?.line == firstCell)
    }

    @Test func `a file that is mostly unreadable is refused`() throws {
        let good = "Time,RPM\n2021-11-19 16:45:25,800\n"
        let file = try ImportedFile(good + String(repeating: "rubbish\n", count: 9))
        #expect(file.skipped.count == 9)
        let fault = #expect(throws: ImportFault.self) {
            try ImportedFile(good + String(repeating: "rubbish\n", count: 10))
        }
        #expect(fault?.line == 3)
    }

    /// Our own exports with `--relative` count seconds from the beginning of the trip.
    @Test(arguments: [
        "time,7E8 RPM (rpm)\n0.5,800\n61,801\n",
        "time,ecu,signal,value,unit\n0.5,7E8,RPM,800,rpm\n61,7E8,RPM,801,rpm\n",
        "Time,Engine RPM(rpm)\n0.5,800\n61,801\n",
    ])
    func `seconds count from the day that the user names`(text: String) throws {
        let fault = #expect(throws: ImportFault.self) { try ImportedFile(text) }
        #expect(fault?.isQuestion == true)
        var source = ImportSource()
        source.start = WallClock("28.02.2021 10:00")
        let file = try ImportedFile(text, from: source)
        #expect(
            file.entries.map(\.time.text) == [
                "2021-02-28T11:00:00.500000Z", "2021-02-28T11:01:01.000000Z",
            ])
        #expect(file.assumedDay?.source == .user)
    }

    /// An export of ours that cannot be read is damaged, and is not half imported.
    @Test func `a line of our own export that cannot be read is a fault`() {
        #expect(throws: ImportFault.self) {
            try ImportedFile(
                "time,7E8 RPM (rpm)\n2026-11-21T08:15:02.000000Z,800\n2026-11-21T08:1")
        }
    }

    @Test func `a number that exceeds all numbers in its unit is left out`() throws {
        let log = "time,Speed(mph)\n2026-11-21T08:15:02Z,1.7e308\n"
        #expect(
            try ImportedFile(log + "2026-11-21T08:15:03Z,0\n").values == [.init("VSS", 0, "km/h")])
        // A file of which nothing remains is refused.
        let fault = #expect(throws: ImportFault.self) { try ImportedFile(log) }
        #expect(fault?.reason == "\"1.7e308\" exceeds all numbers")
    }

    @Test(arguments: [
        "", "time\n", "a,b\n1,2\n", "time,accessory,failure_type\n",
        "time,device,code,failureType\n", "<gpx>",
    ])
    func `a file that is not a log is reported at once`(_ text: String) {
        #expect(ImportFormat(Array(text.utf8)) == nil)
    }
}
