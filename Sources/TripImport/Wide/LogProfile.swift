/// How a program writes its tables with one column per signal.
///
/// The name of a column alone does not show the source of its values: a speed may come from satellites, be
/// calculated, or be the vehicle's answer. Each profile is data: how a file is recognized, and which columns
/// are answers.
struct LogProfile: Sendable {
    /// Which columns are the vehicle's answers.
    enum Answers: Sendable {
        /// Columns that the program marks with this source: `*OBD`, `200: obd`.
        case marked(String)
        /// Columns with a known name, except ``LogProfile/own``.
        case named
        /// Only columns that ``LogProfile/pids`` lists.
        case listed
        /// Columns with a known name that no other column has, too, because the program is unknown.
        case unclaimed
    }

    /// The meaning of a column for the position of the vehicle.
    enum Role: Sendable {
        case latitude, longitude, altitude, course, speed, accuracy
        /// A part of the time, or a copy of another column.
        case nothing
    }

    var program: String
    /// The beginning of a file that shows the form.
    var sample: String
    /// How a line before the heading begins, in lower case.
    var firstLine: String?
    /// Names that the heading has, by their letters and digits.
    var headings: [String] = []
    var answers: Answers
    /// Columns that have the name of a PID but hold calculated values or values of the phone's sensors.
    ///
    /// The names are the headings' letters and digits.
    var own: Set<String> = []
    /// Names of PIDs of service 01 besides ``WideNames``.
    var pids: [String: UInt32] = [:]
    /// Columns with a meaning of their own.
    var roles: [String: Role] = [:]
    /// Units that differ from those that the program writes after a value.
    var units: [String: String] = [:]
    /// The words that the program writes for a missing value, in lower case, besides an empty cell.
    var noValue: Set<String> = []
    /// Whether the month is first in the line with the day.
    var isMonthFirst: Bool?

    /// Whether names that are no PID's may be those of PIDs in another language: the program does not mark
    /// answers, and its other names are not known.
    var mayTranslate: Bool {
        if case .unclaimed = answers { true } else { false }
    }

    /// The profile of a file with these lines and this heading.
    static func of(_ lines: [String], _ header: [String]) -> LogProfile {
        let first = lines.map { $0.withoutBlanks.lowercased() }
        let names = Set(header.map { WideNames.letters(of: WideColumns.split($0).name) })
        return all.first { profile in
            if let line = profile.firstLine, first.contains(where: { $0.hasPrefix(line) }) {
                return true
            }
            return !profile.headings.isEmpty && profile.headings.allSatisfy(names.contains)
        } ?? unknown
    }

    /// A program without a profile.
    static let unknown = LogProfile(
        program: "", sample: "", answers: .unclaimed)

    /// The programs, by their own files.
    static let all: [LogProfile] = [
        LogProfile(
            program: "RaceChrono",
            sample: """
                This file is created using RaceChrono Pro v9.1.3 ( http://racechrono.com/ ).
                Format,3
                Created,31/12/2025,02:54

                timestamp,elapsed_time,latitude,longitude,speed,speed,rpm,speed
                unix time,s,deg,deg,m/s,m/s,rpm,m/s
                ,,100: gps,100: gps,100: gps,calc,200: obd,200: obd
                1767150797.44,1149.08,31.0781678,121.1164132,33.453,33.411,3544.02065,18.82739
                """,
            firstLine: "this file is created using racechrono", answers: .marked("obd"),
            roles: ["speed": .speed], isMonthFirst: false),
        LogProfile(
            program: "TrackAddict",
            sample: """
                # RaceRender Data: TrackAddict 4.3.5 on Android 9 [samsung SM-N960F] (Mode: 0)
                "Time","UTC Time","Lap","GPS_Update","Latitude","Longitude","Altitude (m)","Altitude (ft)","Speed (Km/h)","Heading","Accuracy (m)","Barometric Pressure (kPa)","OBD_Update","Engine Speed (RPM) *OBD","Vehicle Speed (km/h) *OBD"
                0.000,1559734111.000,0,1,51.9993282,13.6881675,91.1,299,26.5,116.9,6.0,100.44,1,4162.000,36.000
                """,
            firstLine: "# racerender data",
            headings: ["time", "gpsupdate", "latitude", "longitude"],
            answers: .marked("obd"),
            roles: ["speed": .speed, "heading": .course, "accuracy": .accuracy]),
        LogProfile(
            program: "Harry's LapTimer",
            sample: """
                INDEX,LAPINDEX,DATE,TIME,TIME_LAP,LATITUDE,LONGITUDE,SPEED_KMH,SPEED_MPH,HEIGHT_METER,RPM,COOLANT_CELSIUS
                1,1,21-Nov-2026,08:15:02.10,0.10,47.5,8.5,101.5,63.1,400,3100,90
                """,
            headings: ["lapindex", "timelap", "latitude", "longitude"], answers: .listed,
            pids: [
                "rpm": 0x0C, "wheelspeedkmh": 0x0D, "wheelspeedkph": 0x0D, "maf": 0x10, "map": 0x0B,
                "coolantcelsius": 0x05,
                "iatcelsius": 0x0F, "oilcelsius": 0x5C,
            ],
            roles: [
                "speedkmh": .speed, "speedkph": .speed, "speedmph": .nothing,
                "heightmeter": .altitude, "heightm": .altitude, "heightft": .nothing,
                "accuracym": .accuracy,
            ],
            units: [
                "speedkmh": "km/h", "speedkph": "km/h", "wheelspeedkmh": "km/h",
                "wheelspeedkph": "km/h", "heightmeter": "m", "heightm": "m",
                "coolantcelsius": "°C", "iatcelsius": "°C", "oilcelsius": "°C", "rpm": "rpm",
            ]),
        LogProfile(
            program: "Torque",
            sample: """
                GPS Time, Device Time, Longitude, Latitude,GPS Speed (Meters/second), Altitude, Bearing, G(x),Engine RPM(rpm),Speed (GPS)(km/h),Speed (OBD)(km/h)
                Wed Feb 23 06:41:05 GMT+08:00 2022,23-Feb-2022 06:41:05.376,114.1,22.3,10,40,90,0.1,900,36,35
                """,
            headings: ["gpstime", "devicetime"], answers: .named,
            own: ["barometeronandroiddevice", "fuelflowratehour", "fuelflowrateminute"],
            noValue: ["-"]),
        LogProfile(
            program: "OBD Fusion, OBDLink and OBDwiz",
            sample: """
                # StartTime = 02/03/2026 11:20:39.6323 AM
                Time (sec), Vehicle speed (MPH), Engine RPM (RPM), Boost pressure (psi)
                0.5, 10, 800, -9.5
                """,
            firstLine: "# starttime", answers: .named,
            own: ["boost", "boostpressure", "boostpressurea", "fuelrate", "enginefuelrate"],
            isMonthFirst: true),
        LogProfile(
            program: "BlueDriver",
            sample: """
                BlueDriver Data Log
                Jul 16, 2017 2:47:57 PM
                Time (s), Engine RPM (rpm), Vehicle Speed (km/h)
                1.5,838,36
                """,
            firstLine: "bluedriver data log", answers: .named,
            pids: ["timingadvancefor1cylinder": 0x0E, "absolutethrottleposition": 0x11]),
        LogProfile(
            program: "Android OBD reader",
            sample: """
                TIMESTAMP,MARK,ENGINE_RPM,SPEED,ENGINE_RUNTIME,THROTTLE_POS,DTC_NUMBER,TROUBLE_CODES,TIMING_ADVANCE,EQUIV_RATIO,MIN,HOURS
                1502902504267,chevrolet,1009,0,00:03:28,25%,MIL is OFF0 codes,,"56,9%","1,0%",13,16
                """,
            headings: ["dtcnumber", "troublecodes"], answers: .named,
            pids: [
                "engineruntime": 0x1F, "airintaketemp": 0x0F, "throttlepos": 0x11,
                "equivratio": 0x44, "enginecoolanttemp": 0x05,
            ],
            roles: [
                "min": .nothing, "hours": .nothing, "daysofweek": .nothing, "months": .nothing,
                "year": .nothing,
            ],
            // The program prints the ratio with a sign of percent.
            units: ["equivratio": ""]),
        LogProfile(
            program: "scripts with python-OBD",
            sample: """
                timestamp,RPM,SPEED,COOLANT_TEMP
                2026-11-21 08:15:02.500000,1726.0 revolutions_per_minute,50.0 kilometer_per_hour,90 degree_Celsius
                """,
            headings: ["rpm", "speed", "coolanttemp"], answers: .named, noValue: ["none"]),
    ]

    /// Whether a cell means "no measurement" in the logs of any known program.
    static func isNothing(_ cell: String) -> Bool {
        switch cell.lowercased() {
        case "", "-", "--", "---", "—", "none", "null", "nan", "-nan", "na", "n/a", "#n/a", "n.a.",
            "inf", "-inf", "∞", "-∞", "infinity", "-infinity":
            true
        default: false
        }
    }

    /// Names of positions in any program.
    static let places: [String: Role] = [
        "latitude": .latitude, "gpslatitude": .latitude, "lat": .latitude, "gpslat": .latitude,
        "longitude": .longitude, "gpslongitude": .longitude, "lon": .longitude, "lng": .longitude,
        "long": .longitude, "gpslon": .longitude, "gpslong": .longitude, "gpslng": .longitude,
        "altitude": .altitude, "gpsaltitude": .altitude, "bearing": .course, "gpsbearing": .course,
        "gpsheading": .course, "gpsspeed": .speed, "gpsaccuracy": .accuracy,
    ]
}
