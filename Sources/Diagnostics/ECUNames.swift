public import OBDCore

/// The names of a vehicle's ECUs, by the only rule for all output.
///
/// The name is the one that the ECU reports, else the function that a standard fixes for its
/// address, else the address alone. SAE J2178-1 fixes the physical addresses that ISO 9141-2, ISO
/// 14230-4 and SAE J1850 use, and SAE J1939 its preferred source addresses. ISO 15765-4 only
/// recommends identifiers, and vehicles do not follow that: on CAN, 7E8 is the battery of one
/// vehicle and the engine of another.
public struct ECUNames: Hashable, Sendable {
    /// Whether addresses of one byte are those of SAE J1939, not of SAE J2178-1.
    public var isOnJ1939: Bool
    /// The names that ECUs reported.
    public private(set) var own: [ECUAddress: String]

    /// Names of ECUs that have not reported one, or reported it before.
    public init(onJ1939: Bool = false, own: [ECUAddress: String] = [:]) {
        isOnJ1939 = onJ1939
        self.own = own
    }

    /// Takes the names of ECUs from an answer.
    ///
    /// The ECU name (info type 0A) precedes the system name (F197, or 97 of ISO 14230-3): a system name may
    /// be the type of an engine.
    public mutating func take(_ items: [DiagnosticItem], _ messages: [ECUMessage]) {
        for message in messages {
            guard let ecu = message.ecu, own[ecu] == nil else { continue }
            take(AddressScan.name(in: message), of: ecu)
        }
        for case .reading(let reading) in items where reading.isECUName {
            guard let ecu = reading.ecu, case .text(let name) = reading.value else { continue }
            take(name, of: ecu)
        }
    }

    private mutating func take(_ name: String?, of ecu: ECUAddress) {
        guard let name, name.contains(where: { $0.isLetter || $0.isNumber }) else { return }
        own[ecu] = name
    }

    /// The name of an ECU; nil if neither the ECU nor a standard has one.
    ///
    /// A name of SAE J1979 is an acronym, `-` and a text: `BECM-Battery Energy` is `Battery`. A name with an
    /// unknown acronym is returned whole.
    public func name(of ecu: ECUAddress?) -> String? {
        guard let ecu else { return nil }
        guard let name = own[ecu] else { return standardName(of: ecu) }
        return Self.acronyms[name.prefix { $0.isLetter }.uppercased()] ?? name
    }

    private func standardName(of ecu: ECUAddress) -> String? {
        // Another ECU that has claimed an address need not have its usual function.
        guard ecu.form == .byte, ecu.extended == nil else { return nil }
        if isOnJ1939 { return Self.sourceAddresses[ecu.value] }
        return switch ecu.value {
        case 0x10...0x17: "Engine"
        case 0x18...0x1F: "Gearbox"
        default: nil
        }
    }

    /// The preferred source addresses of SAE J1939 for the functions that trucks and buses have.
    private static let sourceAddresses: [UInt32: String] = [
        0x00: "Engine", 0x01: "Engine 2", 0x03: "Gearbox", 0x04: "Gearbox 2", 0x0B: "Brakes",
        0x0F: "Engine retarder", 0x10: "Driveline retarder", 0x13: "Steering",
        0x17: "Instruments", 0x21: "Body", 0x27: "Management computer", 0x31: "Cab",
        0x3D: "Exhaust emissions", 0xEE: "Tachograph",
    ]

    /// The functions of ECUs that name themselves by SAE J1979.
    private static let acronyms = [
        "ECM": "Engine", "TCM": "Gearbox", "ABS": "Brakes", "BECM": "Battery",
        "HPCM": "Hybrid drive",
    ]
}

extension Reading {
    /// Whether the identifier is that of an ECU's own name: info type 0A, or F80A of SAE J1979-2.
    public var isECUName: Bool {
        guard let dataID else { return false }
        return dataID.service == .vehicleInformation
            ? dataID.id == 0x0A : dataID.service == .readData && dataID.id == 0xF80A
    }
}
