import Diagnostics
import OBDCore
import Testing

@testable import TripImport

/// Tables of other programs, whose headings, clocks and cells look like other things.
@Suite struct `Tables of other programs` {
    // "AF" and "AC" are hexadecimal numbers, too.
    @Test(arguments: [
        ("AF Learning 1 (%)", nil, "AF Learning 1"), ("AC Pressure (kPa)", nil, "AC Pressure"),
        ("CC Speed (km/h)", nil, "CC Speed"), ("DC RPM (rpm)", nil, "DC RPM"),
        ("7E8 RPM (rpm)", ECUAddress(0x7E8, .can11), "RPM"),
        ("18DAF110 RPM (rpm)", ECUAddress(0x18DA_F110, .can29), "RPM"),
    ])
    func `a word of a heading is no address of an ECU`(
        heading: String, ecu: ECUAddress?, name: String
    ) throws {
        for first in ["Time", "time"] {
            let file = try ImportedFile("\(first),\(heading)\n2024-03-04T10:00:00Z,12\n")
            let reading = try #require(file.readings.first)
            #expect(reading.ecu == ecu && file.table[reading.signal].id == name, "\(first)")
        }
    }

    @Test func `an export of our own has the addresses of a K line`() throws {
        let file = try ImportedFile(
            "time,10 RPM (rpm),1A RPM (rpm)\n2024-03-04T10:00:00Z,800,801\n")
        #expect(file.readings.map(\.ecu) == [ECUAddress(0x10, .byte), ECUAddress(0x1A, .byte)])
    }

    // Leaf Spy writes 7F in its column "GPS Status"; a script writes 82C for a temperature.
    @Test(arguments: [
        ("GPS Status", "7F", Reading.Value.text("7F"), ""), ("State", "1C", .text("1C"), ""),
        ("Bytes", "4A", .text("4A"), ""), ("ENGINE_COOLANT_TEMP", "82C", .number(82), "°C"),
        ("Oil (°C)", "50F", .number(10), "°C"), ("Battery", "12V", .number(12), "V"),
    ])
    func `hexadecimal digits are a temperature only where temperatures are`(
        heading: String, cell: String, value: Reading.Value, unit: String
    ) throws {
        let file = try ImportedFile("Time,\(heading)\n2024-03-04T10:00:00Z,\(cell)\n")
        let reading = try #require(file.readings.first)
        #expect(reading.value == value && file.table[reading.signal].unit == unit)
    }

    @Test func `words in a column of words are text`() throws {
        let file = try ImportedFile(
            "Time,Fan (on/off)\n2024-03-04T10:00:00Z,on\n2024-03-04T10:00:01Z,off\n")
        #expect(file.readings.map(\.value) == [.text("on"), .text("off")])
        #expect(file.skipped.cells == 0)
    }

    /// Times until the satellites are found have the zone of the other times: the phone is the same.
    @Test func `a zone that another clock shows later holds from the first row on`() throws {
        let file = try ImportedFile(
            """
            GPS Time, Device Time,Engine RPM(rpm)
            -,23-Feb-2022 06:41:04.376,1000
            Wed Feb 23 06:41:05 GMT+08:00 2022,23-Feb-2022 06:41:05.376,1021

            """)
        #expect(
            file.entries.map(\.time.text) == [
                "2022-02-22T22:41:04.376000Z", "2022-02-22T22:41:05.376000Z",
            ])
    }

    // Local time is one hour west of Greenwich.
    @Test(arguments: [
        ("drive 25-12-2024 10-11-12.csv", "2024-12-25T11:11:12.500000Z"),
        ("04.03.2024_10.11.12.csv", "2024-03-04T11:11:12.500000Z"),
        ("log_13-12-2024_09-10-11.csv", "2024-12-13T10:10:11.500000Z"),
        ("log 03-03-2024.csv", "2024-03-03T01:00:00.500000Z"),
        ("2024-03-04T10-11-12Z.csv", "2024-03-04T10:11:12.500000Z"),
        ("2024-03-04 10-11-12 UTC.csv", "2024-03-04T10:11:12.500000Z"),
        ("12-2024-03-04.csv", "2024-03-04T01:00:00.500000Z"),
        ("log 03-04-2024 10-11-12.csv", nil), ("4-3-2024.csv", nil),
    ])
    func `the day in a file name is read as one date, or not at all`(
        name: String, time: String?
    ) throws {
        var source = ImportSource()
        source.fileName = name
        let text = "Time (s),Engine RPM (rpm)\n0.5,800\n"
        guard let time else {
            #expect(throws: ImportFault.noDay(line: 2)) { _ = try ImportedFile(text, from: source) }
            return
        }
        #expect(try ImportedFile(text, from: source).entries.map(\.time.text) == [time])
    }

    // The first lines of VCDS and of IXXAT's program.
    @Test(arguments: [
        (
            "Thursday,14,March,2024,19:02:31:12345\nTIME ,Coolant temp. \n ,°C \n0.5,88.5\n",
            "2024-03-14T20:02:31.500000Z"
        ),
        (
            "Start Time  Thursday May 01 2025 10:47:15\nTime,RPM\n00:00:00.500,800\n",
            "2025-05-01T11:47:15.500000Z"
        ),
        (
            "Start Time  Thursday May 01 2025 10:47:15 +0200\nTime,RPM\n00:00:00.500,800\n",
            "2025-05-01T08:47:15.500000Z"
        ),
        (
            "Start Time  Thursday May 01 2025 10:47:15\nTime,RPM\n10:47:16.500,800\n",
            "2025-05-01T11:47:16.500000Z"
        ),
        (
            "Start Time  Thursday May 01 2025 23:59:50\nTime,RPM\n00:00:03,800\n",
            "2025-05-02T01:00:03.000000Z"
        ),
    ])
    func `rows count from the time at which a line lets the log begin`(
        text: String, time: String
    ) throws {
        #expect(try ImportedFile(text).entries.map(\.time.text) == [time])
    }

    // The second log has the clock's time in each row, and its head has the zone.
    @Test(arguments: [
        ("10:47:15", "00:00:00", "2025-05-01T11:47:15.193000Z"),
        ("10:47:15 +0200", "10:47:15", "2025-05-01T08:47:15.193000Z"),
    ])
    func `frames count from the time at which a line lets the log begin`(
        start: String, second: String, time: String
    ) throws {
        let file = try ImportedFile(
            """
            Start Time  Thursday May 01 2025 \(start)
            "Bus","No","Time","State","ID (hex)","DLC","Data (hex)","ASCII"
            "CAN-1","1","\(second).183","","7DF","8","02 01 0C 00 00 00 00 00","........"
            "CAN-1","2","\(second).193","","7E8","8","04 41 0C 1A F8 00 00 00","........"

            """)
        #expect(file.entries.map(\.time.text) == [time])
    }

    // A line of LapTimer's own documentation has a year of two digits.
    @Test func `LapTimer's speeds are those of satellites and wheels`() throws {
        let file = try ImportedFile(
            """
            INDEX,LAPINDEX,DATE,TIME,TIME_LAP,LATITUDE,LONGITUDE,SPEED_KPH,SPEED_MPH,HEIGHT_M,WHEEL_SPEED_KPH
            1,381,14-AUG-16,16:57:02.65,0.0,34.874742,-118.258734,102.6,63.75,400,100

            """)
        #expect(file.entries.first?.time.text == "2016-08-14T17:57:02.650000Z")
        #expect(file.values.contains(ImportedFile.Value("VSS", 100, "km/h")))
        let position = file.entries.compactMap { entry -> Position? in
            if case .position(let position) = entry.entry { position } else { nil }
        }.first
        #expect(position?.speed == 102.6 && position?.altitude == 400)
    }

    // 52° 35.29686' = 52 + 35.29686 / 60.
    @Test func `a coordinate may have minutes, and an epoch is the better clock`() throws {
        let file = try ImportedFile(
            """
            Date/Time,Lat,Long,Gids,epoch time
            30/01/2020 08:24,52 35.29686,-3 51.24659,343,1580372664
            30/01/2020 08:24,52 60.00000,-3 51.24659,343,1580372665

            """)
        let positions = file.entries.compactMap { entry -> (Position, String)? in
            if case .position(let position) = entry.entry {
                (position, entry.time.text)
            } else {
                nil
            }
        }
        let (position, time) = try #require(positions.first as (Position, String)?)
        #expect(positions.count == 1 && time == "2020-01-30T08:24:24.000000Z")
        #expect(abs(position.latitude - 52.588281) < 1e-6)
        #expect(abs(position.longitude + 3.854110) < 1e-6)
    }

    @Test func `a bus log may have decimal commas`() throws {
        let file = try ImportedFile(
            """
            date Mon Mar 4 10:00:00.000 am 2024
            base hex timestamps absolute
             0,300000 1 7E0 Tx d 8 02 01 0C 00 00 00 00 00
             0,312500 1 7E8 Rx d 8 04 41 0C 1A F8 00 00 00

            """)
        #expect(file.values == [ImportedFile.Value("RPM", 1726, "rpm")])
        #expect(file.entries.map(\.time.text) == ["2024-03-04T11:00:00.312500Z"])
    }

    // VCDS measures its groups one after the other.
    @Test func `a table with several clocks is refused by name`() {
        let text = """
            Monday,04,November,2024,16:22:12:40001-VCID:0
            Marker,TIME,Loc. IDE00021,TIME,Loc. IDE00075
            ,STAMP,Engine RPM,STAMP,Vehicle speed
            ,0.30,800,0.60,50

            """
        #expect {
            _ = try ImportedFile(text)
        } throws: { error in
            (error as? ImportFault)?.reason.contains("2 columns are named \"TIME\"") ?? false
        }
    }
}
