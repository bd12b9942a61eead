import OBDCore
import Testing

@testable import TripImport

/// Time zones after a time.
///
/// Local time is UTC minus one hour here.
@Suite struct `Time zones in logs` {
    @Test(arguments: [
        // 08:15:02 minus the distance from UTC.
        ("EST", "13:15:02"), ("EDT", "12:15:02"), ("PST", "16:15:02"), ("PDT", "15:15:02"),
        ("CET", "07:15:02"), ("CEST", "06:15:02"), ("MEZ", "07:15:02"), ("MESZ", "06:15:02"),
        ("JST", "23:15:02"), ("ACST", "22:45:02"), ("NPT", "02:30:02"), ("WET", "08:15:02"),
        ("cet", "07:15:02"), ("UTC", "08:15:02"), ("GMT", "08:15:02"), ("Z", "08:15:02"),
        ("GMT+2", "06:15:02"), ("UTC-3", "11:15:02"), ("UTC−3", "11:15:02"),
        ("UTC+5:30", "02:45:02"), ("GMT+0530", "02:45:02"), ("+02", "06:15:02"),
        ("-03:30", "11:45:02"), ("+0100 (CET)", "07:15:02"), ("(CET)", "07:15:02"),
        ("GMT+0100 (Central European Standard Time)", "07:15:02"),
        ("+01:00[Europe/Berlin]", "07:15:02"),
    ])
    func `the zone of a time is read`(_ zone: String, _ time: String) throws {
        let isDayBefore = time.hasPrefix("2")
        let file = try ImportedFile("time,RPM\n2024-01-02 08:15:02 \(zone),900\n")
        #expect(
            file.entries.first?.time.text
                == "2024-01-0\(isDayBefore ? 1 : 2)T\(time).000000Z")
    }

    @Test func `the zone of a time without a day counts, too`() throws {
        var source = ImportSource()
        source.start = WallClock("2024-01-02")
        let file = try ImportedFile("time,RPM\n08:15:02 EST,900\n", from: source)
        #expect(file.entries.first?.time.text == "2024-01-02T13:15:02.000000Z")
    }

    @Test(arguments: [
        "banana", "Europe/Atlantis", "XYZT", "+15:99", "GMT+", "GMT+123", "EST banana",
    ])
    func `a word that is not a zone is an error that names the word`(_ zone: String) throws {
        let log = "time,RPM\n2024-01-02 08:15:02 \(zone),900\n"
        let fault = #expect(throws: ImportFault.self) { try ImportedFile(log) }
        #expect(fault?.isQuestion == false && fault?.reason.contains(zone) == true)
        // One such line among many is counted.
        let rows = (0..<9).map { "2024-01-02 08:15:0\($0),90\($0)\n" }.joined()
        let file = try ImportedFile(log + rows)
        #expect(file.values.count == 9 && file.skipped.count == 1)
    }

    @Test(arguments: ["banana 2024-01-02 08:15:02", "2024-01-02 banana 08:15:02"])
    func `a word before the time is a day of the week, or an error`(_ text: String) {
        #expect(throws: ImportFault.self) { try ImportedFile("time,RPM\n\(text),900\n") }
    }

    @Test(arguments: [
        "Tue 2024-01-02 08:15:02", "Dienstag, 2. Januar 2024 08:15:02 Uhr",
        "mar. 2 janv. 2024 08:15:02", "вт, 2 янв. 2024 г. 08:15:02", "2024-01-02 Di 08:15:02",
    ])
    func `a day of the week may be in any language`(_ text: String) throws {
        let file = try ImportedFile("time,RPM\n\"\(text)\",900\n")
        #expect(file.entries.first?.time.text == "2024-01-02T09:15:02.000000Z")
    }

    /// Chicago and Shanghai; Kolkata, Jerusalem and Dublin.
    @Test(arguments: [
        ("CST", -360, "14:15:02", "America/Chicago"), ("CST", 480, "00:15:02", "Asia/Shanghai"),
        ("IST", 330, "02:45:02", "Asia/Kolkata"), ("IST", 120, "06:15:02", "Asia/Jerusalem"),
        ("BST", 60, "07:15:02", "Europe/London"),
    ])
    func `an abbreviation of several zones is the local one, or a question`(
        _ zone: String, _ minutes: Int64, _ time: String, _ place: String
    ) throws {
        let log = "time,RPM\n2024-01-02 08:15:02 \(zone),900\n"
        let fault = #expect(throws: ImportFault.self) { try ImportedFile(log) }
        #expect(fault?.isQuestion == true && fault?.zones.contains(place) == true)
        let file = try ImportedFile(log) {
            [UTC(microseconds: $0.microseconds - minutes * 60_000_000)]
        }
        #expect(file.entries.first?.time.text == "2024-01-02T\(time).000000Z")
    }

    /// Berlin has UTC+2 in July, as Jerusalem has in winter: no zone called IST has UTC+2 in July.
    @Test func `an abbreviation excludes a zone that has another abbreviation at that time`() throws
    {
        let log = "time,RPM\n2024-07-02 08:15:02 IST,900\n"
        let fault = #expect(throws: ImportFault.self) {
            try ImportedFile(
                log, zones: ["Asia/Jerusalem": 180, "Asia/Kolkata": 330, "Europe/Dublin": 60]
            ) { [UTC(microseconds: $0.microseconds - 120 * 60_000_000)] }
        }
        #expect(fault?.zones == ["Asia/Kolkata", "Europe/Dublin"])
    }

    /// Windows writes AM and PM beside dates in either order.
    @Test func `the other dates of a log decide before AM and PM`() throws {
        let rows = ["12/02/2024 8:00:00 AM,900", "13/02/2024 8:00:00 AM,900"]
        let file = try ImportedFile("time,RPM\n" + rows.joined(separator: "\n") + "\n")
        #expect(
            file.entries.map { $0.time.text.prefix(10) } == ["2024-02-12", "2024-02-13"])
        let alone = try ImportedFile("time,RPM\n12/02/2024 8:00:00 AM,900\n")
        #expect(alone.entries.map { $0.time.text.prefix(10) } == ["2024-12-02"])
    }

    /// The clock of the device has no zone.
    @Test(arguments: [("EST", "11:41:05.376000Z"), ("MESZ", "04:41:05.376000Z")])
    func `the zone of a satellite clock is that of the file`(_ zone: String, _ time: String) throws
    {
        let file = try ImportedFile(
            "GPS Time,Device Time,RPM\nWed Feb 23 06:41:05 \(zone) 2022,23-Feb-2022 06:41:05.376,900\n"
        )
        #expect(file.entries.first?.time.text == "2022-02-23T" + time)
    }

    @Test(arguments: [
        ("Time (UTC)", "08:15:02"), ("utc_time", "08:15:02"), ("Timestamp (GMT+2)", "06:15:02"),
        ("Time [EST]", "13:15:02"), ("Uhrzeit", "09:15:02"), ("Time (HH:mm:ss)", "09:15:02"),
    ])
    func `a heading may name the zone of its column`(_ name: String, _ time: String) throws {
        let file = try ImportedFile("Datum;\(name);RPM\n02.01.24;08:15:02;900\n")
        #expect(file.entries.first?.time.text == "2024-01-02T\(time).000000Z")
        #expect(file.values == [.init("RPM", 900, "rpm")])
    }

    /// A cell with a zone of its own has that zone.
    @Test func `the zone in a cell precedes the zone in its heading`() throws {
        let file = try ImportedFile("Time (UTC),RPM\n2024-01-02 08:15:02 EST,900\n")
        #expect(file.entries.first?.time.text == "2024-01-02T13:15:02.000000Z")
    }
}
