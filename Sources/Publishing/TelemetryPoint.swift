import Diagnostics
import OBDCore

/// The newest values of a vehicle as A Better Route Planner takes them (Iternio Telemetry API, `tlm/send`).
///
/// A value that is not known is left out, and so is one whose meaning the service would have to guess.
package struct TelemetryPoint: Sendable {
    /// A key of the object, in the order in which the object has them.
    package enum Key: String, CaseIterable, Sendable {
        case charge = "soc"
        case power, speed
        case latitude = "lat"
        case longitude = "lon"
        case isCharging = "is_charging"
        case isFastCharging = "is_dcfc"
        case health = "soh"
        case heading, elevation
        case outsideTemperature = "ext_temp"
        case batteryTemperature = "batt_temp"
        case voltage, current, odometer
        case range = "est_battery_range"

        /// How long a value holds: a speed soon changes, a charge and a temperature do not.
        fileprivate var lifetime: Duration {
            switch self {
            case .power, .speed, .latitude, .longitude, .heading, .elevation, .current:
                .seconds(15)
            case .isCharging, .isFastCharging: .seconds(60)
            case .charge, .health, .outsideTemperature, .batteryTemperature, .voltage, .odometer,
                .range:
                TelemetryPoint.longestAge
            }
        }

        /// The unit that the service expects; nil for a flag.
        fileprivate var unit: String? {
            switch self {
            case .charge, .health: "%"
            case .power: "kW"
            case .speed: "km/h"
            case .latitude, .longitude, .heading: "°"
            case .elevation: "m"
            case .outsideTemperature, .batteryTemperature: "°C"
            case .voltage: "V"
            case .current: "A"
            case .odometer, .range: "km"
            case .isCharging, .isFastCharging: nil
            }
        }
    }

    /// The part of a point that a signal is.
    package struct Part: Hashable, Sendable {
        package var key: Key
        /// −1 if the signal is positive while charging: the service counts what leaves the battery.
        package var sign: Double

        /// The part of a signal with this role; nil = the service has no key for the signal, or its unit or
        /// sign is not known.
        package init?(_ signal: Signal, _ role: SignalRole?) {
            guard let key = Self.key(signal, role) else { return nil }
            if let unit = key.unit {
                guard signal.kind == .number, signal.unit == unit else { return nil }
            } else {
                guard signal.kind == .flag else { return nil }
            }
            self.key = key
            sign = 1
            if key == .power || key == .current {
                guard let isOut = signal.isPositiveOut else { return nil }
                sign = isOut ? 1 : -1
            }
        }

        private static func key(_ signal: Signal, _ role: SignalRole?) -> Key? {
            switch role {
            case .stateOfCharge: return .charge
            case .stateOfHealth: return .health
            case .packVoltage: return .voltage
            case .packCurrent: return .current
            case .packPower: return .power
            case .packTemperature: return .batteryTemperature
            case .range: return .range
            case .charging: return .isCharging
            case .odometer: return .odometer
            default: break
            }
            if let part = signal.positionPart { return part.isLatitude ? .latitude : .longitude }
            switch signal.id {
            case "VSS": return .speed
            case "AAT": return .outsideTemperature
            case "EV_CHARGING_DC": return .isFastCharging
            default: return nil
            }
        }
    }

    private struct Known: Sendable {
        var number: Double
        var time: UTC
    }

    /// An older point is not sent: it would be shown as the state of now.
    package static let longestAge = Duration.seconds(300)

    private var known: [Key: Known] = [:]

    package init() {}

    /// The time of the newest value; nil without any value.
    package var time: UTC? { known.values.map(\.time).max() }

    /// Takes a value that is not older than the known one.
    package mutating func take(_ value: Reading.Value, as part: Part, at time: UTC) {
        switch value {
        case .number(let number) where number.isFinite: take(number * part.sign, part.key, time)
        case .flag(let isOn): take(isOn ? 1 : 0, part.key, time)
        default: return
        }
    }

    /// Takes a position of a receiver.
    ///
    /// A course without motion is noise, and the service prefers it to the course of its phone.
    package mutating func take(_ position: Position, at time: UTC) {
        take(position.latitude, .latitude, time)
        take(position.longitude, .longitude, time)
        if let altitude = position.altitude { take(altitude, .elevation, time) }
        if let course = position.course, let speed = position.speed, speed > 5 {
            take(course, .heading, time)
        }
    }

    private mutating func take(_ number: Double, _ key: Key, _ time: UTC) {
        if let old = known[key], old.time > time { return }
        known[key] = Known(number: number, time: time)
    }

    /// The object that the service gets; nil without a state of charge, or if nothing is newer than
    /// ``longestAge`` before `now`.
    ///
    /// `now` = nil makes the point whatever its age is.
    package func bytes(now: UTC?) -> [UInt8]? {
        guard let time,
            now.map({ $0.microseconds - time.microseconds <= Self.µs(Self.longestAge) }) ?? true
        else { return nil }
        let valid = known.filter {
            time.microseconds - $1.time.microseconds <= Self.µs($0.lifetime)
        }
        guard valid[.charge] != nil else { return nil }
        var object = JSONValue.members([
            "utc": .number((Double(time.microseconds) / 1e6).rounded(.down))
        ])
        for key in Key.allCases {
            guard let value = valid[key]?.number else { continue }
            // Send no latitude without a longitude, and no fast charging unless the vehicle charges.
            switch key {
            case .latitude, .longitude:
                guard valid[.latitude] != nil, valid[.longitude] != nil else { continue }
            case .isFastCharging: guard valid[.isCharging]?.number == 1 else { continue }
            default: break
            }
            object.add(key.rawValue, .number(value))
        }
        if valid[.power] == nil, let volts = valid[.voltage], let amperes = valid[.current] {
            object.add(
                Key.power.rawValue, .number((volts.number * amperes.number).rounded() / 1_000))
        }
        return object.bytes
    }

    private static func µs(_ duration: Duration) -> Int64 { duration.nanoseconds / 1_000 }
}
