public import OBDCore

/// The meaning of a code's digits without a table: the system, the standard or maker, and the area.
///
/// Source: SAE J2012, ISO 15031-6.
public struct CodeStructure: Hashable, Sendable {
    /// The system; the raw value is its letter.
    public enum System: String, Hashable, Sendable {
        case powertrain = "P"
        case chassis = "C"
        case body = "B"
        case network = "U"

        /// The name for the user.
        public var name: String {
            switch self {
            case .powertrain: "Powertrain"
            case .chassis: "Chassis"
            case .body: "Body"
            case .network: "Network"
            }
        }
    }

    /// The standard or maker that defines the code.
    public enum Owner: String, Hashable, Sendable {
        /// SAE and ISO define the code alike for every manufacturer.
        case standard
        /// The vehicle's manufacturer.
        case manufacturer
        /// Not defined yet.
        case reserved
    }

    /// The system.
    public var system: System
    /// The standard or maker that defines the code.
    public var owner: Owner
    /// The meaning of the third character, if the standard defines it.
    public var area: String?

    /// The structure of `code`; any two bytes have one.
    public init(_ code: DTC) {
        let second = UInt8(truncatingIfNeeded: code.code >> 12) & 0x3
        let third = UInt8(truncatingIfNeeded: code.code >> 8) & 0xF
        switch code.code >> 14 {
        case 0:
            system = .powertrain
            owner =
                switch second {
                case 0, 2: .standard
                case 1: .manufacturer
                default: third < 4 ? .manufacturer : .standard
                }
        case 1:
            system = .chassis
            owner = Self.owner(second, third: .reserved)
        case 2:
            system = .body
            owner = Self.owner(second, third: .reserved)
        default:
            system = .network
            owner = Self.owner(second, third: .standard)
        }
        area =
            switch system {
            case .powertrain: Self.powertrainArea(second, third)
            case .network: second == 0 ? Self.networkArea(third) : nil
            case .body: second == 0 && third == 0 ? "Occupant restraints" : nil
            case .chassis: second == 0 && third == 0 ? "Brakes, steering and stability" : nil
            }
    }

    private static func owner(_ second: UInt8, third: Owner) -> Owner {
        switch second {
        case 0: .standard
        case 1, 2: .manufacturer
        default: third
        }
    }

    /// The meaning of the third character of a U0 code.
    private static func networkArea(_ third: UInt8) -> String? {
        switch third {
        case 0x0: "Bus and its wiring"
        case 0x1, 0x2: "Lost communication"
        case 0x3: "Software compatibility"
        case 0x4, 0x5: "Data from other modules"
        default: nil
        }
    }

    /// The meaning of the third character of a P0, P1 or P2 code.
    private static func powertrainArea(_ second: UInt8, _ third: UInt8) -> String? {
        if second == 3 { return nil }
        return switch third {
        case 0x0: "Fuel and air metering, auxiliary emission controls"
        case 0x1: "Fuel and air metering"
        case 0x2: "Fuel and air metering, injectors"
        case 0x3: "Ignition and misfire"
        case 0x4: "Auxiliary emission controls"
        case 0x5: "Vehicle speed, idle control, auxiliary inputs"
        case 0x6: "Computer and its outputs"
        case 0x7...0x9: "Transmission"
        // P2A and P2B continue P20 and P21; only P0 and P1 have hybrids there.
        case 0xA...0xB where second == 2: "Fuel and air metering, auxiliary emission controls"
        case 0xA...0xC where second < 2: "Hybrid and electric propulsion"
        default: nil
        }
    }
}

/// The severity of a code in UDS report 42 (ISO 14229-1, WWH-OBD).
public struct CodeSeverity: Hashable, Sendable {
    /// The advice; nil if the byte has none.
    public enum Advice: String, Hashable, Sendable {
        /// Maintenance only.
        case maintenance = "maintenance only"
        /// Check at the next halt.
        case nextHalt = "check at the next halt"
        /// Check immediately.
        case immediately = "check immediately"
    }

    /// The advice.
    public var advice: Advice?

    /// Reads a severity byte: bits 7–5 are advice; the most serious bit counts.
    public init(_ byte: UInt8) {
        if byte & 0x80 != 0 {
            advice = .immediately
        } else if byte & 0x40 != 0 {
            advice = .nextHalt
        } else if byte & 0x20 != 0 {
            advice = .maintenance
        }
    }
}
