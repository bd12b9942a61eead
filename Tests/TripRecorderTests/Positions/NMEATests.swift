import OBDCore
import Testing

@testable import TripRecorder

/// The sentences and their meanings are from gpsinformation.org/dale/nmea.htm and pynmea2's README.
@Suite struct `NMEA 0183` {
    static let rmc = "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A"
    static let gga = "$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47"
    static let vtg = "$GPVTG,054.7,T,034.4,M,005.5,N,010.2,K*48"
    static let south = "$GPGGA,184353.07,1929.045,S,02410.506,E,1,04,2.6,100.00,M,-33.9,M,,0000*6D"

    /// A sentence with its calculated checksum.
    static func sentence(_ body: String) -> String {
        "$" + body + "*" + Hex.string([body.utf8.reduce(0, ^)])
    }

    static func fixes(_ lines: [String], _ end: String = "\r\n") -> ([Fix], NMEAReader) {
        var reader = NMEAReader()
        var fixes: [Fix] = []
        for line in lines { reader.take((line + end).utf8, at: .zero, &fixes) }
        reader.finish(&fixes)
        return (fixes, reader)
    }

    @Test func `RMC and GGA with the same time are one fix`() throws {
        for lines in [
            [Self.rmc, Self.gga], [Self.gga, Self.rmc], [Self.gga, Self.vtg, Self.rmc],
        ] {
            let (fixes, reader) = Self.fixes(lines)
            let fix = try #require(fixes.first)
            #expect(fixes.count == 1)
            // 48°07.038' N, 11°31.000' E.
            #expect(abs(fix.position.latitude - 48.1173) < 1e-9)
            #expect(abs(fix.position.longitude - 11.516666666667) < 1e-9)
            #expect(fix.position.altitude == 545.4)
            #expect(fix.position.course == 84.4)
            #expect(fix.position.fixTime?.text == "1994-03-23T12:35:19.000000Z")
            #expect(reader.damaged == 0)
        }
        // 22.4 knots = 41.4848 km/h; a knot is 1.852 km/h.
        #expect(try abs(#require(Self.fixes([Self.rmc]).0.first?.position.speed) - 41.4848) < 1e-9)
    }

    @Test func `an RMC or GGA sentence without the other is a fix, too`() throws {
        let alone = try #require(Self.fixes([Self.rmc]).0.first)
        #expect(alone.position.altitude == nil)
        let gga = try #require(Self.fixes([Self.gga, Self.vtg]).0.first)
        #expect(gga.position.speed == 10.2)
        #expect(gga.position.course == 54.7)
        #expect(gga.position.fixTime == nil)
        let south = try #require(Self.fixes([Self.south]).0.first)
        #expect(abs(south.position.latitude + 19.484083333333) < 1e-9)
        #expect(abs(south.position.longitude - 24.1751) < 1e-9)
        #expect(south.position.altitude == 100)
    }

    @Test func `a sentence with a new time ends the earlier position`() {
        var reader = NMEAReader()
        var fixes: [Fix] = []
        reader.take((Self.rmc + "\n").utf8, at: Instant(nanoseconds: 5), &fixes)
        #expect(fixes.isEmpty)
        let next = Self.sentence("GNRMC,123520,A,4807.038,N,01131.000,E,,,230394,,")
        reader.take((next + "\n").utf8, at: Instant(nanoseconds: 9), &fixes)
        #expect(fixes.map(\.arrived) == [Instant(nanoseconds: 5)])
        reader.finish(&fixes)
        #expect(fixes.count == 2)
        // An empty field is not zero.
        #expect(fixes[1].position.speed == nil && fixes[1].position.course == nil)
    }

    @Test(arguments: ["GP", "GN", "GL", "GA", "GB", "BD"])
    func `sentences of every satellite system are read`(talker: String) {
        let line = Self.sentence(
            "\(talker)RMC,123519.50,A,4807.038,S,01131.000,W,1,2,010100,,,D")
        let fix = Self.fixes([line]).0.first
        #expect(fix.map { [$0.position.latitude < 0, $0.position.longitude < 0] } == [true, true])
        #expect(fix?.position.fixTime?.text == "2000-01-01T12:35:19.500000Z")
    }

    @Test(arguments: [
        // A warning, no fix, dead reckoning, manual input; minutes, degrees and hemispheres that
        // are not valid.
        "GPRMC,123519,V,4807.038,N,01131.000,E,1,2,230394,,",
        "GPRMC,123519,A,4807.038,N,01131.000,E,1,2,230394,,,N",
        "GPRMC,123519,A,4807.038,N,01131.000,E,1,2,230394,,,E",
        "GPGGA,123519,4807.038,N,01131.000,E,0,08,0.9,545.4,M,46.9,M,,",
        "GPGGA,123519,4807.038,N,01131.000,E,6,08,0.9,545.4,M,46.9,M,,",
        "GPGGA,123519,,,,,1,08,0.9,545.4,M,46.9,M,,",
        "GPRMC,123519,A,4860.000,N,01131.000,E,1,2,230394,,",
        "GPRMC,123519,A,9100.000,N,01131.000,E,1,2,230394,,",
        "GPRMC,123519,A,4807.038,E,01131.000,E,1,2,230394,,",
        "GPRMC,246000,A,4807.038,N,01131.000,E,1,2,230394,,",
        "GPRMC,123519,A,nan,N,01131.000,E,1,2,230394,,", "GPGSV,3,1,11,03,03,111,00",
        "IIRMC,123519,A,4807.038,N,01131.000,E,1,2,230394,,", "PUBX,00,123519,4807.038,N",
        "GPRMC", "GPRMC,,,,,,,,,,,",
    ])
    func `a sentence without a position gives no fix and is not damaged`(body: String) {
        let (fixes, reader) = Self.fixes([Self.sentence(body)])
        #expect(fixes.isEmpty)
        #expect(reader.sentences == 1 && reader.damaged == 0)
    }

    @Test(arguments: [
        // A wrong checksum, a changed character, no checksum, too long, noise from a wrong line
        // rate.
        "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6B",
        "$GPRMC,123519,A,4807.039,N,01131.000,E,022.4,084.4,230394,003.1,W*6A",
        "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W",
        "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6",
        "$" + String(repeating: "A", count: 300) + "*41", "$\u{80}\u{1B}[2J*00", "$*00", "$GP*17",
    ])
    func `a damaged sentence is dropped and counted`(line: String) {
        let (fixes, reader) = Self.fixes([line])
        #expect(fixes.isEmpty)
        #expect(reader.sentences == 0 && reader.damaged == 1)
    }

    @Test func `a sentence that begins within another one is read`() {
        let (fixes, reader) = Self.fixes([String(Self.gga.prefix(30)) + Self.rmc])
        #expect(fixes.count == 1)
        #expect(reader.damaged == 1)
    }

    @Test func `the rest of a line that began before the start does not count as damage`() {
        let (fixes, reader) = Self.fixes([String(Self.gga.suffix(30)), Self.rmc])
        #expect(fixes.count == 1)
        #expect(reader.damaged == 0)
    }

    @Test func `any split of the bytes gives the same fixes`() {
        let text = Array((Self.gga + "\r\n" + Self.vtg + "\r\n" + Self.rmc + "\r\n").utf8)
        let whole = Self.fixes([Self.gga, Self.vtg, Self.rmc]).0
        for cut in text.indices {
            var reader = NMEAReader()
            var fixes: [Fix] = []
            reader.take(text[..<cut], at: .zero, &fixes)
            reader.take(text[cut...], at: .zero, &fixes)
            reader.finish(&fixes)
            #expect(fixes == whole)
        }
    }
}
