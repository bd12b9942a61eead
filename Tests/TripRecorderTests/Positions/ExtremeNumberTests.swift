import TestSupport
import Testing

@testable import TripRecorder

/// Numbers that no receiver sends: no position, or one on earth.
@Suite struct `Extreme numbers of receivers` {
    @Test func `extreme numbers give no position`() {
        for text in [`NMEA 0183`.rmc, `NMEA 0183`.gga, `NMEA 0183`.vtg, `NMEA 0183`.south] {
            Extremes.forEach(of: String(text.dropFirst().dropLast(3))) { changed in
                let line = `NMEA 0183`.sentence(
                    changed.split(separator: "\n").first.map(String.init) ?? "")
                for fix in `NMEA 0183`.fixes([line]).0 {
                    #expect(abs(fix.position.latitude) <= 90, "\(changed)")
                }
            }
        }
        Extremes.forEach(of: `gpsd's JSON`.tpv) { changed in
            guard let fix = `gpsd's JSON`.fix(changed) else { return }
            #expect(abs(fix.position.latitude) <= 90, "\(changed)")
        }
    }
}
