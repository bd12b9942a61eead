import OBDCore

/// Adapter commands that change nothing permanent, by name; the shape of what may follow the name
/// is given beside it.
enum HarmlessCommands {
    /// What may stand behind a command's name.
    enum Argument: Sendable {
        /// Nothing.
        case none
        /// A 0 or 1.
        case flag
        /// Hexadecimal digits, so many at most; also none at all.
        case hexadecimal(upTo: Int)
        /// Decimal numbers and commas.
        case decimal
        /// The message that keeps a line awake: header, and a request that reads.
        case wakeUp
    }

    /// Names without `AT`; from the ELM327 and STN references, volatile settings and queries.
    static let elm327: [(name: String, argument: Argument)] = [
        ("@1", .none), ("@2", .none), ("AL", .none), ("AMC", .none), ("AMT", .hexadecimal(upTo: 2)),
        ("AR", .none), ("AT", .hexadecimal(upTo: 1)), ("BD", .none), ("CAF", .flag),
        ("CEA", .hexadecimal(upTo: 2)), ("CER", .hexadecimal(upTo: 2)),
        ("CF", .hexadecimal(upTo: 8)), ("CFC", .flag), ("CM", .hexadecimal(upTo: 8)),
        ("CP", .hexadecimal(upTo: 2)), ("CRA", .hexadecimal(upTo: 8)), ("CS", .none),
        ("CSM", .flag), ("CTM", .hexadecimal(upTo: 1)), ("D", .none), ("D0", .none), ("D1", .none),
        ("DM1", .none), ("DP", .none), ("DPN", .none), ("E", .flag),
        ("FCSD", .hexadecimal(upTo: 10)),
        ("FCSH", .hexadecimal(upTo: 8)), ("FCSM", .hexadecimal(upTo: 1)), ("FE", .none),
        ("H", .flag), ("I", .none), ("IA", .none), ("IB", .hexadecimal(upTo: 2)), ("IGN", .none),
        ("IIA", .hexadecimal(upTo: 2)), ("JE", .none), ("JHF", .flag), ("JS", .none),
        ("JTM", .hexadecimal(upTo: 1)), ("KW", .none), ("KW0", .none), ("KW1", .none),
        ("L", .flag), ("MA", .none), ("MP", .hexadecimal(upTo: 7)), ("MR", .hexadecimal(upTo: 2)),
        ("MT", .hexadecimal(upTo: 2)), ("NL", .none), ("PC", .none), ("PPS", .none), ("R", .flag),
        ("RA", .hexadecimal(upTo: 2)), ("RD", .none), ("RV", .none), ("S", .flag),
        ("SH", .hexadecimal(upTo: 8)), ("SP", .hexadecimal(upTo: 2)),
        ("SR", .hexadecimal(upTo: 2)), ("SS", .none), ("ST", .hexadecimal(upTo: 2)),
        ("SW", .hexadecimal(upTo: 2)), ("TA", .hexadecimal(upTo: 2)),
        ("TP", .hexadecimal(upTo: 2)), ("V", .flag), ("WM", .wakeUp), ("WS", .none),
        ("Z", .none),
    ]

    /// Names without `ST`.
    static let stn: [(name: String, argument: Argument)] = [
        ("I", .none), ("IX", .none), ("DI", .none), ("DIX", .none), ("MFR", .none), ("SN", .none),
        ("BTI", .none), ("BTIX", .none), ("DICPO", .none), ("DITPO", .none), ("DICES", .none),
        ("P", .decimal), ("PO", .none), ("PC", .none), ("PR", .none), ("PRS", .none),
        ("PBR", .decimal), ("PBRR", .none), ("PTO", .decimal), ("PTOT", .decimal),
        ("PTRQ", .decimal), ("CSEGR", .flag), ("CSEGT", .flag), ("CTOR", .decimal),
        ("CSTM", .decimal), ("CMM", .decimal), ("M", .decimal), ("MA", .decimal), ("FAC", .none),
        ("FA", .none), ("FPC", .none), ("FBC", .none), ("VR", .decimal), ("VRX", .none),
        ("CALSTAT", .none), ("SLCS", .none), ("SLLT", .none), ("SLXS", .none), ("UIL", .flag),
    ]

    /// Whether `text` is one of them.
    static func contains(_ text: String) -> Bool {
        let compact = text.uppercased().utf8.filter { $0 != 0x20 && $0 != 0x09 }
        let rest = compact.dropFirst(2)
        let table: [(name: String, argument: Argument)]
        if compact.starts(with: "AT".utf8) {
            table = elm327
        } else if compact.starts(with: "ST".utf8) {
            table = stn
        } else {
            return false
        }
        return table.contains { entry in
            rest.starts(with: entry.name.utf8)
                && fits(rest.dropFirst(entry.name.utf8.count), entry.argument)
        }
    }

    private static func fits(_ rest: ArraySlice<UInt8>, _ argument: Argument) -> Bool {
        switch argument {
        case .none: rest.isEmpty
        case .flag: rest.count == 1 && (rest.first == 0x30 || rest.first == 0x31)
        case .hexadecimal(let limit):
            rest.count <= limit && rest.allSatisfy { ($0 as UInt8).isHexadecimalOrWildcard }
        case .decimal: rest.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2C }
        case .wakeUp: isWakeUp(Hex.bytes(String(decoding: rest, as: UTF8.self)) ?? [])
        }
    }

    /// Whether a wake-up message, which is sent every few seconds, only reads.
    ///
    /// It has to be one of ISO 9141-2 to all ECUs, or of KWP with its length in the first byte: with
    /// the length behind the addresses the service is another byte.
    private static func isWakeUp(_ message: [UInt8]) -> Bool {
        guard (4...6).contains(message.count) else { return false }
        let payload = Array(message[3...])
        let isKWP = message[0] & 0x80 != 0 && Int(message[0] & 0x3F) == payload.count
        let isISO9141 = message[0] == 0x68 && message[1] == 0x6A
        return (isKWP || isISO9141) && VehicleRequest.isReadOnly(payload)
    }
}

extension UInt8 {
    /// A hexadecimal digit, or the X that stands for any digit in `AT CRA`.
    fileprivate var isHexadecimalOrWildcard: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x46, 0x58: true
        default: false
        }
    }
}
