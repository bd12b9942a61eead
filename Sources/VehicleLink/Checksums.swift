/// The check bytes of the protocols before CAN.
public enum Checksum {
    /// The sum of all bytes, modulo 256 (ISO 9141-2, ISO 14230-2).
    public static func sum(_ bytes: some Sequence<UInt8>) -> UInt8 {
        var sum: UInt8 = 0
        for byte in bytes { sum &+= byte }
        return sum
    }

    /// The CRC of SAE J1850: polynomial 1D, initial value FF, inverted, most significant bit first.
    ///
    /// The check value of `123456789` is 4B.
    public static func crc8(_ bytes: some Sequence<UInt8>) -> UInt8 {
        var crc: UInt8 = 0xFF
        for byte in bytes { crc = next(crc, byte) }
        return ~crc
    }

    /// The CRC register after one more byte.
    static func next(_ crc: UInt8, _ byte: UInt8) -> UInt8 {
        var crc = crc ^ byte
        for _ in 0..<8 {
            crc = crc & 0x80 == 0 ? crc << 1 : crc << 1 ^ 0x1D
        }
        return crc
    }
}
