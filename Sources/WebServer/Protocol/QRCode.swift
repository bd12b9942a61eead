/// A QR code: ISO/IEC 18004, byte mode, error correction M, versions 1 to 10.
package struct QRCode: Hashable, Sendable {
    /// Modules per side: 21 to 57.
    package let size: Int
    private var modules: [Bool]
    private var isFunction: [Bool]

    /// Error correction codewords per block and number of blocks, for versions 1 to 10 at level M.
    private static let correction: [(words: Int, blocks: Int)] = [
        (10, 1), (16, 1), (26, 1), (18, 2), (24, 2), (16, 4), (18, 4), (22, 4), (22, 5), (26, 5),
    ]
    /// Codewords in versions 1 to 10.
    private static let codewords = [26, 44, 70, 100, 134, 172, 196, 242, 292, 346]
    /// Centres of alignment patterns along each side.
    private static let alignment: [[Int]] = [
        [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46],
        [6, 28, 50],
    ]

    /// The code for `text`; nil if it has more than 213 bytes.
    ///
    /// - Parameter mask: 0 to 7; nil = the one with the lowest penalty.
    package init?(_ text: String, mask chosen: Int? = nil) {
        let bytes = Array(text.utf8)
        func room(_ version: Int) -> Int {
            let (words, blocks) = Self.correction[version - 1]
            let data = Self.codewords[version - 1] - words * blocks
            return data - (version < 10 ? 2 : 3)
        }
        guard let version = (1...10).first(where: { bytes.count <= room($0) }) else { return nil }
        size = 17 + 4 * version
        modules = Array(repeating: false, count: size * size)
        isFunction = modules
        drawFunctions(version)
        draw(Self.words(bytes, version))
        // Choose the mask whose result looks least like the function patterns.
        var best: (penalty: Int, modules: [Bool])?
        let plain = modules
        for mask in 0..<8 where chosen ?? mask == mask {
            modules = plain
            apply(mask)
            drawFormat(mask)
            let penalty = penalty
            if penalty < best?.penalty ?? .max { best = (penalty, modules) }
        }
        if let best { modules = best.modules }
    }

    /// Whether a module is dark; modules outside the code are light.
    package func isDark(_ x: Int, _ y: Int) -> Bool {
        x >= 0 && y >= 0 && x < size && y < size && modules[y * size + x]
    }

    // MARK: Words

    /// The codewords for data and error correction, interleaved by block.
    private static func words(_ bytes: [UInt8], _ version: Int) -> [UInt8] {
        let (correctionWords, blocks) = correction[version - 1]
        let total = codewords[version - 1]
        let capacity = total - correctionWords * blocks
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for bit in (0..<count).reversed() { bits.append(value >> bit & 1 == 1) }
        }
        append(0b0100, 4)
        append(bytes.count, version < 10 ? 8 : 16)
        for byte in bytes { append(Int(byte), 8) }
        append(0, min(4, capacity * 8 - bits.count))
        while bits.count % 8 != 0 { bits.append(false) }
        var data = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        var pad: UInt8 = 0xEC
        while data.count < capacity {
            data.append(pad)
            pad = pad == 0xEC ? 0x11 : 0xEC
        }
        // If the codewords do not divide evenly, the first blocks are one word shorter.
        let short = capacity / blocks
        let longBlocks = capacity % blocks
        var dataBlocks: [[UInt8]] = []
        var rest = data[...]
        for block in 0..<blocks {
            let count = short + (block >= blocks - longBlocks ? 1 : 0)
            dataBlocks.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        let divisor = ReedSolomon.divisor(correctionWords)
        let corrections = dataBlocks.map { ReedSolomon.remainder($0, divisor) }
        var words: [UInt8] = []
        for place in 0...short {
            for block in dataBlocks where place < block.count { words.append(block[place]) }
        }
        for place in 0..<correctionWords { for block in corrections { words.append(block[place]) } }
        return words
    }

    // MARK: Drawing

    private mutating func set(_ x: Int, _ y: Int, _ isDark: Bool) {
        guard x >= 0, y >= 0, x < size, y < size else { return }
        modules[y * size + x] = isDark
        isFunction[y * size + x] = true
    }

    private mutating func drawFunctions(_ version: Int) {
        for place in 0..<size {
            set(6, place, place % 2 == 0)
            set(place, 6, place % 2 == 0)
        }
        for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] {
            for dy in -4...4 {
                for dx in -4...4 {
                    let distance = max(abs(dx), abs(dy))
                    set(x + dx, y + dy, distance != 2 && distance != 4)
                }
            }
        }
        let centres = Self.alignment[version - 1]
        for y in centres {
            for x in centres {
                let isCorner =
                    (x == 6 && y == 6) || (x == 6 && y == centres.last)
                    || (x == centres.last && y == 6)
                if isCorner { continue }
                for dy in -2...2 {
                    for dx in -2...2 { set(x + dx, y + dy, max(abs(dx), abs(dy)) != 1) }
                }
            }
        }
        drawFormat(0)
        guard version >= 7 else { return }
        var rest = version
        for _ in 0..<12 { rest = rest << 1 ^ (rest >> 11) * 0x1F25 }
        let bits = version << 12 | rest
        for place in 0..<18 {
            let isDark = bits >> place & 1 == 1
            set(size - 11 + place % 3, place / 3, isDark)
            set(place / 3, size - 11 + place % 3, isDark)
        }
    }

    /// Draws both copies of the format information with level and mask.
    private mutating func drawFormat(_ mask: Int) {
        // Level M is 00.
        var rest = mask
        for _ in 0..<10 { rest = rest << 1 ^ (rest >> 9) * 0x537 }
        let bits = (mask << 10 | rest) ^ 0x5412
        let isDark = { (place: Int) in bits >> place & 1 == 1 }
        for place in 0..<6 { set(8, place, isDark(place)) }
        set(8, 7, isDark(6))
        set(8, 8, isDark(7))
        set(7, 8, isDark(8))
        for place in 9..<15 { set(14 - place, 8, isDark(place)) }
        for place in 0..<8 { set(size - 1 - place, 8, isDark(place)) }
        for place in 8..<15 { set(8, size - 15 + place, isDark(place)) }
        set(8, size - 8, true)
    }

    /// Draws the codewords in two columns at a time from the right, alternating up and down.
    private mutating func draw(_ words: [UInt8]) {
        var bit = 0
        var right = size - 1
        while right >= 1 {
            if right == 6 { right = 5 }
            for step in 0..<size {
                for x in [right, right - 1] {
                    let isUpward = (right + 1) & 2 == 0
                    let y = isUpward ? size - 1 - step : step
                    guard !isFunction[y * size + x], bit < words.count * 8 else { continue }
                    modules[y * size + x] = words[bit / 8] >> (7 - bit % 8) & 1 == 1
                    bit += 1
                }
            }
            right -= 2
        }
    }

    private mutating func apply(_ mask: Int) {
        for y in 0..<size {
            for x in 0..<size where !isFunction[y * size + x] {
                let isInverted =
                    switch mask {
                    case 0: (x + y) % 2 == 0
                    case 1: y % 2 == 0
                    case 2: x % 3 == 0
                    case 3: (x + y) % 3 == 0
                    case 4: (x / 3 + y / 2) % 2 == 0
                    case 5: x * y % 2 + x * y % 3 == 0
                    case 6: (x * y % 2 + x * y % 3) % 2 == 0
                    default: ((x + y) % 2 + x * y % 3) % 2 == 0
                    }
                if isInverted { modules[y * size + x].toggle() }
            }
        }
    }

    /// The penalty by the four rules of the standard.
    private var penalty: Int {
        var result = 0
        for line in 0..<size {
            for isRow in [true, false] {
                let cells = (0..<size).map { place in
                    isRow ? isDark(place, line) : isDark(line, place)
                }
                var run = 0
                for place in 0..<size {
                    run = place > 0 && cells[place] == cells[place - 1] ? run + 1 : 1
                    if run == 5 { result += 3 } else if run > 5 { result += 1 }
                }
                // A pattern like the finder patterns, with light modules on one side.
                let eye = [true, false, true, true, true, false, true]
                let room = [false, false, false, false]
                for start in 0..<max(0, size - 10) {
                    let part = Array(cells[start..<start + 11])
                    if part == eye + room || part == room + eye { result += 40 }
                }
            }
        }
        for y in 0..<size - 1 {
            for x in 0..<size - 1 {
                let colour = isDark(x, y)
                if colour == isDark(x + 1, y), colour == isDark(x, y + 1),
                    colour == isDark(x + 1, y + 1)
                {
                    result += 3
                }
            }
        }
        let dark = modules.count { $0 }
        return result + abs(dark * 20 - modules.count * 10) / modules.count * 10
    }
}

/// Error correction over GF(256) with x⁸ + x⁴ + x³ + x² + 1.
private enum ReedSolomon {
    private static func multiply(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var product = 0
        for bit in (0..<8).reversed() {
            product = product << 1 ^ (product >> 7) * 0x11D
            product ^= Int(right >> bit & 1) * Int(left)
        }
        return UInt8(truncatingIfNeeded: product)
    }

    /// The generator polynomial of this degree, without its first term.
    static func divisor(_ degree: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: degree)
        result[degree - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<degree {
            for place in 0..<degree {
                result[place] = multiply(result[place], root)
                if place + 1 < degree { result[place] ^= result[place + 1] }
            }
            root = multiply(root, 2)
        }
        return result
    }

    static func remainder(_ data: [UInt8], _ divisor: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: divisor.count)
        for byte in data {
            let factor = byte ^ result.removeFirst()
            result.append(0)
            for place in divisor.indices { result[place] ^= multiply(divisor[place], factor) }
        }
        return result
    }
}
