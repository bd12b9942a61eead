import OBDCore

/// Adapter commands that change nothing permanent, by name, each with the shape of its argument.
package enum HarmlessCommands {
    package enum Argument: Hashable, Sendable {
        /// Nothing.
        case none
        /// A 0 or 1.
        case flag
        /// Up to this many hexadecimal digits, or none.
        case hexadecimal(upTo: Int)
        /// Up to this many hexadecimal digits, with X for any digit.
        case pattern(upTo: Int)
        case decimal
        /// The message that keeps a line awake: a header and a request that reads.
        case wakeUp
        case diagnosticAddress
        /// The data of a flow control frame only: 30, 31 or 32 with two more bytes.
        case flowControl
        /// A digit from 0 to 2.
        case flowControlMode
        /// The parts of `STPX`: one request that reads, to a diagnostic address.
        case transmission
    }

    /// Names without `AT`; from the ELM327 and STN references, volatile settings and queries.
    package static let elm327: [(name: String, argument: Argument)] = [
        ("@1", .none), ("@2", .none), ("AL", .none), ("AMC", .none), ("AMT", .hexadecimal(upTo: 2)),
        ("AR", .none), ("AT", .hexadecimal(upTo: 1)), ("BD", .none), ("CAF", .flag),
        ("CEA", .hexadecimal(upTo: 2)), ("CER", .hexadecimal(upTo: 2)),
        ("CF", .hexadecimal(upTo: 8)), ("CFC", .flag), ("CM", .hexadecimal(upTo: 8)),
        ("CP", .hexadecimal(upTo: 2)), ("CRA", .pattern(upTo: 8)), ("CS", .none),
        ("CSM", .flag), ("CTM", .hexadecimal(upTo: 1)), ("D", .none), ("D0", .none), ("D1", .none),
        ("DM1", .none), ("DP", .none), ("DPN", .none), ("E", .flag),
        ("FCSD", .flowControl), ("FCSH", .diagnosticAddress), ("FCSM", .flowControlMode),
        ("FE", .none),
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
    package static let stn: [(name: String, argument: Argument)] = [
        ("I", .none), ("IX", .none), ("DI", .none), ("DIX", .none), ("MFR", .none), ("SN", .none),
        ("BTI", .none), ("BTIX", .none), ("DICPO", .none), ("DITPO", .none), ("DICES", .none),
        ("P", .decimal), ("PO", .none), ("PC", .none), ("PR", .none), ("PRS", .none),
        ("PBR", .decimal), ("PBRR", .none), ("PTO", .decimal), ("PTOT", .decimal),
        ("PTRQ", .decimal), ("CSEGR", .flag), ("CSEGT", .flag), ("CTOR", .decimal),
        ("CSTM", .decimal), ("CMM", .decimal), ("M", .decimal), ("MA", .decimal), ("FAC", .none),
        ("FA", .none), ("FPC", .none), ("FBC", .none), ("VR", .decimal), ("VRX", .none),
        ("CALSTAT", .none), ("SLCS", .none), ("SLLT", .none), ("SLXS", .none), ("UIL", .flag),
        ("PX", .transmission),
    ]

    /// The longest command to accept: adapters drop the text that does not fit their buffer.
    ///
    /// Unit: characters.
    package static let longest = 128

    /// Whether `text` is one of them.
    package static func contains(_ text: String) -> Bool {
        // A control character would end the command early and begin another.
        guard text.utf8.count <= longest, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return false }
        let compact = AdapterCommand.compact(text.utf8)
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
            rest.count <= limit && rest.allSatisfy { Hex.value($0) != nil }
        case .pattern(let limit):
            rest.count <= limit
                && rest.allSatisfy { Hex.value($0) != nil || $0 == UInt8(ascii: "X") }
        case .decimal: rest.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2C }
        case .wakeUp: isWakeUp(Hex.bytes(String(decoding: rest, as: UTF8.self)) ?? [])
        case .diagnosticAddress: isDiagnosticAddress(String(decoding: rest, as: UTF8.self))
        case .flowControl: isFlowControl(String(decoding: rest, as: UTF8.self))
        case .flowControlMode: rest.count == 1 && (0x30...0x32).contains(rest.first ?? 0)
        case .transmission:
            Transmission(String(decoding: rest, as: UTF8.self)).map { sent in
                VehicleRequest.isReadOnly(sent.payload)
                    && sent.header.map(isDiagnosticHeader) ?? true
            } ?? false
        }
    }

    /// Whether the digits of `AT FC SD` are a flow control frame (ISO 15765-2: 30 go on, 31 wait,
    /// 32 too long).
    package static func isFlowControl(_ digits: String) -> Bool {
        guard let bytes = Hex.bytes(digits) else { return false }
        return bytes.count == 3 && (0x30...0x32).contains(bytes[0])
    }

    /// Whether digits are an 11-bit or 29-bit identifier of diagnostic requests; six digits leave out the
    /// usual priority.
    private static func isDiagnosticAddress(_ digits: String) -> Bool {
        guard let value = hexadecimal(digits) else { return false }
        return switch digits.utf8.count {
        case 3: ECUAddress(value, .can11).isDiagnosticRequest
        case 6: ECUAddress(0x1800_0000 | value, .can29).isDiagnosticRequest
        case 8: ECUAddress(value, .can29).isDiagnosticRequest
        default: false
        }
    }

    /// Whether digits of a header may be a diagnostic address; ``TypedSettings`` knows the protocol and
    /// decides.
    private static func isDiagnosticHeader(_ digits: String) -> Bool {
        isDiagnosticAddress(digits) || digits.utf8.count == 6
    }

    /// The number that hexadecimal digits spell, and nothing but digits: no sign.
    package static func hexadecimal(_ digits: some StringProtocol) -> UInt32? {
        guard digits.utf8.allSatisfy({ Hex.value($0) != nil }) else { return nil }
        return UInt32(digits, radix: 16)
    }

    /// The parts of `STPX`: each at most once, and no others.
    package struct Transmission {
        /// The digits of `h:`; nil = the digits of `AT SH`.
        package var header: String?
        /// The bytes of `d:`.
        package var payload: [UInt8]

        /// Reads `H:7E0,D:010C,R:1`, upper case and without blanks; nil for anything else.
        package init?(_ text: String) {
            var values: [Substring: Substring] = [:]
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                let halves = part.split(separator: ":", omittingEmptySubsequences: false)
                guard halves.count == 2, ["H", "D", "T", "R"].contains(halves[0]),
                    values.updateValue(halves[1], forKey: halves[0]) == nil
                else { return nil }
            }
            guard let payload = values["D"].flatMap({ Hex.bytes($0) }), !payload.isEmpty,
                ["T", "R"].allSatisfy({ key in
                    values[key].map { value in
                        !value.isEmpty && value.utf8.allSatisfy { (0x30...0x39).contains($0) }
                    } ?? true
                })
            else { return nil }
            if let header = values["H"] {
                guard !header.isEmpty, HarmlessCommands.hexadecimal(header) != nil else {
                    return nil
                }
                self.header = String(header)
            }
            self.payload = payload
        }
    }

    /// Whether a wake-up message, which is sent every few seconds, only reads.
    ///
    /// It has to be a functional ISO 9141-2 message, or a KWP message with its length in the first byte. With
    /// the length after the addresses, another byte would be the service.
    private static func isWakeUp(_ message: [UInt8]) -> Bool {
        guard (4...6).contains(message.count) else { return false }
        let payload = Array(message[3...])
        let isKWP = message[0] & 0x80 != 0 && Int(message[0] & 0x3F) == payload.count
        let isISO9141 = message[0] == 0x68 && message[1] == 0x6A
        return (isKWP || isISO9141) && VehicleRequest.isReadOnly(payload)
    }
}
