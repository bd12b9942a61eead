public import OBDCore

/// The settings of an ELM327 that decide how its lines are read.
///
/// A setting is nil until it is known. When following a conversation, call ``apply(_:)`` for a command that
/// was answered `OK`, and ``note(answer:to:)`` for an answer that contains the protocol.
public struct ELM327Settings: Hashable, Sendable {
    /// How the vehicle protocol was chosen.
    public enum ProtocolChoice: Hashable, Sendable {
        /// Nothing is known.
        case unknown
        /// The adapter searches; it may begin with this protocol.
        case automatic(first: VehicleProtocol?)
        /// Only this protocol.
        case fixed(VehicleProtocol)
    }

    /// `AT E`: commands are echoed.
    public var echo: Bool?
    /// `AT L`: lines end with CR LF.
    public var linefeeds: Bool?
    /// `AT H`: headers, protocol control bytes and checksums are shown.
    public var headers: Bool?
    /// `AT S`: blanks between bytes are shown.
    public var spaces: Bool?
    /// `AT D1`: the data length code is shown after the CAN identifier.
    public var showsLength: Bool?
    /// `AT CAF`: the adapter inserts and removes protocol control bytes.
    public var automaticFormatting: Bool?
    /// `AT CEA hh`: extended addressing; the byte after the CAN identifier is an address.
    public var extendedAddressing = false
    /// `ST CSEGR 1`: messages of several frames are joined, without protocol control bytes.
    public var joinsFrames = false
    /// `AT JHF1`: J1939 identifiers are shown as priority, parameter group and source.
    public var formatsJ1939Headers: Bool?
    /// `AT TA hh`: the tester's address.
    public var testerAddress: UInt8 = 0xF1
    /// `AT SP`, `AT TP`, `STP`.
    public var protocolChoice = ProtocolChoice.unknown
    /// The answer to `AT DPN` or `AT DP`.
    public var foundProtocol: VehicleProtocol?

    /// Settings about which nothing is known.
    public init() {}

    /// The settings after `AT Z`, `AT WS` or `AT D`.
    public static let defaults: ELM327Settings = {
        var settings = ELM327Settings()
        settings.echo = true
        settings.headers = false
        settings.spaces = true
        settings.showsLength = false
        settings.automaticFormatting = true
        settings.formatsJ1939Headers = true
        settings.protocolChoice = .automatic(first: nil)
        return settings
    }()

    /// The protocol in use; nil until the adapter has found it.
    public var vehicleProtocol: VehicleProtocol? {
        if let foundProtocol { return foundProtocol }
        if case .fixed(let chosen) = protocolChoice { return chosen }
        return nil
    }

    /// Applies the effect of a command; commands without an effect on these settings change nothing.
    public mutating func apply(_ command: AdapterCommand) {
        switch command {
        case .reset: self = .defaults
        case .echo(let on): echo = on
        case .linefeeds(let on): linefeeds = on
        case .headers(let on): headers = on
        case .spaces(let on): spaces = on
        case .showLength(let on): showsLength = on
        case .automaticFormatting(let on): automaticFormatting = on
        case .extendedAddressing(let on): extendedAddressing = on
        case .joinFrames(let on): joinsFrames = on
        case .formatJ1939Headers(let on): formatsJ1939Headers = on
        case .testerAddress(let address): testerAddress = address
        case .choose(let choice):
            protocolChoice = choice
            foundProtocol = nil
        case .voltage, .protocolNumber, .protocolName, .stnProtocolNumber, .monitor,
            .monitorGroup, .transmit, .other:
            break
        }
    }

    /// Applies the protocol in an answer: `A6`, `6`, `AUTO, ISO 15765-4 (…)`.
    public mutating func note(answer: some StringProtocol, to command: AdapterCommand) {
        switch command {
        case .protocolNumber:
            var digits = answer.uppercased().filter { $0 != " " }
            // `A6` means that the adapter found it; `A` alone is J1939.
            if digits.count == 2, digits.hasPrefix("A") { digits.removeFirst() }
            if digits.count == 1, let found = VehicleProtocol(digits) { foundProtocol = found }
        case .protocolName:
            if let found = AdapterCommand.vehicleProtocol(named: answer) { foundProtocol = found }
        case .stnProtocolNumber:
            if let found = AdapterCommand.stnProtocol(answer) { foundProtocol = found }
        case .reset, .echo, .linefeeds, .headers, .spaces, .showLength, .automaticFormatting,
            .extendedAddressing, .joinFrames, .formatJ1939Headers, .testerAddress, .choose,
            .voltage, .monitor, .monitorGroup, .transmit, .other:
            break
        }
    }

    /// The service and data of a typed request.
    ///
    /// An odd last digit is the number of answers to wait for. Under `AT CAF0` the protocol control
    /// byte is typed too.
    package func payload(ofTyped digits: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count - digits.count % 2, by: 2) {
            bytes.append(digits[index] << 4 | digits[index + 1])
        }
        guard let first = bytes.first else { return nil }
        let isLegacy = vehicleProtocol?.family.isLegacy ?? false
        guard automaticFormatting == false, !isLegacy else { return bytes }
        switch first >> 4 {
        case 0:
            let length = Int(first & 0xF)
            return length > 0 && length < bytes.count ? Array(bytes[1...length]) : nil
        case 1: return bytes.count > 2 ? Array(bytes[2...]) : nil
        default: return nil
        }
    }
}
