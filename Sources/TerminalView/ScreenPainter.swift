/// Turns frames into the fewest bytes that change one into the next.
public struct ScreenPainter {
    private var shown: [String] = []
    private var size: LiveView.Size?

    /// Knows nothing of the screen yet.
    public init() {}

    /// What to write for the screen to show `lines`; empty when it does already.
    public mutating func paint(_ lines: [String], size: LiveView.Size) -> String {
        var text = ""
        if self.size != size {
            self.size = size
            shown = []
            text = "\u{1B}[2J"
        }
        for (row, line) in lines.enumerated() where row >= shown.count || shown[row] != line {
            // Cleared first: after a line that fills the screen the cursor is on its last cell.
            text += "\u{1B}[\(row + 1);1H\u{1B}[2K\(line)"
        }
        for row in lines.count..<max(lines.count, shown.count) {
            text += "\u{1B}[\(row + 1);1H\u{1B}[2K"
        }
        shown = lines
        return text
    }

    /// Forgets what is on the screen: somebody else wrote there.
    public mutating func forget() {
        size = nil
    }
}
