public import OBDCore

/// Assembles ISO 15765-2 messages, with one transfer per responder; frames of several responders may
/// alternate.
///
/// A consecutive frame out of order breaks its message: it causes one error, and the rest of the message is
/// dropped. Flow control frames have no data and are ignored.
public struct ISO15765Assembler: Hashable, Sendable {
    /// The most messages that may be open at once; a further one replaces the oldest, which is reported as an
    /// error.
    public static let openMessages = Responders.most

    /// The longest message that is accepted; unit: bytes.
    ///
    /// ISO 15765-2 allows 4 GiB, but no answer to a request that reads is longer.
    private static let longest = 1 << 20

    /// One message per responder; nil if the lines do not show the responder.
    private typealias Responders = Transfers<ECUAddress?>

    /// Whether an address byte comes before the protocol control byte.
    public var extendedAddressing: Bool
    /// Whether frames of CAN FD are accepted, which may have more than eight bytes, and its long messages.
    public var acceptsFD = false
    private var transfers = Responders()

    /// An assembler without open messages.
    public init(extendedAddressing: Bool = false) {
        self.extendedAddressing = extendedAddressing
    }

    /// Whether frames of this responder are expected, because its message is open, or broken with its rest
    /// still to be dropped.
    public func isUnderWay(_ ecu: ECUAddress?) -> Bool {
        transfers.index(of: ecu) != nil
    }

    /// Whether any responder's frames are expected.
    public var isBusy: Bool { !transfers.isEmpty }

    /// Whether no message or error is left, so that ``finish()`` has nothing to report or change.
    public var isAtRest: Bool { transfers.isAtRest }

    /// Whether any message waits for consecutive frames.
    public var hasOpenMessages: Bool { transfers.hasOpenMessages }

    /// Takes one frame and returns the message that it completes.
    ///
    /// - Throws: ``LinkError`` for a frame that is not valid at this point. A first frame that replaces an
    ///   incomplete message throws for the old message and opens the new one.
    @inline(__always)
    public mutating func receive(_ frame: LinkFrame) throws(LinkError) -> ECUMessage? {
        if !extendedAddressing, transfers.isEmpty, let message = Self.single(frame) {
            return message
        }
        return try receiveAny(frame)
    }

    /// A whole single frame with normal addressing, or nil.
    @inline(__always)
    private static func single(_ frame: LinkFrame) -> ECUMessage? {
        let count = frame.bytes.count
        guard count > 1, count <= ISO15765.frameLength else { return nil }
        let length = Int(frame.bytes[0])
        guard length > 0, length + 1 == count || length < count && count == ISO15765.frameLength
        else { return nil }
        // Not `repeating:count:`, which is generic code that looks up types.
        var payload: [UInt8] = []
        payload.reserveCapacity(length)
        var rest = frame.bytes.word >> 8
        for _ in 0..<length {
            payload.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
        return ECUMessage(ecu: frame.header, payload: payload, line: frame.line)
    }

    private mutating func receiveAny(_ frame: LinkFrame) throws(LinkError) -> ECUMessage? {
        var ecu = frame.header
        let control = extendedAddressing ? 1 : 0
        guard frame.bytes.count > control else {
            throw LinkError(
                .tooShort(expected: control + 1, received: frame.bytes.count), ecu: ecu,
                line: frame.line)
        }
        if extendedAddressing { ecu?.extended = frame.bytes[0] }
        guard
            frame.bytes.count <= ISO15765.frameLength
                || acceptsFD && frame.bytes.count <= ISO15765.length(ofCode: 0xF)
        else {
            throw LinkError(
                .length(announced: ISO15765.frameLength, received: frame.bytes.count), ecu: ecu,
                line: frame.line)
        }
        let byte = frame.bytes[control]
        switch byte >> 4 {
        case 0: return try receiveSingle(frame, ecu: ecu, control: control)
        case 1:
            try receiveFirst(frame, ecu: ecu, control: control)
            return nil
        case 2: return try receiveConsecutive(frame, ecu: ecu, control: control)
        // Flow control: continue, wait, overflow.
        case 3 where byte & 0x0F <= 2: return nil
        default: throw LinkError(.protocolControl(byte), ecu: ecu, line: frame.line)
        }
    }

    private mutating func receiveSingle(
        _ frame: LinkFrame, ecu: ECUAddress?, control: Int
    ) throws(LinkError) -> ECUMessage {
        if frame.bytes.count > ISO15765.frameLength {
            return try receiveLongSingle(frame, ecu: ecu, control: control)
        }
        let length = Int(frame.bytes[control] & 0x0F)
        let available = frame.bytes.count - control - 1
        // A frame ends at its length, or is padded to eight bytes; otherwise it has lost a byte. The same ECU
        // may send both kinds.
        let isWhole =
            length == available || length < available && frame.bytes.count == ISO15765.frameLength
        guard length > 0, isWhole else {
            throw LinkError(
                .singleFrameLength(announced: length, available: available), ecu: ecu,
                line: frame.line)
        }
        transfers.interrupt(transfers.close(ecu), line: frame.line)
        let start = control + 1
        return ECUMessage(
            ecu: ecu, payload: Array(frame.bytes[start..<start + length]), line: frame.line)
    }

    /// A single frame of CAN FD: `00`, the length of the message, and the message.
    private mutating func receiveLongSingle(
        _ frame: LinkFrame, ecu: ECUAddress?, control: Int
    ) throws(LinkError) -> ECUMessage {
        guard frame.bytes[control] == 0 else {
            throw LinkError(
                .length(announced: ISO15765.frameLength, received: frame.bytes.count), ecu: ecu,
                line: frame.line)
        }
        let length = Int(frame.bytes[control + 1])
        let start = control + 2
        guard length >= ISO15765.frameLength - control,
            ISO15765.isFrameOfFD(frame.bytes.count, holding: start + length)
        else {
            throw LinkError(
                .singleFrameLength(announced: length, available: frame.bytes.count - start),
                ecu: ecu, line: frame.line)
        }
        transfers.interrupt(transfers.close(ecu), line: frame.line)
        return ECUMessage(
            ecu: ecu, payload: Array(frame.bytes[start..<start + length]), line: frame.line)
    }

    private mutating func receiveFirst(
        _ frame: LinkFrame, ecu: ECUAddress?, control: Int
    ) throws(LinkError) {
        let count = frame.bytes.count
        let old = transfers.close(ecu)
        var transfer = Responders.Transfer(
            key: ecu, ecu: ecu, next: 1, frames: 1, line: frame.line, isBroken: true)
        let low = count > control + 1 ? Int(frame.bytes[control + 1]) : 0
        var total = Int(frame.bytes[control] & 0x0F) << 8 | low
        var start = control + 2
        // On CAN FD, a length above FFF is in the next four bytes; OBD does not use that.
        if acceptsFD, total == 0, count >= start + 4 {
            let long = frame.bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
            if (0x1000...Self.longest).contains(long) { (total, start) = (long, start + 4) }
        }
        // Data that fit into a single frame must not have a first frame: 8 bytes and more do not fit, or 7
        // and more with extended addressing. On CAN FD a single frame has one byte less for the message.
        let shortest = count > ISO15765.frameLength ? count - control - 1 : count - control
        guard
            count == ISO15765.frameLength || ISO15765.isLengthOfFD(count), total >= shortest
        else {
            transfers.interrupt(old, line: frame.line)
            transfers.open(transfer)
            throw LinkError(
                .firstFrameLength(announced: total, available: max(0, count - control - 2)),
                ecu: ecu, line: frame.line)
        }
        transfer.total = total
        transfer.frameLength = count
        transfer.buffer.reserveCapacity(min(total, 0x1000))
        transfer.buffer.append(contentsOf: frame.bytes[start...])
        transfer.isBroken = false
        transfers.open(transfer)
        if let old { throw Responders.interruption(of: old, line: frame.line) }
    }

    private mutating func receiveConsecutive(
        _ frame: LinkFrame, ecu: ECUAddress?, control: Int
    ) throws(LinkError) -> ECUMessage? {
        let number = frame.bytes[control] & 0x0F
        guard let index = transfers.index(of: ecu) else {
            transfers.open(.init(key: ecu, ecu: ecu, line: frame.line, isBroken: true))
            throw LinkError(.orphanConsecutiveFrame(number: number), ecu: ecu, line: frame.line)
        }
        if transfers[index].isBroken { return nil }
        let expected = transfers[index].next
        guard number == expected else {
            transfers.abandon(index)
            throw LinkError(
                .sequence(expected: expected, received: number), ecu: ecu, line: frame.line)
        }
        let missing = transfers[index].missing
        let room = transfers[index].frameLength - control - 1
        let available = frame.bytes.count - control - 1
        // The last frame ends with the message, or is padded to eight bytes. The same ECU may send both.
        let isWhole =
            available == room || available == missing
            || available <= room && missing <= available
                && ISO15765.isFrameOfFD(frame.bytes.count, holding: control + 1 + missing)
        guard isWhole else {
            transfers.abandon(index)
            throw LinkError(
                .tooShort(
                    expected: control + 1 + min(missing, room), received: frame.bytes.count),
                ecu: ecu, line: frame.line)
        }
        let start = control + 1
        let bytes = frame.bytes[start..<start + min(missing, room)]
        guard let done = transfers.append(bytes, next: (expected + 1) & 0x0F, to: index) else {
            return nil
        }
        return ECUMessage(
            ecu: done.ecu, payload: done.buffer, line: done.line, frames: done.frames)
    }

    /// Drops the rest of a responder's open message; returns the error, nil if no message is open.
    public mutating func abandon(_ ecu: ECUAddress?) -> LinkError? {
        guard let index = transfers.index(of: ecu), !transfers[index].isBroken else { return nil }
        let error = Responders.interruption(of: transfers[index], line: transfers[index].line)
        transfers.abandon(index)
        return error
    }

    /// Errors in addition to a valid frame: messages that it replaced.
    public mutating func takeErrors() -> [LinkError] { transfers.takeErrors() }

    /// Ends the exchange and reports open messages as incomplete.
    public mutating func finish() -> [LinkError] { transfers.finish() }
}
