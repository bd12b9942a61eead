import Adapters
import OBDCore
import VehicleLink

/// Assembles the messages of ECUs from the frames of a log and assigns them to their requests.
///
/// A log has both directions. Frames to 7DF, 7E0 to 7E7, 18DBxxF1 or 18DAxxF1 are requests. Frames from the
/// addresses that answer those are assembled by ISO 15765-2, also on CAN FD. If the protocol is SAE J1939, all
/// other frames with 29-bit identifiers are assembled by its rules. Other frames are passed on unchanged.
public struct CandumpReader: Hashable, Sendable {
    private var requests = ISO15765Assembler()
    private var answers = ISO15765Assembler()
    private var groups = J1939Assembler()
    private let isJ1939: Bool
    private var exchange: Exchange?

    /// A reader at the beginning of a log of a bus that speaks `vehicleProtocol`, if that is known.
    public init(_ vehicleProtocol: VehicleProtocol? = nil) {
        isJ1939 = vehicleProtocol == .j1939
        requests.acceptsFD = true
        answers.acceptsFD = true
    }

    /// Reads a line without its line end; false if it has another format.
    @discardableResult
    public mutating func read(
        _ line: [UInt8], number: Int, _ items: inout [ConversationItem]
    ) -> Bool {
        switch CandumpLine.read(line) {
        case .other: return true
        case .line(let line):
            take(line.frame, number, &items)
            return true
        case .foreign:
            // The details of an error (`-e`) are below it.
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) || line.first == 0x09 { return true }
            items.append(
                ConversationItem(
                    .linkError(
                        LinkError(.notAFrame, line: number),
                        text: String(decoding: line, as: UTF8.self)),
                    line: number, exchange: exchange ?? Exchange()))
            return false
        }
    }

    /// Ends the log and reports open messages as incomplete.
    public mutating func finish(_ items: inout [ConversationItem]) {
        for error in answers.finish() + groups.finish() { append(error, error.line, &items) }
        endExchange(0, &items)
        self = CandumpReader(isJ1939 ? .j1939 : nil)
    }

    private mutating func take(
        _ frame: CANFrame, _ number: Int, _ items: inout [ConversationItem]
    ) {
        guard !frame.isRemote, let role = Role(frame.id) else {
            if isJ1939, !frame.isRemote, frame.id.form == .can29 {
                takeGroup(LinkFrame(header: frame.id, bytes: frame.data, line: number), &items)
                return
            }
            items.append(
                ConversationItem(
                    .frame(id: frame.id, data: Array(frame.data)), line: number,
                    exchange: exchange ?? Exchange()))
            return
        }
        let framed = LinkFrame(header: frame.id, bytes: frame.data, line: number)
        switch role {
        case .request:
            // Half a request has no meaning, and its errors are the tester's.
            guard let request = try? requests.receive(framed) else { return }
            endExchange(number, &items)
            var begun = Exchange(request: request.payload, family: .can)
            begun.vehicleProtocol = frame.id.form == .can11 ? .can11At500 : .can29At500
            exchange = begun
        case .answer:
            do throws(LinkError) {
                if let message = try answers.receive(framed) {
                    items.append(
                        ConversationItem(
                            .message(message), line: message.line, exchange: exchange(for: message)
                        ))
                }
            } catch {
                // A log may begin in the middle of an answer.
                if case .orphanConsecutiveFrame = error.fault { return }
                append(error, number, &items)
            }
        }
    }

    /// Takes a frame of SAE J1939, whose messages answer no request in particular.
    private mutating func takeGroup(_ frame: LinkFrame, _ items: inout [ConversationItem]) {
        do throws(LinkError) {
            if let message = try groups.receive(frame) {
                items.append(
                    ConversationItem(
                        .message(message), line: message.line,
                        exchange: Exchange(vehicleProtocol: .j1939)))
            }
        } catch {
            // A log may begin in the middle of a message.
            if case .orphanConsecutiveFrame = error.fault { return }
            append(error, frame.line, &items)
        }
        for error in groups.takeErrors() { append(error, error.line, &items) }
    }

    /// The exchange for a message; an answer to an earlier request gets an exchange without a request.
    private func exchange(for message: ECUMessage) -> Exchange {
        guard let exchange, message.answers(exchange.request ?? []) else {
            return Exchange(vehicleProtocol: self.exchange?.vehicleProtocol, family: .can)
        }
        return exchange
    }

    private func append(_ error: LinkError, _ number: Int, _ items: inout [ConversationItem]) {
        items.append(
            ConversationItem(
                .linkError(error, text: ""), line: number, exchange: exchange ?? Exchange()))
    }

    private mutating func endExchange(_ number: Int, _ items: inout [ConversationItem]) {
        guard let ended = exchange else { return }
        exchange = nil
        items.append(ConversationItem(.endOfExchange, line: number, exchange: ended))
    }

    /// The role of an identifier in OBD.
    private enum Role {
        case request, answer

        init?(_ id: ECUAddress) {
            switch id.form {
            case .can11 where id.value == 0x7DF || (0x7E0...0x7E7).contains(id.value):
                self = .request
            case .can11 where (0x7E8...0x7EF).contains(id.value): self = .answer
            case .can29
            where id.value & 0x1FFF_00FF == 0x18DA_00F1 || id.value & 0x1FFF_00FF == 0x18DB_00F1:
                self = .request
            case .can29 where id.value & 0x1FFF_FF00 == 0x18DA_F100: self = .answer
            default: return nil
            }
        }
    }
}
