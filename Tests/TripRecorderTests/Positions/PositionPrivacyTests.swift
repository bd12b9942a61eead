import OBDCore
import Testing

@testable import TripRecorder

@Suite struct `Positions that are private` {
    private func position(_ latitude: Double, _ longitude: Double) throws -> Position {
        try #require(Position(latitude: latitude, longitude: longitude))
    }

    @Test(
        arguments: [
            ("18:00-06:00", 17 * 60 + 59, false), ("18:00-06:00", 18 * 60, true),
            ("18:00-06:00", 0, true), ("18:00-06:00", 5 * 60 + 59, true),
            ("18:00-06:00", 6 * 60, false), ("12:00-13:30", 12 * 60, true),
            ("12:00-13:30", 13 * 60 + 30, false), ("00:00-24:00", 0, true),
            ("00:00-24:00", 23 * 60 + 59, true), ("22:00-00:00", 23 * 60, true),
            ("22:00-00:00", 0, false),
        ])
    func `hours begin with their first minute and end before their last`(
        text: String, minute: Int, isHidden: Bool
    ) throws {
        var privacy = PositionPrivacy()
        privacy.hours = [try #require(PositionPrivacy.Hours(text))]
        #expect(privacy.hours.map(\.text) == [text])
        #expect(privacy.hides(try position(48, 11), minute: minute) == isHidden)
        // Without a clock, it may be the private time.
        #expect(privacy.hides(try position(48, 11), minute: nil))
    }

    @Test(
        arguments: [
            "18-06", "18:00", "18:00-18:00", "24:00-06:00", "24:30-06:00", "18:60-06:00",
            "1:00-02:00",
            "18:00-06:00-07:00", "+8:00-09:00", "", "-", "on",
        ])
    func `text that is not a span of hours is refused`(text: String) {
        #expect(PositionPrivacy.Hours(text) == nil)
    }

    /// A degree of latitude has 111.2 km on a sphere of 6,371 km; at 60° a degree of longitude has half of it.
    @Test(
        arguments: [
            ("48.137,11.576,500m", 48.137, 11.576, true),
            ("48.137,11.576,500m", 48.1414, 11.576, true),
            ("48.137,11.576,500m", 48.1416, 11.576, false),
            ("60,10,1km", 60.0, 10.0179, true), ("60,10,1km", 60.0, 10.0181, false),
            ("60,10,1km", 60.0, 9.9821, true), ("-60,10,1km", -60.0, 10.0181, false),
            // Beyond the line of the date.
            ("-17,179.999,1km", -17.0, -179.995, true), ("-17,179.999,1km", -17.0, -179.98, false),
        ])
    func `a zone is a circle on the ground`(
        text: String, latitude: Double, longitude: Double, isHidden: Bool
    ) throws {
        var privacy = PositionPrivacy()
        let zone = try #require(PositionPrivacy.Zone(text))
        #expect(PositionPrivacy.Zone(zone.text) == zone)
        privacy.zones = [zone]
        #expect(privacy.hides(try position(latitude, longitude), minute: 0) == isHidden)
        #expect(privacy.hides(try position(latitude, longitude), minute: nil) == isHidden)
    }

    @Test(
        arguments: [
            "48.137,11.576", "48.137,11.576,500", "48.137,11.576,49m", "91,11,500m", "48,181,500m",
            "48,11,101km", "48,11,nanm", "48,11,0x100m", "48,11,500m,1", "", "home",
        ])
    func `text that is not a zone is refused`(text: String) {
        #expect(PositionPrivacy.Zone(text) == nil)
    }

    @Test func `no position is hidden without a setting, and the switch hides every position`()
        throws
    {
        var privacy = PositionPrivacy()
        #expect(!privacy.hides(try position(48, 11), minute: nil))
        privacy.isAlways = true
        #expect(privacy.hides(try position(48, 11), minute: 0))
    }
}
