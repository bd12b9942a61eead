import OBDCore

/// Formats ISO times; consecutive times usually have the same second, whose text is cached.
struct TimeText: Sendable {
    private var second = Int64.min
    /// `2026-11-21T08:15:02.` of `second`.
    private var prefix: [UInt8] = []

    /// Appends ``UTC/text``.
    @inline(__always)
    mutating func append(_ time: UTC, to output: inout [UInt8]) {
        var newSecond = time.microseconds / 1_000_000
        var fraction = time.microseconds % 1_000_000
        if fraction < 0 {
            fraction += 1_000_000
            newSecond -= 1
        }
        if newSecond != second {
            second = newSecond
            prefix.removeAll(keepingCapacity: true)
            UTC.appendSecond(newSecond, to: &prefix)
            prefix.append(0x2E)
        }
        output.append(contentsOf: prefix)
        let rest = UInt32(truncatingIfNeeded: fraction)
        let high = rest / 1000
        let low = rest % 1000
        output.append(0x30 &+ UInt8(truncatingIfNeeded: high / 100))
        output.append(0x30 &+ UInt8(truncatingIfNeeded: high / 10 % 10))
        output.append(0x30 &+ UInt8(truncatingIfNeeded: high % 10))
        output.append(0x30 &+ UInt8(truncatingIfNeeded: low / 100))
        output.append(0x30 &+ UInt8(truncatingIfNeeded: low / 10 % 10))
        output.append(0x30 &+ UInt8(truncatingIfNeeded: low % 10))
        output.append(0x5A)
    }

    /// Appends seconds with microseconds, `12.345678`, without trailing zeros.
    static func appendSeconds(from start: UTC, to time: UTC, _ output: inout [UInt8]) {
        let gap = time.microseconds.subtractingReportingOverflow(start.microseconds)
        NumberText.append(Double(gap.partialValue) / 1e6, to: &output)
    }
}
