import WebServer

/// An address as a QR code on a terminal, with two rows of modules per line.
package enum AddressPicture {
    /// The light margin around the code, as the standard requires.
    private static let margin = 4

    /// The lines; nil if the address is too long or the terminal too narrow.
    ///
    /// With colours, the code is dark on light, independent of the terminal's own colours. Without colours,
    /// the picture needs a terminal with a dark background.
    package static func lines(
        _ text: String, columns: Int, hasColours: Bool
    ) -> [String]? {
        guard let code = QRCode(text), code.size + 2 * margin <= columns else { return nil }
        let range = -margin..<code.size + margin
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { y in
            let line = range.map { x in
                switch (code.isDark(x, y), code.isDark(x, y + 1) || y + 1 >= range.upperBound) {
                case (false, false): "█"
                case (false, true): "▀"
                case (true, false): "▄"
                case (true, true): " "
                }
            }.joined()
            return hasColours ? "\u{1B}[97;40m\(line)\u{1B}[0m" : line
        }
    }
}
