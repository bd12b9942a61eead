import Adapters
import VehicleLink

/// Splits a host's bytes into commands: lines that end with CR, GoLink frames, and DoIP messages.
///
/// A host that does not know its adapter tries several dialects, so a recording may contain all of them. No
/// line begins with the byte that begins every frame, or with a version of DoIP.
struct HostInput: Hashable, Sendable {
    enum Command: Hashable, Sendable {
        /// A line without the CR at its end.
        case line([UInt8])
        /// A whole frame, including its header.
        case frame([UInt8])
        /// A DoIP message, without its version.
        case message(DoIPMessage)
    }

    private var bytes: [UInt8] = []
    /// Whether the host only sends records of SocketCAN.
    var takesRecords = false

    /// The most characters of a line that are used.
    private static let longestLine = 16_384

    /// Takes a byte and returns the command that the byte completes, if any.
    mutating func take(_ byte: UInt8) -> Command? {
        if takesRecords {
            bytes.append(byte)
            guard bytes.count == CANRecord.length else { return nil }
            defer { bytes = [] }
            return .frame(bytes)
        }
        if (bytes.first ?? byte) == GoLinkFrame.firstRequestByte {
            bytes.append(byte)
            return takeFrame()
        }
        if (0x01...0x04).contains(bytes.first ?? byte) {
            bytes.append(byte)
            return takeMessage()
        }
        switch byte {
        case 0x0D:
            defer { bytes = [] }
            return .line(bytes)
        case 0x00, 0x0A: break
        default: if bytes.count < Self.longestLine { bytes.append(byte) }
        }
        return nil
    }

    /// The frame, once it is complete; bytes that cannot become a frame are dropped.
    private mutating func takeFrame() -> Command? {
        guard bytes.count > 2 else { return nil }
        let length = Int(bytes[2])
        guard (1...GoLinkFrame.longestRequest).contains(length) else {
            bytes = []
            return nil
        }
        guard bytes.count == 3 + length else { return nil }
        defer { bytes = [] }
        return .frame(bytes)
    }

    /// The message, once it is complete; bytes that cannot become a message are dropped.
    private mutating func takeMessage() -> Command? {
        guard bytes.count >= DoIPMessage.headLength else { return nil }
        guard let head = DoIPHead(bytes[..<DoIPMessage.headLength]),
            head.length <= Self.longestLine
        else {
            bytes = []
            return nil
        }
        guard bytes.count == DoIPMessage.headLength + head.length else { return nil }
        defer { bytes = [] }
        return DoIPMessage(datagram: bytes).map { .message($0) }
    }
}
