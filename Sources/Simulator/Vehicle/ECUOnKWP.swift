import OBDCore

/// Services 18, 1A and 21 of KWP 2000 (ISO 14230-3), for modules on the K line.
extension SimulatedECU {
    /// `18 00 group`: `58 n {code status}`.
    ///
    /// Status: bit 7 lamp, bits 6–5 storage (01 stored, 10 maturing, 11 present and stored).
    func codesByStatus(_ data: [UInt8]) -> ECUAnswer {
        guard data.count == 3 else { return .refusal(0x12) }
        guard data[0] == 0x00 || data[0] == 0x02 else { return .refusal(0x12) }
        guard data[1] == 0xFF || data[1] == 0x00 else { return .refusal(0x31) }
        let records = udsCodes.prefix(84).flatMap { code -> [UInt8] in
            let isConfirmed = code.status & 0x08 != 0
            let isPresent = code.status & 0x01 != 0
            let storage: UInt8 = isConfirmed ? (isPresent ? 0x60 : 0x20) : 0x40
            return Self.bytes(code.dtc.code) + [code.status & 0x80 | storage]
        }
        return .messages([[0x58, UInt8(records.count / 3)] + records])
    }

    /// `1A option`: `5A option data`.
    func identification(_ data: [UInt8], _ request: ECURequest) -> ECUAnswer {
        guard data.count == 1 else { return .refusal(0x12) }
        if data[0] == 0x90, let vin = model.vin { return .messages([[0x5A, 0x90] + vin.utf8]) }
        guard let record = model.identification.first(where: { $0.id == UInt32(data[0]) }) else {
            return .refusal(0x12)
        }
        return .messages([[0x5A, data[0]] + record.bytes(request.state)])
    }

    /// `21 identifier`: `61 identifier data`.
    func dataByLocalIdentifier(_ data: [UInt8], _ request: ECURequest) -> ECUAnswer {
        guard data.count == 1 else { return .refusal(0x12) }
        guard let record = model.localIdentifiers.first(where: { $0.id == UInt32(data[0]) }) else {
            return .refusal(0x12)
        }
        return .messages([[0x61, data[0]] + record.bytes(request.state)])
    }
}
