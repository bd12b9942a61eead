import OBDCore
import VehicleLink

/// The format of the lines on a link after the set-up.
///
/// Headers, blanks and length codes were set and confirmed, or refused. The first complete answer shows the
/// vehicle's protocol. From then on, a line of any other form is damaged.
struct LineFormat: Hashable, Sendable {
    enum Header: UInt8, Hashable, Sendable, CaseIterable {
        /// `7E8 06 41 00 …`
        case can11
        /// `18 DA F1 10 06 41 00 …`
        case can29
        /// `18 FE CA 00 …`, `6 0FECA 00 …`
        case j1939
        /// `48 6B 10 41 00 … sum`
        case iso9141
        /// `41 6B 10 41 00 … CRC`
        case j1850
        /// `86 F1 10 41 00 … sum`
        case iso14230
        /// No header: `41 00 …`, with segments, or the data field with `AT CAF0`.
        case absent

        /// The protocol family; nil if the header does not determine it.
        var family: VehicleProtocol.Family? {
            switch self {
            case .can11, .can29: .can
            case .j1939: .j1939
            case .iso9141: .iso9141
            case .j1850: .j1850
            case .iso14230: .iso14230
            case .absent: nil
            }
        }

        /// The form of the addresses; nil if the header has none.
        var form: ECUAddress.Form? {
            switch self {
            case .can11: .can11
            case .can29, .j1939: .can29
            case .iso9141, .j1850, .iso14230: .byte
            case .absent: nil
            }
        }

        /// The number of digits of a CAN identifier.
        var identifierDigits: Int {
            switch self {
            case .can11: 3
            case .can29, .j1939: 8
            case .iso9141, .j1850, .iso14230, .absent: 0
            }
        }

        /// Whether a vehicle with protocol `known` sends this header; true if the protocol is unknown.
        func fits(_ known: VehicleProtocol?) -> Bool {
            guard let known, self != .absent else { return true }
            switch known {
            // The content of these depends on the adapter's own parameters.
            case .userCAN1, .userCAN2: return family == .can
            default:
                return known.family == family && (family != .can || known.addressForm == form)
            }
        }
    }

    var header: Header
    /// Whether the bytes are separated by blanks.
    var hasSpaces: Bool
    /// Whether a length code follows the identifier.
    var showsLength = false
    /// Whether an identifier of J1939 is shown as priority, parameter group and source.
    var formatsJ1939 = false

    /// The digit at which the data begin; nil if the line does not have this format.
    func start(in line: HexLine) -> Int? {
        guard line.segment == nil, (line.groups > 1) == hasSpaces || line.count <= 2 else {
            return nil
        }
        let length = showsLength && header.identifierDigits > 0 ? 1 : 0
        let start = header.identifierDigits + length
        guard line.count >= start + 2, (line.count - start) & 1 == 0 else { return nil }
        guard line.groups > 1 else { return start }
        let bytes = (line.count - start) / 2
        switch header {
        case .can11:
            guard line.length(0) == 3, line.groups == 1 + length + bytes, line.oddAfterTwo == 0
            else { return nil }
            return length == 1 && line.length(1) != 1 ? nil : start
        case .j1939 where formatsJ1939:
            guard line.length(0) == 1, line.length(1) == 5, line.length(2) == 2,
                line.groups == 3 + length + bytes, line.oddAfterTwo == length
            else { return nil }
            return length == 1 && line.length(3) != 1 ? nil : start
        case .can29, .j1939:
            // Some adapters show the identifier as one number.
            if line.length(0) == 8 {
                guard line.groups == 1 + length + bytes, line.oddAfterTwo == 0 else { return nil }
                return length == 1 && line.length(1) != 1 ? nil : start
            }
            guard (0..<4).allSatisfy({ line.length($0) == 2 }),
                line.groups == 4 + length + bytes, line.oddAfterTwo == length
            else { return nil }
            return length == 1 && line.length(4) != 1 ? nil : start
        case .iso9141, .j1850, .iso14230, .absent:
            return line.isWholeBytes && line.groups == bytes ? start : nil
        }
    }

    /// The CAN identifier before the data; nil if it is missing or out of range.
    func identifier(in line: HexLine) -> UInt32? {
        switch header {
        case .can11:
            let id = line.number(0, 3)
            return id < 0x800 ? id : nil
        case .can29:
            let id = line.number(0, 8)
            return id < 0x2000_0000 ? id : nil
        case .j1939:
            var id = line.number(0, 8)
            if formatsJ1939 {
                guard line.digit(0) <= 7 else { return nil }
                id = UInt32(line.digit(0)) << 26 | line.number(1, 5) << 8 | UInt32(line.byte(6))
            }
            return id < 0x2000_0000 && !J1939.isReserved(id) ? id : nil
        case .iso9141, .j1850, .iso14230, .absent: return nil
        }
    }
}

/// Selects the senders that pass the adapter's receive filter.
struct SenderFilter: Hashable, Sendable {
    private var pattern: UInt32 = 0
    private var mask: UInt32 = 0

    /// A filter that lets everything pass.
    static let open = SenderFilter()

    private init() {}

    /// The effect of the adapter's filter.
    ///
    /// By default the adapter accepts 7E8 to 7EF, or 18DAF1xx (F1 = `tester`). On protocols before CAN the
    /// form uses bytes of the header that are not part of an identifier.
    init(_ responders: VehicleRequest.Responders, _ header: LineFormat.Header, tester: UInt8) {
        switch responders {
        case .usual:
            switch header {
            case .can11: (pattern, mask) = (0x7E8, 0x7F8)
            case .can29: (pattern, mask) = (0x18DA_0000 | UInt32(tester) << 8, 0x1FFF_FF00)
            case .j1939, .iso9141, .j1850, .iso14230, .absent: break
            }
        case .one(let ecu) where header.form == ecu.form && ecu.form != .byte:
            (pattern, mask) = (ecu.value, 0x1FFF_FFFF)
        case .matching(let address, let bits)
        where header.form == address.form && address.form != .byte:
            (pattern, mask) = (address.value, bits)
        case .one, .matching: break
        }
    }

    @inline(__always)
    func admits(_ id: UInt32) -> Bool { (id ^ pattern) & mask == 0 }
}
