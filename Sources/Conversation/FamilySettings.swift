import Adapters
import OBDCore

extension VehicleProtocol.Family {
    /// The family to which a setting belongs that other families do not have; nil for any other command.
    ///
    /// `compact` is upper case and without blanks. Commands that apps send blindly to every adapter, such as
    /// the defaults `AT CAF1` and `AT CFC1`, show nothing.
    init?(setBy compact: [UInt8]) {
        let name = String(decoding: compact.dropFirst(2), as: UTF8.self)
        if compact.starts(with: "AT".utf8) {
            self.init(ofELM327: name)
        } else if compact.starts(with: "ST".utf8) {
            self.init(ofSTN: name)
        } else {
            return nil
        }
    }

    private init?(ofELM327 name: String) {
        if name.hasPrefix("SH") {
            self.init(ofHeader: name.dropFirst(2))
            return
        }
        func has(_ command: String, _ isArgument: (Character) -> Bool, _ lengths: [Int]) -> Bool {
            let argument = name.dropFirst(command.count)
            return name.hasPrefix(command) && lengths.contains(argument.count)
                && argument.allSatisfy(isArgument)
        }
        func isHex(_ character: Character) -> Bool { character.isHexDigit }
        if ["CAF0", "V1", "RTR"].contains(name) || name.hasPrefix("FC")
            || has("CRA", { $0.isHexDigit || $0 == "X" }, [3, 8])
            || has("CEA", isHex, [2]) || has("CER", isHex, [2]) || has("CP", isHex, [2])
            || has("CF", isHex, [3, 8]) || has("CM", isHex, [3, 8]) || has("PB", isHex, [4])
        {
            self = .can
        } else if name == "FI" {
            self = .iso14230
        } else if ["SI", "KW", "KW0", "KW1"].contains(name) || has("IIA", isHex, [2])
            || has("IB", { ("0"..."9").contains($0) }, [2]) || has("SW", isHex, [2])
            || has("WM", isHex, [2, 4, 6, 8, 10, 12])
        {
            self = .iso9141
        } else if name.hasPrefix("IFR") {
            self = .j1850
        } else {
            return nil
        }
    }

    /// The header of requests: an identifier of CAN, or the three bytes before CAN.
    private init?(ofHeader digits: Substring) {
        guard let header = UInt32(digits, radix: 16) else { return nil }
        switch digits.count {
        case 3: self = .can
        case 8 where header & 0x1F00_0000 == header & 0xFF00_0000 && header >> 16 & 0xFF < 0xE8:
            self = .can
        case 6:
            switch (header >> 16, header >> 8 & 0xFF, header & 0xFF) {
            case (0xDA, _, 0xF1), (0xDB, 0x33, 0xF1): self = .can
            case (0x61, 0x6A, _): self = .j1850
            // ISO 9141-2 and J1850 VPW have the same header.
            case (0x68, 0x6A, _): self = .iso9141
            case (0x80...0xBF, _, 0xF1), (0xC0...0xFF, 0x33, 0xF1): self = .iso14230
            default: return nil
            }
        default: return nil
        }
    }

    private init?(ofSTN name: String) {
        let ofCAN = [
            "CFCPA", "CAFCP", "FFCA", "FAFC", "CAF1", "CAF2", "CTOR", "CSTM", "CSWM",
        ]
        if ofCAN.contains(where: { name.hasPrefix($0) }) {
            self = .can
        } else if name.hasPrefix("IFI") {
            self = .iso14230
        } else if ["IAT", "IP1X", "IP4", "ITW", "IBR"].contains(where: { name.hasPrefix($0) }) {
            self = .iso9141
        } else {
            return nil
        }
    }
}
