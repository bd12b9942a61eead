import OBDCore

/// The AT commands.
extension SimulatedAdapter {
    /// Runs the text after `AT`.
    mutating func runAT(_ text: String, at now: Instant) {
        guard let (form, argument) = CommandForm.find(text, version: personality.version),
            !personality.refused.contains(form.spelling)
        else {
            reply(["?"], at: now)
            return
        }
        if personality.ignored.contains(form.spelling) {
            reply(["OK"], at: now)
            return
        }
        switch form.action {
        case .accepted: reply(["OK"], at: now)
        case .sets(let setting): reply([set(setting, argument) ? "OK" : "?"], at: now)
        case .says(let statement): say(statement, argument, at: now)
        }
    }

    private mutating func say(
        _ statement: CommandForm.Statement, _ argument: String, at now: Instant
    ) {
        switch statement {
        case .identity: reply([personality.identity], at: now)
        case .description: reply([personality.description ?? "?"], at: now)
        case .reset:
            setRate(options.baud)
            restart(at: now, after: .milliseconds(500))
        case .warmStart: restart(at: now, after: .milliseconds(60))
        case .lowPower:
            write(Array("OK".utf8), at: now + commandTime)
            activity = .asleep
        case .rateSwitch:
            let divisor = Int(argument, radix: 16) ?? 0
            changeRate(divisor == 0 ? nil : 4_000_000 / divisor, says: personality.identity, now)
        case .readByte: reply([Hex.string([savedByte])], at: now)
        case .voltage: reply([voltageText(digits: 1, at: now) + "V"], at: now)
        case .ignition: reply([vehicle.ignition ? "ON" : "OFF"], at: now)
        case .activityCounter: reply(["00"], at: now)
        case .parameters: reply(parameters.lines, at: now)
        case .describeProtocol: reply([protocolText], at: now)
        case .protocolNumber: reply([protocolNumberText], at: now)
        case .isActive: reply([connected == nil ? "N" : "Y"], at: now)
        case .busDump: reply([lastMessageText], at: now)
        case .errorCounts: reply(["T:00 R:00"], at: now)
        case .keyWords: reply([keyWordText], at: now)
        case .monitor: startMonitoring(passing: nil, frames: nil, at: now)
        case .monitorCodes: startMonitoring(group: 0xFECA, messages: nil, at: now)
        case .monitorGroup: monitorGroup(argument, at: now)
        case .fastInit: initialise(.iso14230Fast, at: now)
        case .slowInit: initialise(settings.chosen ?? .iso9141, at: now)
        // No ECU of this vehicle answers a remote frame.
        case .remoteFrame: reply(["NO DATA"], at: now, takes: settings.answerTimeout)
        case .refused: reply(["?"], at: now)
        }
    }

    /// Runs a command that answers OK; false if the argument is not valid.
    private mutating func set(_ setting: CommandForm.Setting, _ argument: String) -> Bool {
        let number = UInt32(argument, radix: 16) ?? 0
        let byte = UInt8(truncatingIfNeeded: number)
        let on = argument == "1"
        switch setting {
        case .defaults: resetSettings()
        case .echo: settings.echo = on
        case .linefeeds: settings.linefeeds = on
        case .memory: settings.memory = on
        case .saveByte: savedByte = byte
        case .rateTimeout: rateTimeout = .milliseconds(5 * (byte == 0 ? 256 : Int(byte)))
        case .parameter: return parameters.obey(argument)
        case .headers: settings.headers = on
        case .spaces: settings.spaces = on
        case .dlcDigit: settings.dlcDigit = on
        case .longMessages: settings.longMessages = true
        case .normalMessages: settings.longMessages = false
        case .adaptiveTiming: settings.adaptive = byte
        case .timeout: settings.timeout = byte == 0 ? parameters.active(0x03) ?? 0x32 : byte
        case .responses: settings.responses = on
        case .formatting: settings.formatting = on
        case .flowControl: settings.flowControl = on
        case .variableDLC: settings.variableDLC = on
        case .timerMultiplier:
            guard byte == 1 || byte == 5 else { return false }
            settings.slowTimer = byte == 5
        case .priority: settings.priority = byte & 0x1F
        case .extendedAddress: settings.extendedAddress = argument.isEmpty ? nil : byte
        case .setProtocol: return choose(argument, store: true)
        case .tryProtocol: return choose(argument, store: false)
        case .closeProtocol: connected = nil
        case .header: setHeader(number, digits: argument.utf8.count)
        case .filter: settings.filter = number
        case .mask: settings.mask = number
        case .receiveFilter: setReceiveFilter(argument)
        case .receiveAddress: settings.receiver = byte
        case .automaticReceive:
            settings.receiver = nil
            setReceiveFilter("")
        case .flowControlHeader: settings.flowControlHeader = number
        case .flowControlData: settings.flowControlData = Hex.bytes(argument)
        case .flowControlMode: return setFlowControlMode(byte)
        case .bypassInit: connected = settings.chosen
        case .groupsForward: settings.typesGroupsForward = true
        case .groupsAsSent: settings.typesGroupsForward = false
        case .formatGroups: settings.formatsGroups = on
        case .groupTimer:
            guard byte == 1 || byte == 5 else { return false }
            settings.slowGroups = byte == 5
        }
        return true
    }

    /// `MP FECA`, `MP 00FECA`, each with an optional digit for the number of messages.
    private mutating func monitorGroup(_ argument: String, at now: Instant) {
        let digits = argument.utf8.count
        let counted = digits == 5 || digits == 7
        let group = UInt32(counted ? String(argument.dropLast()) : argument, radix: 16) ?? 0
        let count = counted ? argument.utf8.last.flatMap { Hex.value($0) } : nil
        startMonitoring(group: group, messages: count.map { max(1, Int($0)) }, at: now)
    }

    private var lastMessageText: String {
        let count = min(12, lastMessage.count)
        let bytes = [UInt8(count)] + lastMessage.prefix(12)
        let filled = bytes + [UInt8](repeating: 0, count: 13 - bytes.count)
        return String(decoding: FrameText.hex(filled, spaces: settings.spaces), as: UTF8.self)
    }

    private mutating func setFlowControlMode(_ mode: UInt8) -> Bool {
        // The data have to be set first, and for mode 1 also the header.
        if mode > 0 && settings.flowControlData == nil { return false }
        if mode == 1 && settings.flowControlHeader == nil { return false }
        settings.flowControlMode = mode
        return true
    }

    private mutating func setHeader(_ number: UInt32, digits: Int) {
        if digits == 8 { settings.priority = UInt8(truncatingIfNeeded: number >> 24) & 0x1F }
        settings.header = number & 0xFF_FFFF
    }

    private mutating func setReceiveFilter(_ text: String) {
        guard !text.isEmpty else {
            settings.filter = nil
            settings.mask = nil
            return
        }
        var value: UInt32 = 0
        var mask: UInt32 = 0
        for character in text.utf8 {
            value = value << 4 | UInt32(Hex.value(character) ?? 0)
            mask = mask << 4 | (Hex.value(character) == nil ? 0 : 0xF)
        }
        settings.filter = value
        settings.mask = mask
    }

    /// `6`, `A6`, `0`, `00`: the protocol to use; an A or a zero means automatic.
    private mutating func choose(_ text: String, store: Bool) -> Bool {
        let digits = Array(text.utf8)
        let automatic = digits.count == 2
        guard let last = digits.last, let number = Hex.value(last), number <= 0xC,
            !automatic || digits[0] == UInt8(ascii: "A") || digits[0] == UInt8(ascii: "0")
                || last == UInt8(ascii: "A")
        else { return false }
        let chosen = VehicleProtocol(rawValue: number)
        settings.chosen = chosen
        settings.automatic = automatic || chosen == nil
        settings.header = nil
        connected = nil
        if store && settings.memory { remembered = chosen }
        return true
    }

    private var protocolText: String {
        let name: String? = (connected ?? settings.chosen).map(Self.name)
        guard settings.automatic else { return name ?? "AUTO" }
        return name.map { "AUTO, " + $0 } ?? "AUTO"
    }

    private var protocolNumberText: String {
        (settings.automatic ? "A" : "") + ((connected ?? settings.chosen)?.digit ?? "0")
    }

    /// The names in the answer to ATDP.
    private static func name(_ vehicleProtocol: VehicleProtocol) -> String {
        switch vehicleProtocol {
        case .j1850PWM: "SAE J1850 PWM"
        case .j1850VPW: "SAE J1850 VPW"
        case .iso9141: "ISO 9141-2"
        case .iso14230Slow: "ISO 14230-4 (KWP 5BAUD)"
        case .iso14230Fast: "ISO 14230-4 (KWP FAST)"
        case .can11At500: "ISO 15765-4 (CAN 11/500)"
        case .can29At500: "ISO 15765-4 (CAN 29/500)"
        case .can11At250: "ISO 15765-4 (CAN 11/250)"
        case .can29At250: "ISO 15765-4 (CAN 29/250)"
        case .j1939: "SAE J1939 (CAN 29/250)"
        case .userCAN1: "USER1 (CAN 11/125)"
        case .userCAN2: "USER2 (CAN 11/50)"
        case .doip: ""
        }
    }

    private var keyWordText: String {
        switch connected?.family {
        case .iso14230: "1:8F 2:E9"
        case .iso9141: "1:08 2:08"
        case .can, .j1850, .j1939, nil: "1:00 2:00"
        }
    }

    /// The voltage at the socket with this many decimal places.
    mutating func voltageText(digits: Int, at now: Instant) -> String {
        vehicle.advance(to: now - begin)
        let scale = [1.0, 10, 100, 1000][digits]
        let counts = Int((vehicle.voltage(after: now - begin) * scale).rounded())
        if digits == 0 { return String(counts) }
        let rest = String(counts % Int(scale))
        return "\(counts / Int(scale))."
            + String(repeating: "0", count: digits - rest.utf8.count) + rest
    }

    /// ATBRD, STBR: answers OK at the old rate and the adapter's name at the new one, then waits for a
    /// carriage return.
    ///
    /// Nil means a rate that is not supported.
    mutating func changeRate(_ rate: Int?, says text: String, _ now: Instant) {
        guard let rate, (4_800...2_000_000).contains(rate) else {
            reply(["?"], at: now)
            return
        }
        write(Array("OK".utf8), at: now + commandTime)
        let before = lineRate
        let pause = options.latency == .zero ? .zero : rateTimeout
        let ready = output.free + pause
        if before != nil { setRate(rate) }
        write(Array(text.utf8), at: ready)
        activity = .confirmingRate(before: before, until: output.free + rateTimeout)
    }
}
