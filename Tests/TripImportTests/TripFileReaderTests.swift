import Diagnostics
import OBDCore
import PIDTables
import Testing
import TripImport

@Suite struct `Reading files of trips` {
    private static let torque = """
        GPS Time, Device Time, Longitude, Latitude,GPS Speed (Meters/second), Altitude(ft),Engine RPM(rpm)
        -,21-Nov-2026 08:15:02.123,8.5,47.5,10,1000,1726
        -,21-Nov-2026 08:15:03.123,8.501,47.501,10,1010,"1800.5"
        GPS Time, Device Time, Longitude, Latitude,"Fuel ""used""(L)"
        -,21-Nov-2026 09:00:00.000,0,0,9
        """
    private static let lines = """
        {"kind":"trip","name":"Sea","start":"2026-11-21T08:15:00Z"}
        {"signal":"RPM","service":"01","pid":"0C","value":1726,"unit":"rpm","time":"2026-11-21T08:15:02Z"}

        {"kind":"note","text":"höher","time":"2026-11-21T08:15:03Z"}
        """
    private static let long = """
        time,ecu,service,pid,signal,value,unit
        2026-11-21T08:15:02Z,7E8,01,0C,RPM,1726,rpm
        2026-11-21T08:15:03Z,7E8,01,0C,RPM,"1727",rpm
        """

    /// The events of a file that comes in pieces of this size.
    private static func events(_ text: String, piece size: Int) throws -> [String] {
        let bytes = Array(text.utf8)
        let format = try #require(ImportFormat(bytes))
        var reader = TripFileReader(format, ImportTable(try PIDTables.standard())) { wall, _ in
            [wall]
        }
        var events: [String] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            try reader.read(bytes[start..<min(start + size, bytes.count)]) {
                events.append("\($0)")
            }
        }
        try reader.finish { events.append("\($0)") }
        return events
    }

    @Test(arguments: [(torque, 7), (lines, 3), (long, 2)])
    func `pieces of any size give the same result`(_ text: String, _ count: Int) throws {
        let whole = try Self.events(text, piece: text.utf8.count)
        #expect(whole.count == count, "\(whole)")
        for size in [1, 2, 3, 5, 7, 64] {
            #expect(try Self.events(text, piece: size) == whole, "pieces of \(size)")
            #expect(try Self.events(text + "\r\n", piece: size) == whole, "pieces of \(size)")
        }
    }

    private static let fleet = """
        time,VIN,RPM
        2026-11-21T08:15:02Z,,900
        2026-11-21T08:15:03Z,1HGCM82633A004352,901
        2026-11-21T08:15:04Z,1HGCM82633A004352,902
        2026-11-21T08:15:05Z,WVWZZZ1JZXW000001,800
        2026-11-21T08:15:06Z,unknown,801
        """
    private static let longFleet = """
        time,signal,value,unit,vin
        2026-11-21T08:15:02Z,RPM,900,rpm,
        2026-11-21T08:15:03Z,RPM,901,rpm,1HGCM82633A004352
        2026-11-21T08:15:05Z,RPM,800,rpm,WVWZZZ1JZXW000001
        """

    /// A valid VIN is the trip's vehicle.
    ///
    /// A different one begins a new trip, and any other text stays text.
    @Test(arguments: [(fleet, 1), (longFleet, 0)])
    func `a column of VINs assigns trips to vehicles`(
        _ text: String, _ others: Int
    ) throws {
        let events = try Self.events(text, piece: 7)
        let kinds = events.compactMap { event -> String? in
            if event.hasPrefix("trip") { return "trip" }
            for vin in ["1HGCM82633A004352", "WVWZZZ1JZXW000001"]
            where event.contains("TripEntry.vehicle") && event.contains(vin) {
                return vin
            }
            return nil
        }
        #expect(kinds.suffix(3) == ["1HGCM82633A004352", "trip", "WVWZZZ1JZXW000001"], "\(kinds)")
        #expect(events.count(where: { $0.contains("unknown") }) == others)
    }

    @Test func `an altitude in feet becomes metres`() throws {
        let format = try #require(ImportFormat(Array(Self.torque.utf8)))
        var reader = TripFileReader(format, ImportTable(try PIDTables.standard())) { wall, _ in
            [wall]
        }
        var altitudes: [Double?] = []
        func take(_ event: ImportEvent) {
            if case .entry(.position(let position), _) = event {
                altitudes.append(position.altitude)
            }
        }
        try reader.read(Array(Self.torque.utf8)[...], take)
        try reader.finish(take)
        // 1 ft = 0.3048 m.
        #expect(altitudes == [304.8, 1010 * 0.3048])
    }

    @Test(arguments: [
        ("time,RPM\n2026-11-21T08:15:02Z,1\ntime,Fuel(gal)\n", 3, "Fuel in gal"),
        ("time,RPM\n\n2026-11-21T08:15:02Z\n", 3, "1 cell, the heading has 2"),
        ("{}\n{]\n", 1, "neither a signal nor a kind"), ("\n\n{]", 3, "no JSON object"),
        ("\u{FEFF}{]\n", 1, "no JSON object"),
        ("time,RPM,note\n2026-11-21T08:15:02Z,1,\"cut\n2026-11-21T08:15:03Z,2,\n", 2, "a quote"),
    ])
    func `a fault in a file names its line`(_ text: String, _ line: Int, _ reason: String)
        throws
    {
        let format = ImportFormat(Array(text.utf8)) ?? .jsonLines
        var reader = TripFileReader(format, ImportTable(try PIDTables.standard())) { wall, _ in
            [wall]
        }
        let fault = #expect(throws: ImportFault.self) {
            try reader.read(Array(text.utf8)[...]) { _ in }
            try reader.finish { _ in }
        }
        #expect(fault?.line == line)
        #expect(fault?.reason.hasPrefix(reason) == true, "\(fault?.reason ?? "")")
    }

    @Test func `a quote without an end does not fill the memory`() throws {
        let heading = Array("time,RPM\n\"".utf8)
        var reader = TripFileReader(.csvWide, ImportTable(try PIDTables.standard())) { wall, _ in
            [wall]
        }
        try reader.read(heading[...]) { _ in }
        let piece = [UInt8](repeating: 0x61, count: 1 << 20)
        #expect(throws: ImportFault.self) {
            for _ in 0..<20 { try reader.read(piece[...]) { _ in } }
        }
    }
}
