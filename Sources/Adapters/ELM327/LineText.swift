/// The range of `text` without blanks, line ends, NULs and a byte order mark at its ends.
package func trimmed(_ text: Span<UInt8>) -> Range<Int> {
    var start = 0
    var end = text.count
    if end >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF { start = 3 }
    while start < end, isBlank(text[start]) { start += 1 }
    while end > start, isBlank(text[end - 1]) { end -= 1 }
    return start..<end
}

/// Whether a byte is a blank, a line end or a NUL.
@inlinable
@inline(__always)
package func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0D || byte == 0x0A || byte == 0x09 || byte == 0x00
}

/// The text of a line; bytes that are not UTF-8 become replacement characters.
package func string(_ text: Span<UInt8>) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    for index in text.indices { bytes.append(text[index]) }
    return String(decoding: bytes, as: UTF8.self)
}
