/// The address of the ECU that answered, as on the wire.
///
/// `7E8` and `18DAF110` on CAN, `10` (the source byte) on protocols before CAN, `1010` on DoIP. With extended
/// addressing, the address includes the address byte after the CAN identifier: `7E8/F1`. `21/02` is the second ECU
/// that has claimed the source address 21 of SAE J1939.
public struct ECUAddress: Hashable, Comparable, Sendable {
    /// The kind of address, which determines its written form.
    public enum Form: UInt8, Hashable, Sendable {
        /// The source byte of ISO 9141-2, ISO 14230-4, SAE J1850 or SAE J1939: two digits.
        case byte
        /// An 11-bit CAN identifier: three digits.
        case can11
        /// A 29-bit CAN identifier: eight digits.
        case can29
        /// A logical address of ISO 13400-2 (DoIP): four digits.
        case logical
    }

    /// The address or identifier.
    public var value: UInt32
    /// The kind of address.
    public var form: Form
    /// The address byte after the CAN identifier with extended addressing; in SAE J1939 the number of the ECU, from 2,
    /// if another one has claimed its address before.
    public var extended: UInt8?

    /// An address of the given form.
    @inline(__always)
    public init(_ value: UInt32, _ form: Form, extended: UInt8? = nil) {
        self.value = value
        self.form = form
        self.extended = extended
    }

    /// Reads `7E8`, `18DAF110`, `10`, `1010` or `7E8/F1`; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { Hex.value($0) != nil } }),
            let value = UInt32(first, radix: 16)
        else { return nil }
        switch first.count {
        case 2: self.init(value, .byte)
        case 3 where value < 0x800: self.init(value, .can11)
        case 4 where parts.count == 1: self.init(value, .logical)
        case 8 where value < 0x2000_0000: self.init(value, .can29)
        default: return nil
        }
        if parts.count == 2 {
            guard parts[1].count == 2, let byte = UInt8(parts[1], radix: 16) else { return nil }
            extended = byte
        }
    }

    /// The order in lists.
    public static func < (left: ECUAddress, right: ECUAddress) -> Bool {
        (left.form.rawValue, left.value, left.extended ?? 0)
            < (right.form.rawValue, right.value, right.extended ?? 0)
    }

    /// The address of a request to this ECU only (physical addressing).
    ///
    /// ISO 15765-4: 7E8 → 7E0, 18DAF110 → 18DA10F1. Before CAN the request address is the address byte
    /// itself, and on DoIP the logical address.
    public var physicalRequest: ECUAddress {
        switch form {
        case .can11: ECUAddress(value >= 8 ? value - 8 : value, .can11, extended: extended)
        case .can29:
            ECUAddress(
                value & 0xFFFF_0000 | (value & 0xFF) << 8 | (value >> 8) & 0xFF, .can29,
                extended: extended)
        case .byte, .logical: self
        }
    }
}

extension ECUAddress {
    /// Whether OBD uses this address for requests to one ECU: 7E0 to 7E7, 18DAxxF1, any address of an ECU on
    /// DoIP.
    public var isUsualRequest: Bool {
        switch form {
        case .can11: (0x7E0...0x7E7).contains(value)
        case .can29: value & 0x1FFF_00FF == 0x18DA_00F1
        case .byte: true
        case .logical: isLogicalECU
        }
    }

    /// Whether this is the logical address of one ECU or gateway on DoIP (ISO 13400-2): 0001 to 0DFF and 1000
    /// to 7FFF.
    ///
    /// Testers have the addresses in between, and groups of ECUs those above.
    public var isLogicalECU: Bool {
        form == .logical && ((0x0001...0x0DFF).contains(value) || (0x1000...0x7FFF).contains(value))
    }

    /// Whether this is the logical address of a group of ECUs on DoIP (ISO 13400-2): E000 to E3FF are
    /// standard, E400 to EFFF are for manufacturers.
    public var isLogicalGroup: Bool { form == .logical && (0xE000...0xEFFF).contains(value) }

    /// The answer address of an ECU with this request address, by the rule of OBD: eight higher, or with both
    /// addresses exchanged.
    public var usualResponder: ECUAddress {
        switch form {
        case .can11: ECUAddress((value + 8) & 0x7FF, .can11, extended: extended)
        case .can29: physicalRequest
        case .byte, .logical: self
        }
    }

    /// The address in the form for commands, with the number of digits of its kind.
    public var digits: String {
        switch form {
        case .byte: Hex.string(value, digits: 2)
        case .can11: Hex.string(value, digits: 3)
        case .logical: Hex.string(value, digits: 4)
        case .can29: Hex.string(value, digits: 8)
        }
    }
}

extension ECUAddress: CustomStringConvertible {
    /// The address as on the wire.
    public var description: String {
        guard let extended else { return digits }
        return digits + "/" + Hex.string([extended])
    }
}
