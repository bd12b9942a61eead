/// Cells of comma-separated values (RFC 4180) that spreadsheets can open without harm.
enum CSVText {
    /// CR LF, as RFC 4180 demands.
    @inline(__always)
    static func endLine(_ output: inout [UInt8]) {
        output.append(0x0D)
        output.append(0x0A)
    }

    /// Appends text, with quotes if the text needs them: if it contains `separator` or a comma.
    ///
    /// A spreadsheet interprets a cell that begins with one of `= + - @`, tab or CR as a formula.
    /// Text from a vehicle or an adapter may begin with such a character, so an apostrophe before it makes it
    /// text. ``ControlCharacters`` are made visible, except tabs and line ends.
    static func append(
        _ text: String, to output: inout [UInt8], separator: UInt8 = UInt8(ascii: ",")
    ) {
        var text = text
        if text.utf8.contains(where: { $0 < 0x20 && !isLayout($0) || $0 >= 0x7F }) {
            text = visible(text)
        }
        text.withUTF8 { append($0, to: &output, separator) }
    }

    /// Tab, line feed and carriage return.
    private static func isLayout(_ byte: UInt8) -> Bool {
        byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private static func visible(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            let isLayout = UInt8(exactly: scalar.value).map(isLayout) ?? false
            if !isLayout, ControlCharacters.contains(scalar) {
                ControlCharacters.append(scalar, to: &result)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func append(
        _ text: UnsafeBufferPointer<UInt8>, to output: inout [UInt8], _ separator: UInt8
    ) {
        let isFormula =
            switch text.first {
            case 0x3D, 0x2B, 0x2D, 0x40, 0x09, 0x0D: true
            default: false
            }
        let mustQuote = text.contains {
            $0 == separator || $0 == 0x2C || $0 == 0x22 || $0 == 0x0D || $0 == 0x0A
        }
        if mustQuote { output.append(0x22) }
        if isFormula { output.append(0x27) }
        for byte in text {
            if byte == 0x22 { output.append(0x22) }
            output.append(byte)
        }
        if mustQuote { output.append(0x22) }
    }

    /// Appends text, or an empty cell.
    static func append(
        _ text: String?, to output: inout [UInt8], separator: UInt8 = UInt8(ascii: ",")
    ) {
        if let text { append(text, to: &output, separator: separator) }
    }
}
