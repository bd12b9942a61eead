import Adapters
import OBDCore
import VehicleLink

/// Reads lines that do not consist of digits, and the answers of the adapter itself.
extension ConversationReader {
    /// A line that begins a search for the protocol, or a banner, with nothing after it so far.
    struct Search: Hashable, Sendable {
        var line: Int
        var text: String
        var fault = LinkError.Fault.withoutResult
    }

    /// Words that have nothing to do with the request.
    struct OpenWord: Hashable, Sendable {
        var status: AdapterStatus
        var line: Int
        var text: String
    }

    /// Reports words to which no answer came.
    mutating func giveUpWord(_ out: inout [ConversationItem]) {
        guard let word = openWord else { return }
        openWord = nil
        out.append(
            ConversationItem(
                .status(word.status, text: word.text), line: word.line, exchange: reader.exchange))
    }

    /// Reads a line of words: an echoed command, the answer to one, or a status.
    mutating func readText(_ text: Span<UInt8>, _ out: inout [ConversationItem]) {
        if readSegments(text, &out) || readEchoedWords(text, &out) { return }
        let compact = AdapterCommand.compact(bytes(text))
        if compact == requestText { return }
        // An STN asks for the data of an announced `STPX` with `DATA>`.
        if asked == .adapter(.transmit(nil), answered: false), compact == Array("DATA".utf8) {
            return
        }
        if !promptsCarryRequests, options.request == nil,
            readGluedCommand(text, compact, &out)
        {
            return
        }
        if !promptsCarryRequests, isEchoedCommand(compact) {
            if options.request == nil { ask(compact, &out) }
            return
        }
        if case .adapter(let command, let answered) = asked, !isMonitor {
            guard isUnreadableRequest && AdapterWords.isSearch(text) || commandIsDone else {
                readAnswer(text, to: command, answered: answered, &out)
                return
            }
            giveUpRequest(&out)
        }
        isOpen = true
        reader.readWords(text, line: lineNumber, &events)
        flush(text, &out)
    }

    /// Reports a search that ended without a result, or a banner that nothing followed.
    mutating func giveUpSearch(_ out: inout [ConversationItem]) {
        guard let search = openSearch else { return }
        openSearch = nil
        let error = LinkError(search.fault, line: search.line)
        out.append(
            ConversationItem(
                .linkError(error, text: search.text), line: search.line, exchange: reader.exchange))
    }

    /// Reads `ATH1OK`, `ATRV12.6V`: the echo of a command and its answer; false if it is something else.
    private mutating func readGluedCommand(
        _ text: Span<UInt8>, _ compact: [UInt8], _ out: inout [ConversationItem]
    ) -> Bool {
        guard let length = Self.lengthOfAnsweredCommand(compact),
            isEchoedCommand(Array(compact[..<length]))
        else { return false }
        var end = 0
        var left = length
        while left > 0, end < text.count {
            if !isBlank(text[end]) { left -= 1 }
            end += 1
        }
        ask(Array(compact[..<length]), &out)
        readPiece(text.extracting(end...), isBehindPrompt: false, &out)
        return true
    }

    /// The length of a command that is followed by text that can only be an answer; nil if there is none.
    private static func lengthOfAnsweredCommand(_ compact: [UInt8]) -> Int? {
        guard compact.starts(with: "AT".utf8) || compact.starts(with: "ST".utf8) else { return nil }
        let text = String(decoding: compact, as: UTF8.self)
        for answer in ["OK", "?"] where text.hasSuffix(answer) {
            return compact.count - answer.utf8.count
        }
        for command in ["ATZ", "ATI", "ATWS"] where text.hasPrefix(command + "ELM327") {
            return command.utf8.count
        }
        if text.hasPrefix("ATRV"), text.hasSuffix("V"), compact.count > 5 { return 4 }
        if text.hasPrefix("ATDPN"), (6...7).contains(compact.count) { return 5 }
        return nil
    }

    /// Reads the answer to an adapter command: a status or a voltage, never data.
    mutating func readAnswer(
        _ text: Span<UInt8>, to command: AdapterCommand, answered: Bool,
        _ out: inout [ConversationItem]
    ) {
        let start = endOfGluedCommand(text)
        guard start < text.count else { return }
        let text = text.extracting(start...)
        let isDigits = reader.digits.scan(text)
        if isDigits, answered, mayBeEcho, reader.looksLikeRequest {
            ask(AdapterCommand.compact(bytes(text)), &out)
            return
        }
        let isWord = AdapterWords.find(in: text)?.start == 0
        let isOK = AdapterWords.end(of: "OK", in: text, at: 0) == text.count
        // The answer format of the command is unknown, so the unreadable request is reported once.
        if isUnreadableRequest, !answered, !isWord, !isOK { tellUnreadableRequest(&out) }
        asked = .adapter(command, answered: true)
        if command != .voltage, isOK {
            takeOver(command)
            commandIsDone = options.request == nil
        } else if let voltage = Voltage.read(text, unitIsOptional: command == .voltage) {
            append(.voltage(voltage), &out)
        } else if command == .voltage, !isWord {
            append(.linkError(LinkError(.notAVoltage, line: lineNumber), text: string(text)), &out)
        } else if !isDigits {
            if case .failed = AdapterWords.busInit(text, isContinued: false) {
                append(.status(.busInitError, text: string(text)), &out)
            } else if let match = AdapterWords.find(in: text),
                let status = match.meaning.status
            {
                append(.status(status, text: string(text)), &out)
                noteLoss(status)
            } else if let family = VehicleProtocol.Family(setBy: requestText) {
                // `BUS INIT: OK` to `AT FI`, `1:8F 2:E9` to `AT KW`.
                reader.suggest(family)
            }
        }
        let answer = string(text)
        reader.change { $0.note(answer: answer, to: command) }
    }

    /// Applies the default settings after the adapter restarted.
    mutating func noteLoss(_ status: AdapterStatus) {
        switch status {
        case .lowVoltageReset, .internalError, .fatalCANError: reader.apply(.reset)
        case .noData, .unableToConnect, .busInitError, .busBusy, .busError, .canError, .dataError,
            .rxError, .bufferFull, .feedbackError, .stopped, .flowControlTimeout, .unknownCommand,
            .busOff, .errorPassive, .wireFault, .notAcknowledged, .sourceRefused, .unknownTarget,
            .requestTooLong, .gatewayBusy, .targetUnreachable, .activityAlert, .lowPowerAlert,
            .confirmation,
            .unknownNetwork, .transportFailed, .messageRefused:
            break
        }
    }
}
