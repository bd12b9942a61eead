import OBDCore
import VehicleLink

/// Lines that lost their ends, read piece by piece.
extension ConversationReader {
    /// Reads a line of digits that is made of several; false = it stands as it is.
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
            let line = JoinedLines(text), let pieces = line.frames() ?? line.legacyLines()
        else { return false }
        for piece in pieces {
            readPiece(text.extracting(piece), isBehindPrompt: false, &out)
        }
        return true
    }

    /// Reads `SEARCHING...0140:4902…1:…`; false = it is something else.
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

    /// Reads `010CNO DATA`, `0105SEARCHING...`, where lines may be echoes; false = it is something
    /// else.
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

    /// Where a request behind a prompt ends whose answer stands on the same line.
    func endOfAnsweredRequest(_ text: Span<UInt8>) -> Int? {
        options.cutsJoinedLines
            ? JoinedLines(text)?.endOfRequest(isBehindPrompt: true) : nil
    }

    /// Whether the scanned digits may begin with a request.
    private var mayHoldRequest: Bool {
        guard reader.digits.segment == nil, reader.digits.count >= 6, !isMonitor else {
            return false
        }
        if !mayBeEcho { return !requestDigits.isEmpty && reader.digits.continues(requestDigits) }
        switch reader.digits.byte(0) {
        case 0x01...0x0A, 0x10, 0x14, 0x19, 0x1A, 0x21, 0x22, 0x3E: return true
        default: return false
        }
    }
}

extension ConversationReader.Asked {
    /// Whether a command was sent whose answers nobody knows.
    var isOfAnotherMaker: Bool {
        if case .adapter(.other, _) = self { true } else { false }
    }

    /// Whether lines of digits are a vehicle's answers, as far as is known.
    var isOfVehicle: Bool {
        switch self {
        case .unknown, .vehicle: true
        case .adapter: false
        }
    }
}
