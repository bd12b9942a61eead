import OBDCore

/// The format of times in tables.
public enum TimeStyle: Sendable {
    /// `2026-11-21T08:15:02.123456Z`.
    case utc
    /// `2026-11-21 09:15:02.123456`, where clocks show so many seconds more than UTC at that time.
    case local(shift: @Sendable (UTC) -> Int64)
    /// Seconds since a point in time, such as the trip's start.
    case seconds(since: UTC)
}

/// Formats times; consecutive times usually have the same second, whose text is cached.
struct TimeText: Sendable {
    private let style: TimeStyle
    private var second = Int64.min
    /// `2026-11-21T08:15:02.` of `second`.
    private var prefix: [UInt8] = []

    init(_ style: TimeStyle = .utc) { self.style = style }

    /// Appends a time in the style of the table.
    @inline(__always)
    mutating func append(_ time: UTC, to output: inout [UInt8]) {
        switch style {
        case .utc:
            appendMicroseconds(of: time, to: &output) { UTC.appendSecond($0, to: &$1) }
            output.append(UInt8(ascii: "Z"))
        case .local(let shift):
            appendMicroseconds(of: time, to: &output) { second, prefix in
                UTC.appendSecond(second &+ shift(time), to: &prefix)
                if let mark = prefix.lastIndex(of: UInt8(ascii: "T")) { prefix[mark] = 0x20 }
            }
        case .seconds(let start): Self.appendSeconds(from: start, to: time, &output)
        }
    }

    /// Appends a time; `makePrefix` writes its second.
    @inline(__always)
    private mutating func appendMicroseconds(
        of time: UTC, to output: inout [UInt8], _ makePrefix: (Int64, inout [UInt8]) -> Void
    ) {
        var newSecond = time.microseconds / 1_000_000
        var fraction = time.microseconds % 1_000_000
        if fraction < 0 {
            fraction += 1_000_000
            newSecond -= 1
        }
        if newSecond != second {
            second = newSecond
            prefix.removeAll(keepingCapacity: true)
            makePrefix(newSecond, &prefix)
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
    }

    /// Appends seconds with microseconds, `12.345678`, without trailing zeros.
    private static func appendSeconds(from start: UTC, to time: UTC, _ output: inout [UInt8]) {
        let gap = time.microseconds.subtractingReportingOverflow(start.microseconds)
        NumberText.append(Double(gap.partialValue) / 1e6, to: &output)
    }
}
