/// Appends numbers as ASCII.
enum NumberText {
    @inline(__always)
    static func append(_ value: Int64, to output: inout [UInt8]) {
        var magnitude = value.magnitude
        if value < 0 { output.append(0x2D) }
        if magnitude < 10 {
            output.append(0x30 + UInt8(truncatingIfNeeded: magnitude))
            return
        }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var place = 20
            while magnitude > 0 {
                place &-= 1
                let (rest, digit) = magnitude.quotientAndRemainder(dividingBy: 10)
                digits[place] = 0x30 &+ UInt8(truncatingIfNeeded: digit)
                magnitude = rest
            }
            output.append(contentsOf: UnsafeBufferPointer(rebasing: digits[place..<20]))
        }
    }

    private static func power(_ exponent: Int) -> Double {
        switch exponent {
        case 1: 10
        case 2: 100
        case 3: 1000
        case 4: 10_000
        case 5: 100_000
        default: 1_000_000
        }
    }

    /// Appends the shortest decimal that parses to exactly `value`; without `.0`, and nothing for
    /// NaN or infinity.
    ///
    /// Decimals of at most 15 digits map one to one to doubles, and `n / 10^k` is rounded correctly
    /// while both are exact. Therefore the first `k` that gives `value` back is the answer.
    static func append(_ value: Double, to output: inout [UInt8]) {
        let limit = 1e15
        guard abs(value) < limit else {
            if value.isFinite { appendLong(value, to: &output) }
            return
        }
        let whole = value.rounded(.towardZero)
        if whole == value {
            append(Int64(value), to: &output)
            return
        }
        var exponent = 1
        while exponent <= 6 {
            let scale = power(exponent)
            let scaled = (value * scale).rounded()
            guard abs(scaled) < limit else { break }
            if scaled / scale == value {
                appendFixed(Int64(scaled), decimals: exponent, to: &output)
                return
            }
            exponent += 1
        }
        appendLong(value, to: &output)
    }

    /// Appends `value` without an exponent, rounded to nine decimals, as xsd:decimal requires.
    ///
    /// Nine decimals are a tenth of a millimetre of latitude. NaN and infinity append nothing.
    static func appendDecimal(_ value: Double, to output: inout [UInt8]) {
        let scaled = (value * 1e9).rounded()
        guard abs(scaled) < 9e18 else {
            append(value.rounded(), to: &output)
            return
        }
        let start = output.count
        appendFixed(Int64(scaled), decimals: 9, to: &output)
        while output.count > start, output.last == 0x30 { output.removeLast() }
        if output.last == 0x2E { output.removeLast() }
    }

    private static func appendFixed(_ value: Int64, decimals: Int, to output: inout [UInt8]) {
        var scale: UInt64 = 1
        for _ in 0..<decimals { scale *= 10 }
        let (whole, fraction) = value.magnitude.quotientAndRemainder(dividingBy: scale)
        if value < 0 { output.append(0x2D) }
        append(Int64(whole), to: &output)
        output.append(0x2E)
        var rest = fraction
        scale /= 10
        while scale > 0 {
            output.append(0x30 + UInt8(truncatingIfNeeded: rest / scale))
            rest %= scale
            scale /= 10
        }
    }

    private static func appendLong(_ value: Double, to output: inout [UInt8]) {
        var text = value.description
        text.withUTF8 { bytes in
            // `1e+16` is valid in all formats, and `1e16.0` does not occur, so cut only a trailing
            // `.0`.
            let isWhole = bytes.count > 2 && bytes.suffix(2).elementsEqual([0x2E, 0x30])
            output.append(contentsOf: bytes.prefix(bytes.count - (isWhole ? 2 : 0)))
        }
    }
}
