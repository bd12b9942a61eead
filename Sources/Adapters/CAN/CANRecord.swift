import OBDCore

/// A frame in the format of SocketCAN (`struct can_frame` of linux/can.h): 16 bytes.
///
/// ```
/// id id id id  len 0 0 0  dd dd dd dd dd dd dd dd
/// ```
/// The identifier is in the byte order of the machine, which is little-endian here. Bit 31 = 29 bits, bit 30
/// = remote, bit 29 = an error frame.
public enum CANRecord {
    /// The length of a record; unit: bytes.
    public static let length = 16

    static let extendedFlag: UInt32 = 0x8000_0000
    static let remoteFlag: UInt32 = 0x4000_0000
    static let errorFlag: UInt32 = 0x2000_0000

    /// The filters of the socket (`struct can_filter`): pairs of identifier and mask with flags.
    ///
    /// Without a filter, the result is one pair that passes everything.
    public static func filterPairs(of filters: [CANFilter]) -> [UInt32] {
        guard !filters.isEmpty else { return [0, 0] }
        return filters.flatMap { filter in
            let flag = filter.pattern.form == .can29 ? extendedFlag : 0
            return [filter.pattern.value | flag, filter.mask | extendedFlag | remoteFlag]
        }
    }

    /// The record that carries `frame`.
    public static func bytes(of frame: CANFrame) -> [UInt8] {
        var value = frame.id.value
        if frame.id.form == .can29 { value |= extendedFlag }
        if frame.isRemote { value |= remoteFlag }
        let data = frame.data.word
        let count = min(frame.data.count, CANFrame.longestData)
        // A literal, because an array of any length is made by generic code.
        return [
            byte(value, 0), byte(value, 1), byte(value, 2), byte(value, 3), UInt8(count), 0, 0, 0,
            byte(data, 0), byte(data, 1), byte(data, 2), byte(data, 3), byte(data, 4),
            byte(data, 5), byte(data, 6), byte(data, 7),
        ]
    }

    @inline(__always)
    private static func byte(_ value: some FixedWidthInteger, _ place: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: value >> (8 * place))
    }

    /// Reads the record at `start`; nil for an error frame that does not matter here.
    ///
    /// A CAN FD frame, which OBD does not use, is damage.
    static func event(_ bytes: Span<UInt8>, at start: Int) -> CANEvent? {
        let value =
            UInt32(bytes[start]) | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2]) << 16
            | UInt32(bytes[start + 3]) << 24
        let count = Int(bytes[start + 4])
        guard count <= CANFrame.longestData else { return .damage }
        var word: UInt64 = 0
        for index in (start + 8..<start + 8 + count).reversed() {
            word = word << 8 | UInt64(bytes[index])
        }
        let data = InlineBytes(word: word, count: count)
        if value & errorFlag != 0 { return fault(value & 0x1FFF_FFFF, data).map { .fault($0) } }
        let id =
            value & extendedFlag != 0
            ? ECUAddress(value & 0x1FFF_FFFF, .can29) : ECUAddress(value & 0x7FF, .can11)
        let isRemote = value & remoteFlag != 0
        return .frame(CANFrame(id, isRemote ? [] : data, isRemote: isRemote))
    }

    /// The fault in an error frame (linux/can/error.h); nil if it does not matter here.
    private static func fault(_ classes: UInt32, _ data: InlineBytes) -> CANFault? {
        if classes & 0x40 != 0 { return .busOff }
        // No acknowledgement, or the driver could not send a frame in time.
        if classes & 0x21 != 0 { return .noAcknowledge }
        if classes & 0x10 != 0 { return .wires }
        if classes & 0x04 != 0, data.count > 1 {
            if data[1] & 0x03 != 0 { return .overrun }
            if data[1] & 0x30 != 0 { return .passive }
            if data[1] & 0x40 != 0 { return .recovered }
        }
        if classes & 0x100 != 0 { return .recovered }
        return classes & 0x88 != 0 ? .disturbed : nil
    }
}

/// Splits bytes into records of 16 bytes.
///
/// The kernel returns whole records, but a socket pair or a recording may split them anywhere.
public struct CANRecordLexer: Hashable, Sendable {
    private var partial: [UInt8] = []

    /// A lexer at the beginning of a record.
    public init() {}

    /// Takes bytes in the order of arrival.
    public mutating func receive(_ bytes: Span<UInt8>, _ out: inout [CANEvent]) {
        var place = 0
        while place < bytes.count {
            if partial.isEmpty, bytes.count - place >= CANRecord.length {
                if let event = CANRecord.event(bytes, at: place) { out.append(event) }
                place += CANRecord.length
                continue
            }
            partial.append(bytes[place])
            place += 1
            guard partial.count == CANRecord.length else { continue }
            if let event = CANRecord.event(partial.span, at: 0) { out.append(event) }
            partial.removeAll(keepingCapacity: true)
        }
    }
}
