import OBDCore
import Testing

@testable import TripImport

/// The programs that write tables, by samples of their files.
@Suite struct `Programs that write tables` {
    private static func parts(_ sample: String) -> (lines: [String], header: [String]) {
        let lines = sample.split(separator: "\n").map(String.init)
        var csv: [[String]] = []
        for line in lines {
            csv.append(
                line.split(separator: ",", omittingEmptySubsequences: false).map {
                    String($0).trimmed
                })
        }
        let heading = csv.firstIndex { WideColumns($0, after: []) != nil } ?? 0
        return (Array(lines[..<heading]), csv[heading])
    }

    @Test(arguments: LogProfile.all.indices)
    func `each program is recognised by its own sample and by no other`(_ index: Int) {
        let profile = LogProfile.all[index]
        let (lines, header) = Self.parts(profile.sample)
        #expect(LogProfile.of(lines, header).program == profile.program)
    }

    private func source(_ name: String = "2026-11-21.csv") -> ImportSource {
        var source = ImportSource()
        source.fileName = name
        return source
    }

    private func sample(_ program: String) throws -> ImportedFile {
        let profile = try #require(LogProfile.all.first { $0.program == program })
        return try ImportedFile(profile.sample + "\n", from: source())
    }

    /// Satellites, the program and the vehicle report a speed at one instant.
    @Test func `RaceChrono names the source of each column`() throws {
        let file = try sample("RaceChrono")
        #expect(
            file.values == [
                .init("elapsed_time", 1149.08, "s"), .init("speed (calc)", 33.411 * 3.6, "km/h"),
                .init("RPM", 3544.02065, "rpm"), .init("VSS", 18.82739 * 3.6, "km/h"),
            ])
        let place = try #require(file.positions.first)
        #expect(place.latitude == 31.0781678 && place.speed == 33.453 * 3.6)
        #expect(file.entries.first?.time.text == "2025-12-31T03:13:17.440000Z")
    }

    @Test func `RaceChrono's second format names the source in the heading`() throws {
        let file = try ImportedFile(
            """
            This file is created using RaceChrono Pro v7.0.9 ( http://racechrono.com/ ).
            Format,2
            Created,03/05/2021,10:20

            Time (s),Lap #,Speed (m/s),Latitude (deg),Longitude (deg),Speed (m/s) *calc,RPM (rpm) *canbus,RPM (rpm) *obd,Speed (m/s) *obd
            1616919600.5,1,10,49.3,8.5,10.5,3001,3000,9

            """, from: source())
        #expect(
            file.values == [
                .init("Lap #", 1, ""), .init("Speed (calc)", 10.5 * 3.6, "km/h"),
                .init("RPM (canbus)", 3001, "rpm"), .init("RPM", 3000, "rpm"),
                .init("VSS", 9 * 3.6, "km/h"),
            ])
        #expect(file.positions.first?.speed == 36)
        #expect(file.entries.first?.time.text == "2021-03-28T08:20:00.500000Z")
    }

    /// 1559734111 is 2019-06-05T11:28:31Z.
    @Test func `TrackAddict marks the vehicle's own columns`() throws {
        let file = try sample("TrackAddict")
        let signals = file.values.map(\.signal)
        #expect(signals.suffix(2) == ["RPM", "VSS"] && !signals.contains("BARO"))
        #expect(file.values.contains(.init("Barometric Pressure", 100.44, "kPa")))
        #expect(file.values.suffix(2) == [.init("RPM", 4162, "rpm"), .init("VSS", 36, "km/h")])
        let place = try #require(file.positions.first)
        #expect(place.speed == 26.5 && place.course == 116.9 && place.accuracy == 6)
        #expect(place.altitude == 91.1)
        #expect(file.entries.first?.time.text == "2019-06-05T11:28:31.000000Z")
    }

    @Test func `Harry's LapTimer has speeds from satellites and from the wheels`() throws {
        let file = try ImportedFile(
            """
            LAPINDEX,DATE,TIME,TIME_LAP,LATITUDE,LONGITUDE,SPEED_KMH,SPEED_MPH,RPM,COOLANT_CELSIUS
            1,21-Nov-2026,08:15:02.10,0.10,47.5,8.5,101.5,63.1,3100,90

            """)
        #expect(
            file.values == [
                .init("LAPINDEX", 1, ""), .init("TIME_LAP", 0.1, ""), .init("RPM", 3100, "rpm"),
                .init("ECT", 90, "°C"),
            ])
        #expect(file.positions.first?.speed == 101.5)
        #expect(file.entries.first?.time.text == "2026-11-21T09:15:02.100000Z")
    }

    /// 1 mile is 1.609344 km; the pressure is the difference from that of the air, which no PID has.
    @Test func `OBD Fusion's boost is calculated`() throws {
        let file = try sample("OBD Fusion, OBDLink and OBDwiz")
        #expect(file.values.map(\.signal) == ["VSS", "RPM", "Boost pressure"])
        #expect(file.entries.first?.time.text == "2026-02-03T12:20:40.132300Z")
    }

    @Test func `Torque's satellite speed is not the vehicle's`() throws {
        let file = try sample("Torque")
        #expect(
            file.values == [
                .init("G", 0.1, "x"), .init("RPM", 900, "rpm"), .init("Speed (GPS)", 36, "km/h"),
                .init("VSS", 35, "km/h"),
            ])
    }

    @Test func `BlueDriver's day has a time`() throws {
        let file = try sample("BlueDriver")
        #expect(file.values == [.init("RPM", 838, "rpm"), .init("VSS", 36, "km/h")])
        #expect(file.entries.first?.time.text == "2017-07-16T15:47:58.500000Z")
    }

    /// The program prints the ratio with a sign of percent, and the advance of the ignition as a share.
    @Test func `a log of Android OBD reader has its own units`() throws {
        let file = try sample("Android OBD reader")
        #expect(
            file.values == [
                .init("MARK", .text("chevrolet")), .init("RPM", 1009, "rpm"),
                .init("VSS", 0, "km/h"), .init("RUNTM", 208, "s"), .init("TP", 25, "%"),
                .init("DTC_NUMBER", .text("MIL is OFF0 codes")), .init("TIMING_ADVANCE", 56.9, "%"),
                .init("LAMBDA", 1, ""),
            ])
        #expect(file.entries.first?.time.text == "2017-08-16T16:55:04.267000Z")
    }

    // MARK: Without a profile

    @Test func `two columns never become one signal`() throws {
        let file = try ImportedFile(
            "timestamp,Engine RPM,Engine Speed,speed\n2026-11-21T08:15:02Z,900,901,50\n")
        #expect(
            file.values == [
                .init("Engine RPM", 900, ""), .init("Engine Speed", 901, ""),
                .init("VSS", 50, "km/h"),
            ])
        let twice = try ImportedFile("timestamp,x,x\n2026-11-21T08:15:02Z,1,2\n")
        #expect(twice.values == [.init("x", 1, ""), .init("x (2)", 2, "")])
    }

    /// Gauges of other programs have these names, and hold other quantities than the PIDs of our short words.
    @Test(arguments: [
        ("Boost", "bar", "0.5"), ("SOC", "%", "80"), ("Gear", "", "3"), ("Accelerator", "%", "50"),
        ("Load", "%", "50"), ("Lambda", "", "1"), ("Ethanol", "%", "10"), ("Map", "kPa", "50"),
    ])
    func `an alias of obdscan is not the name of a PID in another program's log`(
        _ name: String, _ unit: String, _ value: String
    ) throws {
        for heading in ["\(name) (\(unit))", name] {
            let file = try ImportedFile("timestamp,\(heading)\n2026-11-21T08:15:02Z,\(value)\n")
            #expect(file.values.map(\.signal) == [name])
            #expect(file.readings.allSatisfy { $0.dataID == nil })
        }
    }

    @Test func `a short name in obdscan's spelling is the name of a PID`() throws {
        let file = try ImportedFile("timestamp,MAP (kPa),RPM\n2026-11-21T08:15:02Z,50,900\n")
        #expect(file.values.map(\.signal) == ["MAP", "RPM"])
    }

    // MARK: Positions

    @Test func `parts of a position without latitude and longitude are signals`() throws {
        let file = try ImportedFile(
            "timestamp,Altitude (ft),Bearing,GPS Speed (m/s)\n2026-11-21T08:15:02Z,100,90,5\n")
        #expect(
            file.values == [
                .init("Altitude", 30.48, "m"), .init("Bearing", 90, ""),
                .init("GPS Speed", 18, "km/h"),
            ])
        let fixes = ["-,-", "0,0", "91,13", "47.5,8.5"].map {
            "2026-11-21T08:15:02Z,\($0),100,900,1.5\n"
        }.joined()
        let track = try ImportedFile(
            "timestamp,Latitude,Longitude,Altitude(m),RPM,Horizontal Dilution of Precision\n"
                + fixes)
        #expect(track.positions.map(\.altitude) == [100])
        #expect(track.values.filter { $0 == .init("Altitude", 100, "m") }.count == 3)
        #expect(track.values.filter { $0 == .init("RPM", 900, "rpm") }.count == 4)
        #expect(
            track.values.filter { $0.signal == "Horizontal Dilution of Precision" }.count == 4)
        #expect(track.skipped.columns["position"] == 1 && track.skipped.count == 0)
    }

    @Test func `two columns of altitude are one altitude in two units, or two sensors`() throws {
        let head = "timestamp,lat,lon,Altitude (m),"
        let copy = try ImportedFile(head + "Altitude (ft)\n2026-11-21T08:15:02Z,47,8,100,328\n")
        #expect(copy.positions.first?.altitude == 100 && copy.values.isEmpty)
        let other = try ImportedFile(head + "GPS Altitude (m)\n2026-11-21T08:15:02Z,47,8,100,90\n")
        #expect(other.positions.first?.altitude == 100)
        #expect(other.values == [.init("GPS Altitude", 90, "m")])
    }

    @Test func `the user's list of names has priority`() throws {
        var source = source()
        source.names = ["Engine Speed": "RPM"]
        let file = try ImportedFile(
            "timestamp,Engine RPM,Engine Speed\n2026-11-21T08:15:02Z,900,901\n", from: source)
        #expect(file.values == [.init("Engine RPM", 900, ""), .init("RPM", 901, "rpm")])
    }

    @Test func `a speed beside a position may come from satellites`() throws {
        let file = try ImportedFile(
            "timestamp,lat,lon,speed,Vehicle speed\n2026-11-21T08:15:02Z,47.5,8.5,51,50\n")
        #expect(file.values == [.init("speed", 51, ""), .init("VSS", 50, "km/h")])
        #expect(file.positions.count == 1)
    }

    /// No PID has a negative boost, a load above 100 % or 300 km/h.
    @Test(arguments: [
        ("Boost", "-30", "kPa"), ("Engine load", "130", "%"), ("Speed", "300", "km/h"),
    ])
    func `a column that fits no PID keeps its name`(
        _ name: String, _ value: String, _ unit: String
    ) throws {
        let file = try ImportedFile(
            "timestamp,\(name)(\(unit)),RPM\n2026-11-21T08:15:02Z,5,900\n"
                + "2026-11-21T08:15:03Z,\(value),901\n")
        #expect(file.values.map(\.signal) == [name, "RPM", name, "RPM"])
        #expect(file.values[2].value == .number(try #require(Double(value))))
    }

    @Test func `a rounded and converted value is within the limits`() throws {
        // 255 km/h are 158.45 mph.
        let file = try ImportedFile("timestamp,Speed(mph)\n2026-11-21T08:15:02Z,158.5\n")
        #expect(file.values.map(\.signal) == ["VSS"])
    }
}

extension String {
    fileprivate var trimmed: String {
        String(
            drop { $0 == " " || $0 == "\"" }.reversed().drop { $0 == " " || $0 == "\"" }.reversed())
    }
}
