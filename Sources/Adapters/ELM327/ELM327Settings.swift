public import OBDCore

/// How an ELM327 shows what it receives: the settings that decide how its lines are read.
///
/// A setting is nil until it is known. Following a conversation, call ``apply(_:)`` for a command
/// that was answered `OK` and ``note(answer:to:)`` for answers that tell the protocol.
public struct ELM327Settings: Hashable, Sendable {
    /// How the vehicle protocol was chosen.
    public enum ProtocolChoice: Hashable, Sendable {
        /// Nothing is known.
        case unknown
        /// The adapter searches; it may begin with a protocol.
        case automatic(first: VehicleProtocol?)
        /// This one and no other.
        case fixed(VehicleProtocol)
    }

    /// `AT E`: commands are echoed.
    public var echo: Bool?
    /// `AT L`: lines end with CR LF.
    public var linefeeds: Bool?
    /// `AT H`: headers, protocol control bytes and checksums are shown.
    public var headers: Bool?
    /// `AT S`: blanks between bytes.
    public var spaces: Bool?
    /// `AT D1`: the data length code comes after the CAN id.
    public var showsLength: Bool?
    /// `AT CAF`: protocol control bytes are put in and taken out by the adapter.
    public var automaticFormatting: Bool?
    /// `AT CEA hh`: extended addressing; the byte after the CAN id is an address.
    public var extendedAddressing = false
    /// `ST CSEGR 1`: messages of several frames come joined, without protocol control bytes.
    public var joinsFrames = false
    /// `AT JHF1`: J1939 identifiers stand as priority, parameter group, source.
    public var formatsJ1939Headers: Bool?
    /// `AT TA hh`: our own address.
    public var testerAddress: UInt8 = 0xF1
    /// `AT SP`, `AT TP`, `STP`.
    public var protocolChoice = ProtocolChoice.unknown
    /// What `AT DPN` or `AT DP` answered.
    public var foundProtocol: VehicleProtocol?

    /// Settings of which nothing is known.
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

    /// The protocol in use; nil while the adapter has not found it.
    public var vehicleProtocol: VehicleProtocol? {
        if let foundProtocol { return foundProtocol }
        if case .fixed(let chosen) = protocolChoice { return chosen }
        return nil
    }

    /// Takes over what a command sets; commands that set nothing here change nothing.
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

    /// Takes over what an answer shows about the protocol: `A6`, `6`, `AUTO, ISO 15765-4 (…)`.
    public mutating func note(answer: some StringProtocol, to command: AdapterCommand) {
        switch command {
        case .protocolNumber:
            var digits = answer.uppercased().filter { $0 != " " }
            // `A6` = found by the adapter; `A` alone is J1939.
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

    /// Service and data of a request as typed.
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
