/// A Bluetooth device address: six bytes in the order in which they are printed.
public struct BluetoothAddress: Hashable, Sendable, CustomStringConvertible {
    /// The bytes in printed order.
    public let bytes: [UInt8]

    /// An address of six bytes in printed order.
    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads `AA:BB:CC:DD:EE:FF`; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        bytes = parts.compactMap { part in
            part.utf8.count == 2 && part.first != "+" ? UInt8(part, radix: 16) : nil
        }
        if parts.count != 6 || bytes.count != 6 { return nil }
    }

    /// `AA:BB:CC:DD:EE:FF`.
    public var description: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }.joined(separator: ":")
    }
}
