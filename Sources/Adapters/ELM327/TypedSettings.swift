public import OBDCore

/// What hexadecimal digits mean to a vehicle after the adapter commands that a user typed.
///
/// The same digits read under one setting and write under another: `0104` asks for a value, and
/// clears the codes with `AT CAF0`, where 01 is a length. What cannot be told counts as writing. A
/// setting that was not confirmed may stand or not: digits have to be harmless either way.
public struct TypedSettings: Hashable, Sendable {
    private struct State: Hashable {
        /// Whether the adapter puts in the protocol control byte; nil where that is not known.
        var isFormatted: Bool? = true
        /// The digits of `AT SH`; nil = those of the protocol.
        var header: String?
        /// Whether the byte behind the identifier is an address (`AT CEA`).
        var isExtended = false
        /// Whether the identifier is of the usual page (`AT CP`).
        var isUsualPage = true
        /// What the vehicle is spoken to in; nil while the adapter searches.
        var vehicleProtocol: VehicleProtocol?
    }

    private var possible: Set<State>
    /// Whether a command was sent of which nobody knows what it does to requests.
    private var isLost = false
    /// Whether the adapter's permanent memory was changed, which a restart brings into force.
    private var hasOtherDefaults = false

    /// Settings as the set-up of a session leaves them.
    public init(vehicleProtocol: VehicleProtocol? = nil) {
        var state = State()
        state.vehicleProtocol = vehicleProtocol
        possible = [state]
    }

    /// Takes note of a command to the adapter, and of whether it was confirmed.
    public mutating func take(_ text: String, isConfirmed: Bool) {
        let compact = String(decoding: AdapterCommand.compact(text.utf8), as: UTF8.self)
        guard let command = AdapterCommand(compact) else { return }
        if case .reset = command, hasOtherDefaults { isLost = true }
        if compact.hasPrefix("ATPP") { hasOtherDefaults = true }
        if command == .other, !HarmlessCommands.contains(compact),
            !Self.withoutEffect.contains(where: { compact.hasPrefix($0) })
        {
            isLost = true
        }
        let after = Set(possible.map { Self.apply(command, compact, to: $0) })
        possible = isConfirmed ? after : possible.union(after)
        // Nobody types so much; what follows is asked for.
        if possible.count > 64 { isLost = true }
        if isLost { possible = [State(isFormatted: nil)] }
    }

    /// Permanent settings and those of the adapter's own line: no request is another for them.
    private static let withoutEffect = [
        "ATPP", "ATSD", "AT@3", "ATCV", "ATLP", "ATBR", "STWBR", "STSBR", "STBR", "STSL", "STVCAL",
    ]

    private static func apply(
        _ command: AdapterCommand, _ compact: String, to old: State
    ) -> State {
        var state = old
        switch command {
        case .reset: state = State()
        case .automaticFormatting(let isOn): state.isFormatted = isOn
        case .extendedAddressing(let isOn): state.isExtended = isOn
        case .choose(let choice):
            if case .fixed(let chosen) = choice {
                state.vehicleProtocol = chosen
            } else {
                state.vehicleProtocol = nil
            }
            if compact.hasPrefix("STP") {
                let number = Int(compact.dropFirst(3)) ?? 0
                state.isFormatted = Self.rawPresets.contains(number) ? nil : state.isFormatted
            }
        case .other:
            if compact.hasPrefix("ATSH") {
                state.header = String(compact.dropFirst(4))
            } else if compact.hasPrefix("ATCP") {
                // Beside the priority these five bits hold the page, which is 0.
                state.isUsualPage =
                    UInt8(compact.dropFirst(4), radix: 16).map { $0 & 3 == 0 } ?? false
            }
        case .echo, .linefeeds, .headers, .spaces, .showLength, .joinFrames, .formatJ1939Headers,
            .testerAddress, .voltage, .protocolNumber, .protocolName, .stnProtocolNumber, .monitor,
            .monitorGroup, .transmit:
            break
        }
        return state
    }

    /// Presets of an STN that send what is typed as it stands, or without header.
    private static let rawPresets: Set<Int> = [21, 31, 32, 41, 51, 52, 61, 62]

    // MARK: Requests

    /// Whether digits mean service and data of a request, as they do after the set-up.
    public var areUsual: Bool {
        possible.allSatisfy { state in
            state.isFormatted == true && !state.isExtended && state.isUsualPage
                && Self.isDiagnostic(state.header, state.vehicleProtocol)
        }
    }

    /// Whether typed bytes may be sent without asking anyone: they read and change nothing.
    public func isReadOnly(_ typed: [UInt8]) -> Bool {
        possible.allSatisfy { Self.isReadOnly(typed, $0) }
    }

    /// Whether a command to the adapter may be sent without asking anyone.
    ///
    /// As ``AdapterRequest/isReadOnlyCommand(_:)`` says; `STPX` by what its data mean.
    public func isReadOnlyCommand(_ text: String) -> Bool {
        guard AdapterRequest.isReadOnlyCommand(text) else { return false }
        guard case .transmit(let payload?) = AdapterCommand(text) else { return true }
        let compact = String(decoding: AdapterCommand.compact(text.utf8), as: UTF8.self)
        let parts = compact.dropFirst(4).split(separator: ",")
        // An address behind the identifier would be taken for the length by others.
        if parts.contains(where: { $0.hasPrefix("X:") }) { return false }
        let header = parts.last { $0.hasPrefix("H:") }.map { String($0.dropFirst(2)) }
        return possible.allSatisfy { state in
            var state = state
            if let header { state.header = header }
            return Self.isReadOnly(payload, state)
        }
    }

    private static func isReadOnly(_ typed: [UInt8], _ state: State) -> Bool {
        guard let isFormatted = state.isFormatted, !state.isExtended, state.isUsualPage,
            isDiagnostic(state.header, state.vehicleProtocol)
        else { return false }
        if state.vehicleProtocol?.family == .j1939 {
            return typed.count == 3 && typed[0] == 0 && VehicleRequest.isReadOnly(typed)
        }
        if isFormatted { return VehicleRequest.isReadOnly(typed) }
        // Before CAN there is nothing to format; while it is searched for both may be meant.
        let isLegacy = state.vehicleProtocol?.family.isLegacy
        if isLegacy != false, !VehicleRequest.isReadOnly(typed) { return false }
        if isLegacy == true { return true }
        return singleFrame(typed).map { VehicleRequest.isReadOnly($0) } ?? false
    }

    /// What a frame with a length in front carries; nil for every other frame.
    private static func singleFrame(_ frame: [UInt8]) -> [UInt8]? {
        guard let length = frame.first, (1...7).contains(length), frame.count > Int(length) else {
            return nil
        }
        return Array(frame[1...Int(length)])
    }

    /// Whether requests behind the digits of `AT SH` go where diagnosis is asked for.
    ///
    /// Anywhere else the same bytes are what one ECU tells another.
    private static func isDiagnostic(
        _ header: String?, _ vehicleProtocol: VehicleProtocol?
    ) -> Bool {
        guard let header else { return true }
        guard let vehicleProtocol, let value = UInt32(header, radix: 16) else { return false }
        let digits = header.utf8.count
        let (first, second) = (value >> 16 & 0xFF, value >> 8 & 0xFF)
        switch vehicleProtocol.family {
        case .can where vehicleProtocol.addressForm == .can11:
            return (0x700...0x7FF).contains(value) || value == 0x6F1
        case .can:
            return digits == 6 && (first == 0xDA || first == 0xDB)
                || digits == 8 && (value >> 16 == 0x18DA || value >> 16 == 0x18DB)
        // A request for a parameter group; everything else is a parameter group itself.
        case .j1939: return digits == 6 && first == 0xEA
        case .iso14230: return digits == 6 && first & 0x80 != 0
        case .iso9141: return digits == 6 && (first == 0x68 && second == 0x6A || first == 0x6C)
        case .j1850:
            guard digits == 6 else { return false }
            return vehicleProtocol == .j1850PWM
                ? first == 0x61 && second == 0x6A || first == 0xC4
                : first == 0x68 && second == 0x6A || first == 0x6C
        }
    }
}
