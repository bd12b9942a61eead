import Adapters
import OBDCore
import VehicleLink

/// Reads lines that are not complete frames: lengths, segments, and frames of a monitored bus.
extension ReplyReader {
    /// Reads the length of a message whose segments follow: `014`.
    mutating func readLength(
        _ text: Span<UInt8>, line: Int, _ out: inout [ReplyEvent]
    ) {
        let isJ1939 = exchange.family == .j1939
        if !isJ1939 { infer(.can) }
        var errors: [LinkError] = []
        let shortest = isJ1939 ? 9 : settings.extendedAddressing ? 7 : 8
        segments.receive(
            length: Int(digits.number(0, 3)), shortest: shortest, line: line, &errors)
        numbered.append(.length(Int(digits.number(0, 3))), line: line)
        keep(text, line: line)
        for error in errors { keepFault(error, text) }
    }

    /// Reads a segment: `1: 32 33 …`.
    mutating func readSegment(
        _ number: Int, _ text: Span<UInt8>, line: Int, _ out: inout [ReplyEvent]
    ) -> DigitsResult {
        // `FC: 30 00 00`: an STN shows flow control while monitoring.
        if number == 0xFC, digits.byte(0) >> 4 == 3 {
            if kind == .monitor {
                out.append(.frame(id: nil, data: Array(digits.bytes(from: 0))))
            }
            return .read
        }
        let isJ1939 = exchange.family == .j1939
        guard digits.isWholeBytes, digits.count > 0, isJ1939 || number <= 0xF else {
            return .meaningless(LinkError(.notAFrame, line: line))
        }
        numbered.append(.segment(number, Array(digits.bytes(from: 0))), line: line)
        do throws(LinkError) {
            let message = try segments.receive(
                segment: number, digits.bytes(from: 0),
                shift: settings.extendedAddressing ? 1 : 0, isJ1939: isJ1939, line: line)
            if var message {
                message.parameterGroup = askedGroup
                if faultyNumbered.isEmpty {
                    numbered.removeAll()
                    out.append(.message(message))
                } else {
                    faultyNumbered.append(.message(message))
                }
            }
        } catch {
            keepFault(error, text)
        }
        return .read
    }

    /// Keeps a fault of numbered lines until the end of the exchange, which may show that they are mixed.
    private mutating func keepFault(_ error: LinkError, _ text: Span<UInt8>) {
        let first = openLines.text(of: error.line)
        faultyNumbered.append(.linkError(error, text: first ?? string(text)))
    }

    /// Reads the numbered lines of an exchange together if they could not be read one after the other.
    mutating func finishNumbered(_ out: inout [ReplyEvent]) {
        if let error = segments.finish() {
            faultyNumbered.append(.linkError(error, text: openLines.text(of: error.line) ?? ""))
        }
        defer {
            numbered.removeAll()
            faultyNumbered.removeAll()
        }
        guard !faultyNumbered.isEmpty else { return }
        let messages =
            exchange.family == .j1939
            ? nil
            : numbered.messages(
                isExtended: settings.extendedAddressing, request: exchange.request)
        if let messages {
            infer(.can)
            for message in messages { out.append(.message(message)) }
        } else {
            out += faultyNumbered
        }
    }

    /// Reads a frame of a monitored bus.
    mutating func readMonitored(_ line: Int, _ out: inout [ReplyEvent]) -> DigitsResult {
        guard
            let frame = MonitoredFrame(
                digits, settings: settings, fallback: fallback, isLong: longFrames > 1)
        else {
            return .meaningless(LinkError(.notAFrame, line: line))
        }
        longFrames = frame.id?.form == .can29 ? longFrames + 1 : 0
        out.append(.frame(id: frame.id, data: frame.data))
        return .read
    }
}
