import OBDCore

/// CAN as text over a serial line or TCP, in the format that Lawicel introduced.
///
/// ```
/// t7DF8020100...   CR    11 bits: three digits, the length, the data
/// T18DB33F18...    CR    29 bits: eight digits
/// r7DF8 R18DB33F18 CR    remote frames: no data
/// C  S6  O  L      CR    close, rate, open, open and only listen
/// ```
/// An adapter confirms a command with CR, refuses it with BEL, or does not answer. Some answer a frame with
/// `z` or `Z`. Four digits after the data are a time stamp.
public enum SLCAN {
    /// Bit rates by the digit after `S`; unit: bit/s.
    public static let rates = [
        10_000, 20_000, 50_000, 100_000, 125_000, 250_000, 500_000, 800_000, 1_000_000,
    ]

    static let carriageReturn: UInt8 = 0x0D
    static let bell: UInt8 = 0x07

    /// The command that sets the bit rate; nil if there is none for this rate.
    static func rateCommand(_ rate: Int) -> String? {
        rates.firstIndex(of: rate).map { "S\($0)" }
    }

    /// The line that sends or shows `frame`.
    public static func line(of frame: CANFrame) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(27)
        let isLong = frame.id.form == .can29
        switch (isLong, frame.isRemote) {
        case (false, false): line.append(UInt8(ascii: "t"))
        case (true, false): line.append(UInt8(ascii: "T"))
        case (false, true): line.append(UInt8(ascii: "r"))
        case (true, true): line.append(UInt8(ascii: "R"))
        }
        let digits = isLong ? 8 : 3
        for place in (0..<digits).reversed() {
            line.append(Hex.digit(UInt8(truncatingIfNeeded: frame.id.value >> (4 * place)) & 0xF))
        }
        let count = min(frame.data.count, CANFrame.longestData)
        line.append(Hex.digit(UInt8(count)))
        for index in 0..<count { Hex.append(frame.data[index], to: &line) }
        line.append(carriageReturn)
        return line
    }

    /// The frame in a line without its line end; nil if it is not a frame.
    public static func frame(in line: [UInt8]) -> CANFrame? {
        guard let first = line.first else { return nil }
        let digits: Int
        var isRemote = false
        switch first {
        case UInt8(ascii: "t"): digits = 3
        case UInt8(ascii: "T"): digits = 8
        case UInt8(ascii: "r"): (digits, isRemote) = (3, true)
        case UInt8(ascii: "R"): (digits, isRemote) = (8, true)
        default: return nil
        }
        guard line.count > digits + 1 else { return nil }
        var value: UInt32 = 0
        for index in 1...digits {
            guard let digit = Hex.value(line[index]) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        guard value <= (digits == 3 ? 0x7FF : 0x1FFF_FFFF),
            let length = Hex.value(line[digits + 1]), length <= CANFrame.longestData
        else { return nil }
        let begin = digits + 2
        let end = begin + (isRemote ? 0 : Int(length) * 2)
        // With a time stamp or without.
        guard line.count == end || line.count == end + 4 else { return nil }
        var data = InlineBytes()
        for index in stride(from: begin, to: end, by: 2) {
            guard let high = Hex.value(line[index]), let low = Hex.value(line[index + 1]) else {
                return nil
            }
            data.append(high << 4 | low)
        }
        for index in end..<line.count where Hex.value(line[index]) == nil { return nil }
        return CANFrame(ECUAddress(value, digits == 3 ? .can11 : .can29), data, isRemote: isRemote)
    }

    /// The fault in a line about the controller, as the kernel's driver defines them; nil for another line.
    ///
    /// ```
    /// sb256000   state b (off the bus), p (passive), w (warning), a (active); two error counters
    /// e2aO       the number of errors, and a letter for each: a = no acknowledgement, o and O = overrun
    /// ```
    static func fault(in line: [UInt8]) -> CANFault? {
        guard line.count > 2 else { return nil }
        if line[0] == UInt8(ascii: "s") {
            guard line.count == 8,
                line[2...].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { return nil }
            switch line[1] {
            case UInt8(ascii: "b"): return .busOff
            case UInt8(ascii: "p"): return .passive
            case UInt8(ascii: "w"): return .disturbed
            case UInt8(ascii: "a"): return .recovered
            default: return nil
            }
        }
        guard let count = Hex.value(line[1]), count <= 8, line.count == Int(count) + 2 else {
            return nil
        }
        let letters = line[2...]
        guard letters.allSatisfy({ Array("abBcfoOs".utf8).contains($0) }) else { return nil }
        if letters.contains(UInt8(ascii: "a")) { return .noAcknowledge }
        let isOverrun = letters.contains { $0 == UInt8(ascii: "o") || $0 == UInt8(ascii: "O") }
        return isOverrun ? .overrun : .disturbed
    }
}

/// Splits the bytes of an slcan adapter into events, independent of how the bytes arrive.
public struct SLCANLexer: Hashable, Sendable {
    /// Longer than any valid line.
    private static let longestLine = 128

    private var line: [UInt8] = []
    /// Whether the line was too long and its rest is skipped.
    private var isSkipping = false

    /// A lexer at the beginning of a line.
    public init() {}

    /// Takes received bytes.
    public mutating func receive(_ bytes: Span<UInt8>, _ out: inout [CANEvent]) {
        for index in bytes.indices {
            switch bytes[index] {
            case SLCAN.carriageReturn: endLine(&out)
            case SLCAN.bell:
                // A refusal is only valid between lines, so a partial line before it is damaged.
                if !line.isEmpty || isSkipping { out.append(.damage) }
                drop()
                out.append(.refused)
            case 0x0A, 0x00: break
            default:
                if line.count >= Self.longestLine { isSkipping = true }
                if !isSkipping { line.append(bytes[index]) }
            }
        }
    }

    /// Ends a line that has no line end, because some adapters send their version that way.
    ///
    /// Returns the content of the line.
    public mutating func takePartialLine() -> String {
        defer { drop() }
        return Self.text(line)
    }

    private mutating func drop() {
        line.removeAll(keepingCapacity: true)
        isSkipping = false
    }

    private mutating func endLine(_ out: inout [CANEvent]) {
        defer { drop() }
        if isSkipping {
            out.append(.damage)
            return
        }
        guard let first = line.first else {
            out.append(.confirmed)
            return
        }
        switch first {
        case UInt8(ascii: "t"), UInt8(ascii: "T"), UInt8(ascii: "r"), UInt8(ascii: "R"):
            out.append(SLCAN.frame(in: line).map { .frame($0) } ?? .damage)
        case UInt8(ascii: "z"), UInt8(ascii: "Z"):
            // Some adapters send the next line right after the version.
            line.removeFirst()
            out.append(.queued)
            if !line.isEmpty { out.append(SLCAN.frame(in: line).map { .frame($0) } ?? .damage) }
        // The controller's errors and state; a line of another form is not understood and ignored.
        case UInt8(ascii: "e"), UInt8(ascii: "s"):
            if let fault = SLCAN.fault(in: line) { out.append(.fault(fault)) }
        default: out.append(.text(Self.text(line)))
        }
    }

    private static func text(_ line: [UInt8]) -> String {
        String(decoding: line.filter { (0x20..<0x7F).contains($0) }, as: UTF8.self)
    }
}
