/// Compares frames and writes the fewest bytes that change one into the next.
package struct ScreenPainter {
    private var shown: [String] = []
    private var size: LiveView.Size?

    /// A painter that does not know the content of the screen.
    package init() {}

    /// The output that makes the screen show `lines`; empty if it shows them already.
    package mutating func paint(_ lines: [String], size: LiveView.Size) -> String {
        var text = ""
        if self.size != size {
            self.size = size
            shown = []
            text = "\u{1B}[2J"
        }
        for (row, line) in lines.enumerated() where row >= shown.count || shown[row] != line {
            // Clear the line first: after a full line, the cursor is on its last cell and would
            // erase it.
            text += "\u{1B}[\(row + 1);1H\u{1B}[2K\(line)"
        }
        for row in lines.count..<max(lines.count, shown.count) {
            text += "\u{1B}[\(row + 1);1H\u{1B}[2K"
        }
        shown = lines
        return text
    }

    /// Forgets the content of the screen, after another program wrote to the screen.
    package mutating func forget() {
        size = nil
    }
}
