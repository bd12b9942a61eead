import OBDCore

/// The adapter's own memory (ATPP), whose values take effect when the adapter is switched on.
struct ProgrammableParameters: Hashable, Sendable {
    private struct Cell: Hashable, Sendable {
        var value: UInt8
        var on = false
    }

    private var cells: [Cell]

    /// Factory values of an ELM327.
    init() {
        let factory: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0x32, 0x01, 0xFF, 0xF1, 0x09, 0xFF, 0x00, 0x0A, 0xFF, 0x68, 0x0D,
            0x9A, 0xFF, 0x0D, 0x00, 0xFF, 0x32, 0xFF, 0x0A, 0xFF, 0x92, 0x00, 0x28, 0xFF, 0xFF,
            0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF,
            0x3C, 0x02, 0xE0, 0x04, 0x80, 0x0A,
        ]
        cells = factory.map { Cell(value: $0) }
    }

    /// The value of an active parameter; nil if the default applies.
    func active(_ number: Int) -> UInt8? {
        cells.indices.contains(number) && cells[number].on ? cells[number].value : nil
    }

    /// Runs the text after `PP`: `2ASV38`, `2AON`, `FFOFF`; false if it is not valid.
    mutating func obey(_ text: String) -> Bool {
        guard let number = UInt8(text.prefix(2), radix: 16), text.count >= 4 else { return false }
        let rest = text.dropFirst(2)
        let index = Int(number)
        switch rest {
        case "ON", "OFF":
            guard number == 0xFF || cells.indices.contains(index) else { return false }
            for cell in number == 0xFF ? 0..<cells.count : index..<(index + 1) {
                cells[cell].on = rest == "ON"
            }
            return true
        default:
            guard rest.hasPrefix("SV"), rest.count == 4, cells.indices.contains(index),
                let value = UInt8(rest.suffix(2), radix: 16)
            else { return false }
            cells[index].value = value
            return true
        }
    }

    /// The lines of ATPPS, four parameters each.
    var lines: [String] {
        stride(from: 0, to: cells.count, by: 4).map { start in
            (start..<min(start + 4, cells.count)).map { number in
                Hex.string([UInt8(number)]) + ":" + Hex.string([cells[number].value])
                    + (cells[number].on ? " N" : " F")
            }.joined(separator: "  ")
        }
    }
}
