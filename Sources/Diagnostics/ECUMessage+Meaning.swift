package import OBDCore

extension ECUMessage {
    /// The meaning of a positive answer that confirms a request and has no data to decode; nil for any other.
    ///
    /// The names are those of ISO 14229-1 (UDS), of ISO 14230-3 (KWP) where a service differs, and of SAE J1979
    /// for services 04 and 08; in SAE J1939-21 it is an acknowledgement (PGN E800).
    package var meaning: String? {
        if let parameterGroup { return parameterGroup == 0xE800 ? acknowledgement : nil }
        guard let first = payload.first else { return nil }
        // The byte after the service: mostly a subfunction.
        let next = payload.dropFirst().first
        let detail = next.map { " " + Hex.string([$0]) } ?? ""
        switch first {
        case 0x44, 0x54: return payload.count == 1 ? "codes cleared" : nil
        // Every 32nd test lists the tests that the ECU supports.
        case 0x48:
            return next.map { $0 & 0x1F } == 0
                ? nil : "control of a system, test or component accepted" + detail
        case 0x50: return next.map { "diagnostic session started: " + Self.session($0) }
        case 0x51:
            return next.map {
                "reset accepted: " + (Self.resets[$0] ?? "kind \(Hex.string([$0]))")
            } ?? "reset accepted"
        case 0x60: return "diagnostic session ended"
        case 0x67: return next.map { securityAccess($0) }
        case 0x68:
            return next.map {
                "communication controlled: " + (Self.communication[$0] ?? Hex.string([$0]))
            } ?? "normal messages off"
        case 0x69: return payload.count == 1 ? "normal messages on" : nil
        case 0x6E:
            return payload.count == 3 ? "written: \(Hex.string(payload[1...2]))" : nil
        case 0x6F:
            return payload.count > 2
                ? "input or output controlled: \(Hex.string(payload[1...2]))" : nil
        case 0x70: return "input or output controlled" + detail
        case 0x71:
            guard payload.count > 3, let next, let state = Self.routines[next] else { return nil }
            return "routine \(Hex.string(payload[2...3])) \(state)"
        case 0x74: return "download accepted"
        case 0x75: return "upload accepted"
        case 0x76: return "block of data transferred" + detail
        case 0x77: return "transfer ended"
        case 0x7B: return next.map { "written: \(Hex.string([$0]))" }
        case 0x7D: return "memory written"
        case 0x7E: return "tester present confirmed"
        case 0xC1: return "communication started"
        case 0xC2: return "communication ended"
        case 0xC5:
            return next.map {
                "storing of codes " + ([0x01: "on", 0x02: "off"][$0] ?? Hex.string([$0]))
            }
        case 0xC7: return "link controlled" + detail
        default: return nil
        }
    }

    private static func session(_ session: UInt8) -> String {
        let names: [UInt8: String] = [
            0x01: "default", 0x02: "programming", 0x03: "extended", 0x04: "safety system",
        ]
        return names[session] ?? Hex.string([session])
    }

    private static let resets: [UInt8: String] = [
        0x01: "hard reset", 0x02: "key off and on", 0x03: "soft reset",
        0x04: "rapid power shutdown on", 0x05: "rapid power shutdown off",
    ]

    private static let communication: [UInt8: String] = [
        0x00: "receiving and sending on", 0x01: "receiving on, sending off",
        0x02: "receiving off, sending on", 0x03: "receiving and sending off",
    ]

    private static let routines: [UInt8: String] = [
        0x01: "started", 0x02: "stopped", 0x03: "reported its results",
    ]

    /// Odd subfunctions send a seed, even ones confirm its key.
    private func securityAccess(_ subfunction: UInt8) -> String {
        let level = Hex.string([subfunction])
        guard subfunction % 2 == 1 else { return "security access granted: \(level)" }
        let seed = payload.dropFirst(2)
        if seed.isEmpty { return "security access: seed of \(level)" }
        return seed.allSatisfy { $0 == 0 }
            ? "security access was granted before: \(level)" : "security access: seed of \(level)"
    }

    /// `control … address PGN`, of eight bytes.
    private var acknowledgement: String? {
        guard payload.count == 8, let control = payload.first,
            let word = Self.acknowledgements[control]
        else { return nil }
        let group =
            UInt32(payload[5]) | UInt32(payload[6]) << 8 | UInt32(payload[7]) << 16
        return "\(word): \(Hex.string(group, digits: 6))"
    }

    /// The control bytes of an acknowledgement of SAE J1939-21.
    package static let acknowledgements: [UInt8: String] = [
        0x00: "acknowledged", 0x01: "negative acknowledgement", 0x02: "access denied",
        0x03: "cannot respond",
    ]
}
