import Adapters
import OBDCore
import VehicleLink

/// Reads the lines of replies: text goes in and messages come out, one request after the other.
///
/// Holds everything on which the reading of a line depends: the settings, the current request, and messages
/// with missing frames.
struct ReplyReader: Hashable, Sendable {
    /// The request or command that the lines answer.
    enum Kind: Hashable, Sendable {
        /// A request to the vehicle; `mayBeJoined` is true after `STPX`, which always joins frames.
        case vehicle(mayBeJoined: Bool)
        /// A monitoring command: every line is a frame.
        case monitor
        /// A J1939 monitoring command: messages of one parameter group.
        case monitorGroup(UInt32)
    }

    /// The settings for reading lines.
    ///
    /// Change the settings through ``change(_:)``.
    private(set) var settings: ELM327Settings
    /// The protocol to assume unless something else is known.
    let fallback: VehicleProtocol?
    /// The current request, and what is known about the protocol.
    private(set) var exchange: Exchange
    private(set) var kind = Kind.vehicle(mayBeJoined: false)

    var digits = HexLine()
    private(set) var can = ISO15765Assembler()
    private(set) var kwp = ISO14230Assembler()
    private var j1939 = J1939Assembler()
    var segments = SegmentReader()
    private(set) var lastShape: LineReading.Shape?
    /// Whether the last exact answer had a header, which outweighs the setting.
    private var shownHeaders: Bool?
    /// Whether the last exact answer on CAN had a data length code, which is then expected on the next lines.
    private(set) var shownLength: Bool?
    private(set) var inferredFamily: VehicleProtocol.Family?
    /// The family that a setting suggests, because other families do not have the setting; lines outweigh it.
    private var suggestedFamily: VehicleProtocol.Family?
    var busInitIsOpen = false
    /// The number of consecutive monitored frames with 29-bit identifiers.
    var longFrames = 0
    private var unproven = UnprovenMessages()
    /// Whether the previous reply, after `AT H1`, lacked a header that earlier replies had.
    ///
    /// A header that is missing once is damage; if it is missing twice, the adapter does not send headers.
    private var missesHeaders = false
    /// The same for the current reply.
    private var missedHeader = false
    private(set) var openLines = OpenLines()
    /// The numbered lines since the last message that was read without a fault.
    var numbered = NumberedLines()
    /// The result of reading the lines one after the other since the first fault.
    var faultyNumbered: [ReplyEvent] = []

    /// A reader that has read nothing yet.
    init(settings: ELM327Settings, fallback: VehicleProtocol?) {
        self.settings = settings
        self.fallback = fallback
        exchange = Exchange(vehicleProtocol: settings.vehicleProtocol ?? fallback)
        can.acceptsFD = true
    }

    /// The protocol that is set, or else the assumed one.
    var knownProtocol: VehicleProtocol? { settings.vehicleProtocol ?? fallback }

    /// The family that is set, or that lines have shown, or else the assumed one.
    var knownFamily: VehicleProtocol.Family? {
        settings.vehicleProtocol?.family ?? inferredFamily ?? fallback?.family
    }

    // MARK: Requests and settings

    /// Begins the answers to a request; call ``finish(_:)`` first.
    mutating func begin(_ request: [UInt8]?, kind: Kind = .vehicle(mayBeJoined: false)) {
        self.kind = kind
        exchange.request = request
        busInitIsOpen = false
        noteHeaders()
        updateExchange()
    }

    private mutating func noteHeaders() {
        missesHeaders = missedHeader
        missedHeader = false
    }

    /// Whether no answer is open, so that ``finish(_:)`` has nothing to report.
    var isAtRest: Bool {
        unproven.isEmpty && segments.isAtRest && can.isAtRest && j1939.isAtRest
            && openLines.isEmpty && !busInitIsOpen && numbered.isEmpty
    }

    /// Applies a command that the adapter confirmed.
    mutating func apply(_ command: AdapterCommand) {
        change { $0.apply(command) }
        // A protocol was chosen, possibly the same one, so facts from earlier lines may no longer hold.
        switch command {
        case .choose, .reset:
            exchange.header = nil
            forgetInference()
        case .echo, .linefeeds, .headers, .spaces, .showLength, .automaticFormatting,
            .extendedAddressing, .joinFrames, .formatJ1939Headers, .testerAddress, .voltage,
            .protocolNumber, .protocolName, .stnProtocolNumber, .monitor, .monitorGroup,
            .transmit, .other:
            break
        }
    }

    /// Applies the header of `AT SH`, which the next requests use.
    mutating func apply(header: UInt32) { exchange.header = header }

    /// Notes a setting that one family alone has.
    mutating func suggest(_ family: VehicleProtocol.Family) {
        suggestedFamily = family
        updateExchange()
    }

    private mutating func forgetInference() {
        inferredFamily = nil
        suggestedFamily = nil
        lastShape = nil
        shownHeaders = nil
        shownLength = nil
        kwp = ISO14230Assembler()
        updateExchange()
    }

    mutating func change(_ body: (inout ELM327Settings) -> Void) {
        let before = settings
        body(&settings)
        guard settings != before else { return }
        if settings.vehicleProtocol != before.vehicleProtocol,
            settings.vehicleProtocol?.family != inferredFamily
        {
            forgetInference()
        }
        if settings.headers != before.headers {
            lastShape = nil
            shownHeaders = nil
            shownLength = nil
        }
        can.extendedAddressing = settings.extendedAddressing
        updateExchange()
    }

    private mutating func updateExchange() {
        var known = settings.vehicleProtocol
        if known == nil, case .automatic(let first) = settings.protocolChoice { known = first }
        known = known ?? fallback
        if let inferredFamily, known?.family != inferredFamily {
            exchange.vehicleProtocol = nil
            exchange.family = inferredFamily
        } else {
            exchange.vehicleProtocol = known
            exchange.family = known?.family ?? suggestedFamily
        }
    }

    /// Ends the answers to a request and reports open messages as incomplete.
    mutating func finish(_ out: inout [ReplyEvent]) {
        if isAtRest { return }
        busInitIsOpen = false
        unproven.finish(needsProof: settings.headers == true, &out)
        finishNumbered(&out)
        for error in can.finish() { report(error, &out) }
        for error in j1939.finish() { report(error, &out) }
        openLines.removeAll()
    }

    /// Reports a fault of a message that began earlier, with the line on which it began.
    private func report(_ error: LinkError, _ out: inout [ReplyEvent]) {
        out.append(.linkError(error, text: openLines.text(of: error.line) ?? ""))
    }

    // MARK: Digits

    /// The result of reading a line of digits.
    enum DigitsResult: Hashable, Sendable {
        case read
        /// The line is not a frame in any shape, or not an answer to any request.
        case meaningless(LinkError)
    }

    /// Reads the line that was scanned into ``digits``.
    ///
    /// - Parameter mayBeRequest: whether the line is more likely an echoed request than a message that
    ///   answers nothing; then the line is not read.
    mutating func readDigits(
        _ text: Span<UInt8>, line: Int, mayBeRequest: Bool, _ out: inout [ReplyEvent]
    ) -> DigitsResult {
        if readBareAsBefore(line, &out) { return .read }
        if let number = digits.segment {
            return readSegment(number, text, line: line, &out)
        }
        switch kind {
        case .monitor: return readMonitored(line, &out)
        case .vehicle, .monitorGroup: break
        }
        if digits.count == 3, digits.groups == 1 {
            readLength(text, line: line, &out)
            return .read
        }
        guard let reading = bestReading() else {
            return .meaningless(LinkError(.notAFrame, line: line))
        }
        guard isAcceptable(reading) else {
            return .meaningless(
                LinkError(showsHeaders == true ? .header : .notAFrame, line: line))
        }
        if mayBeRequest, isRatherRequest(reading) {
            return .meaningless(LinkError(.notAFrame, line: line))
        }
        if lacksHeader(reading) {
            missedHeader = true
            return .meaningless(LinkError(.header, line: line))
        }
        remember(reading)
        deliver(reading, text, line: line, &out)
        return .read
    }

    /// Reads the scanned digits in the common case: a single CAN frame in the shape of the previous line that
    /// answers exactly the request; false for anything else.
    mutating func readAsBefore(_ line: Int, _ out: inout [ReplyEvent]) -> Bool {
        guard lastShape == .can11, digits.segment == nil, !settings.extendedAddressing,
            kind == .vehicle(mayBeJoined: false), settings.showsLength != true,
            !can.isBusy, digits.count & 1 == 1, digits.count >= 9, digits.count <= 19,
            digits.number(0, 3) < 0x800
        else { return false }
        let isGrouped = digits.length(0) == 3 && digits.length(1) == 2 && digits.oddAfterTwo == 0
        guard isGrouped || digits.groups == 1 else { return false }
        let length = Int(digits.byte(3))
        let available = (digits.count - 5) / 2
        guard length >= 2, length == available || length < available && available == 7,
            let request = exchange.request,
            request.count >= 2, request[0] == 0x01, digits.byte(5) == 0x41,
            digits.byte(7) == request[1]
        else { return false }
        out.append(
            .message(
                ECUMessage(
                    ecu: ECUAddress(digits.number(0, 3), .can11),
                    payload: digits.array(from: 5, length: length), line: line)))
        return true
    }

    /// Does the same without headers: the line is only a message, like the previous one.
    @inline(__always)
    private mutating func readBareAsBefore(_ line: Int, _ out: inout [ReplyEvent]) -> Bool {
        guard lastShape == .bare, digits.segment == nil, digits.isWholeBytes,
            digits.count >= 6,
            showsHeaders != true, kind == .vehicle(mayBeJoined: false), exchange.family != .j1939,
            let request = exchange.request,
            // 41 6B may also be the header of J1850.
            request.count == 2, request[0] == 0x01, request[1] != 0x6B, digits.byte(0) == 0x41,
            digits.byte(2) == request[1]
        else { return false }
        out.append(
            .message(
                ECUMessage(
                    ecu: nil, payload: digits.array(from: 0, length: digits.count / 2),
                    line: line)))
        return true
    }

    /// Whether the scanned digits answer exactly the request.
    var answersExactly: Bool {
        digits.segment == nil && bestReading()?.answer == .exact
    }

    /// Whether lines have headers, as far as is known.
    var showsHeaders: Bool? { shownHeaders ?? settings.headers }

    var monitoredGroup: UInt32? {
        if case .monitorGroup(let group) = kind { return group }
        return nil
    }

    /// Whether messages may be joined without the setting.
    var mayBeJoined: Bool { kind == .vehicle(mayBeJoined: true) }

    /// Whether a reading is acceptable.
    ///
    /// While headers are on, bytes that answer nothing are not a message. Bytes that cannot be an answer
    /// never are.
    private func isAcceptable(_ reading: LineReading) -> Bool {
        switch reading.shape {
        case .bare where exchange.family == .j1939: true
        case .bare:
            // The first byte of every answer is that of its request with bit 6 set.
            digits.byte(0) & 0x40 != 0
                && (reading.answer == .exact || showsHeaders != true || lastShape == .bare
                    || reading.answer > .none && exchange.request == nil)
        case .can11, .can29, .joined11, .joined29, .fieldAlone, .j1939, .iso9141, .j1850,
            .iso14230:
            true
        }
    }

    /// Whether a line lost its header: `AT H1` was confirmed, and earlier lines had headers.
    private func lacksHeader(_ reading: LineReading) -> Bool {
        guard !reading.shape.hasHeader, settings.headers == true, shownHeaders == true,
            settings.automaticFormatting != false, exchange.family != .j1939
        else { return false }
        return !missesHeaders
    }

    /// Remembers the facts that a line shows about the following lines.
    private mutating func remember(_ reading: LineReading) {
        guard reading.answer > .none || reading.proof >= .length else { return }
        lastShape = reading.shape
        if reading.answer == .exact {
            shownHeaders = reading.shape.hasHeader
            if reading.shape.hasHeader { missesHeaders = false }
            if reading.shape.family == .can { shownLength = reading.announced != nil }
        }
        guard let family = reading.shape.family, reading.proof >= .length,
            family != inferredFamily, family != .iso9141 || !fitsBothCheckBytes
        else { return }
        inferredFamily = family
        updateExchange()
    }

    /// Sets the family to which the lines belong.
    mutating func infer(_ family: VehicleProtocol.Family) {
        guard inferredFamily != family else { return }
        inferredFamily = family
        updateExchange()
    }

    /// Whether the last byte is both the sum of ISO 9141-2 and the CRC of J1850.
    ///
    /// The frame then does not distinguish the families.
    private var fitsBothCheckBytes: Bool {
        J1850.crcIndex(in: digits.bytes(from: 0), inFrameResponse: false) != nil
    }

    mutating func deliver(
        _ reading: LineReading, _ text: Span<UInt8>, line: Int, _ out: inout [ReplyEvent]
    ) {
        var address: ECUAddress?
        if let form = reading.shape.form, form != .byte { address = ECUAddress(reading.id, form) }
        let frame = LinkFrame(
            header: address, bytes: digits.bytes(from: reading.start), line: line)
        if let announced = reading.announced, announced != frame.bytes.count {
            out.append(
                .linkError(
                    LinkError(
                        .length(announced: announced, received: frame.bytes.count), ecu: address,
                        line: line), text: nil))
            return
        }
        do throws(LinkError) {
            if let message = try message(of: reading, frame) {
                if reading.shape == .iso14230 {
                    unproven.take(
                        message, hasChecksum: reading.proof == .checksum, text, &out)
                } else {
                    out.append(.message(message))
                }
            } else if !frame.bytes.isEmpty {
                keep(text, line: line)
            }
        } catch {
            // A message that is displaced by another one refers to the line of the other one.
            out.append(.linkError(error, text: nil))
            keep(text, line: line)
        }
        for error in can.takeErrors() { out.append(.linkError(error, text: nil)) }
        for error in j1939.takeErrors() { out.append(.linkError(error, text: nil)) }
    }

    private mutating func message(
        of reading: LineReading, _ frame: LinkFrame
    ) throws(LinkError) -> ECUMessage? {
        switch reading.shape {
        case .can11, .can29, .fieldAlone:
            if reading.isExtended != can.extendedAddressing {
                can.extendedAddressing = settings.extendedAddressing || reading.isExtended
            }
            return try can.receive(frame)
        case .j1939:
            if let id = frame.header, let group = askedGroup,
                J1939.Identifier(id.value).parameterGroup == J1939.dataTransfer,
                let length = segments.takeLength()
            {
                j1939.announce(total: length.total, parameterGroup: group, line: length.line)
            }
            return try j1939.receive(frame)
        case .iso9141: return try ISO9141.message(from: frame)
        case .j1850:
            let isPWM = frame.bytes.first == 0x41 || frame.bytes.first == 0x61
            return try J1850.message(
                from: frame, inFrameResponse: mayHaveInFrameResponse(isPWM))
        case .iso14230:
            return try kwp.message(from: frame, needsChecksum: reading.proof == .refuted)
        case .joined11, .joined29:
            var ecu = frame.header
            var payload = Array(frame.bytes)
            if settings.extendedAddressing { ecu?.extended = payload.removeFirst() }
            return ECUMessage(ecu: ecu, payload: payload, line: frame.line)
        case .bare:
            return ECUMessage(
                ecu: nil, payload: Array(frame.bytes), line: frame.line,
                parameterGroup: askedGroup)
        }
    }

    /// The parameter group of an answer without a header, which is the requested one.
    var askedGroup: UInt32? {
        guard exchange.family == .j1939 else { return nil }
        return monitoredGroup ?? requestedGroup
    }

    /// Keeps the line on which a message may have begun.
    mutating func keep(_ text: Span<UInt8>, line: Int) {
        guard can.hasOpenMessages || j1939.hasOpenMessages || segments.isOpen else { return }
        openLines.append(line, text)
    }
}
