import Adapters
import OBDCore
import VehicleLink

/// Decides which lines are requests, and which request each other line answers.
extension ConversationReader {
    struct LengthOrRequest: Hashable, Sendable {
        var line: Int
        var text: [UInt8]
        /// The state before this line.
        var asked: Asked
        var requestText: [UInt8]
        var exchange: Exchange
    }

    /// The start of the adapter's text after a request whose line end was lost: `010CNO DATA`, `ATRV12.6V`;
    /// nil for any other text.
    mutating func endOfGluedRequest(_ text: Span<UInt8>) -> Int? {
        if reader.digits.scan(text) { return nil }
        guard AdapterCommand(compact: AdapterCommand.compact(bytes(text))) != nil else {
            let words = ["SEARCHING", "BUSINIT"].compactMap {
                AdapterWords.position(of: $0, in: text)
            }
            guard let start = words.first ?? AdapterWords.find(in: text)?.start, start > 1,
                reader.digits.scan(text.extracting(..<start)), reader.digits.segment == nil
            else { return nil }
            return start
        }
        for banner in AdapterWords.banners {
            if let start = AdapterWords.position(of: banner, in: text), start > 2 { return start }
        }
        if let end = AdapterWords.end(of: "ATRV", in: text, at: 0), end < text.count,
            Voltage.read(text.extracting(end...), unitIsOptional: false) != nil
        {
            return end
        }
        for (word, length) in [("OK", 2), ("?", 1)] {
            let start = text.count - length
            guard start > 2, AdapterWords.end(of: word, in: text, at: start) == text.count,
                isEchoedCommand(AdapterCommand.compact(bytes(text.extracting(..<start))))
            else { continue }
            return start
        }
        return nil
    }

    /// Whether the text after a prompt looks like an answer to `AT DPN`: `A6`, `6`.
    ///
    /// The text cannot be a request: A6 is not a service, and no request has a single digit.
    func isProtocolNumber(_ text: Span<UInt8>) -> Bool {
        guard !directionIsKnown, (1...2).contains(text.count),
            let last = Hex.value(text[text.count - 1])
        else { return false }
        return (1...0xC).contains(last) && (text.count == 1 || text[0] == UInt8(ascii: "A"))
    }

    /// Whether the text after a prompt can only be an answer.
    ///
    /// With the echo off, the answer directly follows the prompt.
    mutating func isAnswer(_ text: Span<UInt8>) -> Bool {
        if reader.digits.scan(text) { return reader.canOnlyBeAnswer }
        return AdapterWords.find(in: text)?.start == 0 || AdapterWords.isSearch(text)
            || AdapterWords.isBanner(text) || Voltage.read(text, unitIsOptional: false) != nil
            || AdapterWords.end(of: "OK", in: text, at: 0) == text.count
    }

    /// Whether the text after a prompt can be a request and is not just a damaged answer.
    ///
    /// Requests do not use the services of answers and do not include headers. In a log of frames, a frame
    /// from the tester is a request, too.
    mutating func canBeRequest(_ text: Span<UInt8>) -> Bool {
        if AdapterCommand(compact: AdapterCommand.compact(bytes(text))) != nil { return true }
        guard reader.digits.scan(text) else {
            // Data with other text in the middle; commands of other manufacturers are words.
            var end = 0
            while end < text.count, Hex.value(text[end]) != nil || isBlank(text[end]) { end += 1 }
            let start = text.extracting(..<end)
            guard end >= 3, isBlank(text[2]) || isBlank(text[3]) || end >= 6,
                reader.digits.scan(start)
            else { return true }
            return digitsCanBeRequest
        }
        return digitsCanBeRequest || isShortAsAnswer
    }

    /// The same check for the scanned digits.
    private var digitsCanBeRequest: Bool {
        let digits = reader.digits
        if digits.segment != nil { return false }
        // Without automatic formatting, raw bytes may begin with any value.
        if settings.automaticFormatting == false { return true }
        if reader.looksLikeRequest || digits.count < 2 || isFrameOfTester { return true }
        if digits.groups > 1, digits.length(0) == 3 {
            // Testers also use other identifiers to send.
            let isUsual = (0x7E8...0x7EF).contains(digits.number(0, 3))
            return !isUsual && digits.count >= 9
                && ![5, 7].contains { ServiceShape.isAnswer(digits.byte($0)) }
        }
        let first = digits.byte(0)
        switch first {
        // An identifier with 29 bits.
        case 0x18 where digits.byte(2) == 0xDA: return false
        // The header of an answer by ISO 14230-4.
        case 0x80...0xBF: return digits.count < 6 || digits.byte(2) != settings.testerAddress
        default: return !ServiceShape.isAnswer(first)
        }
    }

    /// Whether the scanned digits are an answer without data, or a request that tries out services: `4101`.
    var isShortAsAnswer: Bool {
        reader.digits.groups == 1 && reader.digits.count <= 4
            && ServiceShape.isAnswer(reader.digits.byte(0))
    }

    /// Whether the scanned digits begin with an identifier that testers use to send.
    private var isFrameOfTester: Bool {
        let digits = reader.digits
        if digits.count >= 5, (0x7DF...0x7E7).contains(digits.number(0, 3)) { return true }
        guard digits.count >= 10, digits.byte(0) == 0x18, digits.byte(6) == settings.testerAddress
        else { return false }
        return digits.byte(2) == 0xDB || digits.byte(2) == 0xDA && digits.byte(4) != digits.byte(6)
    }

    /// The state to restore if the three digits of `text` turn out to be a length; nil for any other text.
    mutating func lengthOrRequest(_ text: Span<UInt8>) -> LengthOrRequest? {
        guard reader.digits.scan(text), reader.digits.segment == nil, reader.digits.groups == 1,
            reader.digits.count == 3
        else { return nil }
        return LengthOrRequest(
            line: lineNumber, text: bytes(text), asked: asked, requestText: requestText,
            exchange: reader.exchange)
    }

    /// Undoes a request, because the first segment after it shows that it is a length.
    mutating func readLength(_ length: LengthOrRequest, isBehindPrompt: Bool) {
        let line = lineNumber
        let segment = reader.digits
        defer {
            reader.digits = segment
            lineNumber = line
        }
        lineNumber = length.line
        requestText = length.requestText
        requestDigits = []
        asked = isBehindPrompt ? .unknown : length.asked
        reader.begin(isBehindPrompt ? nil : length.exchange.request)
        guard reader.digits.scan(length.text.span) else { return }
        isOpen = true
        _ = reader.readDigits(
            length.text.span, line: length.line, mayBeRequest: false, &events)
    }

    /// Whether a line may be the echo of a request.
    var mayBeEcho: Bool {
        options.request == nil && !promptsCarryRequests && !directionIsKnown
    }

    /// Whether the scanned digits are `031` or similar: a service without a PID, and the number of answers to
    /// wait for.
    var isRequestOfOneService: Bool {
        reader.digits.count == 3 && reader.digits.digit(2) > 0
            && ServiceShape.of(reader.digits.byte(0))?.request == 1...1
    }

    /// The start of the answer on a line that begins with the digits of the request.
    func endOfGluedEcho(_ text: Span<UInt8>) -> Int? {
        guard reader.digits.continues(requestDigits) else { return nil }
        return offset(behind: requestDigits.count, in: text)
    }

    /// The offset in `text` after this many digits; nil if the text ends there.
    func offset(behind count: Int, in text: Span<UInt8>) -> Int? {
        var left = count
        var index = 0
        while left > 0, index < text.count {
            if Hex.value(text[index]) != nil { left -= 1 }
            index += 1
        }
        return index < text.count ? index : nil
    }

    /// Whether a line is the echo of a known command.
    func isEchoedCommand(_ compact: [UInt8]) -> Bool {
        guard let command = AdapterCommand(compact: compact) else { return false }
        if command != .other { return true }
        return HarmlessCommands.contains(String(decoding: compact, as: UTF8.self))
            || compact.starts(with: "ATPP".utf8)
    }

    var isMonitor: Bool {
        guard case .adapter(let command, _) = asked else { return false }
        switch command {
        case .monitor, .monitorGroup, .transmit: return true
        case .reset, .echo, .linefeeds, .headers, .spaces, .showLength, .automaticFormatting,
            .extendedAddressing, .joinFrames, .formatJ1939Headers, .testerAddress, .choose,
            .voltage, .protocolNumber, .protocolName, .stnProtocolNumber, .other:
            return false
        }
    }

    /// The start of the answer on a line that may begin with the echo of the command, without a line end.
    ///
    /// `ATSP6OK`; some adapters double the echo.
    func endOfGluedCommand(_ text: Span<UInt8>) -> Int {
        guard !requestText.isEmpty else { return 0 }
        let command = String(decoding: requestText, as: UTF8.self)
        var start = 0
        while let end = AdapterWords.end(of: command, in: text, at: start), end < text.count {
            start = end
            while start < text.count, isBlank(text[start]) { start += 1 }
        }
        return start
    }

    // MARK: The current request

    /// Ends the previous request and begins the answers to `compact`.
    mutating func ask(_ compact: [UInt8], _ out: inout [ConversationItem]) {
        lengthOrRequest = nil
        if isContinuation(compact) {
            requestText = compact
            requestDigits = compact.compactMap { Hex.value($0) }
            continueRequest()
            return
        }
        settle()
        endExchange(&out)
        isPrompted = false
        begin(compact)
    }

    /// Applies a setting to which the adapter gave no answer.
    mutating func settle() {
        if case .adapter(let command, answered: false) = asked { takeOver(command) }
    }

    /// Applies a command that the adapter confirmed.
    mutating func takeOver(_ command: AdapterCommand) {
        reader.apply(command)
        if let family = VehicleProtocol.Family(setBy: requestText) { reader.suggest(family) }
        let setHeader = Array("ATSH".utf8)
        guard command == .other, requestText.starts(with: setHeader) else { return }
        let digits = requestText.dropFirst(setHeader.count)
        guard [3, 6, 8].contains(digits.count),
            let header = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return }
        reader.apply(header: header)
    }

    /// Whether a line continues the previous request.
    ///
    /// This is true of flow control or a consecutive frame of a long request, typed by hand under `AT CAF0`.
    func isContinuation(_ compact: [UInt8]) -> Bool {
        guard reader.settings.automaticFormatting == false, case .vehicle = asked,
            compact.count >= 2, compact.allSatisfy({ Hex.value($0) != nil })
        else { return false }
        return compact[0] == UInt8(ascii: "3") || compact[0] == UInt8(ascii: "2")
    }

    /// Adds the data of a consecutive frame to a long request.
    mutating func continueRequest() {
        guard let longRequest, requestDigits.first == 2, let begun = reader.exchange.request,
            begun.count < longRequest
        else { return }
        let bytes = stride(from: 2, to: requestDigits.count - 1, by: 2).map {
            requestDigits[$0] << 4 | requestDigits[$0 + 1]
        }
        reader.begin(begun + bytes.prefix(longRequest - begun.count))
    }

    mutating func begin(_ compact: [UInt8]) {
        requestText = compact
        requestLine = lineNumber
        requestDigits = []
        longRequest = nil
        awaitsAnswer = false
        if let command = AdapterCommand(compact: compact) {
            begin(command)
            return
        }
        let digits = compact.compactMap { Hex.value($0) }
        guard digits.count == compact.count else {
            // A command of another manufacturer: it begins with neither AT nor ST nor digits.
            begin(.other)
            return
        }
        asked = .vehicle
        awaitsAnswer = true
        requestDigits = digits
        if reader.settings.automaticFormatting == false, digits.count > 4, digits[0] == 1 {
            longRequest = Int(digits[1]) << 8 | Int(digits[2]) << 4 | Int(digits[3])
        }
        reader.begin(reader.settings.payload(ofTyped: digits))
    }

    /// Whether the current request is not a command of any known adapter.
    ///
    /// The line may be a command of another manufacturer, or a request with a time or a remark next
    /// to it.
    var isUnreadableRequest: Bool {
        asked.isOfAnotherMaker && AdapterCommand(compact: requestText) == nil
            && !requestText.isEmpty
    }

    /// Reports an unreadable request to which a vehicle's answer came; the answer itself is valid.
    mutating func giveUpRequest(_ out: inout [ConversationItem]) {
        if case .adapter(_, answered: false) = asked { tellUnreadableRequest(&out) }
        asked = .unknown
        requestText = []
        isOpen = true
        reader.begin(nil)
    }

    /// Reports a request that cannot be read.
    mutating func tellUnreadableRequest(_ out: inout [ConversationItem]) {
        out.append(
            ConversationItem(
                .linkError(
                    LinkError(.notAFrame, line: requestLine),
                    text: String(decoding: requestText, as: UTF8.self)),
                line: requestLine, exchange: reader.exchange))
    }

    mutating func begin(_ command: AdapterCommand) {
        asked = .adapter(command, answered: false)
        commandIsDone = false
        switch command {
        case .monitor: reader.begin(nil, kind: .monitor)
        case .monitorGroup(let group): reader.begin(nil, kind: .monitorGroup(group))
        case .transmit(let payload): reader.begin(payload, kind: .vehicle(mayBeJoined: true))
        case .reset:
            // The answer of such a command is a banner, not OK.
            reader.apply(command)
            reader.begin(nil)
        case .echo, .linefeeds, .headers, .spaces, .showLength, .automaticFormatting,
            .extendedAddressing, .joinFrames, .formatJ1939Headers, .testerAddress, .choose,
            .voltage, .protocolNumber, .protocolName, .stnProtocolNumber, .other:
            reader.begin(nil)
        }
    }
}
