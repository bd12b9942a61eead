import OBDCore

/// A row of the AT command set: the form of a command and the first firmware that has it.
struct CommandForm: Hashable, Sendable {
    enum Action: Hashable, Sendable {
        /// The command prints its own text or changes the state of the adapter.
        case says(Statement)
        /// The command changes a setting and answers OK.
        case sets(Setting)
        /// The adapter answers OK, but the command has no effect with this vehicle.
        case accepted
    }

    /// Commands that print their own text.
    enum Statement: Hashable, Sendable {
        case identity, description, reset, warmStart, lowPower, rateSwitch, readByte, voltage
        case ignition, activityCounter, parameters, describeProtocol, protocolNumber, isActive
        case busDump, errorCounts, keyWords, monitor, monitorCodes, monitorGroup, fastInit,
            slowInit, remoteFrame
        /// A command that needs an ability that this vehicle or adapter lacks.
        case refused
    }

    enum Setting: Hashable, Sendable {
        case defaults, echo, linefeeds, memory, saveByte, rateTimeout, parameter, headers, spaces
        case dlcDigit, longMessages, normalMessages, adaptiveTiming, timeout, responses
        case formatting, flowControl, variableDLC, timerMultiplier, priority, extendedAddress
        case setProtocol, tryProtocol, closeProtocol, header, filter, mask, receiveFilter
        case receiveAddress, automaticReceive, flowControlHeader, flowControlData
        case flowControlMode, bypassInit
        case groupsForward, groupsAsSent, formatGroups, groupTimer
    }

    /// The argument that may follow the command.
    enum Argument: Hashable, Sendable {
        case none
        /// One digit, from 0 to this.
        case digit(UInt8)
        /// Hexadecimal digits, in one of these numbers.
        case hex([Int])
        /// Hexadecimal digits in one of these numbers, with X for any digit.
        case pattern([Int])
        /// Anything; the command checks it.
        case free
    }

    /// The text after `AT`, without blanks.
    var spelling: String
    /// The first firmware: 142 = v1.4b.
    var since: Int
    var argument: Argument
    var action: Action

    init(_ spelling: String, _ since: Int, _ argument: Argument, _ action: Action) {
        self.spelling = spelling
        self.since = since
        self.argument = argument
        self.action = action
    }

    /// The row and the argument for the text after `AT`; nil if the command is unknown.
    static func find(_ text: String, version: Int) -> (form: CommandForm, argument: String)? {
        for form in all where text.hasPrefix(form.spelling) && form.since <= version {
            let argument = String(text.dropFirst(form.spelling.count))
            if form.argument.accepts(argument) { return (form, argument) }
        }
        return nil
    }

    private static let all = general + bus + can + older

    private static let general: [CommandForm] = [
        CommandForm("@1", 100, .none, .says(.description)),
        CommandForm("@2", 130, .none, .says(.refused)),
        CommandForm("@3", 130, .free, .says(.refused)),
        CommandForm("BRD", 120, .hex([2]), .says(.rateSwitch)),
        CommandForm("BRT", 120, .hex([2]), .sets(.rateTimeout)),
        CommandForm("D", 100, .none, .sets(.defaults)),
        CommandForm("E", 100, .digit(1), .sets(.echo)),
        CommandForm("FE", 131, .none, .accepted),
        CommandForm("I", 100, .none, .says(.identity)),
        CommandForm("L", 100, .digit(1), .sets(.linefeeds)),
        CommandForm("LP", 140, .none, .says(.lowPower)),
        CommandForm("M", 100, .digit(1), .sets(.memory)),
        CommandForm("RD", 140, .none, .says(.readByte)),
        CommandForm("SD", 140, .hex([2]), .sets(.saveByte)),
        CommandForm("WS", 100, .none, .says(.warmStart)),
        CommandForm("Z", 100, .none, .says(.reset)),
        CommandForm("RV", 100, .none, .says(.voltage)),
        CommandForm("CV", 100, .hex([4]), .accepted),
        CommandForm("IGN", 140, .none, .says(.ignition)),
        CommandForm("AMC", 200, .none, .says(.activityCounter)),
        CommandForm("AMT", 200, .hex([2]), .accepted),
        CommandForm("PPS", 110, .none, .says(.parameters)),
        CommandForm("PP", 110, .free, .sets(.parameter)),
    ]

    private static let bus: [CommandForm] = [
        CommandForm("SP", 100, .hex([1, 2]), .sets(.setProtocol)),
        CommandForm("TP", 100, .hex([1, 2]), .sets(.tryProtocol)),
        CommandForm("SS", 140, .none, .accepted),
        CommandForm("DP", 100, .none, .says(.describeProtocol)),
        CommandForm("DPN", 100, .none, .says(.protocolNumber)),
        CommandForm("IA", 230, .none, .says(.isActive)),
        CommandForm("PC", 100, .none, .sets(.closeProtocol)),
        CommandForm("BI", 100, .none, .sets(.bypassInit)),
        CommandForm("BD", 100, .none, .says(.busDump)),
        CommandForm("H", 100, .digit(1), .sets(.headers)),
        CommandForm("S", 130, .digit(1), .sets(.spaces)),
        CommandForm("D", 130, .digit(1), .sets(.dlcDigit)),
        CommandForm("AL", 100, .none, .sets(.longMessages)),
        CommandForm("NL", 100, .none, .sets(.normalMessages)),
        CommandForm("AT", 120, .digit(2), .sets(.adaptiveTiming)),
        CommandForm("ST", 100, .hex([2]), .sets(.timeout)),
        CommandForm("R", 100, .digit(1), .sets(.responses)),
        CommandForm("SH", 100, .hex([3, 6]), .sets(.header)),
        CommandForm("SH", 200, .hex([8]), .sets(.header)),
        CommandForm("CP", 100, .hex([2]), .sets(.priority)),
        CommandForm("SR", 120, .hex([2]), .sets(.receiveAddress)),
        CommandForm("RA", 130, .hex([2]), .sets(.receiveAddress)),
        CommandForm("AR", 120, .none, .sets(.automaticReceive)),
        CommandForm("TA", 140, .hex([2]), .accepted),
        CommandForm("MA", 100, .none, .says(.monitor)),
        CommandForm("MR", 100, .hex([2]), .says(.monitor)),
        CommandForm("MT", 100, .hex([2]), .says(.monitor)),
        CommandForm("FT", 210, .hex([0, 2]), .accepted),
    ]

    private static let can: [CommandForm] = [
        CommandForm("CAF", 100, .digit(1), .sets(.formatting)),
        CommandForm("CFC", 100, .digit(1), .sets(.flowControl)),
        CommandForm("CF", 100, .hex([3, 8]), .sets(.filter)),
        CommandForm("CM", 100, .hex([3, 8]), .sets(.mask)),
        CommandForm("CRA", 130, .hex([3, 8]), .sets(.receiveFilter)),
        CommandForm("CRA", 140, .pattern([3, 8]), .sets(.receiveFilter)),
        CommandForm("CRA", 142, .none, .sets(.receiveFilter)),
        CommandForm("CEA", 140, .hex([0, 2]), .sets(.extendedAddress)),
        CommandForm("CER", 200, .hex([2]), .accepted),
        CommandForm("CSM", 142, .digit(1), .accepted),
        CommandForm("CS", 100, .none, .says(.errorCounts)),
        CommandForm("CTM", 210, .digit(5), .sets(.timerMultiplier)),
        CommandForm("FCSM", 110, .digit(2), .sets(.flowControlMode)),
        CommandForm("FCSH", 110, .hex([3, 6, 8]), .sets(.flowControlHeader)),
        CommandForm("FCSD", 110, .hex([2, 4, 6, 8, 10]), .sets(.flowControlData)),
        CommandForm("PB", 140, .hex([4]), .accepted),
        CommandForm("RTR", 130, .none, .says(.remoteFrame)),
        CommandForm("V", 130, .digit(1), .sets(.variableDLC)),
        CommandForm("C", 230, .digit(1), .accepted),
    ]

    private static let older: [CommandForm] = [
        CommandForm("FI", 140, .none, .says(.fastInit)),
        CommandForm("SI", 140, .none, .says(.slowInit)),
        CommandForm("IB", 100, .hex([2]), .accepted),
        CommandForm("IIA", 120, .hex([2]), .accepted),
        CommandForm("KW", 130, .none, .says(.keyWords)),
        CommandForm("KW", 120, .digit(1), .accepted),
        CommandForm("SW", 100, .hex([2]), .accepted),
        CommandForm("WM", 120, .hex([2, 4, 6, 8, 10, 12]), .accepted),
        CommandForm("IFR", 120, .digit(2), .accepted),
        CommandForm("IFRH", 120, .none, .accepted),
        CommandForm("IFRS", 120, .none, .accepted),
        CommandForm("IFR", 200, .digit(6), .accepted),
        CommandForm("DM1", 120, .none, .says(.monitorCodes)),
        CommandForm("MP", 120, .hex([4, 6]), .says(.monitorGroup)),
        CommandForm("MP", 142, .hex([5, 7]), .says(.monitorGroup)),
        CommandForm("JE", 130, .none, .sets(.groupsForward)),
        CommandForm("JS", 130, .none, .sets(.groupsAsSent)),
        CommandForm("JHF", 142, .digit(1), .sets(.formatGroups)),
        CommandForm("JTM", 142, .digit(5), .sets(.groupTimer)),
    ]
}

extension CommandForm.Argument {
    /// Whether `text` has this form.
    func accepts(_ text: String) -> Bool {
        switch self {
        case .none: text.isEmpty
        case .digit(let highest):
            text.utf8.count == 1 && text.utf8.allSatisfy { 0x30...(0x30 + highest) ~= $0 }
        case .hex(let counts):
            counts.contains(text.utf8.count) && text.utf8.allSatisfy { Hex.value($0) != nil }
        case .pattern(let counts):
            counts.contains(text.utf8.count)
                && text.utf8.allSatisfy { Hex.value($0) != nil || $0 == UInt8(ascii: "X") }
        case .free: true
        }
    }
}
