import Adapters
import Conversation
import Diagnostics
import OBDCore
import VehicleLink

/// One thing that recorded adapter text says.
public enum DecodedLine: Hashable, Sendable {
    /// Something an ECU said.
    case item(DiagnosticItem, text: String)
    /// A list of codes without any.
    case noCodes(ECUMessage)
    /// A word of the adapter.
    case status(AdapterStatus, text: String, line: Int)
    /// The voltage at the adapter; unit: V.
    case voltage(Double, line: Int)
    /// A frame of a monitored bus.
    case frame(id: ECUAddress?, data: [UInt8], line: Int)
    /// A line or message that is damaged.
    case damaged(LinkError, text: String, line: Int)

    /// Whether it makes the run fail.
    public var isError: Bool {
        switch self {
        case .item(.error, _), .damaged: true
        case .item, .noCodes, .status, .voltage, .frame: false
        }
    }

    /// Who said it; nil where the text does not tell, or the adapter did.
    public var ecu: ECUAddress? {
        switch self {
        case .item(let item, _): item.ecu
        case .noCodes(let message): message.ecu
        case .damaged(let error, _, _): error.ecu
        case .status, .voltage, .frame: nil
        }
    }

    /// The number of the input line that it began on.
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

/// Turns adapter text, line by line, into what it says; pure.
public struct DecodeRun {
    private var reader: ConversationReader
    private var decoder: ResponseDecoder
    private let messagesOnly: Bool
    private var found: [ConversationItem] = []
    private var items: [DiagnosticItem] = []
    // Lines of the exchange at hand, so that an error can show what it speaks of.
    private var texts: [Int: [UInt8]] = [:]
    private static let mostTexts = 4096

    /// A run that has read nothing.
    ///
    /// `messagesOnly` stops after reassembly: a message object for everything an ECU said.
    public init(reader: ConversationReader, decoder: ResponseDecoder, messagesOnly: Bool) {
        self.reader = reader
        self.decoder = decoder
        self.messagesOnly = messagesOnly
    }

    /// Decodes by other tables from here on.
    public mutating func use(table: PIDTable, monitors: MonitorTables) {
        decoder.use(table: table, monitors: monitors)
    }

    /// Reads one line without its line end.
    public mutating func read(_ line: [UInt8], number: Int, _ body: (DecodedLine) throws -> Void)
        rethrows
    {
        if texts.count >= Self.mostTexts { texts.removeAll(keepingCapacity: true) }
        texts[number] = line
        found.removeAll(keepingCapacity: true)
        reader.read(line, number: number, &found)
        try handOn(body)
    }

    /// Reads a command that a recording says was sent.
    public mutating func readRequest(
        _ command: [UInt8], number: Int, _ body: (DecodedLine) throws -> Void
    ) rethrows {
        found.removeAll(keepingCapacity: true)
        reader.readRequest(command, number: number, &found)
        try handOn(body)
    }

    /// Ends the text: what is unfinished is reported.
    public mutating func finish(_ body: (DecodedLine) throws -> Void) rethrows {
        found.removeAll(keepingCapacity: true)
        reader.finish(&found)
        try handOn(body)
    }

    /// Takes what another reader has found in a line.
    public mutating func take(
        _ items: [ConversationItem], line: [UInt8], number: Int,
        _ body: (DecodedLine) throws -> Void
    ) rethrows {
        if texts.count >= Self.mostTexts { texts.removeAll(keepingCapacity: true) }
        texts[number] = line
        found = items
        try handOn(body)
    }

    private mutating func handOn(_ body: (DecodedLine) throws -> Void) rethrows {
        for entry in found {
            switch entry.content {
            case .message(let message):
                items.removeAll(keepingCapacity: true)
                if messagesOnly {
                    let parts = decoder.joinedAnswers(message, entry.exchange) ?? [message]
                    items.append(contentsOf: parts.map { .message($0) })
                } else {
                    decoder.decode(message, in: entry.exchange, &items)
                }
                try handOnItems(body)
                if items.isEmpty, message.isListOfCodes { try body(.noCodes(message)) }
            case .endOfExchange:
                items.removeAll(keepingCapacity: true)
                decoder.endExchange(entry.exchange, &items)
                try handOnItems(body)
                texts.removeAll(keepingCapacity: true)
            case .linkError(let error, let text):
                try body(.damaged(error, text: text, line: entry.line))
            case .status(let status, let text):
                try body(.status(status, text: text, line: entry.line))
            case .voltage(let volts): try body(.voltage(volts, line: entry.line))
            case .frame(let id, let data): try body(.frame(id: id, data: data, line: entry.line))
            }
        }
    }

    private func handOnItems(_ body: (DecodedLine) throws -> Void) rethrows {
        for item in items {
            var text = ""
            if case .error(let error) = item, let line = texts[error.line] {
                text = String(decoding: line, as: UTF8.self)
            }
            try body(.item(item, text: text))
        }
    }
}

extension ECUMessage {
    /// Whether it lists codes, in whatever service.
    fileprivate var isListOfCodes: Bool {
        guard parameterGroup == nil else { return true }
        return [0x43, 0x47, 0x4A, 0x58, 0x59].contains(payload.first)
    }
}
