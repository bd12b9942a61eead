import Adapters
import OBDCore
import VehicleLink

/// Reads lines that lost their line ends piece by piece.
extension ConversationReader {
    /// Reads a line of digits that consists of several lines; false if it is a single line.
    mutating func readJoined(_ text: Span<UInt8>, _ out: inout [ConversationItem]) -> Bool {
        if mayHoldRequest {
            let known = mayBeEcho ? [] : requestDigits
            if let end = JoinedLines(text)?.endOfRequest(known: known) {
                if known.isEmpty {
                    ask(AdapterCommand.compact(bytes(text.extracting(..<end))), &out)
                }
                readPiece(text.extracting(end...), isBehindPrompt: false, &out)
                return true
            }
        }
        guard asked.isOfVehicle, JoinedLines.mayBe(reader.digits), !isMonitor,
            let line = JoinedLines(text)
        else { return false }
        if let pieces = line.frames() ?? line.legacyLines() {
            for piece in pieces {
                readPiece(text.extracting(piece), isBehindPrompt: false, &out)
            }
            return true
        }
        guard let pieces = line.checkedFrames() else { return false }
        for piece in pieces where !readOwnRequest(text.extracting(piece), &out) {
            readPiece(text.extracting(piece), isBehindPrompt: false, &out)
        }
        return true
    }

    /// Takes the tester's own request, which a K line interface receives, too; false for any other frame.
    private mutating func readOwnRequest(
        _ text: Span<UInt8>, _ out: inout [ConversationItem]
    ) -> Bool {
        guard reader.digits.scan(text) else { return false }
        let frame = reader.digits.bytes(from: 0)
        let header: Int
        if frame[0] >= 0x80 {
            guard let layout = ISO14230.Layout(frame), layout.source == settings.testerAddress
            else { return false }
            header = layout.headerLength
        } else {
            guard frame[2] == settings.testerAddress else { return false }
            header = 3
        }
        let payload = Array(frame.dropFirst(header).dropLast())
        if payload == reader.exchange.request { return true }
        guard mayBeEcho else { return false }
        ask(Array(Hex.string(payload).utf8), &out)
        return true
    }

    /// A line whose end may be the length of an answer, because the request lost its line end.
    ///
    /// `22F190014`, before `0: 62 F1 90 …`. All digits together may also be a request.
    struct GluedLength: Hashable, Sendable {
        var line: Int
        var text: [UInt8]
        /// Whether a prompt comes before the line.
        var isBehindPrompt: Bool
        /// The offset of the length in the text.
        var start: Int
        /// The request before the length, as bytes.
        var request: [UInt8]
        /// Whether exactly this request was sent.
        var isKnown: Bool
    }

    /// The shortest message that an adapter shows in segments; unit: bytes.
    private static let shortestLength = 7

    /// Keeps a line that may end in a length for later; false if it cannot be one.
    mutating func awaitsSegment(_ text: Span<UInt8>, isBehindPrompt: Bool) -> Bool {
        guard isBehindPrompt ? options.request == nil : !isMonitor,
            reader.digits.scan(text), reader.digits.segment == nil, reader.digits.count >= 5
        else { return false }
        let count = reader.digits.count - 3
        guard reader.digits.number(count, 3) >= Self.shortestLength else { return false }
        let isKnown =
            !isBehindPrompt && count == requestDigits.count
            && reader.digits.continues(requestDigits)
        if !isKnown {
            // The longest request has seven PIDs and the number of answers to wait for.
            guard isBehindPrompt || mayBeEcho, count <= 15, reader.digits.byte(0) & 0x40 == 0,
                !reader.canOnlyBeAnswer
            else { return false }
        }
        let digits = (0..<count).map { reader.digits.digit($0) }
        guard let request = reader.settings.payload(ofTyped: digits), let service = request.first,
            isKnown || ServiceShape.of(service)?.request?.contains(request.count) ?? true,
            let start = offset(behind: count, in: text)
        else { return false }
        gluedLength = GluedLength(
            line: lineNumber, text: bytes(text), isBehindPrompt: isBehindPrompt, start: start,
            request: request, isKnown: isKnown)
        return true
    }

    /// Reads the line that was kept, once the next line `text` or the end is known.
    ///
    /// If the next line is the first segment of an answer to the request, the kept line ends in a length.
    mutating func settleGluedLength(
        before text: Span<UInt8>, _ out: inout [ConversationItem]
    ) {
        guard let line = gluedLength else { return }
        gluedLength = nil
        let number = lineNumber
        lineNumber = line.line
        defer { lineNumber = number }
        let isSegment =
            reader.digits.scan(text) && reader.digits.segment == 0
            && (line.isKnown
                || reader.answer(at: 0, count: reader.digits.count / 2, to: line.request) == .exact)
        let held = line.text.span
        if isSegment {
            if line.isBehindPrompt { promptsCarryRequests = true }
            if !line.isKnown {
                ask(AdapterCommand.compact(line.text[..<line.start]), &out)
            }
            readPiece(held.extracting(line.start...), isBehindPrompt: false, &out)
        } else if line.isBehindPrompt {
            readBehindPrompt(held, &out)
        } else if reader.digits.scan(held) {
            readUnheldDigits(held, &out)
        }
    }

    /// Reads `SEARCHING...0140:4902…1:…`; false if the line is something else.
    mutating func readSegments(_ text: Span<UInt8>, _ out: inout [ConversationItem]) -> Bool {
        guard asked.isOfVehicle || mayBeEcho else { return false }
        let start = AdapterWords.endOfSearching(text) ?? 0
        let rest = text.extracting(start...)
        guard let line = JoinedLines(rest),
            let pieces = line.segments() ?? (start > 0 ? line.frames() ?? line.legacyLines() : nil)
        else { return false }
        if start > 0 { readPiece(text.extracting(..<start), isBehindPrompt: false, &out) }
        for piece in pieces {
            readPiece(rest.extracting(piece), isBehindPrompt: false, &out)
        }
        return true
    }

    /// Reads `010CNO DATA`, `0105SEARCHING...`, if lines may be echoes; false if it is something else.
    mutating func readEchoedWords(_ text: Span<UInt8>, _ out: inout [ConversationItem]) -> Bool {
        guard !isMonitor, mayBeEcho || !requestDigits.isEmpty, let end = endOfGluedRequest(text),
            reader.digits.scan(text.extracting(..<end))
        else { return false }
        if mayBeEcho, reader.looksLikeRequest {
            ask(AdapterCommand.compact(bytes(text.extracting(..<end))), &out)
        } else if !reader.digits.equals(requestDigits) {
            return false
        }
        readPiece(text.extracting(end...), isBehindPrompt: false, &out)
        return true
    }

    /// The end of a request after a prompt if its answer is on the same line.
    func endOfAnsweredRequest(_ text: Span<UInt8>) -> Int? {
        JoinedLines(text)?.endOfRequest(isBehindPrompt: true)
    }

    /// Whether the scanned digits may begin with a request.
    private var mayHoldRequest: Bool {
        guard reader.digits.segment == nil, reader.digits.count >= 6, !isMonitor,
            !reader.continuesMessage
        else { return false }
        if !mayBeEcho { return !requestDigits.isEmpty && reader.digits.continues(requestDigits) }
        return ServiceShape.of(reader.digits.byte(0))?.request != nil
    }
}

extension ConversationReader.Asked {
    /// Whether the last command is one whose answers are unknown.
    var isOfAnotherMaker: Bool {
        if case .adapter(.other, _) = self { true } else { false }
    }

    /// Whether lines of digits are answers of a vehicle, as far as is known.
    var isOfVehicle: Bool {
        switch self {
        case .unknown, .vehicle: true
        case .adapter: false
        }
    }
}
