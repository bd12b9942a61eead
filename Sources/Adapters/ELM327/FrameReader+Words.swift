import OBDCore
import VehicleLink

/// Reads lines of a live link that do not consist of digits only.
extension FrameReader {
    /// The most words before an answer on the same line.
    private static let mostWords = 16

    /// Reads a line of words: an echoed command, the answer to one, or a status.
    mutating func readText(_ text: Span<UInt8>, _ out: inout [ReplyEvent]) {
        // A shorter line cannot be an echo of the command, so skip the comparison.
        if text.count >= command.count, AdapterCommand.compact(copy(text)) == command { return }
        switch asked {
        case .command(let command): readAnswer(text, to: command, &out)
        case .vehicle, .monitor, .monitorGroup:
            // An STN asks for the data of an announced `STPX` with `DATA>`.
            if request == nil, asked == .vehicle(mayBeJoined: true),
                AdapterWords.end(of: "DATA", in: text, at: 0) == text.count
            {
                return
            }
            readWords(text, words: 0, &out)
        }
    }

    /// Reads the answer to an adapter command: a status or a voltage, never data.
    mutating func readAnswer(
        _ text: Span<UInt8>, to asked: AdapterCommand, _ out: inout [ReplyEvent]
    ) {
        let text = text.extracting(endOfGluedCommand(text)...)
        guard !text.isEmpty, AdapterWords.end(of: "OK", in: text, at: 0) != text.count else {
            return
        }
        if let voltage = Voltage.read(text, unitIsOptional: asked == .voltage) {
            out.append(.voltage(voltage))
        } else if case .failed = AdapterWords.busInit(text, isContinued: false) {
            out.append(.status(.busInitError))
        } else if let status = AdapterWords.find(in: text)?.meaning.status {
            out.append(.status(status))
        } else if asked == .voltage {
            out.append(.linkError(LinkError(.notAVoltage), text: nil))
        }
    }

    /// The start of the answer on a line that may begin with the echo of the command, without a line end.
    ///
    /// `ATSP6OK`; some adapters double the echo.
    private func endOfGluedCommand(_ text: Span<UInt8>) -> Int {
        guard !command.isEmpty, settings.echo != false else { return 0 }
        let echo = String(decoding: command, as: UTF8.self)
        var start = 0
        while let end = AdapterWords.end(of: echo, in: text, at: start), end < text.count {
            start = end
            while start < text.count, isBlank(text[start]) { start += 1 }
        }
        return start
    }

    /// Reads a line that does not consist of digits only; `words` were already read from it.
    private mutating func readWords(
        _ text: Span<UInt8>, words: Int, _ out: inout [ReplyEvent]
    ) {
        guard words < Self.mostWords else {
            out.append(.linkError(LinkError(.notAFrame), text: nil))
            return
        }
        if let state = AdapterWords.busInit(text, isContinued: busInitIsOpen) {
            readBusInit(state, text, words: words, &out)
            return
        }
        if let start = AdapterWords.endOfSearching(text) {
            readRest(text.extracting(start...), words: words, &out)
            return
        }
        if settings.echo != false {
            for word in ["SEARCHING", "BUSINIT"] {
                // The word follows an echo whose line end was lost.
                if let start = AdapterWords.position(of: word, in: text), start > 0,
                    isEcho(text.extracting(..<start))
                {
                    readWords(text.extracting(start...), words: words + 1, &out)
                    return
                }
            }
        }
        busInitIsOpen = false
        if asked == .monitor, let frame = MonitoredFrame(remote: text, &digits) {
            out.append(.frame(id: frame.id, data: []))
        } else if let match = AdapterWords.find(in: text) {
            let isBehindData = match.start > 0 && !isEcho(text.extracting(..<match.start))
            switch match.meaning {
            case .damaged where isBehindData:
                out.append(.linkError(LinkError(.markedByAdapter), text: nil))
            case .status(let status), .damaged(let status):
                if isBehindData { readGlued(text.extracting(..<match.start), &out) }
                out.append(.status(status))
            case .alert(let status):
                for part in AdapterWords.besides(match, in: text)
                where !isEcho(text.extracting(part)) {
                    readRest(text.extracting(part), words: words, &out)
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
            out.append(.linkError(LinkError(.notAFrame), text: nil))
        }
    }

    /// Whether a text is the sent command, which is an echo whose line end was lost.
    private func isEcho(_ text: Span<UInt8>) -> Bool {
        AdapterCommand.compact(copy(text)) == command
    }

    private mutating func readBusInit(
        _ state: AdapterWords.BusInit, _ text: Span<UInt8>, words: Int,
        _ out: inout [ReplyEvent]
    ) {
        switch state {
        case .open:
            busInitIsOpen = true
            out.append(.searching)
        case .failed:
            busInitIsOpen = false
            out.append(.status(.busInitError))
        case .done(let end, _):
            busInitIsOpen = false
            readRest(text.extracting(end...), words: words, &out)
        }
    }

    /// Reads the rest of a line after `SEARCHING...` or `BUS INIT: OK`, or beside an alert.
    private mutating func readRest(
        _ rest: Span<UInt8>, words: Int, _ out: inout [ReplyEvent]
    ) {
        guard !rest.isEmpty else {
            out.append(.searching)
            return
        }
        guard digits.scan(rest) else {
            readWords(rest, words: words + 1, &out)
            return
        }
        readDigits(rest, &out)
    }

    /// Reads data with a word directly after them; the word may have replaced a part of the data.
    ///
    /// Only a frame that its own length or checksum proves complete is accepted; the word reports the rest.
    private mutating func readGlued(_ text: Span<UInt8>, _ out: inout [ReplyEvent]) {
        guard asked != .monitor, digits.scan(text), digits.segment == nil,
            let known = format ?? shown ?? recognise(), let start = known.start(in: digits)
        else { return }
        let bytes = digits.bytes(from: start)
        switch known.header {
        case .can11, .can29:
            let isSingle =
                !settings.extendedAddressing && bytes.count > 1 && bytes[0] >> 4 == 0
                && Int(bytes[0]) == bytes.count - 1
            guard bytes.count == ISO15765.frameLength || isSingle else { return }
        case .iso9141, .iso14230:
            guard bytes.count > 4, Checksum.sum(bytes.dropLast()) == bytes[bytes.count - 1] else {
                return
            }
        case .j1850:
            guard J1850.crcIndex(in: bytes, inFrameResponse: false) == bytes.count - 1 else {
                return
            }
        case .j1939, .absent: return
        }
        deliver(known, text, &out)
    }

    func copy(_ text: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        for index in text.indices { bytes.append(text[index]) }
        return bytes
    }
}
