import Adapters
import OBDCore
import VehicleLink

/// Reads lines that do not consist of digits only.
extension ReplyReader {
    /// More words than any adapter prints on a line before its answer.
    private static let mostWords = 16

    /// Reads a line that does not consist of digits only; `words` were already read from it.
    mutating func readWords(
        _ text: Span<UInt8>, line: Int, words: Int = 0, _ out: inout [ReplyEvent]
    ) {
        guard words < Self.mostWords else {
            out.append(.linkError(LinkError(.notAFrame, line: line), text: nil))
            return
        }
        if let state = AdapterWords.busInit(text, isContinued: busInitIsOpen) {
            readBusInit(state, text, line: line, words: words, &out)
            return
        }
        if let start = AdapterWords.endOfSearching(text) {
            readRest(text.extracting(start...), line: line, words: words, &out)
            return
        }
        for word in ["SEARCHING", "BUSINIT"] {
            // The word follows an echo whose line end was lost.
            if let start = AdapterWords.position(of: word, in: text), start > 0,
                isEcho(text.extracting(..<start))
            {
                readWords(text.extracting(start...), line: line, words: words + 1, &out)
                return
            }
        }
        busInitIsOpen = false
        if kind == .monitor, let frame = MonitoredFrame(remote: text, &digits) {
            out.append(.frame(id: frame.id, data: []))
        } else if let match = AdapterWords.find(in: text) {
            let isBehindData = match.start > 0 && !isEcho(text.extracting(..<match.start))
            switch match.meaning {
            case .damaged where isBehindData:
                out.append(.linkError(LinkError(.markedByAdapter, line: line), text: nil))
            case .status(let status), .damaged(let status):
                if isBehindData { readGlued(text.extracting(..<match.start), line: line, &out) }
                out.append(.status(status))
            case .alert(let status):
                for part in AdapterWords.besides(match, in: text)
                where !isEcho(text.extracting(part)) {
                    readRest(text.extracting(part), line: line, words: words, &out)
                }
                out.append(.word(status))
            }
        } else if AdapterWords.end(of: "OK", in: text, at: 0) == text.count {
            out.append(.word(.confirmation))
        } else if AdapterWords.isBanner(text) {
            out.append(.banner)
        } else if let voltage = Voltage.read(text, unitIsOptional: false) {
            out.append(.voltage(voltage))
        } else {
            out.append(.linkError(LinkError(.notAFrame, line: line), text: nil))
        }
    }

    /// Whether a text is the current request, which is an echo whose line end was lost.
    private mutating func isEcho(_ text: Span<UInt8>) -> Bool {
        guard let request = exchange.request, digits.scan(text), digits.segment == nil else {
            return false
        }
        return digits.array(from: 0, length: digits.count / 2) == request
    }

    private mutating func readBusInit(
        _ state: AdapterWords.BusInit, _ text: Span<UInt8>, line: Int, words: Int,
        _ out: inout [ReplyEvent]
    ) {
        switch state {
        case .open:
            busInitIsOpen = true
            out.append(.searching)
        case .failed:
            busInitIsOpen = false
            out.append(.status(.busInitError))
        case .done(let end, let isSlow):
            busInitIsOpen = false
            // Only the K line needs an initialisation.
            if inferredFamily == nil, settings.vehicleProtocol == nil, fallback == nil {
                infer(isSlow ? .iso9141 : .iso14230)
            }
            readRest(text.extracting(end...), line: line, words: words, &out)
        }
    }

    /// Reads the rest of a line after `SEARCHING...` or `BUS INIT: OK`, or beside an alert.
    private mutating func readRest(
        _ rest: Span<UInt8>, line: Int, words: Int, _ out: inout [ReplyEvent]
    ) {
        guard !rest.isEmpty else {
            out.append(.searching)
            return
        }
        guard digits.scan(rest) else {
            readWords(rest, line: line, words: words + 1, &out)
            return
        }
        let result = readDigits(rest, line: line, mayBeRequest: false, &out)
        if case .meaningless(let error) = result { out.append(.linkError(error, text: nil)) }
    }

    /// Reads data with a word directly after them; the data may be incomplete.
    ///
    /// Only data that their own length or checksum proves complete are accepted; the word reports the rest.
    private mutating func readGlued(
        _ text: Span<UInt8>, line: Int, _ out: inout [ReplyEvent]
    ) {
        guard kind != .monitor, digits.scan(text), digits.segment == nil,
            let reading = bestReading()
        else { return }
        switch reading.shape {
        case .can11, .can29:
            let isFull = digits.count - reading.start == 2 * ISO15765.frameLength
            let isSingle = digits.digit(reading.start) == 0 && !settings.extendedAddressing
            guard reading.proof == .length, isFull || isSingle else { return }
        case .iso9141, .j1850, .iso14230:
            guard reading.proof == .checksum else { return }
        case .joined11, .joined29, .fieldAlone, .j1939, .bare: return
        }
        deliver(reading, text, line: line, &out)
    }
}
