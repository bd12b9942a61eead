public import OBDCore

/// A fault in frames, with the expected and the received value, and the sender.
public struct LinkError: Error, Hashable, Sendable {
    /// The fault.
    public enum Fault: Hashable, Sendable {
        /// A consecutive frame out of order; numbers 0–F.
        case sequence(expected: UInt8, received: UInt8)
        /// A consecutive frame without a first frame.
        case orphanConsecutiveFrame(number: UInt8)
        /// A message that ended before all its bytes were received.
        case incomplete(expected: Int, received: Int)
        /// A message that another one replaced before it was complete.
        case interrupted(expected: Int, received: Int)
        /// A message whose next frame did not come in the time that its protocol allows.
        case timedOut(expected: Int, received: Int)
        /// A single frame whose length is larger than its data, or 0.
        case singleFrameLength(announced: Int, available: Int)
        /// A first frame whose message would fit into a single frame, or that is incomplete.
        case firstFrameLength(announced: Int, available: Int)
        /// A protocol control byte that ISO 15765-2 does not define.
        case protocolControl(UInt8)
        /// A checksum or CRC that does not match.
        case checksum(expected: UInt8, received: UInt8)
        /// A header of another protocol, or none at all.
        case header
        /// A frame that is too short, in bytes.
        case tooShort(expected: Int, received: Int)
        /// A length byte that contradicts the frame.
        case length(announced: Int, received: Int)
        /// A transport message of SAE J1939 that its sender or receiver aborted.
        case aborted(reason: UInt8)
        /// Characters that are neither hexadecimal digits nor a known text.
        case notAFrame
        /// A line of digits that does not have the format that was set on the adapter.
        case lineForm
        /// The adapter itself marked the line as damaged (`<DATA ERROR`, `<RX ERROR`).
        case markedByAdapter
        /// An answer to a request for the voltage that is not a voltage.
        case notAVoltage
        /// A protocol search, or a bus initialisation, without a result.
        case withoutResult
        /// The adapter's banner in place of an answer.
        case adapterRestarted
    }

    /// The fault.
    public var fault: Fault
    /// The ECU that sent the frame, if known.
    public var ecu: ECUAddress?
    /// The input line, from 1; 0 on a live link.
    public var line: Int

    /// A fault in a frame of `ecu`.
    public init(_ fault: Fault, ecu: ECUAddress? = nil, line: Int = 0) {
        self.fault = fault
        self.ecu = ecu
        self.line = line
    }

    /// One sentence for the user: `consecutive frame 3 after 1`.
    public var reason: String {
        switch fault {
        case .sequence(let expected, let received):
            "consecutive frame \(Hex.string(UInt32(received), digits: 1)) after "
                + "\(Hex.string(UInt32((expected &+ 15) & 0xF), digits: 1)), expected "
                + Hex.string(UInt32(expected), digits: 1)
        case .orphanConsecutiveFrame(let number):
            "consecutive frame \(Hex.string(UInt32(number), digits: 1)) without a first frame"
        case .incomplete(let expected, let received):
            "unfinished message: \(received) of \(expected) bytes"
        case .interrupted(let expected, let received):
            "message replaced by another after \(received) of \(expected) bytes"
        case .timedOut(let expected, let received):
            "no further frame in time after \(received) of \(expected) bytes"
        case .singleFrameLength(let announced, let available):
            "single frame announces \(counted(announced, "byte")), has \(available)"
        case .firstFrameLength(let announced, let available):
            "first frame announces \(counted(announced, "byte")), has \(available)"
        case .protocolControl(let byte):
            "unknown protocol control byte \(Hex.string([byte]))"
        case .checksum(let expected, let received):
            "checksum \(Hex.string([received])), expected \(Hex.string([expected]))"
        case .header: "header of another protocol"
        case .tooShort(let expected, let received):
            "frame of \(counted(received, "byte")), at least \(expected) expected"
        case .length(let announced, let received):
            "header announces \(counted(announced, "byte")), frame has \(received)"
        case .aborted(let reason): "transport aborted, reason \(reason)"
        case .lineForm: "not in the form that the adapter was set to"
        case .notAFrame: "neither hexadecimal nor a known answer"
        case .markedByAdapter: "marked as damaged by the adapter"
        case .notAVoltage: "not a voltage"
        case .withoutResult: "nothing came after the search for the vehicle's protocol"
        case .adapterRestarted: "the adapter restarted in the middle of a request"
        }
    }
}
