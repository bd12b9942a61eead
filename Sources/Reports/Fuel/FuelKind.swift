/// A kind of fuel; the raw value is its name in configuration and output.
package enum FuelKind: String, Hashable, Sendable, CaseIterable {
    /// Petrol, as sold with up to a tenth of ethanol.
    case gasoline
    /// CH₃OH.
    case methanol
    /// C₂H₅OH.
    case ethanol
    case diesel
    /// Liquefied petroleum gas: propane and butane.
    case lpg
    /// Compressed natural gas; its amounts are in kilograms.
    case cng
    /// C₃H₈, liquefied.
    case propane

    /// The fuel of a value of PID 51; nil for electricity, hydrogen, and codes without a single
    /// fuel.
    package init?(code: UInt64) {
        switch code {
        case 0x01, 0x09, 0x11: self = .gasoline
        case 0x02, 0x0A: self = .methanol
        case 0x03, 0x0B, 0x12: self = .ethanol
        case 0x04, 0x13, 0x17: self = .diesel
        case 0x05, 0x0C: self = .lpg
        case 0x06, 0x0D, 0x18, 0x1A: self = .cng
        case 0x07, 0x0E: self = .propane
        default: return nil
        }
    }

    /// Mass of air per mass of fuel for complete combustion.
    ///
    /// Gasoline and diesel: Bosch, Automotive Handbook. Pure substances and methane for natural gas
    /// follow from their formulas with 23.14 % of oxygen in air by mass; LPG is 60 % propane.
    package var airFuelRatio: Double {
        switch self {
        case .gasoline: 14.7
        case .methanol: 6.47
        case .ethanol: 9.0
        case .diesel: 14.5
        case .lpg: 15.6
        case .cng: 17.2
        case .propane: 15.7
        }
    }

    /// Density; unit: g/L at 15 °C, and 1000 for natural gas, whose amounts are in kilograms.
    ///
    /// Gasoline and diesel: the middle of what EN 228 (720–775) and EN 590 (820–845) allow. LPG: the
    /// middle of EN 589's practice; pure substances: handbook values.
    package var density: Double {
        switch self {
        case .gasoline: 745
        case .methanol: 796
        case .ethanol: 794
        case .diesel: 832
        case .lpg: 540
        case .cng: 1000
        case .propane: 508
        }
    }

    /// Carbon dioxide from burning one ``unit``; unit: kg.
    ///
    /// Gasoline and diesel: 8,887 and 10,180 g per US gallon, EPA-420-F-11-041. The others: EPA's
    /// emission factors for inventories, 4.11, 5.75, 5.68 and 5.72 kg per gallon; natural gas as
    /// methane, 44.01 / 16.04.
    package var carbonDioxide: Double {
        let gallon = 3.785411784
        return switch self {
        case .gasoline: 8.887 / gallon
        case .methanol: 4.11 / gallon
        case .ethanol: 5.75 / gallon
        case .diesel: 10.180 / gallon
        case .lpg: 5.68 / gallon
        case .cng: 44.01 / 16.04
        case .propane: 5.72 / gallon
        }
    }

    /// The unit of amounts of this fuel.
    package var unit: String { self == .cng ? "kg" : "L" }

    /// Whether the engine runs with excess air, so that the air flow alone does not give the fuel.
    package var isLean: Bool { self == .diesel }
}
