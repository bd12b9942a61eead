import Formats

/// A picture of Braille dots, two by four per cell.
///
/// An ASCII terminal shows one mark per cell instead.
struct Canvas {
    let columns: Int
    let rows: Int
    /// The set dots of each cell, row by row from the top left.
    private var cells: [UInt8]
    /// The last owner that drew in each cell.
    private var owners: [UInt8]

    init(columns: Int, rows: Int) {
        (self.columns, self.rows) = (max(0, columns), max(0, rows))
        cells = Array(repeating: 0, count: self.columns * self.rows)
        owners = cells
    }

    /// Dots across.
    var width: Int { columns * 2 }
    /// Dots down.
    var height: Int { rows * 4 }

    /// Sets a dot, counted from the top left; dots outside the picture are ignored.
    mutating func dot(_ x: Int, _ y: Int, owner: UInt8 = 0) {
        guard x >= 0, y >= 0, x < width, y < height else { return }
        let cell = y / 4 * columns + x / 2
        // U+2800: dots 1 to 3 and 7 are the left column, 4 to 6 and 8 the right one.
        let bits: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]
        cells[cell] |= bits[y % 4][x % 2]
        owners[cell] = owner
    }

    /// Draws a straight line.
    mutating func line(from: (x: Int, y: Int), to: (x: Int, y: Int), owner: UInt8 = 0) {
        let steps = max(abs(to.x - from.x), abs(to.y - from.y))
        guard steps > 0, steps < 100_000 else {
            dot(from.x, from.y, owner: owner)
            return
        }
        for step in 0...steps {
            let part = Double(step) / Double(steps)
            dot(
                from.x + Int((Double(to.x - from.x) * part).rounded()),
                from.y + Int((Double(to.y - from.y) * part).rounded()), owner: owner)
        }
    }

    /// A row of cells, split into runs of the same owner.
    func runs(_ row: Int, isASCII: Bool) -> [(text: String, owner: UInt8)] {
        var runs: [(text: String, owner: UInt8)] = []
        for column in 0..<columns {
            let cell = row * columns + column
            let bits = cells[cell]
            let owner = bits == 0 ? runs.last?.owner ?? 0 : owners[cell]
            let text: String
            if bits == 0 {
                text = " "
            } else if isASCII {
                text = String(UnicodeScalar([UInt8(ascii: "*"), 0x2B, 0x6F][Int(owner) % 3]))
            } else {
                text = Unicode.Scalar(0x2800 + UInt32(bits)).map { String(Character($0)) } ?? " "
            }
            if runs.last?.owner == owner {
                runs[runs.count - 1].text += text
            } else {
                runs.append((text, owner))
            }
        }
        return runs
    }
}
