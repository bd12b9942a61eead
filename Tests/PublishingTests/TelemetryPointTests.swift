import Diagnostics
import OBDCore
import Testing

@testable import Publishing

@Suite struct `A point for A Better Route Planner` {
    private static let noon = UTC(microseconds: 1_795_262_400_000_000)

    private static func at(_ seconds: Double) -> UTC {
        UTC(microseconds: noon.microseconds + Int64(seconds * 1e6))
    }

    private func signal(
        _ id: String, _ unit: String, kind: Signal.Kind = .number, name: String = ""
    ) -> Signal {
        Signal(id: id, name: name, bitOffset: 0, bitLength: 8, kind: kind, unit: unit)
    }

    private func part(_ key: TelemetryPoint.Key) throws -> TelemetryPoint.Part {
        let found: TelemetryPoint.Part? =
            switch key {
            case .charge: .init(signal("A", "%"), .stateOfCharge)
            case .speed: .init(signal("VSS", "km/h"), nil)
            case .voltage: .init(signal("A", "V"), .packVoltage)
            case .current:
                .init(signal("A", "A", name: "Current, positive while driving"), .packCurrent)
            case .isCharging: .init(signal("A", "", kind: .flag), .charging)
            case .isFastCharging: .init(signal("EV_CHARGING_DC", "", kind: .flag), nil)
            case .odometer: .init(signal("A", "km"), .odometer)
            default: nil
            }
        return try #require(found)
    }

    private func text(_ point: TelemetryPoint, _ now: UTC? = nil) -> String? {
        point.bytes(now: now).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The signal's unit, name and role, its key, and its sign.
    @Test(
        arguments: [
            ("A", "%", "", .stateOfCharge, .charge, 1), ("A", "km", "", .range, .range, 1),
            ("AAT", "°C", "", nil, .outsideTemperature, 1), ("VSS", "km/h", "", nil, .speed, 1),
            ("A", "kW", "Power, positive while charging", .packPower, .power, -1),
            ("A", "A", "Current, positive while discharging", .packCurrent, .current, 1),
            ("LAT", "°", "", nil, .latitude, 1),
            // Its sign or unit is not known, or the service has no key for it.
            ("A", "A", "Battery current", .packCurrent, nil, 1),
            ("A", "mi", "", .odometer, nil, 1), ("RPM", "rpm", "", nil, nil, 1),
            ("A", "%", "", .starterCharge, nil, 1),
        ] as [(String, String, String, SignalRole?, TelemetryPoint.Key?, Double)])
    func `a signal is sent only under a key that has its meaning`(
        id: String, unit: String, name: String, role: SignalRole?, key: TelemetryPoint.Key?,
        sign: Double
    ) {
        let found = TelemetryPoint.Part(signal(id, unit, name: name), role)
        #expect(found?.key == key)
        if let found { #expect(found.sign == sign) }
    }

    @Test func `a point has the newest values, and power from voltage and current`() throws {
        var point = TelemetryPoint()
        #expect(point.bytes(now: nil) == nil)
        point.take(.number(50), as: try part(.speed), at: Self.at(0))
        #expect(point.bytes(now: nil) == nil)
        point.take(.number(70.5), as: try part(.charge), at: Self.at(1))
        point.take(.number(400), as: try part(.voltage), at: Self.at(2))
        point.take(.number(-25), as: try part(.current), at: Self.at(2.5))
        point.take(.number(52), as: try part(.speed), at: Self.at(2))
        point.take(.number(51), as: try part(.speed), at: Self.at(1))
        point.take(.label(code: 3), as: try part(.odometer), at: Self.at(2))
        #expect(
            text(point)
                == #"{"utc":1795262402,"soc":70.5,"speed":52,"voltage":400,"current":-25,"power":-10}"#
        )
    }

    @Test func `old values are left out, and a point of only old values is not sent`() throws {
        var point = TelemetryPoint()
        point.take(.number(50), as: try part(.speed), at: Self.at(0))
        point.take(.number(70), as: try part(.charge), at: Self.at(20))
        #expect(text(point, Self.at(20)) == #"{"utc":1795262420,"soc":70}"#)
        #expect(text(point, Self.at(320)) != nil)
        #expect(text(point, Self.at(321)) == nil)
        // The charge is older than five minutes before the newest value.
        point.take(.number(50), as: try part(.speed), at: Self.at(321))
        #expect(text(point, Self.at(321)) == nil)
    }

    @Test func `a receiver gives a place, and a course only of a moving vehicle`() throws {
        var point = TelemetryPoint()
        point.take(.number(70), as: try part(.charge), at: Self.at(0))
        var position = try #require(Position(latitude: 48.5, longitude: 11.25))
        position.altitude = 520
        position.course = 90
        position.speed = 2
        point.take(position, at: Self.at(0))
        #expect(
            text(point) == #"{"utc":1795262400,"soc":70,"lat":48.5,"lon":11.25,"elevation":520}"#)
        position.speed = 50
        point.take(position, at: Self.at(0))
        #expect(text(point)?.contains(#""heading":90,"elevation":520"#) == true)
    }

    @Test func `half a position is not sent, nor fast charging without charging`() throws {
        var point = TelemetryPoint()
        let north = try #require(TelemetryPoint.Part(signal("LAT", "°"), nil))
        point.take(.number(70), as: try part(.charge), at: Self.at(0))
        point.take(.number(48), as: north, at: Self.at(0))
        point.take(.flag(true), as: try part(.isFastCharging), at: Self.at(0))
        #expect(text(point) == #"{"utc":1795262400,"soc":70}"#)
        point.take(.flag(true), as: try part(.isCharging), at: Self.at(0))
        #expect(text(point) == #"{"utc":1795262400,"soc":70,"is_charging":1,"is_dcfc":1}"#)
    }
}
