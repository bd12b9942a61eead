import Adapters
import OBDCore
import VehicleLink

/// From the frames of a log to what ECUs said, and to which request.
///
/// A log holds both directions. What goes to 7DF, 7E0 to 7E7, 18DBxxF1 or 18DAxxF1 is a request, and
/// what comes from the addresses that answer those is put together by ISO 15765-2. Anything else is a
/// frame of the bus and is handed on as it is.
public struct CandumpReader: Hashable, Sendable {
    private var requests = ISO15765Assembler()
    private var answers = ISO15765Assembler()
    private var exchange: Exchange?

    /// A reader that has read nothing.
    public init() {}

    /// Reads a line without its end; false = it is of another form.
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
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return true }
            items.append(
                ConversationItem(
                    .linkError(
                        LinkError(.notAFrame, line: number),
                        text: String(decoding: line, as: UTF8.self)),
                    line: number, exchange: exchange ?? Exchange()))
            return false
        }
    }

    /// Ends the log: what is still open is unfinished.
    public mutating func finish(_ items: inout [ConversationItem]) {
        for error in answers.finish() { append(error, error.line, &items) }
        endExchange(0, &items)
        self = CandumpReader()
    }

    private mutating func take(
        _ frame: CANFrame, _ number: Int, _ items: inout [ConversationItem]
    ) {
        guard !frame.isRemote, let role = Role(frame.id) else {
            items.append(
                ConversationItem(
                    .frame(id: frame.id, data: Array(frame.data)), line: number,
                    exchange: exchange ?? Exchange()))
            return
        }
        let framed = LinkFrame(header: frame.id, bytes: frame.data, line: number)
        switch role {
        case .request:
            // Half a request says nothing, and its errors are the tester's own.
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

    /// An answer to a request that was before the latest one has none of its own here.
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

    /// What an identifier is used for in OBD.
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
