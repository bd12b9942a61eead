import OBDCore
import VehicleLink

/// The diagnostic messages of SAE J1939-73 among the frames of a bus.
extension J1939 {
    /// DM1, DM2, DM4, DM5, DM6, DM12, DM19, DM20, DM21, and DM23 to DM29.
    static let diagnostics: Set<UInt32> = [
        0xFECA, 0xFECB, 0xFECD, 0xFECE, 0xFECF, 0xFED4, 0xD300, 0xC200, 0xC100, 0xFDB5, 0xFDB6,
        0xFDB7, 0xFDB8, 0xFD82, 0xFD80, 0x9E00,
    ]

    /// Lists of codes: two bytes of lamps, and four bytes per code.
    private static let lists: Set<UInt32> = [
        0xFECA, 0xFECB, 0xFECF, 0xFED4, 0xFDB5, 0xFD82, 0xFD80,
    ]

    /// The groups of long messages that show the protocol: lists of codes, software, component and vehicle
    /// identification.
    private static let announced = lists.union([0xFEDA, 0xFEEB, 0xFEEC])

    /// Whether frames with this identifier may carry a diagnostic message, whole or in packets.
    static func mayCarryDiagnostics(_ identifier: UInt32) -> Bool {
        guard identifier >> 24 & 0x3 == 0 else { return false }
        let group = Identifier(identifier).parameterGroup
        return group == connectionManagement || group == dataTransfer || diagnostics.contains(group)
    }

    /// Whether a frame shows that its bus speaks SAE J1939.
    ///
    /// Three frames do: a list of at most one code, which ends with two bytes FF; the announcement of a known
    /// long message, whose number of packets fits its length; and a request for a list of codes. Makers use
    /// 29-bit identifiers of their own, so other identifiers show nothing.
    static func provesProtocol(_ identifier: UInt32, _ data: InlineBytes) -> Bool {
        guard identifier >> 24 & 0x3 == 0 else { return false }
        let id = Identifier(identifier)
        switch id.parameterGroup {
        case connectionManagement:
            guard data.count == 8, data[0] == 0x20 || data[0] == 0x10 else { return false }
            let total = Int(data[2]) << 8 | Int(data[1])
            let isToAll = id.destination == everyone
            return isToAll == (data[0] == 0x20) && (9...longestPayload).contains(total)
                && Int(data[3]) == (total + 6) / 7 && (!isToAll || data[4] == 0xFF)
                && announced.contains(group(in: data[5...]))
        // A request for a group.
        case 0xEA00: return data.count == 3 && lists.contains(group(in: data[0...]))
        case let group:
            return lists.contains(group) && id.priority == 6 && data.count == 8
                && data[6] == 0xFF && data[7] == 0xFF
        }
    }

    private static func group(in bytes: some Collection<UInt8>) -> UInt32 {
        bytes.prefix(3).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension DiagnosticTraffic.Answer {
    /// The request and the protocol.
    package var exchange: Exchange {
        if message.parameterGroup != nil { return Exchange(vehicleProtocol: .j1939) }
        var exchange = Exchange(request: request, family: .can)
        exchange.vehicleProtocol = message.ecu?.form == .can29 ? .can29At500 : .can11At500
        exchange.header = asked?.value
        return exchange
    }
}
