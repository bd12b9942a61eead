import OBDCore
import VehicleLink

/// Reads the lines of a live link: text goes in and messages come out, one exchange after the other.
///
/// The form of the lines is known (``LineFormat``). A line with any other form is reported as damaged, with
/// the reason. Nothing is guessed, and comments or joined lines of recordings are not supported. Other valid
/// lines are the adapter's texts, an echo that could not be turned off, and the length and segments of a long
/// message without headers.
struct FrameReader: Hashable, Sendable {
    /// The request or command that the lines answer.
    enum Asked: Hashable, Sendable {
        /// A request to the vehicle; `mayBeJoined` is true after `STPX`, which always joins frames.
        case vehicle(mayBeJoined: Bool)
        /// A monitoring command: every line is a frame.
        case monitor
        /// A J1939 monitoring command: messages of one parameter group.
        case monitorGroup(UInt32)
        /// Any other command of the adapter.
        case command(AdapterCommand)
    }

    /// The settings that the adapter confirmed.
    private(set) var settings = ELM327Settings()
    /// The form of the vehicle's lines; nil until a complete answer has shown it.
    private(set) var format: LineFormat?
    /// The form of the lines in the current exchange, which establishes the form.
    private(set) var shown: LineFormat?
    /// The senders that pass the receive filter.
    var filter = SenderFilter.open

    private(set) var asked = Asked.command(.other)
    /// The last command in upper case, without blanks.
    private(set) var command: [UInt8] = []
    /// The command's digits; empty unless it consists of digits only.
    private var commandDigits: [UInt8] = []
    /// The service and data of the request; nil if it is not a request or is unknown.
    private(set) var request: [UInt8]?

    var digits = HexLine()
    private(set) var can = ISO15765Assembler()
    private var kwp = ISO14230Assembler()
    private var j1939 = J1939Assembler()
    private var segments = SegmentReader()
    private var unproven = UnprovenMessages()
    var busInitIsOpen = false
    /// The number of consecutive monitored frames with 29-bit identifiers.
    private var longFrames = 0

    // MARK: Settings

    /// Applies a command that the adapter confirmed.
    mutating func apply(_ command: AdapterCommand) {
        let before = settings
        settings.apply(command)
        can.extendedAddressing = settings.extendedAddressing
        switch command {
        case .choose, .reset: forgetFormat()
        case .headers, .spaces, .showLength, .formatJ1939Headers:
            if settings != before { forgetFormat() }
        case .echo, .linefeeds, .automaticFormatting, .extendedAddressing, .joinFrames,
            .testerAddress, .voltage, .protocolNumber, .protocolName, .stnProtocolNumber, .monitor,
            .monitorGroup, .transmit, .other:
            break
        }
    }

    /// Applies the protocol in the answer to a command.
    mutating func note(answer: [UInt8], to command: AdapterCommand) {
        settings.note(answer: String(decoding: answer, as: UTF8.self), to: command)
    }

    /// Sets the vehicle's protocol.
    ///
    /// On protocols before CAN, a check byte may be valid for two families by chance.
    mutating func note(_ found: VehicleProtocol) {
        settings.foundProtocol = found
        if let format, !format.header.fits(found) { forgetFormat() }
    }

    /// Lets the next complete answer establish the form of lines again.
    mutating func forgetFormat() {
        format = nil
        shown = nil
        kwp = ISO14230Assembler()
    }

    /// Uses the form of lines in the current exchange for all later lines.
    mutating func learnFormat() {
        if format == nil { format = shown }
    }

    // MARK: Exchanges

    /// Begins the answers to a command, which is in upper case and without blanks.
    mutating func begin(_ compact: [UInt8], _ out: inout [ReplyEvent]) {
        if isContinuation(compact) {
            command = compact
            commandDigits = compact.compactMap { Hex.value($0) }
            return
        }
        end(&out)
        shown = nil
        // The same request again, as in polling.
        if compact == command, case .vehicle = asked { return }
        command = compact
        commandDigits = []
        request = nil
        switch AdapterCommand(compact: compact) {
        case .monitor: asked = .monitor
        case .monitorGroup(let group): asked = .monitorGroup(group)
        case .transmit(let payload):
            asked = .vehicle(mayBeJoined: true)
            request = payload
        case let other?: asked = .command(other)
        case nil:
            let found = compact.compactMap { Hex.value($0) }
            guard found.count == compact.count else {
                asked = .command(.other)
                return
            }
            asked = .vehicle(mayBeJoined: false)
            commandDigits = found
            request = settings.payload(ofTyped: found)
        }
    }

    /// Whether a command continues the previous request.
    ///
    /// This is true of flow control or a consecutive frame, typed by hand under `AT CAF0`.
    private func isContinuation(_ compact: [UInt8]) -> Bool {
        guard settings.automaticFormatting == false, case .vehicle = asked, compact.count >= 2,
            compact.allSatisfy({ Hex.value($0) != nil })
        else { return false }
        return compact[0] == UInt8(ascii: "3") || compact[0] == UInt8(ascii: "2")
    }

    /// Handles the prompt; open messages are incomplete.
    mutating func finish(_ out: inout [ReplyEvent]) {
        // A user who types flow control by hand gets the prompt in the middle of a message.
        if settings.automaticFormatting == false { return }
        end(&out)
    }

    private mutating func end(_ out: inout [ReplyEvent]) {
        if unproven.isEmpty, segments.isAtRest, can.isAtRest, j1939.isAtRest, !busInitIsOpen {
            return
        }
        busInitIsOpen = false
        unproven.finish(needsProof: settings.headers == true, &out)
        if let error = segments.finish() { out.append(.linkError(error, text: nil)) }
        for error in can.finish() { out.append(.linkError(error, text: nil)) }
        for error in j1939.finish() { out.append(.linkError(error, text: nil)) }
    }

    // MARK: Lines

    /// Reads one line without its line end.
    mutating func read(_ line: Span<UInt8>, _ out: inout [ReplyEvent]) {
        let text = line.extracting(trimmed(line))
        guard !text.isEmpty else { return }
        guard digits.scan(text) else {
            readText(text, &out)
            return
        }
        if case .command(let command) = asked {
            // `12.6` may have lost its unit, and `12` may have lost more.
            if command == .voltage { readAnswer(text, to: command, &out) }
            return
        }
        if readAsBefore(&out) { return }
        readDigits(text, &out)
    }

    /// Reads the digits in the common case: a single frame of 11-bit CAN, or only a message, that answers
    /// exactly the request; false for anything else.
    private mutating func readAsBefore(_ out: inout [ReplyEvent]) -> Bool {
        guard let format, case .vehicle(mayBeJoined: false) = asked, let request,
            request.count >= 2,
            request[0] == 0x01, digits.segment == nil, !format.showsLength,
            !settings.extendedAddressing
        else { return false }
        switch format.header {
        case .can11:
            guard !can.isBusy, digits.count >= 9, digits.count <= 19,
                format.start(in: digits) == 3
            else { return false }
            let id = digits.number(0, 3)
            let length = Int(digits.byte(3))
            let available = (digits.count - 5) / 2
            guard filter.admits(id), id < 0x800, length >= 2,
                length == available || length < available && available == 7,
                digits.byte(5) == 0x41, digits.byte(7) == request[1]
            else { return false }
            out.append(
                .message(
                    ECUMessage(
                        ecu: ECUAddress(id, .can11), payload: digits.array(from: 5, length: length))
                ))
            return true
        case .can29, .j1939, .iso9141, .j1850, .iso14230, .absent: return false
        }
    }

    mutating func readDigits(_ text: Span<UInt8>, _ out: inout [ReplyEvent]) {
        if !commandDigits.isEmpty, digits.equals(commandDigits) { return }
        if case .monitor = asked {
            readMonitored(&out)
            return
        }
        let known = format ?? shown
        if let number = digits.segment {
            guard known?.header ?? .absent == .absent else {
                out.append(.linkError(LinkError(.lineForm), text: nil))
                return
            }
            shown = shown ?? LineFormat(header: .absent, hasSpaces: digits.groups > 1)
            readSegment(number, &out)
            return
        }
        if digits.count == 3, digits.groups == 1, isWithoutHeaders(known) {
            readLength(&out)
            return
        }
        if let known {
            if readBehindEcho(text, known, &out) { return }
            if known.start(in: digits) != nil {
                deliver(known, text, &out)
            } else {
                out.append(.linkError(LinkError(.lineForm), text: nil))
            }
            return
        }
        if let found = recognise() {
            shown = found
            deliver(found, text, &out)
        } else if let end = endOfEcho(text), digits.scan(text.extracting(end...)),
            let found = recognise()
        {
            shown = found
            deliver(found, text.extracting(end...), &out)
        } else {
            out.append(.linkError(LinkError(.lineForm), text: nil))
        }
    }

    /// Whether a line of three digits may be the length of segments.
    private func isWithoutHeaders(_ known: LineFormat?) -> Bool {
        switch known?.header {
        // The transport protocol of J1939 announces lengths, too.
        case nil, .absent?, .j1939?: true
        case .can11?, .can29?, .iso9141?, .j1850?, .iso14230?: false
        }
    }

    /// Reads an answer after an echo without a line end; false if the line is something else.
    private mutating func readBehindEcho(
        _ text: Span<UInt8>, _ known: LineFormat, _ out: inout [ReplyEvent]
    ) -> Bool {
        guard let end = endOfEcho(text) else { return false }
        guard digits.scan(text.extracting(end...)), known.start(in: digits) != nil else {
            _ = digits.scan(text)
            return false
        }
        deliver(known, text.extracting(end...), &out)
        return true
    }

    /// The start of the text after the echoed request; nil if the line does not begin with it.
    private func endOfEcho(_ text: Span<UInt8>) -> Int? {
        guard settings.echo != false, !commandDigits.isEmpty, digits.continues(commandDigits) else {
            return nil
        }
        var left = commandDigits.count
        var index = 0
        while left > 0, index < text.count {
            if Hex.value(text[index]) != nil { left -= 1 }
            index += 1
        }
        return index
    }

    // MARK: Frames

    /// Reads the digits as a line of this form, which was checked before.
    mutating func deliver(
        _ format: LineFormat, _ text: Span<UInt8>, _ out: inout [ReplyEvent]
    ) {
        guard let start = format.start(in: digits) else { return }
        var address: ECUAddress?
        if format.header.identifierDigits > 0 {
            guard let id = format.identifier(in: digits), filter.admits(id) else {
                out.append(.linkError(LinkError(.header), text: nil))
                return
            }
            address = ECUAddress(id, format.header == .can11 ? .can11 : .can29)
        }
        let frame = LinkFrame(header: address, bytes: digits.bytes(from: start))
        if format.showsLength, let address,
            Int(digits.digit(start - 1)) != frame.bytes.count
        {
            let announced = Int(digits.digit(start - 1))
            out.append(
                .linkError(
                    LinkError(
                        .length(announced: announced, received: frame.bytes.count), ecu: address),
                    text: nil))
            return
        }
        do throws(LinkError) {
            try deliver(frame, format.header, text, &out)
        } catch {
            out.append(.linkError(error, text: nil))
        }
        for error in can.takeErrors() { out.append(.linkError(error, text: nil)) }
        for error in j1939.takeErrors() { out.append(.linkError(error, text: nil)) }
    }

    private mutating func deliver(
        _ frame: LinkFrame, _ header: LineFormat.Header, _ text: Span<UInt8>,
        _ out: inout [ReplyEvent]
    ) throws(LinkError) {
        switch header {
        case .can11, .can29:
            if isJoined(frame) {
                var ecu = frame.header
                var payload = Array(frame.bytes)
                if settings.extendedAddressing { ecu?.extended = payload.removeFirst() }
                out.append(.message(ECUMessage(ecu: ecu, payload: payload)))
            } else if let message = try can.receive(frame) {
                out.append(.message(message))
            }
        case .j1939:
            if let id = frame.header, let group = askedGroup,
                J1939.Identifier(id.value).parameterGroup == J1939.dataTransfer,
                let length = segments.takeLength()
            {
                j1939.announce(total: length.total, parameterGroup: group, line: length.line)
            }
            if let message = try j1939.receive(frame) { out.append(.message(message)) }
        case .iso9141: out.append(.message(try ISO9141.message(from: frame)))
        case .j1850:
            out.append(
                .message(
                    try J1850.message(
                        from: frame, inFrameResponse: mayHaveInFrameResponse(frame.bytes))))
        case .iso14230:
            let message = try kwp.message(from: frame)
            // Without a checksum the frame is as long as its header and its data.
            let header = ISO14230.Layout(frame.bytes)?.headerLength ?? 0
            unproven.take(
                message, hasChecksum: frame.bytes.count > header + message.payload.count, text, &out
            )
        case .absent:
            if settings.automaticFormatting == false, settings.vehicleProtocol?.family != .j1939,
                !(settings.vehicleProtocol?.family.isLegacy ?? false)
            {
                if let message = try can.receive(frame) { out.append(.message(message)) }
                return
            }
            let group = askedGroup
            guard group != nil || ServiceShape.isAnswer(frame.bytes.first ?? 0) else {
                throw LinkError(.lineForm)
            }
            out.append(
                .message(
                    ECUMessage(ecu: nil, payload: Array(frame.bytes), parameterGroup: group)))
        }
    }

    /// Whether a line is a message that an STN has joined.
    ///
    /// A protocol control byte is below 40; the first byte of an answer is above.
    private func isJoined(_ frame: LinkFrame) -> Bool {
        guard settings.joinsFrames || asked == .vehicle(mayBeJoined: true) else { return false }
        let place = settings.extendedAddressing ? 1 : 0
        return frame.bytes.count > place && frame.bytes[place] >= 0x40
    }

    /// Whether bytes may follow the CRC of J1850, which happens on PWM, known from the protocol or from the
    /// header.
    func mayHaveInFrameResponse(_ bytes: InlineBytes) -> Bool {
        switch settings.vehicleProtocol {
        case .j1850PWM: true
        case .j1850VPW: false
        default: bytes.first == 0x41 || bytes.first == 0x61
        }
    }

    /// Whether the protocol is SAE J1939.
    private var isJ1939: Bool {
        settings.vehicleProtocol?.family == .j1939 || (format ?? shown)?.header == .j1939
    }

    /// The parameter group of an answer without a header, which is the requested one.
    var askedGroup: UInt32? {
        if case .monitorGroup(let group) = asked { return group }
        guard isJ1939, let request, request.count == 3 || request.count == 2 else { return nil }
        return request.reduce(0) { $0 << 8 | UInt32($1) }
    }

    // MARK: Lines that are not frames

    /// Reads the length of a message whose segments follow: `014`.
    private mutating func readLength(_ out: inout [ReplyEvent]) {
        var errors: [LinkError] = []
        let shortest = isJ1939 ? 9 : settings.extendedAddressing ? 7 : 8
        segments.receive(
            length: Int(digits.number(0, 3)), shortest: shortest, line: 0, &errors)
        for error in errors { out.append(.linkError(error, text: nil)) }
    }

    /// Reads a segment: `1: 32 33 …`.
    private mutating func readSegment(_ number: Int, _ out: inout [ReplyEvent]) {
        guard digits.isWholeBytes, digits.count > 0, isJ1939 || number <= 0xF else {
            out.append(.linkError(LinkError(.lineForm), text: nil))
            return
        }
        do throws(LinkError) {
            let message = try segments.receive(
                segment: number, digits.bytes(from: 0),
                shift: settings.extendedAddressing ? 1 : 0, isJ1939: isJ1939, line: 0)
            if var message {
                message.parameterGroup = askedGroup
                out.append(.message(message))
            }
        } catch {
            out.append(.linkError(error, text: nil))
        }
    }

    /// Reads a frame of a monitored bus.
    private mutating func readMonitored(_ out: inout [ReplyEvent]) {
        // `FC: 30 00 00`: an STN shows flow control while monitoring.
        if digits.segment == 0xFC, digits.byte(0) >> 4 == 3 {
            out.append(.frame(id: nil, data: Array(digits.bytes(from: 0))))
            return
        }
        guard digits.segment == nil,
            let frame = MonitoredFrame(
                digits, settings: settings, fallback: nil, isLong: longFrames > 1)
        else {
            out.append(.linkError(LinkError(.notAFrame), text: nil))
            return
        }
        longFrames = frame.id?.form == .can29 ? longFrames + 1 : 0
        out.append(.frame(id: frame.id, data: frame.data))
    }
}
