import OBDCore

/// SAE J1979-2: readiness in identifier F501 and by group (19 56).
extension SimulatedECU {
    /// A readiness group: its identifier, its bit in F501, its bits in PID 01, and its codes.
    private struct Group {
        var identifier: UInt8
        /// The byte of F501, from B = 0, and the bit from 0 to 3.
        var place: (byte: Int, bit: UInt8)
        /// Bits of byte B of PID 01.
        var continuous: UInt8 = 0
        /// Bits of byte C for spark and compression ignition.
        var spark: UInt8 = 0
        var compression: UInt8 = 0
        /// The codes whose tests belong to the group, without the failure type.
        var codes: [String]
    }

    private static let groups = [
        Group(identifier: 0x01, place: (1, 0), spark: 0x01, codes: ["P0420", "P0430"]),
        Group(identifier: 0x02, place: (1, 2), spark: 0x02, codes: ["P0434"]),
        Group(
            identifier: 0x03, place: (0, 0), continuous: 0x01,
            codes: ["P0300", "P0301", "P0302", "P0303", "P0304"]),
        Group(identifier: 0x04, place: (2, 0), spark: 0x04, codes: ["P0442", "P0455", "P0456"]),
        Group(identifier: 0x05, place: (2, 1), spark: 0x08, codes: ["P0411"]),
        Group(identifier: 0x06, place: (0, 1), continuous: 0x02, codes: ["P0171", "P0172"]),
        Group(
            identifier: 0x07, place: (3, 0), spark: 0x60, compression: 0x20,
            codes: ["P0133", "P0135", "P0141"]),
        Group(
            identifier: 0x08, place: (3, 2), spark: 0x80, compression: 0x80, codes: ["P0401"]),
        Group(
            identifier: 0x0C, place: (3, 3), spark: 0x80, compression: 0x80, codes: ["P0011"]),
        Group(
            identifier: 0x0E, place: (0, 2), continuous: 0x04,
            codes: ["P0101", "P0113", "P0335", "P0562"]),
        Group(identifier: 0x10, place: (1, 1), compression: 0x01, codes: ["P0420"]),
        Group(identifier: 0x11, place: (1, 3), compression: 0x02, codes: ["P20EE"]),
        Group(identifier: 0x12, place: (2, 2), compression: 0x08, codes: ["P0299"]),
        Group(identifier: 0x14, place: (2, 3), compression: 0x40, codes: ["P2002"]),
    ]

    /// Whether the ECU has a group, and whether its tests are incomplete since the clear and in this cycle.
    private func state(of group: Group) -> (supported: Bool, open: Bool, openThisCycle: Bool) {
        let readiness = model.readiness
        let bits = readiness.compression ? group.compression : group.spark
        let untested = faults.cleared != nil
        if group.continuous & readiness.continuous != 0 { return (true, untested, false) }
        return (
            bits & readiness.supported != 0,
            bits & (untested ? readiness.supported : readiness.incomplete) != 0,
            bits & readiness.incompleteThisCycle != 0
        )
    }

    /// Identifier F501: byte A as in PID 01, then supported and incomplete groups.
    func readinessOnUDS(_ state: VehicleState) -> [UInt8]? {
        guard let first = record(0x01, state)?.first else { return nil }
        var bytes: [UInt8] = [first, 0, 0, 0, 0, 0]
        for group in Self.groups {
            let found = self.state(of: group)
            let mask = UInt8(1) << group.place.bit
            if found.supported { bytes[1 + group.place.byte] |= mask }
            if found.supported && found.open { bytes[1 + group.place.byte] |= mask << 4 }
        }
        return bytes
    }

    /// `59 56 33 mask format group {DTC status}`: the codes of a readiness group, with or without a fault.
    func codesOfReadinessGroup(_ data: [UInt8]) -> ECUAnswer {
        guard data.count == 3 else { return .refusal(0x13) }
        guard data[1] == 0x33, let group = Self.groups.first(where: { $0.identifier == data[2] })
        else { return .refusal(0x31) }
        let found = state(of: group)
        guard found.supported else { return .refusal(0x31) }
        let open: UInt8 = (found.open ? 0x10 : 0) | (found.openThisCycle ? 0x40 : 0)
        let known = udsCodes
        let records = group.codes.compactMap { DTC($0) }.flatMap { code in
            // A test that has failed has run.
            Self.record(known.first { $0.dtc.code == code.code } ?? (code, open))
        }
        return .messages([[0x59, 0x56, 0x33, 0xFF, 0x04, data[2]] + records])
    }
}
