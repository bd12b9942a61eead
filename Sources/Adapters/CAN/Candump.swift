public import OBDCore

/// A line of a log of `candump` (`-l`, `-L`) of can-utils, to be written.
///
/// ```
/// (1436509052.249713) can0 7E8#04410C1AF8000000
/// (1436509052.449847) can0 18DAF110#0641009839A013
/// (1436509052.650004) can0 7DF#R
/// ```
/// Three digits are an identifier with 11 bits, eight digits one with 29 bits.
public struct CandumpLine: Hashable, Sendable {
    /// The wall clock time; nil if it is unknown.
    public var time: UTC?
    /// The interface that received the frame.
    public var interface: String
    /// The frame.
    public var frame: CANFrame

    /// A line.
    public init(time: UTC?, interface: String, frame: CANFrame) {
        self.time = time
        self.interface = interface
        self.frame = frame
    }

    /// The line of a log without its line end.
    public var text: String {
        var stamp = ""
        if let total = time?.microseconds {
            let fraction = String(total % 1_000_000)
            let zeros = String(repeating: "0", count: 6 - fraction.count)
            stamp = "(\(total / 1_000_000).\(zeros)\(fraction)) "
        }
        let data = frame.isRemote ? "R" : Hex.string(frame.data)
        return "\(stamp)\(interface) \(frame.id.digits)#\(data)"
    }
}
