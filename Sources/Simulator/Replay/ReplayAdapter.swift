public import Adapters
public import OBDCore
import VehicleLink

/// An adapter that answers only from a recording, byte for byte.
///
/// A command is a line or a GoLink frame. A command is answered by the next recorded exchange with the same
/// command, or else by an earlier one. A count digit that the recording does not have is ignored. Commands
/// that were not recorded are answered like unknown ones: `?` for a command, `NO DATA` for a request, and an
/// error frame for a GoLink request.
public struct ReplayAdapter: ServedDevice {
    /// A command and all data up to the next one.
    struct RecordedExchange: Hashable, Sendable {
        /// A line in upper case, without blanks and carriage return, or the ``key(of:)`` of a frame.
        var command: String
        var answer: [UInt8]
    }

    let exchanges: [RecordedExchange]
    /// The indices of each command, in order.
    private let places: [String: [Int]]
    /// The indices of each request without its count digit.
    private let uncounted: [String: [Int]]
    private var cursor = 0
    private var input = HostInput()
    private var lastCommand: String?
    private var output: [UInt8] = []

    /// Answers from a transcript.
    public init(_ transcript: Transcript) {
        let hasRecords = Self.hasRecords(transcript)
        self.init(Self.exchanges(in: transcript, records: hasRecords))
        input.takesRecords = hasRecords
    }

    /// Whether the host's bytes are records of SocketCAN: 16 bytes, a length of at most 8, and three bytes
    /// that are always 0.
    private static func hasRecords(_ transcript: Transcript) -> Bool {
        let sent = transcript.chunks.filter { $0.direction == .toAdapter }
        return !sent.isEmpty
            && sent.allSatisfy { chunk in
                chunk.bytes.count.isMultiple(of: CANRecord.length)
                    && stride(from: 0, to: chunk.bytes.count, by: CANRecord.length).allSatisfy {
                        chunk.bytes[$0 + 4] <= 8 && chunk.bytes[$0 + 5..<$0 + 8] == [0, 0, 0]
                    }
            }
    }

    /// Whether the recording has records of SocketCAN.
    public var hasRecords: Bool { input.takesRecords }

    /// Answers from a conversation in text form.
    ///
    /// Lines that begin with `>` are commands, the lines after each are its answer, and `#` begins a comment.
    public init(conversation: some Sequence<UInt8>) {
        self.init(Self.exchanges(in: Array(conversation)))
    }

    private init(_ exchanges: [RecordedExchange]) {
        self.exchanges = exchanges
        isSLCAN =
            exchanges.contains { $0.command == "C" } && exchanges.contains { $0.command == "V" }
        var places: [String: [Int]] = [:]
        var uncounted: [String: [Int]] = [:]
        for (index, exchange) in exchanges.enumerated() {
            places[exchange.command, default: []].append(index)
            if let request = Self.withoutCount(exchange.command) {
                uncounted[request, default: []].append(index)
            }
        }
        self.places = places
        self.uncounted = uncounted
    }

    /// Whether the recording is empty.
    public var isEmpty: Bool { exchanges.isEmpty }

    /// Whether the recording is one of text commands, and none of them is this request.
    ///
    /// A request for one PID is not recorded if the recording only asks for several PIDs at once.
    public func lacks(_ request: [UInt8]) -> Bool {
        !isSLCAN && !isDoIP && !isGoLink && !hasRecords && places[Hex.string(request)] == nil
            && uncounted[Hex.string(request)] == nil
    }

    /// Whether the recording is one of text commands, and none of them asks for this data, alone or beside
    /// other data.
    public func lacks(_ selector: UInt32, of service: Service) -> Bool {
        guard !isSLCAN, !isDoIP, !isGoLink, !hasRecords,
            let shape = ServiceShape.of(service.rawValue)
        else { return false }
        return uncounted.keys.allSatisfy { command in
            guard let request = Hex.bytes(command), request.first == service.rawValue else {
                return true
            }
            return !shape.selectors(of: request).contains(selector)
        }
    }

    /// Whether the recording is that of a DoIP gateway.
    public var isDoIP: Bool { exchanges.first?.command.hasPrefix(Self.doip) ?? false }

    /// Whether the recorded device answered as a GoLink.
    public var isGoLink: Bool {
        exchanges.contains {
            $0.answer.first == GoLinkFrame.firstRequestByte && $0.command == Self.busTypeRequest
        }
    }

    /// Whether the recorded device is an slcan adapter, which first receives the command to close the bus.
    public let isSLCAN: Bool

    /// Nil if there is no output, which is always due at once.
    public var nextDeadline: Instant? { output.isEmpty ? nil : .zero }

    /// Takes bytes from the host.
    public mutating func receive(_ bytes: some Sequence<UInt8>, at now: Instant) {
        for byte in bytes {
            switch input.take(byte) {
            case .line(let line): run(line)
            case .frame(let frame): answer(frame)
            case .message(let message): answer(message)
            case nil: break
            }
        }
    }

    /// All output that was not returned yet.
    public mutating func due(at now: Instant) -> [UInt8] {
        defer { output = [] }
        return output
    }

    private mutating func answer(_ frame: [UInt8]) {
        guard output.count < OutputQueue.capacity else { return }
        if let place = next(places[Self.key(of: frame)]) {
            cursor = place + 1
            output += exchanges[place].answer
        } else if !hasRecords, case .request(let body) = GoLinkFrame(toDevice: frame) {
            output += GoLinkFrame.failure(.noResponse, request: body).bytes ?? []
        }
    }

    private mutating func answer(_ message: DoIPMessage) {
        guard output.count < OutputQueue.capacity else { return }
        if let place = next(places[Self.key(of: message)]) {
            cursor = place + 1
            output += exchanges[place].answer
        } else if case .diagnostic(let source, let target, _) = message {
            output += DoIPMessage.refused(source: target, target: source, code: 0x03)
                .bytes(version: 0x02)
        }
    }

    private mutating func run(_ line: [UInt8]) {
        var command = Self.normalised(line)
        if command.isEmpty { command = lastCommand ?? "" }
        lastCommand = command
        // The host does not read; like a real adapter, it loses the output that does not fit.
        guard output.count < OutputQueue.capacity else { return }
        if let place = place(of: command) {
            cursor = place + 1
            output += exchanges[place].answer
        } else if !isSLCAN {
            let known = Self.isRequest(command) ? "NO DATA" : command.isEmpty ? "" : "?"
            output += Array((known.isEmpty ? "\r>" : known + "\r\r>").utf8)
        }
    }

    private func place(of command: String) -> Int? {
        if let place = next(places[command]) { return place }
        guard let request = Self.withoutCount(command) else { return nil }
        return next(uncounted[request])
    }

    /// The first index from the cursor on, or else the last one before it.
    private func next(_ candidates: [Int]?) -> Int? {
        guard let candidates else { return nil }
        var low = 0
        var high = candidates.count
        while low < high {
            let middle = (low + high) / 2
            if candidates[middle] < cursor { low = middle + 1 } else { high = middle }
        }
        return low < candidates.count ? candidates[low] : candidates.last
    }
}

// Reads recordings.
extension ReplayAdapter {
    /// The text in upper case without blanks, as the adapter understands it.
    static func normalised(_ line: some Sequence<UInt8>) -> String {
        String(decoding: line.filter { $0 > 0x20 }, as: UTF8.self).uppercased()
    }

    /// The key of a frame, which cannot be confused with a line.
    static func key(of frame: [UInt8]) -> String { "golink " + Hex.string(frame) }

    /// The key of a DoIP message, which cannot be confused with a line.
    static func key(of message: DoIPMessage) -> String {
        doip + Hex.string(UInt32(message.type), digits: 4) + Hex.string(message.content)
    }

    private static let doip = "doip "

    private static let busTypeRequest = key(of: GoLinkFrame.busTypeRequest.bytes ?? [])

    /// Whether `command` is a request to the vehicle.
    static func isRequest(_ command: String) -> Bool {
        !command.isEmpty && command.utf8.allSatisfy { Hex.value($0) != nil }
    }

    /// The request without an odd last digit; nil if it is not a request.
    static func withoutCount(_ command: String) -> String? {
        guard isRequest(command) else { return nil }
        return command.utf8.count.isMultiple(of: 2) ? command : String(command.dropLast())
    }

    private static func exchanges(
        in transcript: Transcript, records: Bool
    ) -> [RecordedExchange] {
        var exchanges: [RecordedExchange] = []
        var input = HostInput()
        input.takesRecords = records
        for chunk in transcript.chunks {
            switch chunk.direction {
            case .toAdapter:
                for byte in chunk.bytes {
                    switch input.take(byte) {
                    case .line(let line):
                        var command = normalised(line)
                        // A single carriage return repeated the previous command.
                        if command.isEmpty { command = exchanges.last?.command ?? "" }
                        exchanges.append(RecordedExchange(command: command, answer: []))
                    case .frame(let frame):
                        exchanges.append(RecordedExchange(command: key(of: frame), answer: []))
                    // Answers to the gateway's own requests are not commands.
                    case .message(.aliveAnswer): break
                    case .message(let message):
                        exchanges.append(RecordedExchange(command: key(of: message), answer: []))
                    case nil: break
                    }
                }
            case .fromAdapter:
                // Data before the first command belong to no command.
                if !exchanges.isEmpty { exchanges[exchanges.count - 1].answer += chunk.bytes }
            }
        }
        return exchanges
    }

    private static func exchanges(in conversation: [UInt8]) -> [RecordedExchange] {
        var exchanges: [RecordedExchange] = []
        let lines = conversation.split(omittingEmptySubsequences: true) { $0 == 0x0A || $0 == 0x0D }
        for line in lines {
            guard let first = line.first(where: { $0 != 0x20 }), first != UInt8(ascii: "#") else {
                continue
            }
            if first == UInt8(ascii: ">") {
                let command = normalised(line.drop { $0 != first }.dropFirst())
                if !command.isEmpty {
                    exchanges.append(RecordedExchange(command: command, answer: []))
                }
            } else if !exchanges.isEmpty {
                exchanges[exchanges.count - 1].answer += line + [0x0D]
            }
        }
        // The text form has no prompts, but every answer ended with one.
        for index in exchanges.indices { exchanges[index].answer += [0x0D, 0x3E] }
        return exchanges
    }
}
