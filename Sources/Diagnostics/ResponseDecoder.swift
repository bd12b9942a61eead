public import OBDCore

/// Turns what ECUs said into readings, codes, monitors and test results, by the request they answer.
///
/// What answers something else than was asked, and what no table decodes, stays a message. A record
/// that is cut short or followed by bytes that are none is an error; what came whole before it counts.
public struct ResponseDecoder: Sendable {
    /// The table that decodes data records.
    public let table: PIDTable
    /// Names and scalings of monitors and tests.
    public let monitors: MonitorTables

    /// A decoder that has seen nothing yet.
    public init(table: PIDTable, monitors: MonitorTables) {
        self.table = table
        self.monitors = monitors
    }

    /// Decodes one message and appends what it says to `out`.
    ///
    /// Without a request in `exchange` everything that parses is accepted. A list without codes adds
    /// nothing: that its ECU answered is told by the message itself.
    public mutating func decode(
        _ message: ECUMessage, in exchange: Exchange, _ out: inout [DiagnosticItem]
    ) {
        guard let first = message.payload.first else {
            out.append(.error(DecodeError(.empty, ecu: message.ecu, line: message.line)))
            return
        }
        switch first {
        case Service.negativeResponse.rawValue where message.payload.count == 3:
            let refusal = NegativeResponse(
                service: Service(message.payload[1]), nrc: NRC(message.payload[2]))
            out.append(.negativeResponse(refusal, ecu: message.ecu, line: message.line))
        default:
            out.append(.message(message))
        }
    }

    /// Ends an exchange: joins the numbered parts of service 09 before CAN and reports gaps.
    public mutating func endExchange(_ exchange: Exchange, _ out: inout [DiagnosticItem]) {}
}
