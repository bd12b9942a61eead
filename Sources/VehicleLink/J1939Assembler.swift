public import OBDCore

/// Puts SAE J1939 messages together: single frames, and the transport protocol's broadcasts (BAM)
/// and connections (RTS/CTS), one transfer for each pair of sender and receiver.
///
/// The payload is data alone; `ECUMessage.parameterGroup` tells what it is.
public struct J1939Assembler: Hashable, Sendable {
    /// Messages that may be open at once; a further one pushes out the oldest, as an error.
    public static let openMessages = 64

    private struct Transfer: Hashable, Sendable {
        var source: UInt8
        var destination: UInt8
        var parameterGroup: UInt32
        var total: Int
        var buffer: [UInt8]
        var next: UInt8
        var line: Int
        var isBroken: Bool
    }

    /// A message whose announcement the adapter shows as a length alone.
    private struct Announcement: Hashable, Sendable {
        var total: Int
        var parameterGroup: UInt32
        var line: Int
    }

    private var transfers: [Transfer] = []
    private var announcement: Announcement?
    private var errors: [LinkError] = []

    /// An assembler without open messages.
    public init() {}

    /// Whether any message waits for packets.
    public var hasOpenMessages: Bool { transfers.contains { !$0.isBroken } }

    /// Whether no frame has left anything behind: ``finish()`` would say and change nothing.
    public var isAtRest: Bool { transfers.isEmpty && errors.isEmpty }

    /// Takes the length of the message whose packets come next; unit of `total`: bytes.
    ///
    /// An ELM327 prints the announcement of a message (BAM, RTS) as a line of three digits, as it
    /// does a first frame of ISO 15765-2.
    public mutating func announce(total: Int, parameterGroup: UInt32, line: Int) {
        announcement = Announcement(total: total, parameterGroup: parameterGroup, line: line)
    }

    /// Takes one frame; gives the message that it completes.
    ///
    /// - Throws: ``LinkError`` for a frame that cannot stand where it does.
    public mutating func receive(_ frame: LinkFrame) throws(LinkError) -> ECUMessage? {
        guard let header = frame.header, header.form == .can29 else {
            throw LinkError(.header, ecu: frame.header, line: frame.line)
        }
        let id = J1939.Identifier(header.value)
        guard frame.bytes.count <= 8 else {
            throw error(.length(announced: 8, received: frame.bytes.count), id.source, frame)
        }
        switch id.parameterGroup {
        case J1939.connectionManagement:
            try receiveControl(frame, id)
            return nil
        case J1939.dataTransfer: return try receivePacket(frame, id)
        default:
            guard !frame.bytes.isEmpty else {
                throw error(.tooShort(expected: 1, received: 0), id.source, frame)
            }
            return ECUMessage(
                ecu: ECUAddress(UInt32(id.source), .byte), payload: Array(frame.bytes),
                line: frame.line, parameterGroup: id.parameterGroup)
        }
    }

    private mutating func receiveControl(
        _ frame: LinkFrame, _ id: J1939.Identifier
    ) throws(LinkError) {
        let bytes = frame.bytes
        let destination = id.destination ?? J1939.everyone
        guard bytes.count == 8 else {
            throw error(.tooShort(expected: 8, received: bytes.count), id.source, frame)
        }
        switch bytes[0] {
        case 0x20, 0x10:
            let total = Int(bytes[2]) << 8 | Int(bytes[1])
            let old = close(id.source, destination)
            var transfer = Transfer(
                source: id.source, destination: destination,
                parameterGroup: UInt32(bytes[7]) << 16 | UInt32(bytes[6]) << 8 | UInt32(bytes[5]),
                total: total, buffer: [], next: 1, line: frame.line, isBroken: false)
            let packets = Int(bytes[3])
            let isSound =
                (9...J1939.longestPayload).contains(total) && packets == (total + 6) / 7
            transfer.isBroken = !isSound
            open(transfer)
            if !isSound {
                if let old { errors.append(interruption(of: old, line: frame.line)) }
                throw error(.length(announced: total, received: packets * 7), id.source, frame)
            }
            if let old { throw interruption(of: old, line: frame.line) }
        case 0xFF:
            // Either end may abort.
            let aborted =
                close(id.source, destination) ?? close(destination, id.source)
            if aborted != nil { throw error(.aborted(reason: bytes[1]), id.source, frame) }
        case 0x11, 0x13: break
        default: throw error(.protocolControl(bytes[0]), id.source, frame)
        }
    }

    private mutating func receivePacket(
        _ frame: LinkFrame, _ id: J1939.Identifier
    ) throws(LinkError) -> ECUMessage? {
        let destination = id.destination ?? J1939.everyone
        guard let number = frame.bytes.first else {
            throw error(.tooShort(expected: 8, received: 0), id.source, frame)
        }
        if let announced = announcement {
            announcement = nil
            let old = close(id.source, destination)
            open(
                Transfer(
                    source: id.source, destination: destination,
                    parameterGroup: announced.parameterGroup, total: announced.total, buffer: [],
                    next: 1, line: announced.line, isBroken: false))
            if let old { errors.append(interruption(of: old, line: frame.line)) }
        }
        guard
            let index = transfers.firstIndex(where: {
                $0.source == id.source && $0.destination == destination
            })
        else {
            open(
                Transfer(
                    source: id.source, destination: destination, parameterGroup: 0, total: 0,
                    buffer: [], next: 0, line: frame.line, isBroken: true))
            throw error(.orphanConsecutiveFrame(number: number), id.source, frame)
        }
        if transfers[index].isBroken { return nil }
        let expected = transfers[index].next
        guard number == expected else {
            abandon(index)
            throw error(.sequence(expected: expected, received: number), id.source, frame)
        }
        let missing = transfers[index].total - transfers[index].buffer.count
        guard frame.bytes.count - 1 >= min(7, missing) else {
            abandon(index)
            throw error(
                .tooShort(expected: 1 + min(7, missing), received: frame.bytes.count), id.source,
                frame)
        }
        transfers[index].buffer.append(contentsOf: frame.bytes[1..<1 + min(7, missing)])
        transfers[index].next = expected &+ 1
        guard missing <= 7 else { return nil }
        let done = transfers.remove(at: index)
        return ECUMessage(
            ecu: ECUAddress(UInt32(done.source), .byte), payload: done.buffer, line: done.line,
            frames: 1 + (done.total + 6) / 7, parameterGroup: done.parameterGroup)
    }

    /// Errors that came beside a good frame: messages that it replaced.
    public mutating func takeErrors() -> [LinkError] {
        guard !errors.isEmpty else { return [] }
        defer { errors = [] }
        return errors
    }

    /// Ends the exchange: what is still open is incomplete.
    public mutating func finish() -> [LinkError] {
        for transfer in transfers where !transfer.isBroken {
            errors.append(
                LinkError(
                    .incomplete(expected: transfer.total, received: transfer.buffer.count),
                    ecu: ECUAddress(UInt32(transfer.source), .byte), line: transfer.line))
        }
        transfers.removeAll(keepingCapacity: true)
        return takeErrors()
    }

    private mutating func abandon(_ index: Int) {
        transfers[index].isBroken = true
        transfers[index].buffer = []
    }

    private mutating func close(_ source: UInt8, _ destination: UInt8) -> Transfer? {
        let found = transfers.firstIndex {
            $0.source == source && $0.destination == destination
        }
        guard let found else { return nil }
        let old = transfers.remove(at: found)
        return old.isBroken ? nil : old
    }

    private mutating func open(_ transfer: Transfer) {
        if transfers.count >= Self.openMessages {
            let oldest = transfers.removeFirst()
            if !oldest.isBroken {
                errors.append(interruption(of: oldest, line: transfer.line))
            }
        }
        transfers.append(transfer)
    }

    private func interruption(of transfer: Transfer, line: Int) -> LinkError {
        LinkError(
            .interrupted(expected: transfer.total, received: transfer.buffer.count),
            ecu: ECUAddress(UInt32(transfer.source), .byte), line: line)
    }

    private func error(_ fault: LinkError.Fault, _ source: UInt8, _ frame: LinkFrame) -> LinkError {
        LinkError(fault, ecu: ECUAddress(UInt32(source), .byte), line: frame.line)
    }
}
