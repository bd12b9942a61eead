import Adapters
import Diagnostics
import OBDCore
import VehicleLink

/// A decoded part of recorded adapter text.
public enum DecodedLine: Hashable, Sendable {
    /// An item from an ECU; `text` is the line with an error, or the request that a message does not
    /// answer.
    case item(DiagnosticItem, text: String)
    /// A list of codes that is empty.
    case noCodes(ECUMessage)
    /// A status of the adapter.
    case status(AdapterStatus, text: String, line: Int)
    /// The voltage at the adapter; unit: V.
    case voltage(Double, line: Int)
    /// A frame of a monitored bus.
    case frame(id: ECUAddress?, data: [UInt8], line: Int)
    /// A damaged line or message.
    case damaged(LinkError, text: String, line: Int)

    /// Whether the line makes the run fail.
    public var isError: Bool {
        switch self {
        case .item(.error, _), .damaged: true
        case .item, .noCodes, .status, .voltage, .frame: false
        }
    }

    /// The ECU that sent the line's content; nil if the text does not show it, or for the adapter's own text.
    public var ecu: ECUAddress? {
        switch self {
        case .item(let item, _): item.ecu
        case .noCodes(let message): message.ecu
        case .damaged(let error, _, _): error.ecu
        case .status, .voltage, .frame: nil
        }
    }

    /// The number of the input line on which the item began.
    public var line: Int {
        switch self {
        case .item(let item, _): item.line
        case .noCodes(let message): message.line
        case .status(_, _, let line), .voltage(_, let line), .frame(_, _, let line),
            .damaged(_, _, let line):
            line
        }
    }
}

/// Decodes adapter text line by line, as a pure value.
public struct DecodeRun {
    private var reader: ConversationReader
    private var decoder: ResponseDecoder
    private let messagesOnly: Bool
    private var found: [ConversationItem] = []
    private var items: [DiagnosticItem] = []
    // The lines of the current exchange, which an error may need to show.
    private var texts: [Int: [UInt8]] = [:]
    private static let mostTexts = 4096
    /// Items that wait for an answer that settles the first of them.
    private var held: [ConversationItem] = []
    private static let mostHeld = 4096

    /// A run that has read nothing.
    ///
    /// `messagesOnly` stops after reassembly: each message of an ECU becomes a message object.
    public init(reader: ConversationReader, decoder: ResponseDecoder, messagesOnly: Bool) {
        self.reader = reader
        self.decoder = decoder
        self.messagesOnly = messagesOnly
    }

    /// Uses other tables from here on.
    public mutating func use(table: PIDTable, monitors: MonitorTables) {
        decoder.use(table: table, monitors: monitors)
    }

    /// Reads one line without its line end.
    public mutating func read(
        _ line: [UInt8], number: Int, _ body: (DecodedLine, RecordedTime?) throws -> Void
    )
        rethrows
    {
        if texts.count >= Self.mostTexts { texts.removeAll(keepingCapacity: true) }
        texts[number] = line
        found.removeAll(keepingCapacity: true)
        reader.read(line, number: number, &found)
        try handOn(body)
    }

    /// Reads a command that was sent according to a recording.
    public mutating func readRequest(
        _ command: [UInt8], number: Int, _ body: (DecodedLine, RecordedTime?) throws -> Void
    ) rethrows {
        found.removeAll(keepingCapacity: true)
        reader.readRequest(command, number: number, &found)
        try handOn(body)
    }

    /// Ends the text and reports incomplete messages.
    public mutating func finish(_ body: (DecodedLine, RecordedTime?) throws -> Void) rethrows {
        found.removeAll(keepingCapacity: true)
        reader.finish(&found)
        try handOn(body)
        try release(isLast: true, body)
    }

    /// Takes the items that another reader has found in a line.
    public mutating func take(
        _ items: [ConversationItem], line: [UInt8], number: Int,
        _ body: (DecodedLine, RecordedTime?) throws -> Void
    ) rethrows {
        if texts.count >= Self.mostTexts { texts.removeAll(keepingCapacity: true) }
        texts[number] = line
        found = items
        try handOn(body)
    }

    /// Passes on the decoded items.
    ///
    /// A list with two meanings, and everything after it, waits for an answer that settles it.
    private mutating func handOn(_ body: (DecodedLine, RecordedTime?) throws -> Void) rethrows {
        for entry in found {
            var waits = !held.isEmpty
            var isEnd = false
            switch entry.content {
            case .message(let message):
                decoder.note(message, in: entry.exchange)
                waits =
                    waits || message.mayHaveTwoMeanings && hasToWait(message, entry.exchange)
            case .endOfExchange:
                decoder.noteEnd()
                isEnd = true
            case .linkError, .status, .voltage, .frame: break
            }
            if waits {
                held.append(entry)
                continue
            }
            try handOn(entry, body)
            if isEnd { texts.removeAll(keepingCapacity: true) }
        }
        guard let first = held.first else { return }
        if let family = reader.family { decoder.note(family) }
        if held.count < Self.mostHeld, hasToWait(first) { return }
        try release(body)
    }

    /// Whether a message has several meanings so far.
    private func hasToWait(_ message: ECUMessage, _ exchange: Exchange) -> Bool {
        !messagesOnly && decoder.isUnsettled(message, in: exchange)
    }

    private func hasToWait(_ entry: ConversationItem) -> Bool {
        guard case .message(let message) = entry.content else { return false }
        return hasToWait(message, entry.exchange)
    }

    /// Passes on waiting items, up to the next list that has to wait.
    private mutating func release(
        isLast: Bool = false, _ body: (DecodedLine, RecordedTime?) throws -> Void
    ) rethrows {
        let waiting = held
        held.removeAll()
        for (index, entry) in waiting.enumerated() {
            if !isLast, index > 0, hasToWait(entry) {
                held = Array(waiting[index...])
                return
            }
            try handOn(entry, body)
        }
    }

    private mutating func handOn(
        _ entry: ConversationItem, _ body: (DecodedLine, RecordedTime?) throws -> Void
    ) rethrows {
        switch entry.content {
        case .message(let message):
            items.removeAll(keepingCapacity: true)
            if messagesOnly {
                let parts = decoder.joinedAnswers(message, entry.exchange) ?? [message]
                items.append(contentsOf: parts.map { .message($0) })
            } else {
                decoder.decode(message, in: entry.exchange, &items)
            }
            // A lamp that is on without a code.
            if message.parameterGroup != nil, !messagesOnly, items == [.message(message)],
                message.lampsWithoutCode != nil
            {
                items.removeAll(keepingCapacity: true)
            }
            try handOnItems(of: entry, body)
            if items.isEmpty, message.isListOfCodes { try body(.noCodes(message), entry.time) }
        case .endOfExchange:
            items.removeAll(keepingCapacity: true)
            decoder.endExchange(entry.exchange, &items)
            try handOnItems(of: entry, body)
        case .linkError(let error, let text):
            try body(.damaged(error, text: text, line: entry.line), entry.time)
        case .status(let status, let text):
            try body(.status(status, text: text, line: entry.line), entry.time)
        case .voltage(let volts): try body(.voltage(volts, line: entry.line), entry.time)
        case .frame(let id, let data):
            items.removeAll(keepingCapacity: true)
            if !messagesOnly, let id, decoder.decodeFrame(id, data, line: entry.line, &items) {
                try handOnItems(of: entry, body)
            } else {
                try body(.frame(id: id, data: data, line: entry.line), entry.time)
            }
        }
    }

    private func handOnItems(
        of entry: ConversationItem, _ body: (DecodedLine, RecordedTime?) throws -> Void
    ) rethrows {
        for item in items {
            var text = ""
            if !messagesOnly, case .message(let message) = item,
                let request = entry.exchange.request,
                !message.answers(request)
            {
                text = Hex.string(request)
            }
            if case .error(let error) = item, let line = texts[error.line] {
                text = String(decoding: line, as: UTF8.self)
            }
            try body(.item(item, text: text), entry.time)
        }
    }
}

extension ECUMessage {
    /// Whether the message is a list of codes in any service.
    fileprivate var isListOfCodes: Bool {
        guard parameterGroup == nil else { return true }
        return [0x43, 0x47, 0x4A, 0x53, 0x57, 0x58, 0x59].contains(payload.first)
    }
}
