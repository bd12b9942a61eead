public import OBDCore

/// Assembles SAE J1939 messages, with one transfer per pair of sender and receiver.
///
/// The assembler supports single frames, and the transport protocol's broadcasts (BAM) and connections
/// (RTS/CTS).
///
/// The payload only has the data; `ECUMessage.parameterGroup` identifies the data.
public struct J1939Assembler: Hashable, Sendable {
    /// The sender and the receiver.
    private struct Ends: Hashable, Sendable {
        var source: UInt8
        var destination: UInt8

        init(_ id: J1939.Identifier) {
            source = id.source
            destination = id.destination ?? J1939.everyone
        }

        private init(source: UInt8, destination: UInt8) {
            self.source = source
            self.destination = destination
        }

        var reversed: Ends { Ends(source: destination, destination: source) }
        var ecu: ECUAddress { ECUAddress(UInt32(source), .byte) }
    }

    private typealias Connections = Transfers<Ends>

    /// A message whose announcement the adapter shows as a length only.
    private struct Announcement: Hashable, Sendable {
        var total: Int
        var parameterGroup: UInt32
        var line: Int
    }

    private var transfers = Connections()
    private var announcement: Announcement?

    /// An assembler without open messages.
    public init() {}

    /// Whether any message waits for packets.
    public var hasOpenMessages: Bool { transfers.hasOpenMessages }

    /// Whether no message or error is left, so that ``finish()`` has nothing to report or change.
    public var isAtRest: Bool { transfers.isAtRest }

    /// Takes the length of the message whose packets follow; unit of `total`: bytes.
    ///
    /// An ELM327 prints the announcement of a message (BAM, RTS) as a line of three digits, as it does for a
    /// first frame of ISO 15765-2.
    public mutating func announce(total: Int, parameterGroup: UInt32, line: Int) {
        announcement = Announcement(total: total, parameterGroup: parameterGroup, line: line)
    }

    /// The longest times between the frames of a message (SAE J1939-21); unit: microseconds.
    private enum Limit {
        /// T1: between two packets.
        static let packet: Int64 = 750_000
        /// T2: from the receiver's permission (CTS) to the first packet.
        static let permitted: Int64 = 1_250_000
        /// T3: from the announcement (RTS), or the last permitted packet, to the receiver's permission.
        static let permission: Int64 = 1_250_000
        /// T4: from a permission for no packet, which keeps the connection open, to the next permission.
        static let held: Int64 = 1_050_000
    }

    /// Takes one frame and returns the message that it completes.
    ///
    /// A message whose next frame does not come in the time of SAE J1939-21 is given up: see ``takeErrors()``.
    ///
    /// - Parameter time: the time of the frame, in microseconds; nil if it is not known.
    /// - Throws: ``LinkError`` for a frame that is not valid at this point.
    public mutating func receive(
        _ frame: LinkFrame, at time: Int64? = nil
    ) throws(LinkError) -> ECUMessage? {
        if let time { transfers.lapse(at: time) }
        guard let header = frame.header, header.form == .can29 else {
            throw LinkError(.header, ecu: frame.header, line: frame.line)
        }
        let id = J1939.Identifier(header.value)
        guard frame.bytes.count <= 8 else {
            throw error(.length(announced: 8, received: frame.bytes.count), id.source, frame)
        }
        switch id.parameterGroup {
        case J1939.connectionManagement:
            try receiveControl(frame, id, at: time)
            return nil
        case J1939.dataTransfer: return try receivePacket(frame, id, at: time)
        default:
            guard !frame.bytes.isEmpty else {
                throw error(.tooShort(expected: 1, received: 0), id.source, frame)
            }
            return ECUMessage(
                ecu: ECUAddress(UInt32(id.source), .byte), payload: Array(frame.bytes),
                line: frame.line, parameterGroup: id.parameterGroup)
        }
    }

    private static func wait(_ time: Int64?, _ limit: Int64) -> ClosedRange<Int64>? {
        guard let time, case let (end, isBeyond) = time.addingReportingOverflow(limit), !isBeyond
        else { return nil }
        return time...end
    }

    private mutating func receiveControl(
        _ frame: LinkFrame, _ id: J1939.Identifier, at time: Int64?
    ) throws(LinkError) {
        let bytes = frame.bytes
        let ends = Ends(id)
        guard bytes.count == 8 else {
            throw error(.tooShort(expected: 8, received: bytes.count), id.source, frame)
        }
        switch bytes[0] {
        case 0x20, 0x10:
            let total = Int(bytes[2]) << 8 | Int(bytes[1])
            let packets = Int(bytes[3])
            let isSound =
                (9...J1939.longestPayload).contains(total) && packets == (total + 6) / 7
            let old = transfers.close(ends)
            transfers.open(
                .init(
                    key: ends, ecu: ends.ecu,
                    parameterGroup: UInt32(bytes[7]) << 16 | UInt32(bytes[6]) << 8
                        | UInt32(bytes[5]),
                    total: isSound ? total : 0, next: 1, line: frame.line, isBroken: !isSound,
                    wait: Self.wait(time, bytes[0] == 0x20 ? Limit.packet : Limit.permission)))
            if !isSound {
                transfers.interrupt(old, line: frame.line)
                throw error(.length(announced: total, received: packets * 7), id.source, frame)
            }
            if let old { throw Connections.interruption(of: old, line: frame.line) }
        case 0xFF:
            // Either side may abort; the message is that of the sender.
            if let aborted = transfers.close(ends) ?? transfers.close(ends.reversed) {
                throw LinkError(.aborted(reason: bytes[1]), ecu: aborted.ecu, line: frame.line)
            }
        case 0x11:
            // The receiver may ask for packets again: count and first number.
            guard let index = transfers.index(of: ends.reversed) else { break }
            transfers.await(index, Self.wait(time, bytes[1] > 0 ? Limit.permitted : Limit.held))
            guard bytes[1] > 0, bytes[2] > 0 else { break }
            let kept = Int(bytes[2]) - 1
            if bytes[2] < transfers[index].next || transfers[index].isBroken,
                transfers[index].buffer.count >= kept * 7, transfers[index].total > 0
            {
                transfers.rewind(index, to: bytes[2], frames: kept, bytes: kept * 7)
            }
        case 0x13: break
        default: throw error(.protocolControl(bytes[0]), id.source, frame)
        }
    }

    private mutating func receivePacket(
        _ frame: LinkFrame, _ id: J1939.Identifier, at time: Int64?
    ) throws(LinkError) -> ECUMessage? {
        let ends = Ends(id)
        guard let number = frame.bytes.first else {
            throw error(.tooShort(expected: 8, received: 0), id.source, frame)
        }
        if let announced = announcement {
            announcement = nil
            let old = transfers.close(ends)
            transfers.open(
                .init(
                    key: ends, ecu: ends.ecu, parameterGroup: announced.parameterGroup,
                    total: announced.total, next: 1, line: announced.line))
            transfers.interrupt(old, line: frame.line)
        }
        guard let index = transfers.index(of: ends) else {
            transfers.open(.init(key: ends, ecu: ends.ecu, line: frame.line, isBroken: true))
            throw error(.orphanConsecutiveFrame(number: number), id.source, frame)
        }
        if transfers[index].isBroken { return nil }
        let expected = transfers[index].next
        guard number == expected else {
            transfers.abandon(index, keepsBytes: id.destination != J1939.everyone)
            throw error(.sequence(expected: expected, received: number), id.source, frame)
        }
        let length = min(7, transfers[index].missing)
        // Packets have eight bytes; some senders do not fill the last one. Any other length is damage.
        guard frame.bytes.count == 8 || frame.bytes.count == 1 + length else {
            transfers.abandon(index)
            throw error(.tooShort(expected: 8, received: frame.bytes.count), id.source, frame)
        }
        // How many packets the receiver permitted is not known where a log lacks its frames.
        let isToAll = id.destination == J1939.everyone
        transfers.await(index, Self.wait(time, isToAll ? Limit.packet : Limit.permission))
        let bytes = frame.bytes[1..<1 + length]
        guard let done = transfers.append(bytes, next: expected &+ 1, to: index) else {
            return nil
        }
        return ECUMessage(
            ecu: done.ecu, payload: done.buffer, line: done.line,
            frames: 1 + (done.total + 6) / 7, parameterGroup: done.parameterGroup)
    }

    /// Gives up the open messages of an address that another ECU has now.
    public mutating func giveUp(source: UInt8) { transfers.giveUp { $0.source == source } }

    /// Errors in addition to a valid frame: messages that it replaced.
    public mutating func takeErrors() -> [LinkError] { transfers.takeErrors() }

    /// Ends the exchange and reports open messages as incomplete.
    public mutating func finish() -> [LinkError] { transfers.finish() }

    private func error(_ fault: LinkError.Fault, _ source: UInt8, _ frame: LinkFrame) -> LinkError {
        LinkError(fault, ecu: ECUAddress(UInt32(source), .byte), line: frame.line)
    }
}
