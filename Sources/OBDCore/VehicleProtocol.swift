/// The vehicle's protocol, with the ELM327's number (`AT SP n`) if it has one.
public enum VehicleProtocol: UInt8, Hashable, Sendable, CaseIterable {
    /// SAE J1850 PWM, 41.6 kbit/s.
    case j1850PWM = 0x1
    /// SAE J1850 VPW, 10.4 kbit/s.
    case j1850VPW = 0x2
    /// ISO 9141-2, 5-baud initialisation.
    case iso9141 = 0x3
    /// ISO 14230-4 (KWP), 5-baud initialisation.
    case iso14230Slow = 0x4
    /// ISO 14230-4 (KWP), fast initialisation.
    case iso14230Fast = 0x5
    /// ISO 15765-4, 11-bit identifiers, 500 kbit/s.
    case can11At500 = 0x6
    /// ISO 15765-4, 29-bit identifiers, 500 kbit/s.
    case can29At500 = 0x7
    /// ISO 15765-4, 11-bit identifiers, 250 kbit/s.
    case can11At250 = 0x8
    /// ISO 15765-4, 29-bit identifiers, 250 kbit/s.
    case can29At250 = 0x9
    /// SAE J1939, 29-bit identifiers, 250 kbit/s.
    case j1939 = 0xA
    /// User CAN 1; 11-bit and 125 kbit/s unless the adapter was set otherwise.
    case userCAN1 = 0xB
    /// User CAN 2; 11-bit and 50 kbit/s unless the adapter was set otherwise.
    case userCAN2 = 0xC
    /// ISO 13400-2 (DoIP): diagnostics over Ethernet, which no ELM327 supports.
    case doip = 0x1D

    /// A family of protocols with the same structure of frames.
    public enum Family: UInt8, Hashable, Sendable, CaseIterable {
        /// SAE J1850, PWM and VPW.
        case j1850
        /// ISO 9141-2.
        case iso9141
        /// ISO 14230-4.
        case iso14230
        /// ISO 15765-4; also ISO 13400-2, whose messages have the same services.
        case can
        /// SAE J1939.
        case j1939

        /// Whether the family is one of those before CAN.
        public var isLegacy: Bool {
            switch self {
            case .j1850, .iso9141, .iso14230: true
            case .can, .j1939: false
            }
        }
    }

    /// The family of this protocol.
    public var family: Family {
        switch self {
        case .j1850PWM, .j1850VPW: .j1850
        case .iso9141: .iso9141
        case .iso14230Slow, .iso14230Fast: .iso14230
        case .can11At500, .can29At500, .can11At250, .can29At250, .userCAN1, .userCAN2, .doip: .can
        case .j1939: .j1939
        }
    }

    /// The form of the protocol's ECU addresses.
    public var addressForm: ECUAddress.Form {
        switch self {
        case .j1850PWM, .j1850VPW, .iso9141, .iso14230Slow, .iso14230Fast: .byte
        case .can11At500, .can11At250, .userCAN1, .userCAN2: .can11
        case .can29At500, .can29At250, .j1939: .can29
        case .doip: .logical
        }
    }

    /// The form of the protocol's request addresses.
    ///
    /// SAE J1939 inserts an address of one byte into its identifiers; the other protocols use the identifier
    /// itself.
    public var requestForm: ECUAddress.Form { self == .j1939 ? .byte : addressForm }

    /// The name that options and configuration use: `iso15765-11-500`.
    public var name: String {
        switch self {
        case .j1850PWM: "j1850-pwm"
        case .j1850VPW: "j1850-vpw"
        case .iso9141: "iso9141-2"
        case .iso14230Slow: "iso14230-slow"
        case .iso14230Fast: "iso14230-fast"
        case .can11At500: "iso15765-11-500"
        case .can29At500: "iso15765-29-500"
        case .can11At250: "iso15765-11-250"
        case .can29At250: "iso15765-29-250"
        case .j1939: "j1939"
        case .userCAN1: "user-can-1"
        case .userCAN2: "user-can-2"
        case .doip: "doip"
        }
    }

    /// The name for the user: `ISO 15765-4 CAN, 11 bit, 500 kbit/s`.
    public var title: String {
        switch self {
        case .j1850PWM: "SAE J1850 PWM"
        case .j1850VPW: "SAE J1850 VPW"
        case .iso9141: "ISO 9141-2"
        case .iso14230Slow: "ISO 14230-4 KWP, 5-baud init"
        case .iso14230Fast: "ISO 14230-4 KWP, fast init"
        case .can11At500: "ISO 15765-4 CAN, 11 bit, 500 kbit/s"
        case .can29At500: "ISO 15765-4 CAN, 29 bit, 500 kbit/s"
        case .can11At250: "ISO 15765-4 CAN, 11 bit, 250 kbit/s"
        case .can29At250: "ISO 15765-4 CAN, 29 bit, 250 kbit/s"
        case .j1939: "SAE J1939 CAN, 29 bit, 250 kbit/s"
        case .userCAN1: "user CAN 1"
        case .userCAN2: "user CAN 2"
        case .doip: "ISO 13400-2 DoIP"
        }
    }

    /// The digit of `AT SP` and `AT DPN`: `6`, `A`; DoIP has no such digit and gets two.
    public var digit: String { String(rawValue, radix: 16, uppercase: true) }

    /// Reads a digit (`6`, `a`) or a name (`iso15765-11-500`); nil for anything else.
    public init?(_ text: some StringProtocol) {
        let lowered = text.lowercased()
        if lowered.utf8.count == 1, let number = UInt8(lowered, radix: 16) {
            self.init(rawValue: number)
        } else if let found = Self.allCases.first(where: { $0.name == lowered }) {
            self = found
        } else {
            return nil
        }
    }
}
