public import OBDCore

// The meaning of a message about codes, in any service.
extension ECUMessage {
    /// Whether the message is a refusal: a negative response, or a negative acknowledgement in SAE J1939.
    public var isRefusal: Bool {
        switch parameterGroup {
        case 0xE800: payload.first != 0x00
        case nil: payload.first == Service.negativeResponse.rawValue
        default: false
        }
    }

    /// The lamps in an empty list of codes of SAE J1939-73 (DM1, DM2, …) that has one on; nil for any other
    /// message.
    public var lampsWithoutCode: CodeReport.Lamps? {
        guard let parameterGroup, ResponseDecoder.listKind(of: parameterGroup) != nil,
            payload.count >= 6,
            stride(from: 2, through: payload.count - 4, by: 4).allSatisfy({
                ResponseDecoder.parameterCode(payload, at: $0) == nil
            })
        else { return nil }
        let lamps = CodeReport.Lamps(byte: payload[0])
        return lamps.isAnyOn ? lamps : nil
    }

    /// The lamps in DM1 (SAE J1939-73); nil for any other message.
    public var lamps: CodeReport.Lamps? {
        guard parameterGroup == 0xFECA, let byte = payload.first else { return nil }
        return CodeReport.Lamps(byte: byte)
    }

    /// Whether the message confirms a request to clear codes: 44, 54 of UDS, or in SAE J1939 a positive
    /// acknowledgement (PGN E800) of DM11.
    public var confirmsClearing: Bool {
        switch parameterGroup {
        case 0xE800:
            payload.count == 8 && payload[0] == 0x00
                && payload[5...7].elementsEqual([0xD3, 0xFE, 0])
        case nil:
            payload.first == Service.clearCodes.positiveResponse
                || payload.first == Service.clearDiagnosticInformation.positiveResponse
        default: false
        }
    }
}
