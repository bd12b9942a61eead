/// The text format of server-sent events (HTML, 9.2).
package enum EventText {
    /// Appends how long a browser waits before it reconnects; unit: milliseconds.
    package static func append(retryAfter milliseconds: Int, to output: inout [UInt8]) {
        output += Array("retry: \(milliseconds)\n\n".utf8)
    }

    /// Appends an event; `data` may have several lines and a line end after the last one.
    package static func append(_ event: StaticString, _ data: [UInt8], to output: inout [UInt8]) {
        output += Array("event: ".utf8)
        event.withUTF8Buffer { output.append(contentsOf: $0) }
        output.append(0x0A)
        let body = data.last == 0x0A ? data.dropLast() : data[...]
        for line in body.split(omittingEmptySubsequences: false, whereSeparator: isLineEnd) {
            output += Array("data: ".utf8)
            output += line
            output.append(0x0A)
        }
        output.append(0x0A)
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
}
