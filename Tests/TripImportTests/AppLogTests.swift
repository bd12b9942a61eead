import Diagnostics
import OBDCore
import Testing
import TripImport

/// Local time is UTC minus one hour here.
@Suite struct `Logs of apps` {
    private func source(_ name: String, start: String? = nil) -> ImportSource {
        var source = ImportSource()
        source.fileName = name
        source.start = start.flatMap { WallClock($0) }
        return source
    }

    @Test func `Car Scanner counts seconds from midnight of the day in the file's name`() throws {
        let text =
            "\u{FEFF}\"SECONDS\";\"PID\";\"VALUE\";\"UNITS\";\"LATITUDE\";\"LONGTITUDE\";\r\n"
            + "\"60338.07\";\"Engine RPM\";\"1726.5\";\"rpm\";\"47.5\";\"8.5\";\r\n"
            + "\"60338.5\";\"Обороты двигателя\";\"900\";\"об/мин\";;;\r\n"
            + "\"86401\";\"Engine coolant temperature\";\"90\";\"℃\";;;\r\n"
        let file = try ImportedFile(text, from: source("2021-11-19 16-45-25.csv"))
        #expect(
            file.values == [
                .init("RPM", 1726.5, "rpm"), .init("Обороты двигателя", 900, "rpm"),
                .init("ECT", 90, "°C"),
            ])
        #expect(file.entries.first?.time.text == "2021-11-19T17:45:38.070000Z")
        #expect(file.entries.last?.time.text == "2021-11-20T01:00:01.000000Z")
        #expect(file.positions.count == 1)
        #expect(file.assumedDay?.day == "2021-11-19" && file.assumedDay?.source == .fileName)
    }

    @Test func `Car Scanner of 2019 counts from the start of the program`() throws {
        let text =
            "\"SECONDS\";\"PID\";\"VALUE\";\"UNITS\"\n\"7.81\";\"Vehicle speed\";\"50\";\"km/h\"\n"
        let file = try ImportedFile(text, from: source("2019-02-03 10-00-00.csv"))
        #expect(file.values == [.init("VSS", 50, "km/h")])
        #expect(file.entries.first?.time.text == "2019-02-03T11:00:07.810000Z")
    }

    @Test func `signal names in other languages come from the user's list`() throws {
        var source = source("2021-11-19 16-45-25.csv")
        source.names = ["Обороты двигателя": "RPM"]
        let file = try ImportedFile(
            "\"SECONDS\";\"PID\";\"VALUE\";\"UNITS\"\n\"60338\";\"Обороты двигателя\";\"900\";\"об/мин\"\n",
            from: source)
        #expect(file.values == [.init("RPM", 900, "rpm")])
    }

    @Test
    func `OBD Fusion writes its start with the month first and may have earlier rows`() throws {
        let text = """
            # StartTime = 02/03/2026 11:20:39.6323 PM
            # VIN = 1
            Time (sec), Vehicle speed (MPH), Engine RPM (RPM)
            -0.5, 10, 800
            1, , 801
            2, 20
            """
        let file = try ImportedFile(text, from: source("CSVLog.csv"))
        #expect(file.values.map(\.signal) == ["VSS", "RPM", "RPM"])
        #expect(file.values.first == .init("VSS", 16.09344, "km/h"))
        #expect(file.entries.first?.time.text == "2026-02-04T00:20:39.132300Z")
        #expect(file.skipped.count == 1 && file.skipped.first?.line == 6)
        #expect(file.assumedDay == nil)
    }

    @Test func `BlueDriver writes UTF-16 and the day in words`() throws {
        let text =
            "BlueDriver Data Log\r\nNov 9, 2025\r\nTime(s),  Engine RPM (rpm)\r\n0.5,  900  \r\n"
        let bytes: [UInt8] = text.utf16.reduce(into: [0xFF, 0xFE]) {
            $0 += [UInt8($1 & 0xFF), UInt8($1 >> 8)]
        }
        for piece in [1, 7, .max] {
            let file = try ImportedFile(
                bytes: bytes, from: source("BD_2025-11-09_14-33-02.csv"), piece: piece)
            #expect(file.values == [.init("RPM", 900, "rpm")])
            #expect(file.entries.first?.time.text == "2025-11-09T15:33:02.500000Z")
        }
    }

    @Test func `OBD Auto Doctor writes times of day, also past midnight`() throws {
        let text = """
            Time,Engine Coolant Temperature [°C],Vehicle Speed [km/h]
            23:59:59.500,90,50
            00:00:00.250,91,51
            """
        let file = try ImportedFile(text, from: source("2017-07-05_Drive.csv"))
        #expect(
            file.entries.map(\.time.text) == [
                "2017-07-06T00:59:59.500000Z", "2017-07-06T01:00:00.250000Z",
            ])
        #expect(file.values.map(\.signal) == ["ECT", "VSS", "ECT", "VSS"])
        #expect(throws: ImportFault.self) { try ImportedFile(text) }
        let given = try ImportedFile(text, from: source("drive.csv", start: "2017-07-05"))
        #expect(given.entries.first?.time == file.entries.first?.time)
        #expect(given.assumedDay?.source == .user)
    }

    @Test func `RomRaider counts milliseconds and has decimal commas`() throws {
        let file = try ImportedFile(
            "Time (msec);Engine Speed (rpm);Mass Airflow (g/s)\n1500;900,5;3,25\n",
            from: source("romraiderlog_20260203_112039.csv"))
        #expect(file.values == [.init("RPM", 900.5, "rpm"), .init("MAF", 3.25, "g/s")])
        #expect(file.entries.first?.time.text == "2026-02-03T12:20:40.500000Z")
    }

    @Test func `RaceChrono has a block of text, units and sources`() throws {
        let text = """
            This file is created using RaceChrono v7.0.9 ( http://racechrono.com/ ).
            Format,3
            Session title,"Hockenheim"
            Created,28/03/2021,10:20

            timestamp,fragment_id,latitude,longitude,speed,rpm
            unix time,,deg,deg,m/s,rpm
            ,,100: gps,100: gps,100: gps,200: obd
            1616919600.5,0,49.3,8.5,10,3000
            """
        let file = try ImportedFile(text, from: source("session.csv"))
        #expect(file.entries.first?.time.text == "2021-03-28T08:20:00.500000Z")
        // The satellites' speed is not the vehicle's answer.
        #expect(file.positions.map(\.speed) == [36])
        #expect(!file.values.contains { $0.signal == "VSS" })
        #expect(file.values.contains(.init("RPM", 3000, "rpm")))
    }

    @Test func `Freematics has keys and the satellites' clock`() throws {
        let text =
            "50185,10C,2521\n50190,11,210325\n50190,10,8150250\n50200,10D,50\n50210,A,47.5\n50210,B,8.5\n"
        let file = try ImportedFile(text, from: source("DATA.CSV"))
        #expect(file.values == [.init("RPM", 2521, "rpm"), .init("VSS", 50, "km/h")])
        #expect(file.entries.first?.time.text == "2025-03-21T08:15:02.495000Z")
        #expect(file.positions.count == 1 && file.assumedDay == nil)
        #expect(throws: ImportFault.self) {
            try ImportedFile("50185,10C,2521\n1,10D,5\n2,10D,6\n3,10D,7\n")
        }
    }

    @Test(arguments: ["Time,Engine RPM,Speed,", "\"Zeit\",\"Engine RPM\",\"Speed\","])
    func `rows of AndrOBD without a value are left out`(
        _ heading: String
    ) throws {
        let text =
            heading + "\n2017-01-02 22:12:32.123,800.0,3.0,\n2017-01-02 22:12:33.123,4.0,\n"
            + "2017-01-02 22:12:34.123,810.0,5.0,\n"
        let file = try ImportedFile(text, from: source("2017.01.02-22.12.32.csv"))
        #expect(
            file.values == [
                .init("RPM", 800, "rpm"), .init("VSS", 3, "km/h"), .init("RPM", 810, "rpm"),
                .init("VSS", 5, "km/h"),
            ])
        #expect(file.skipped.count == 1 && file.skipped.first?.line == 3)
        #expect(file.entries.first?.time.text == "2017-01-02T23:12:32.123000Z")
    }

    @Test(arguments: [
        ("Wed Feb 23 06:41:05 GMT+08:00 2022", "2022-02-22T22:41:05.000000Z"),
        ("Wed Feb 23 06:41:05 GMT-03:30 2022", "2022-02-23T10:11:05.000000Z"),
        ("Wed Feb 23 06:41:05 GMT 2022", "2022-02-23T06:41:05.000000Z"),
        ("Mi Feb 23 06:41:05 MEZ 2022", "2022-02-23T05:41:05.000000Z"),
        ("Wed Feb 23 06:41:05 EST 2022", "2022-02-23T11:41:05.000000Z"),
    ])
    func `Torque's satellite times have a zone in the middle`(
        _ text: String, _ utc: String
    ) throws {
        let file = try ImportedFile("GPS Time, Engine RPM(rpm)\n\(text),900\n")
        #expect(file.entries.first?.time.text == utc)
    }

    @Test func `times on a memory card count from 1970`() throws {
        let file = try ImportedFile(
            "SECONDS;PID;VALUE;UNITS\n1735689600.5;\"HV_V\";355.5;\"V\"\n1735689601;\"SPEED\";40;\"km/h\"\n"
        )
        #expect(file.values == [.init("HV_V", 355.5, "V"), .init("VSS", 40, "km/h")])
        #expect(file.entries.first?.time.text == "2025-01-01T00:00:00.500000Z")
        #expect(file.assumedDay == nil)
    }

    @Test func `text that no program uses as a unit belongs to the name`() throws {
        let file = try ImportedFile(
            "Device Time, G(x), G(y), G(z), G(calibrated)\n21-Nov-2026 08:15:02.5,1,2,3,4\n")
        #expect(file.values.map(\.signal) == ["G(x)", "G(y)", "G(z)", "G(calibrated)"])
    }

    @Test(arguments: [
        "ENGINE_RPM (),VEHICLE_SPEED ()\n900,50\n", "rpm,speed\n1,2\n",
    ])
    func `a log without times is refused`(_ text: String) {
        #expect(ImportFormat(Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        ("2021-11-19 16-45-25.csv", "2021-11-19", 60325.0),
        ("trackLog-2022-Feb-23_06-34-27.csv", "2022-02-23", 23667),
        ("trackLog-2022-oct.-23_06-34-27.csv", "2022-10-23", 23667),
        ("log_20260203_112039.csv", "2026-02-03", 40839),
        ("2017-07-05_Drive.csv", "2017-07-05", nil),
        ("1HGCM82633A004352_2025-11-09T14-33-02.csv", "2025-11-09", 52382),
    ])
    func `the day of a log comes from the file's name`(
        _ name: String, _ day: String, _ seconds: Double?
    )
        throws
    {
        let file = try ImportedFile("Time(s),RPM\n0,900\n", from: source(name))
        let wall = try #require(UTC(day)).microseconds + Int64((seconds ?? 0) * 1e6) + 3_600_000_000
        #expect(file.entries.first?.time.microseconds == wall)
        #expect(file.assumedDay?.day == day)
    }
}
