public import Adapters
public import OBDCore
import VehicleLink

/// Reads the recorded text of an adapter's conversation line by line, without an adapter.
///
/// Such text does not show which settings were active, which lines are echoes, or where line ends
/// were lost. This reader infers these facts from the text. The reader is only for recorded text and is the
/// entry point to this folder; a live link uses ``FrameReader``.
///
/// A single `>` is a prompt; the text after it still belongs to the last request. A line of `>` and text is a
/// request, unless ``Options/request`` names the request for the whole input. `#` begins a comment. Echoes
/// are dropped, and AT and ST commands take effect.
public struct ConversationReader: Hashable, Sendable {
    /// Facts that the text itself does not contain.
    public struct Options: Hashable, Sendable {
        /// The request that the whole input answers, as typed: `010C`; nil means to infer it from the text.
        public var request: String?
        /// The protocol for headers that the text alone leaves ambiguous.
        public var vehicleProtocol: VehicleProtocol?

        /// Sets the options; by default everything is inferred from the text.
        public init(request: String? = nil, vehicleProtocol: VehicleProtocol? = nil) {
            self.request = request
            self.vehicleProtocol = vehicleProtocol
        }
    }

    /// The request or command that the next lines answer.
    enum Asked: Hashable, Sendable {
        /// No possible request was seen yet.
        case unknown
        /// A request to the vehicle.
        case vehicle
        /// A command of the adapter; `answered` is true after the first line of its answer.
        case adapter(AdapterCommand, answered: Bool)
    }

    /// The number of bytes of a line that are read; no answer is longer.
    static let longestLine = ReplyLexer.longestLine

    let options: Options
    var reader: ReplyReader
    var asked = Asked.unknown
    /// The request as typed, upper case and without blanks.
    var requestText: [UInt8] = []
    /// The length of a request whose first frame was typed under `AT CAF0`; unit: bytes.
    var longRequest: Int?
    /// The number of the line with the request.
    var requestLine = 0
    /// The digits of ``requestText``; empty unless it consists of digits only.
    var requestDigits: [UInt8] = []
    /// Whether requests come after the prompt: then no other line is an echo.
    var promptsCarryRequests = false
    /// Whether any line was read since the last end of an exchange.
    var isOpen = false
    /// The last line that was treated as a request because of its form, until an answer confirms it.
    var guess: Guess?
    /// Whether a prompt came since the last request.
    var isPrompted = false
    /// Whether nothing was read yet in answer to the request to the vehicle.
    var awaitsAnswer = false
    /// Whether there was an answer without a visible request, which means that requests are not echoed.
    var hasUnaskedAnswers = false

    /// Whether the answer to the adapter's command is complete: `OK`, or any text before a prompt.
    var commandIsDone = false
    /// Words of the adapter, and nothing else so far in answer to the request to the vehicle.
    var openWord: OpenWord?
    /// A protocol search, or a banner, without a result so far.
    var openSearch: Search?
    /// A request of three digits, which may also be the length before segments.
    var lengthOrRequest: LengthOrRequest?
    /// A line that may end in the length of segments, until the next line decides it.
    var gluedLength: GluedLength?
    /// Whether the direction is known, as in a recording, so that no line can be an echo.
    var directionIsKnown = false

    var lineNumber = 0
    var events: [ReplyEvent] = []
    private var scratch: [UInt8] = []

    /// A reader at the beginning of its input.
    public init(_ options: Options) {
        self.options = options
        reader = ReplyReader(
            settings: ELM327Settings(), fallback: options.vehicleProtocol)
        if let request = options.request { begin(AdapterCommand.compact(request.utf8)) }
    }

    /// The settings that the conversation has shown so far.
    public var settings: ELM327Settings { reader.settings }

    /// The protocol family that the conversation has shown so far; nil if it is not known.
    public var family: VehicleProtocol.Family? { reader.exchange.family }

    /// Whether `text` is valid for ``Options/request``: hexadecimal digits, or an AT or ST command.
    public static func isRequest(_ text: String) -> Bool {
        let compact = AdapterCommand.compact(text.utf8)
        if AdapterCommand(compact: compact) != nil { return true }
        return compact.count >= 2 && compact.allSatisfy { Hex.value($0) != nil }
    }

    /// Reads one line without its line end; `number` counts from 1.
    public mutating func read(
        _ line: some Collection<UInt8>, number: Int, _ out: inout [ConversationItem]
    ) {
        let done: Void? = line.withContiguousStorageIfAvailable {
            read($0.span, number: number, &out)
        }
        if done == nil { read(Array(line).span, number: number, &out) }
    }

    /// Reads one line without its line end; `number` counts from 1.
    public mutating func read(
        _ line: Span<UInt8>, number: Int, _ out: inout [ConversationItem]
    ) {
        lineNumber = number
        let text = line.extracting(trimmed(line))
        guard !text.isEmpty else { return }
        settleGluedLength(before: text, &out)
        guard text.count <= Self.longestLine else {
            isOpen = true
            let error = LinkError(.notAFrame, line: number)
            append(.linkError(error, text: string(text.extracting(..<256))), &out)
            return
        }
        if reader.digits.scan(text) {
            readDigits(text, &out)
        } else {
            readSpecial(text, &out)
        }
    }

    /// Reads a command that is known to have been sent; `number` is its line, from 1.
    ///
    /// A recording has the direction of the bytes, so a request cannot be confused with an answer.
    public mutating func readRequest(
        _ command: some Collection<UInt8>, number: Int, _ out: inout [ConversationItem]
    ) {
        directionIsKnown = true
        let compact = AdapterCommand.compact(command)
        guard options.request == nil, !compact.isEmpty else { return }
        settleGluedLength(before: [UInt8]().span, &out)
        lineNumber = number
        promptsCarryRequests = true
        ask(compact, &out)
    }

    /// Ends the input.
    public mutating func finish(_ out: inout [ConversationItem]) {
        settleGluedLength(before: [UInt8]().span, &out)
        endExchange(&out)
    }

    // MARK: Lines

    /// Splits a line with more than digits at comments, prompts and stray line ends.
    private mutating func readSpecial(_ text: Span<UInt8>, _ out: inout [ConversationItem]) {
        scratch.removeAll(keepingCapacity: true)
        var isSpecial = false
        scan: for index in text.indices {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "#"):
                isSpecial = true
                break scan
            case 0x00: isSpecial = true
            case 0x0D, 0x0A, UInt8(ascii: ">"):
                isSpecial = true
                scratch.append(byte)
            default: scratch.append(byte)
            }
        }
        guard isSpecial else {
            readText(text, &out)
            return
        }
        // A copy, because reading the pieces reuses the buffer.
        let line = scratch
        var start = 0
        var isBehindPrompt = false
        for index in 0...line.count {
            let isEnd = index == line.count
            guard isEnd || line[index] == 0x0D || line[index] == 0x0A || line[index] == 0x3E
            else { continue }
            readPiece(line.span.extracting(start..<index), isBehindPrompt: isBehindPrompt, &out)
            isBehindPrompt = !isEnd && line[index] == UInt8(ascii: ">")
            start = index + 1
        }
    }

    mutating func readPiece(
        _ piece: Span<UInt8>, isBehindPrompt: Bool, _ out: inout [ConversationItem]
    ) {
        let text = piece.extracting(trimmed(piece))
        settleGluedLength(before: text, &out)
        if isBehindPrompt {
            if text.isEmpty {
                readPrompt(&out)
                return
            }
            if awaitsSegment(text, isBehindPrompt: true) { return }
            readBehindPrompt(text, &out)
            return
        }
        readAnyPiece(text, &out)
    }

    /// Reads the text after a prompt on the same line: a request, or an answer without an echo.
    mutating func readBehindPrompt(_ text: Span<UInt8>, _ out: inout [ConversationItem]) {
        if options.request == nil, isProtocolNumber(text) {
            readPrompt(&out)
            let answer = string(text)
            reader.change { $0.note(answer: answer, to: .protocolNumber) }
            return
        }
        if options.request == nil,
            let end = endOfGluedRequest(text) ?? endOfAnsweredRequest(text),
            canBeRequest(text.extracting(..<end))
        {
            promptsCarryRequests = true
            ask(AdapterCommand.compact(bytes(text.extracting(..<end))), &out)
            readPiece(text.extracting(end...), isBehindPrompt: false, &out)
            return
        }
        if options.request == nil, !isAnswer(text), canBeRequest(text) {
            let possible = lengthOrRequest(text)
            let needsAnswer = reader.digits.scan(text) && isShortAsAnswer
            promptsCarryRequests = true
            ask(AdapterCommand.compact(bytes(text)), &out)
            lengthOrRequest = possible
            if needsAnswer {
                guess = Guess(line: lineNumber, text: string(text))
                guess?.mayBeRefuted = true
            }
            return
        }
        readPrompt(&out)
        // An answer after the prompt does not belong to the adapter command before the prompt.
        if case .adapter = asked, !isMonitor,
            reader.digits.scan(text) || AdapterWords.isSearch(text)
        {
            asked = .unknown
            requestText = []
            requestDigits = []
            reader.begin(nil)
        }
        readAnyPiece(text, &out)
    }

    private mutating func readAnyPiece(_ text: Span<UInt8>, _ out: inout [ConversationItem]) {
        guard !text.isEmpty else { return }
        if reader.digits.scan(text) {
            readDigits(text, &out)
        } else {
            readText(text, &out)
        }
    }

    /// Handles a prompt, which completes the answers.
    mutating func readPrompt(_ out: inout [ConversationItem]) {
        promptsCarryRequests = false
        isPrompted = true
        awaitsAnswer = false
        // The whole input answers one request. A tester that writes its own flow control gets the prompt in
        // the middle of a message.
        if options.request != nil || reader.settings.automaticFormatting == false { return }
        if case .adapter(_, answered: true) = asked { commandIsDone = true }
        endExchange(&out)
    }

    /// Reads a line of digits, which is nearly always an answer like the one before.
    mutating func readDigits(_ text: Span<UInt8>, _ out: inout [ConversationItem]) {
        if case .vehicle = asked, lengthOrRequest == nil,
            reader.readAsBefore(lineNumber, &events)
        {
            isOpen = true
            flush(text, &out)
            return
        }
        readAnyDigits(text, &out)
    }

    /// Reads digits of any kind: several lines in one, an echo, a request, a length, or an answer.
    private mutating func readAnyDigits(_ text: Span<UInt8>, _ out: inout [ConversationItem]) {
        if awaitsSegment(text, isBehindPrompt: false) { return }
        readUnheldDigits(text, &out)
    }

    /// Does the same for digits that the next line does not explain.
    mutating func readUnheldDigits(_ text: Span<UInt8>, _ out: inout [ConversationItem]) {
        if readJoined(text, &out) { return }
        if case .adapter(let command, let answered) = asked, !isMonitor {
            guard isUnreadableRequest || commandIsDone, reader.digits.scan(text),
                reader.canOnlyBeAnswer
            else {
                readAnswer(text, to: command, answered: answered, &out)
                return
            }
            giveUpRequest(&out)
        }
        if let length = lengthOrRequest {
            lengthOrRequest = nil
            if reader.digits.segment == 0 {
                readLength(length, isBehindPrompt: promptsCarryRequests)
            }
        }
        if readEcho(text, &out) { return }
        let mayBeRequest = mayBeEcho
        if mayBeRequest, !isMonitor, isRequestOfOneService, let length = lengthOrRequest(text) {
            // A request before this one has no answer yet, or never gets one.
            guess = nil
            guessRequest(text, LinkError(.notAFrame, line: lineNumber), &out)
            lengthOrRequest = length
            return
        }
        let result = reader.readDigits(
            text, line: lineNumber, mayBeRequest: mayBeRequest, &events)
        switch result {
        case .read:
            isOpen = true
            flush(text, &out)
        case .meaningless(let error):
            if mayBeRequest, !isMonitor, reader.looksLikeRequest {
                guessRequest(text, error, &out)
            } else {
                isOpen = true
                append(.linkError(error, text: string(text)), &out)
            }
        }
    }

    /// Reads the echo of the request, and the answer if the line end between them was lost; false if the
    /// digits are something else.
    private mutating func readEcho(
        _ text: Span<UInt8>, _ out: inout [ConversationItem]
    ) -> Bool {
        guard !requestDigits.isEmpty else { return false }
        if reader.digits.equals(requestDigits) {
            // After an answer, the same digits are the next request.
            let isAnswered = isOpen && reader.isAtRest && openSearch == nil && openWord == nil
            if isAnswered, mayBeEcho { ask(requestText, &out) }
            return true
        }
        guard let rest = endOfGluedEcho(text), !reader.answersExactly else { return false }
        let answer = text.extracting(rest...)
        if reader.digits.scan(answer), reader.answersExactly {
            readDigits(answer, &out)
            return true
        }
        _ = reader.digits.scan(text)
        return false
    }

    // MARK: Items

    /// Ends the answers to the last request, if there were any.
    mutating func endExchange(_ out: inout [ConversationItem]) {
        if !isOpen, guess == nil, reader.isAtRest { return }
        reader.finish(&events)
        let hadErrors = !events.isEmpty
        flush([UInt8]().span, &out)
        giveUpWord(&out)
        giveUpSearch(&out)
        if let guess, !isOpen, !hadErrors { giveUpUnanswered(guess, &out) }
        guess = nil
        guard isOpen || hadErrors else { return }
        isOpen = false
        append(.endOfExchange, &out)
    }

    /// Turns the events of one line into items.
    mutating func flush(_ text: Span<UInt8>, _ out: inout [ConversationItem]) {
        guard !events.isEmpty else { return }
        // Moved out and accessed in place, because `for event in events` would copy each element.
        var found: [ReplyEvent] = []
        swap(&found, &events)
        for place in found.indices {
            switch found.span[place] {
            case .message(let message):
                weighGuess(by: message, &out)
                out.append(
                    ConversationItem(
                        .message(message), line: message.line, exchange: reader.exchange))
            case .linkError(let error, let kept):
                out.append(
                    ConversationItem(
                        .linkError(error, text: kept ?? string(text)), line: error.line,
                        exchange: reader.exchange))
            case .status(let status):
                let start = AdapterWords.endOfSearching(text) ?? 0
                append(.status(status, text: string(text.extracting(start...))), &out)
                noteLoss(status)
                confirmGuess(&out)
            case .voltage(let voltage): append(.voltage(voltage), &out)
            case .frame(let id, let data): append(.frame(id: id, data: data), &out)
            case .banner:
                reader.apply(.reset)
                guard awaitsAnswer || openSearch != nil else { break }
                let text = string(text)
                if options.request == nil {
                    append(
                        .linkError(LinkError(.adapterRestarted, line: lineNumber), text: text),
                        &out)
                } else {
                    // The input may begin with the start of the adapter.
                    openSearch = Search(line: lineNumber, text: text, fault: .adapterRestarted)
                    continue
                }
            case .searching: openSearch = openSearch ?? Search(line: lineNumber, text: string(text))
            case .word(let status):
                if status != .confirmation {
                    // A warning holds whether or not an answer comes.
                    append(.status(status, text: string(text)), &out)
                } else if awaitsAnswer, openWord == nil {
                    openWord = OpenWord(status: status, line: lineNumber, text: string(text))
                }
                continue
            }
            if openSearch != nil, found.span[place].isResult { openSearch = nil }
            if openWord != nil, found.span[place].isResult { openWord = nil }
            awaitsAnswer = false
        }
        found.removeAll(keepingCapacity: true)
        swap(&found, &events)
    }

    /// Appends an item for the current line.
    mutating func append(
        _ content: ConversationItem.Content, _ out: inout [ConversationItem]
    ) {
        openSearch = nil
        out.append(ConversationItem(content, line: lineNumber, exchange: reader.exchange))
    }

    func bytes(_ text: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        for index in text.indices { bytes.append(text[index]) }
        return bytes
    }
}
