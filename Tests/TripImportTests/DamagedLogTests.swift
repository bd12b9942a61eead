import OBDCore
import PIDTables
import Testing
import TripImport

/// Logs that were cut, copied wrongly or are none: they are read as far as they go, or refused.
@Suite struct `Damaged logs` {
    static let samples: [(name: String, text: String)] = [
        (
            "2021-11-19 16-45-25.csv",
            "\"SECONDS\";\"PID\";\"VALUE\";\"UNITS\";\"LATITUDE\";\"LONGTITUDE\";\r\n"
                + "\"60338.07\";\"Engine RPM\";\"1726.5\";\"rpm\";\"47.5\";\"8.5\";\r\n"
        ),
        (
            "trackLog-2022-Feb-23_06-34-27.csv",
            "GPS Time, Device Time, Longitude, Latitude, G(x), Engine RPM(rpm)\n"
                + "Wed Feb 23 06:41:05 GMT+08:00 2022,23-Feb-2022 06:41:05.376,114.1,22.3,0.1,900\n"
        ),
        (
            "fusion.csv",
            "# StartTime = 02/03/2026 11:20:39.6323 AM\nTime (sec), Vehicle speed (MPH)\n-0.5, 10\n"
        ),
        ("2025-11-09.csv", "BlueDriver Data Log\nNov 9, 2025\nTime(s), RPM\n0.5, 900\n"),
        ("2017-07-05.csv", "Time,Engine Coolant Temperature [°C]\n07:01:02.500,90\n"),
        ("2025-01-01.csv", "Time (msec);Engine Speed (rpm)\n1000;900,5\n"),
        ("2025-01-01.csv", "50185,10C,2521\n50190,11,210325\n50190,10,8150250\n50200,10D,50\n"),
        ("2017.01.02-22.12.32.csv", "Time,Engine RPM,\n2017-01-02 22:12:32.123,800.0,\n"),
        ("candump.log", "(1696758378.5) can0 7DF#02010C\n(1696758378.6) can0 7E8#04410C1AF8\n"),
        (
            "log.asc",
            "date Sat Sep 30 10:06:13.191 PM 2017\nbase hex timestamps absolute\n"
                + "0.019968 1 7DF Tx d 3 02 01 0C\n0.029968 1 7E8 Rx d 5 04 41 0C 1A F8\n"
        ),
        (
            "log.trc",
            ";$FILEVERSION=2.1\n;$STARTTIME=45000.5\n;$COLUMNS=N,O,T,B,I,d,R,L,D\n"
                + "1 10.5 DT 1 07E8 Rx - 5 04 41 0C 1A F8\n"
        ),
        (
            "2025-01-01 gvret.csv",
            "Time Stamp,ID,Extended,Dir,Bus,LEN,D1,D2,D3,D4,D5,D6,D7,D8\n"
                + "1000,000007E8,false,Rx,0,5,04,41,0C,1A,F8,\n"
        ),
        ("log.crtd", "1700000000.010500 1R11 7E8 04 41 0C 1A F8\n"),
        (
            "can.csv",
            "timestamp,arbitration_id,extended,remote,error,dlc,data\n"
                + "1700000000.5,0x7e8,0,0,0,5,BEEMGvg=\n"
        ),
    ]

    /// Made once: its names are looked up a thousand times.
    private static let table = Result { ImportTable(try PIDTables.standard()) }

    /// Reads the log; nil if the log is refused.
    func readings(_ bytes: [UInt8], _ name: String) -> Int? {
        guard let format = ImportFormat(bytes), let table = try? Self.table.get() else {
            return nil
        }
        var source = ImportSource()
        source.fileName = name
        var reader = TripFileReader(format, table, source) { wall, _ in [wall] }
        var count = 0
        func take(_ event: ImportEvent) {
            guard case .entry(.items(let items), _) = event else { return }
            for case .reading in items { count += 1 }
        }
        do {
            try reader.read(bytes[...], take)
            try reader.finish(take)
        } catch {
            return nil
        }
        return count
    }

    @Test(arguments: samples.indices)
    func `the undamaged logs are read`(_ index: Int) {
        let (name, text) = Self.samples[index]
        #expect(readings(Array(text.utf8), name) ?? 0 > 0, "\(name)")
    }

    @Test(arguments: samples.indices)
    func `a log cut at any byte holds nothing that the whole does not hold`(_ index: Int) {
        let (name, text) = Self.samples[index]
        let bytes = Array(text.utf8)
        let whole = readings(bytes, name) ?? 0
        for end in bytes.indices {
            #expect(readings(Array(bytes[..<end]), name) ?? 0 <= whole, "\(name) cut at \(end)")
        }
    }

    @Test(arguments: samples.indices)
    func `the import of a log with a thousand faults ends`(_ index: Int) {
        let (name, text) = Self.samples[index]
        let bytes = Array(text.utf8)
        var state: UInt64 = 88_172_645_463_325_252
        func random(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(truncatingIfNeeded: state >> 33) % max(bound, 1)
        }
        let pieces = [
            "9", "-", "\"", ",", ";", "\n", "0", "Ω", "\u{0}", "99999999999999999999", "1e300",
        ]
        var most = 0
        for _ in 0..<1_000 {
            var damaged = bytes
            for _ in 0...random(3) {
                let place = random(damaged.count)
                switch random(3) {
                case 0: damaged[place] = UInt8(truncatingIfNeeded: random(256))
                case 1: damaged.remove(at: place)
                default:
                    damaged.insert(contentsOf: Array(pieces[random(pieces.count)].utf8), at: place)
                }
            }
            most = max(most, readings(damaged, name) ?? 0)
        }
        // A fault may make two readings of one, and not a file of them.
        #expect(most < 100)
    }
}
