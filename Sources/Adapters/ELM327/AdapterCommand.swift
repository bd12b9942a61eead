import OBDCore

/// An adapter command, reduced to its effect on the lines after it.
public enum AdapterCommand: Hashable, Sendable {
    /// `AT Z`, `AT WS`, `AT D`: resets all settings to their defaults.
    case reset
    /// `AT E`.
    case echo(Bool)
    /// `AT L`.
    case linefeeds(Bool)
    /// `AT H`.
    case headers(Bool)
    /// `AT S`.
    case spaces(Bool)
    /// `AT D0`, `AT D1`.
    case showLength(Bool)
    /// `AT CAF`.
    case automaticFormatting(Bool)
    /// `AT CEA hh`, `AT CEA`.
    case extendedAddressing(Bool)
    /// `STCSEGR`.
    case joinFrames(Bool)
    /// `AT JHF`.
    case formatJ1939Headers(Bool)
    /// `AT TA hh`.
    case testerAddress(UInt8)
    /// `AT SP`, `AT TP`, `STP`.
    case choose(ELM327Settings.ProtocolChoice)
    /// `AT RV`, `STVR`.
    case voltage
    /// `AT DPN`.
    case protocolNumber
    /// `AT DP`, `STPRS`.
    case protocolName
    /// `STPR`.
    case stnProtocolNumber
    /// `AT MA`, `AT MR`, `AT MT`, `STM`, `STMA`: shows every frame until it is stopped.
    case monitor
    /// `AT DM1`, `AT MP`: frames of one J1939 parameter group.
    case monitorGroup(UInt32)
    /// `STPX`: sends a request to the vehicle; nil if the data follow later.
    case transmit([UInt8]?)
    /// Any other command.
    case other

    /// Reads a command, ignoring blanks and case; nil unless `text` begins with AT, ST or VT.
    public init?(_ text: some StringProtocol) {
        self.init(compact: Self.compact(text.utf8))
    }

    /// The beginnings of adapter commands.
    public static let beginnings = ["AT", "ST"]

    /// Whether a typed word is the beginning of an adapter command, whatever its case.
    public static func isBeginning(_ word: some StringProtocol) -> Bool {
        beginnings.contains(word.uppercased())
    }

    /// Whether the typed text is a command for the adapter, known or not.
    public static func isTyped(_ text: some StringProtocol) -> Bool {
        let compact = compact(text.utf8)
        return compact.count > 2 && beginnings.contains { compact.starts(with: $0.utf8) }
    }

    /// The command to show all bus traffic, as users type it.
    public static let monitorEverything = "AT MA"
    /// Leaves the frames of others without an acknowledgement while the adapter monitors.
    package static let silentMonitoring = "ATCSM1"

    /// Upper case, without blanks and control characters.
    package static func compact(_ text: some Sequence<UInt8>) -> [UInt8] {
        text.compactMap { byte in
            if byte <= 0x20 || byte == 0x7F { return nil }
            return (0x61...0x7A).contains(byte) ? byte - 0x20 : byte
        }
    }

    package init?(compact: [UInt8]) {
        let name = String(decoding: compact.dropFirst(2), as: UTF8.self)
        if compact.starts(with: "AT".utf8) {
            self = Self.elm327(name)
        } else if compact.starts(with: "ST".utf8) {
            self = Self.stn(name)
        } else if compact.count > 2, compact.starts(with: "VT".utf8), (0x41...0x5A) ~= compact[2] {
            // vLinker's: `VTI` asks for the identity of the adapter. The answer to `VTI`, `VT1000 v1.2`, has
            // a digit there.
            self = .other
        } else {
            return nil
        }
    }

    private static func elm327(_ name: String) -> AdapterCommand {
        switch name {
        case "Z", "WS", "D": return .reset
        case "E0", "E1": return .echo(name == "E1")
        case "L0", "L1": return .linefeeds(name == "L1")
        case "H0", "H1": return .headers(name == "H1")
        case "S0", "S1": return .spaces(name == "S1")
        case "D0", "D1": return .showLength(name == "D1")
        case "CAF0", "CAF1": return .automaticFormatting(name == "CAF1")
        case "CEA": return .extendedAddressing(false)
        case "JHF0", "JHF1": return .formatJ1939Headers(name == "JHF1")
        case "RV": return .voltage
        case "DPN": return .protocolNumber
        case "DP": return .protocolName
        case "MA": return .monitor
        case "DM1": return .monitorGroup(0xFECA)
        default: break
        }
        let argument = name.dropFirst(2)
        switch name.prefix(2) {
        case "SP", "TP": return .choose(choice(argument))
        case "MR", "MT": return Hex.bytes(argument)?.count == 1 ? .monitor : .other
        case "MP":
            // hhhh or hhhhhh; the former may be followed by a number of messages.
            let digits = argument.count >= 6 ? argument.prefix(6) : argument.prefix(4)
            return UInt32(digits, radix: 16).map { .monitorGroup($0) } ?? .other
        case "TA":
            if let bytes = Hex.bytes(argument), bytes.count == 1 { return .testerAddress(bytes[0]) }
        case "CE" where name.hasPrefix("CEA"):
            if Hex.bytes(name.dropFirst(3))?.count == 1 { return .extendedAddressing(true) }
        default: break
        }
        return .other
    }

    private static func stn(_ name: String) -> AdapterCommand {
        switch name {
        case "CSEGR0", "CSEGR1": return .joinFrames(name == "CSEGR1")
        case "CAF0": return .extendedAddressing(false)
        case "PRS": return .protocolName
        case "PR": return .stnProtocolNumber
        case "MA": return .monitor
        default: break
        }
        if name.hasPrefix("PX") { return .transmit(transmittedBytes(name.dropFirst(2))) }
        if name.hasPrefix("CAF1,") || name.hasPrefix("CAF2,") { return .extendedAddressing(true) }
        if name.hasPrefix("VR"), name.dropFirst(2).allSatisfy(\.isNumber) { return .voltage }
        if name.hasPrefix("MA"), name.dropFirst(2).allSatisfy(\.isNumber) { return .monitor }
        if name.hasPrefix("M"), name.dropFirst(1).allSatisfy(\.isNumber) { return .monitor }
        if name.hasPrefix("P"), name.count > 1, name.dropFirst().allSatisfy(\.isNumber) {
            return .choose(stnProtocol(name.dropFirst()).map { .fixed($0) } ?? .unknown)
        }
        return .other
    }

    /// The `d:` part of `STPX h:7E0, d:010C, r:1`; nil if there is none, or more than one.
    private static func transmittedBytes(_ arguments: Substring) -> [UInt8]? {
        let parts = arguments.split(separator: ",").filter { $0.hasPrefix("D:") }
        guard parts.count == 1 else { return nil }
        return Hex.bytes(parts[0].dropFirst(2))
    }

    /// The argument of `AT SP`: `6`, `A6`, `6A`, `0`, `00`, `A` (J1939).
    private static func choice(_ argument: Substring) -> ELM327Settings.ProtocolChoice {
        var digits = argument
        var isAutomatic = false
        if digits.count == 2, digits.first == "A" {
            digits.removeFirst()
            isAutomatic = true
        } else if digits.count == 2, digits.last == "A" {
            digits.removeLast()
            isAutomatic = true
        }
        if digits == "0" || digits == "00" { return .automatic(first: nil) }
        guard digits.count == 1, let chosen = VehicleProtocol(digits) else { return .unknown }
        return isAutomatic ? .automatic(first: chosen) : .fixed(chosen)
    }

    /// The protocol of an STN's own numbering.
    package static func stnProtocol(_ text: some StringProtocol) -> VehicleProtocol? {
        switch Int(String(text).filter { $0 != " " }) {
        case 11: .j1850PWM
        case 12: .j1850VPW
        case 21, 22: .iso9141
        case 23, 24: .iso14230Slow
        case 25: .iso14230Fast
        case 31, 33: .can11At500
        case 32, 34: .can29At500
        case 35: .can11At250
        case 36: .can29At250
        case 41, 42: .j1939
        case 51, 52, 53, 54: .userCAN1
        case 61, 62, 63, 64: .userCAN2
        default: nil
        }
    }

    /// The protocol that `AT DP` names: `AUTO, ISO 15765-4 (CAN 11/500)`.
    package static func vehicleProtocol(named text: some StringProtocol) -> VehicleProtocol? {
        let name = text.uppercased()
        func has(_ part: String) -> Bool { name.contains(part) }
        if has("1939") { return .j1939 }
        if has("PWM") { return .j1850PWM }
        if has("VPW") { return .j1850VPW }
        if has("9141") { return .iso9141 }
        if has("14230") || has("KWP") { return has("FAST") ? .iso14230Fast : .iso14230Slow }
        if has("USER1") { return .userCAN1 }
        if has("USER2") { return .userCAN2 }
        guard has("15765") || has("CAN") else { return nil }
        let isLong = has("29/") || has("29-BIT") || has("29 BIT")
        guard isLong || has("11/") || has("11-BIT") || has("11 BIT") else { return nil }
        if has("/500") || has("500K") { return isLong ? .can29At500 : .can11At500 }
        if has("/250") || has("250K") { return isLong ? .can29At250 : .can11At250 }
        return nil
    }
}
