import WebProtocol

/// An address as a picture on a terminal, two rows of modules a line.
public enum AddressPicture {
    /// What is light around a picture, as the standard asks for.
    private static let margin = 4

    /// Its lines; nil where the address is too long, or the terminal too narrow.
    ///
    /// With colours it is dark on light whatever the terminal's own are; without, it is read on a
    /// dark ground.
    public static func lines(
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
