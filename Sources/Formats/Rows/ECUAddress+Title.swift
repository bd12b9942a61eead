import OBDCore

extension ECUAddress {
    /// The function of the ECU, if a standard defines it by the identifier alone; nil otherwise.
    ///
    /// ISO 15765-4: 7E8 is the engine's and 7E9 the gearbox's. With 29 bits, the target addresses
    /// are those of SAE J2178-1: 10 to 17 engine, 18 to 1F gearbox. A single byte may belong to a
    /// protocol before CAN, with the same addresses, or to SAE J1939, with others: only
    /// ``role(onJ1939:)`` has those.
    public var role: String? {
        switch form {
        case .can11: value == 0x7E8 ? "Engine" : value == 0x7E9 ? "Gearbox" : nil
        case .can29 where value >> 8 == 0x18DAF1: Self.physicalAddress(value & 0xFF)
        default: nil
        }
    }

    /// The function of a physical address of SAE J2178-1.
    private static func physicalAddress(_ byte: UInt32) -> String? {
        switch byte {
        case 0x10...0x17: "Engine"
        case 0x18...0x1F: "Gearbox"
        default: nil
        }
    }

    /// The function of the ECU, on a vehicle that speaks SAE J1939 or not.
    public func role(onJ1939: Bool) -> String? {
        guard form == .byte else { return role }
        return onJ1939 ? Self.sourceAddresses[value] : Self.physicalAddress(value)
    }

    /// The preferred source addresses of SAE J1939 for the functions that trucks and buses have.
    private static let sourceAddresses: [UInt32: String] = [
        0x00: "Engine", 0x01: "Engine 2", 0x03: "Gearbox", 0x04: "Gearbox 2", 0x0B: "Brakes",
        0x0F: "Engine retarder", 0x10: "Driveline retarder", 0x13: "Steering",
        0x17: "Instruments", 0x21: "Body", 0x27: "Management computer", 0x31: "Cab",
        0x3D: "Exhaust emissions", 0xEE: "Tachograph",
    ]

    /// `Engine (7E8)`; only the address if no standard defines the function.
    public var title: String { title(role) }

    /// ``title`` with the names of SAE J1939 for a vehicle that speaks it.
    public func title(onJ1939: Bool) -> String { title(role(onJ1939: onJ1939)) }

    /// ``title(onJ1939:)``, but an ECU that says what it is goes by that, not by its address.
    ///
    /// The name of SAE J1979 is an acronym, `-` and a text: `BECM-Battery Energy` is `Battery (7E9)`,
    /// and one with an acronym that is not known here is shown whole.
    public func title(named name: String?, onJ1939: Bool) -> String {
        guard let name = name?.trimmed, !name.isEmpty else { return title(onJ1939: onJ1939) }
        let acronym = name.prefix { $0.isLetter }.uppercased()
        return title(Self.acronyms[acronym] ?? printable(name))
    }

    /// The functions of ECUs that name themselves by SAE J1979.
    private static let acronyms = [
        "ECM": "Engine", "TCM": "Gearbox", "ABS": "Brakes", "BECM": "Battery",
        "HPCM": "Hybrid drive",
    ]

    private func title(_ role: String?) -> String { role.map { "\($0) (\(printed))" } ?? printed }
}
