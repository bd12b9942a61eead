extension Signal {
    /// The signal's bits in the notation of tables: `A`, `A..B`, `A.7`, `A.3..B.0`.
    public var bitsText: String {
        let last = bitOffset + bitLength - 1
        guard bitLength > 0, bitOffset >= 0 else { return "" }
        if bitOffset % 8 == 0, bitLength % 8 == 0 {
            return bitLength == 8
                ? Self.byteText(bitOffset / 8)
                : Self.byteText(bitOffset / 8) + ".." + Self.byteText(last / 8)
        }
        return bitLength == 1
            ? bitText(bitOffset) : bitText(bitOffset) + ".." + bitText(last)
    }

    private func bitText(_ offset: Int) -> String {
        Self.byteText(offset / 8) + "." + String(isLittleEndian ? offset % 8 : 7 - offset % 8)
    }

    /// The letters of a byte, from 0: `A` to `Z`, `AA`, `AB`.
    private static func byteText(_ byte: Int) -> String {
        var letters = ""
        var rest = byte + 1
        while rest > 0 {
            let letter = Unicode.Scalar(UInt8(0x41 + (rest - 1) % 26))
            letters = String(Character(letter)) + letters
            rest = (rest - 1) / 26
        }
        return letters
    }
}
