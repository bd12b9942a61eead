public import OBDCore

/// The meaning of hexadecimal digits for a vehicle after the adapter commands that a user typed.
///
/// The same digits can read under one setting and write under another. `0104` requests a value, but with `AT
/// CAF0`, where 01 is a length, `0104` clears the codes. If the meaning is not certain, a request counts as
/// writing. A setting that was not confirmed may or may not be active, so the digits have to be harmless in
/// both cases.
public struct TypedSettings: Hashable, Sendable {
    fileprivate struct State: Hashable, Sendable {
        /// Whether the adapter inserts the protocol control byte; nil if the setting is not known.
        var isFormatted: Bool? = true
        /// The digits of `AT SH`; nil for the protocol's default.
        var header: String?
        /// The five bits before a 29-bit identifier (`AT CP`); nil if they are not known.
        var priority: UInt8? = Self.usualPriority
        /// Whether the byte after the identifier is an address (`AT CEA`).
        var isExtended = false
        /// Whether a parameter group is typed most significant byte first (`AT JE`).
        var typesGroupsForward = true
        /// The digits of `AT FC SH`; nil for the adapter's default.
        var flowControlHeader: String?
        /// The data of the adapter's flow control frames (`AT FC SD`).
        var flowControl: [UInt8] = [0x30, 0x00, 0x00]
        /// The protocol in use; nil while the adapter searches.
        var vehicleProtocol: VehicleProtocol?

        static let usualPriority: UInt8 = 0x18
    }

    private var possible: Set<State>
    /// The protocols that the adapter may have stored, with which it may start again.
    private var stored: Set<State>
    /// Whether a command was sent whose effect on requests is unknown.
    private var isLost = false
    /// Whether the adapter's permanent memory was changed, which takes effect after a restart.
    private var hasOtherDefaults = false

    /// The settings after the set-up of a session.
    ///
    /// `priority` are the five bits before 29-bit identifiers, if they differ from the default.
    public init(vehicleProtocol: VehicleProtocol? = nil, priority: UInt8? = nil) {
        var state = State()
        state.vehicleProtocol = vehicleProtocol
        if let priority { state.priority = priority }
        possible = [state]
        stored = Self.start(state)
    }

    /// The settings after a restart with the protocol of `state`.
    private static func start(_ state: State) -> Set<State> {
        guard state.vehicleProtocol != nil || state.isFormatted == nil else { return [] }
        var start = State(isFormatted: state.isFormatted == nil ? nil : true)
        start.vehicleProtocol = state.vehicleProtocol
        return [start]
    }

    /// The commands that restore the meaning of requests after the set-up of a session.
    ///
    /// Each of them has to be confirmed, except ``usualForms``.
    public static func usualSettings(on vehicleProtocol: VehicleProtocol) -> [String] {
        ["AT D", "AT CAF1", "AT SP \(vehicleProtocol.digit)"]
    }

    /// The commands that restore the form of answers.
    ///
    /// Not every adapter knows these commands, and answers can be read without them.
    public static let usualForms = ["AT E0", "AT L0", "AT S0", "AT H1"]

    /// Resets the settings after the adapter was set up again.
    public mutating func reset() {
        let isUnknown = hasOtherDefaults
        self = TypedSettings()
        hasOtherDefaults = isUnknown
        if isUnknown { lose() }
    }

    private mutating func lose() {
        isLost = true
        possible = [State(isFormatted: nil)]
    }

    /// Records a command to the adapter and whether it was confirmed.
    public mutating func take(_ text: String, isConfirmed: Bool) {
        let compact = String(decoding: AdapterCommand.compact(text.utf8), as: UTF8.self)
        guard let command = AdapterCommand(compact) else { return }
        if case .reset = command, hasOtherDefaults { lose() }
        // AT PPS only lists the permanent parameters.
        if compact.hasPrefix("ATPP"), compact != "ATPPS" { hasOtherDefaults = true }
        if command == .other, !Self.isUnderstood(text) { lose() }
        let after: Set<State>
        if case .reset = command {
            // Whether the adapter searches or begins with a protocol from its memory is not known.
            after = stored.union([State()])
        } else {
            after = Set(possible.flatMap { Self.apply(command, compact, to: $0) })
        }
        possible = isConfirmed ? after : possible.union(after)
        if case .choose = command { stored.formUnion(after.flatMap(Self.start)) }
        // A user does not type this many settings; from here on requests need consent.
        if possible.count > 64 || isLost { lose() }
    }

    /// Commands for permanent settings and for the adapter's own line, which do not change any request.
    private static let withoutEffect = [
        "ATPP", "ATSD", "AT@3", "ATCV", "ATLP", "ATBR", "STWBR", "STSBR", "STBR", "STSL", "STVCAL",
    ]

    /// Whether a command leaves requests unchanged because it only sets the adapter's permanent memory or
    /// line.
    public static func changesNoRequest(_ text: String) -> Bool { begins(text, withoutEffect) }

    /// Whether the effect of a command on requests is known.
    static func isUnderstood(_ text: String) -> Bool {
        HarmlessCommands.contains(text) || changesNoRequest(text) || begins(text, ["ATFCS"])
    }

    /// Whether a command changes where requests go, or the flow control for their answers.
    static func changesAddress(_ text: String) -> Bool {
        begins(text, ["ATSH", "ATCP", "ATFCS"])
    }

    private static func begins(_ text: String, _ names: [String]) -> Bool {
        let compact = AdapterCommand.compact(text.utf8)
        return names.contains { compact.starts(with: $0.utf8) }
    }

    /// Whether the effect of every command so far is known.
    public var areKnown: Bool { !isLost }

    /// The settings after a command to the adapter, except a restart; several if its effect is not certain.
    private static func apply(
        _ command: AdapterCommand, _ compact: String, to old: State
    ) -> [State] {
        var state = old
        switch command {
        case .automaticFormatting(let isOn): state.isFormatted = isOn
        case .extendedAddressing(let isOn): state.isExtended = isOn
        case .choose(let choice):
            switch choice {
            case .fixed(let chosen): state.choose(chosen)
            case .automatic(first: let first?):
                var searching = state
                searching.vehicleProtocol = nil
                state.choose(first)
                return [state, searching]
            case .automatic(first: nil): state.vehicleProtocol = nil
            case .unknown:
                state.vehicleProtocol = nil
                state.isFormatted = nil
            }
            if compact.hasPrefix("STP") {
                let number = Int(compact.dropFirst(3)) ?? 0
                state.isFormatted = Self.rawPresets.contains(number) ? nil : state.isFormatted
            }
        case .other: applyOther(compact, to: &state)
        case .reset, .echo, .linefeeds, .headers, .spaces, .showLength, .joinFrames,
            .formatJ1939Headers, .testerAddress, .voltage, .protocolNumber, .protocolName,
            .stnProtocolNumber, .monitor, .monitorGroup, .transmit:
            break
        }
        return [state]
    }

    private static func applyOther(_ compact: String, to state: inout State) {
        let digits = String(compact.dropFirst(4))
        if compact.hasPrefix("ATSH") {
            state.header = digits
            if digits.utf8.count == 8 {
                // The whole identifier, including its first five bits.
                state.priority = HarmlessCommands.hexadecimal(digits.prefix(2)).map {
                    UInt8($0 & 0x1F)
                }
                state.header = String(digits.dropFirst(2))
            }
        } else if compact.hasPrefix("ATCP") {
            state.priority = HarmlessCommands.hexadecimal(digits).map { UInt8($0 & 0x1F) }
        } else if compact == "ATJE" || compact == "ATJS" {
            state.typesGroupsForward = compact == "ATJE"
        } else if compact.hasPrefix("ATFCSH") {
            state.flowControlHeader = String(digits.dropFirst(2))
        } else if compact.hasPrefix("ATFCSD") {
            state.flowControl = Hex.bytes(digits.dropFirst(2)) ?? []
        }
    }

    /// Presets of an STN that send the typed bytes unchanged, or without a header.
    private static let rawPresets: Set<Int> = [21, 31, 32, 41, 51, 52, 61, 62]

    // MARK: Requests

    /// Whether typed bytes may be sent without consent because they only read.
    public func isReadOnly(_ typed: [UInt8]) -> Bool {
        possible.allSatisfy { Self.isReadOnly(typed, $0) }
    }

    /// Whether a command to the adapter may be sent without consent.
    ///
    /// Follows ``AdapterRequest/isReadOnlyCommand(_:)``, and additionally checks the data of `STPX` and, by
    /// the protocol, the address of `AT FC SH`.
    public func isReadOnlyCommand(_ text: String) -> Bool {
        guard AdapterRequest.isReadOnlyCommand(text) else { return false }
        let compact = String(decoding: AdapterCommand.compact(text.utf8), as: UTF8.self)
        if compact.hasPrefix("ATFCS") {
            return possible.allSatisfy { state in
                var state = state
                Self.applyOther(compact, to: &state)
                return state.sendsFlowControl
            }
        }
        guard case .transmit = AdapterCommand(compact) else { return true }
        guard let sent = HarmlessCommands.Transmission(String(compact.dropFirst(4))) else {
            return false
        }
        return possible.allSatisfy { state in
            var state = state
            if let header = sent.header { Self.applyOther("ATSH" + header, to: &state) }
            return Self.isReadOnly(sent.payload, state)
        }
    }

    private static func isReadOnly(_ typed: [UInt8], _ state: State) -> Bool {
        guard let isFormatted = state.isFormatted, !state.isExtended, state.sendsFlowControl,
            state.isDiagnostic(typed)
        else { return false }
        guard state.vehicleProtocol != .j1939 else {
            return state.typesGroupsForward
                && VehicleRequest.isReadOnly(typed, to: nil, on: .j1939)
        }
        if isFormatted {
            return VehicleRequest.isReadOnly(typed, to: nil, on: state.vehicleProtocol)
        }
        // Protocols before CAN have no formatting; during a search both meanings are possible.
        let isLegacy = state.vehicleProtocol?.family.isLegacy
        if isLegacy != false, !VehicleRequest.isReadOnly(typed) { return false }
        if isLegacy == true { return true }
        return singleFrame(typed).map {
            VehicleRequest.isReadOnly($0) && state.isDiagnostic($0)
        } ?? false
    }

    /// The data of a frame with a length at its start; nil for any other frame.
    private static func singleFrame(_ frame: [UInt8]) -> [UInt8]? {
        guard let length = frame.first, (1...7).contains(length), frame.count > Int(length),
            frame.count <= 8
        else { return nil }
        return Array(frame[1...Int(length)])
    }
}

extension TypedSettings.State {
    fileprivate mutating func choose(_ chosen: VehicleProtocol) {
        vehicleProtocol = chosen
        // A parameter of the adapter decides (PP 2C, 2E); by default nothing is inserted.
        if chosen == .userCAN1 || chosen == .userCAN2 { isFormatted = nil }
    }

    /// Whether requests with these bytes go to a diagnostic address.
    ///
    /// At any other address, the same bytes are normal traffic between ECUs.
    fileprivate func isDiagnostic(_ payload: [UInt8]) -> Bool {
        guard let header else { return priority == Self.usualPriority }
        return isDiagnostic(header, payload)
    }

    /// Whether the adapter's flow control frames are flow control, in every form of addressing, and go to an
    /// ECU's diagnostic address.
    fileprivate var sendsFlowControl: Bool {
        guard HarmlessCommands.isFlowControl(Hex.string(flowControl)) else { return false }
        guard let digits = flowControlHeader ?? header else { return true }
        guard let value = HarmlessCommands.hexadecimal(digits), vehicleProtocol?.family == .can
        else {
            return flowControlHeader == nil
        }
        let isLong = vehicleProtocol?.addressForm == .can29
        guard flowControlHeader != nil || isLong == (digits.utf8.count > 3) else { return true }
        switch digits.utf8.count {
        case 8: return isLong && ECUAddress(value, .can29).takes(frame: flowControl)
        case 6:
            return isLong
                && priority.map {
                    ECUAddress(UInt32($0) << 24 | value, .can29).takes(frame: flowControl)
                } ?? false
        default:
            return !isLong && value < 0x800 && ECUAddress(value, .can11).takes(frame: flowControl)
        }
    }

    private func isDiagnostic(_ header: String, _ payload: [UInt8]) -> Bool {
        guard let vehicleProtocol, let priority, let value = HarmlessCommands.hexadecimal(header)
        else { return false }
        let hasThreeBytes = header.utf8.count == 6
        let bytes = (value >> 16 & 0xFF, value >> 8 & 0xFF, value & 0xFF)
        // SAE J2178-1 and ISO 14230-2 assign these addresses to testers.
        let isFromTester = (0xF0...0xFD).contains(bytes.2)
        switch vehicleProtocol.family {
        case .can where vehicleProtocol.addressForm == .can11:
            return value < 0x800 && ECUAddress(value, .can11).takes(payload)
        case .can:
            let identifier = UInt32(priority) << 24 | value
            return hasThreeBytes && ECUAddress(identifier, .can29).takes(payload)
        // A request for a parameter group; any other identifier is a parameter group itself.
        case .j1939:
            return hasThreeBytes && priority == Self.usualPriority && bytes.0 == 0xEA
                && isFromTester
        case .iso14230: return hasThreeBytes && bytes.0 & 0x80 != 0 && isFromTester
        case .iso9141:
            return hasThreeBytes && isFromTester
                && (bytes.0 == 0x68 && bytes.1 == 0x6A || bytes.0 == 0x6C)
        case .j1850:
            guard hasThreeBytes, isFromTester else { return false }
            return vehicleProtocol == .j1850PWM
                ? bytes.0 == 0x61 && bytes.1 == 0x6A || bytes.0 == 0xC4
                : bytes.0 == 0x68 && bytes.1 == 0x6A || bytes.0 == 0x6C
        }
    }
}
