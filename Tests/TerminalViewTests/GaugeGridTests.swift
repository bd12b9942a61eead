import Testing

@testable import TerminalView

/// The smallest dial has 26 × 8 cells, one with an arc of six lines 36 × 10.
@Suite struct `Dials on a screen` {
    @Test(arguments: [
        // All fit: 3 × 2 of the smallest, and one that fills the screen.
        (80, 19, 6, 3, 2, 26), (80, 19, 1, 1, 1, 80),
        // All 16 fit as the smallest dials, which share the width.
        (120, 35, 16, 4, 4, 30),
        // Not even the smallest ones all fit: the largest of which eight fit.
        (120, 35, 49, 3, 3, 40), (100, 25, 49, 3, 3, 33), (200, 45, 49, 3, 3, 66),
        // Eight do not fit: the smallest.
        (80, 19, 49, 3, 2, 26),
    ])
    func `share its width`(
        columns: Int, rows: Int, count: Int, across: Int, down: Int, width: Int
    ) {
        let grid = LiveView.GaugeGrid(LiveView.Size(columns: columns, rows: rows), count: count)
        #expect(grid.columns == across && grid.rows == down && grid.width == width)
        #expect(grid.rows * grid.height <= rows && grid.columns * grid.width <= columns)
    }
}
