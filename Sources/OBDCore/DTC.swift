/// A diagnostic trouble code as a vehicle sends it (SAE J2012, ISO 15031-6).
///
/// Bits 15–14 are the system (P, C, B, U), 13–12 the first digit, the rest three hexadecimal digits.
/// UDS adds a failure type byte.
public struct DTC: Hashable, Comparable, Sendable {
    /// The two-byte code; 0000 is an empty entry and never a code.
    public var code: UInt16
    /// The failure type byte of a three-byte code (ISO 15031-6 format).
    public var failureType: UInt8?

    /// A code from its wire form.
    public init(_ code: UInt16, failureType: UInt8? = nil) {
        self.code = code
        self.failureType = failureType
    }

    /// Reads `P0301`, `U0100-11` or `P030111`; nil for anything that a vehicle cannot send.
    public init?(_ text: some StringProtocol) {
        let compact = text.uppercased().filter { $0 != "-" }
        guard compact.utf8.count == 5 || compact.utf8.count == 7,
            let letter = compact.first,
            let system = ["P", "C", "B", "U"].firstIndex(of: letter)
        else { return nil }
        let digits = compact.utf8.dropFirst().compactMap { Hex.value($0) }
        guard digits.count == compact.utf8.count - 1, digits[0] < 4 else { return nil }
        let low = digits.prefix(4).reduce(UInt16(0)) { $0 << 4 | UInt16($1) }
        self.init(
            UInt16(system) << 14 | low,
            failureType: digits.count == 6 ? digits[4] << 4 | digits[5] : nil)
    }

    /// The order in lists.
    public static func < (left: DTC, right: DTC) -> Bool {
        (left.code, left.failureType ?? 0) < (right.code, right.failureType ?? 0)
    }

    /// `P0301`, without the failure type.
    public var text: String {
        let letters: [UInt8] = [0x50, 0x43, 0x42, 0x55]
        var characters = [letters[Int(code >> 14)]]
        characters.append(Hex.digit(UInt8(truncatingIfNeeded: code >> 12) & 0x3))
        for shift in [8, 4, 0] {
            characters.append(Hex.digit(UInt8(truncatingIfNeeded: code >> UInt16(shift))))
        }
        return String(decoding: characters, as: UTF8.self)
    }
}

extension DTC: CustomStringConvertible {
    /// `P0301`, or `P0301-11` with a failure type.
    public var description: String {
        guard let failureType else { return text }
        return text + "-" + Hex.string([failureType])
    }
}

/// A code of SAE J1939: the faulty parameter (SPN) and the failure mode (FMI).
public struct J1939Code: Hashable, Sendable {
    /// Suspect parameter number, 19 bits.
    public var spn: UInt32
    /// Failure mode identifier, 5 bits.
    public var fmi: UInt8
    /// Occurrence count, 7 bits; 127 means not available.
    public var occurrenceCount: UInt8
    /// The SPN conversion method bit; true means an older, ambiguous byte order.
    public var conversionMethod: Bool

    /// How often the fault occurred; nil if the ECU does not count that.
    package var occurrences: UInt8? { occurrenceCount == 0x7F ? nil : occurrenceCount }

    /// A code from its fields.
    public init(spn: UInt32, fmi: UInt8, occurrenceCount: UInt8, conversionMethod: Bool) {
        self.spn = spn
        self.fmi = fmi
        self.occurrenceCount = occurrenceCount
        self.conversionMethod = conversionMethod
    }

    /// Reads `SPN609/FMI19`; nil for anything that a vehicle cannot send.
    public init?(_ text: some StringProtocol) {
        let parts = text.uppercased().split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].hasPrefix("SPN"), parts[1].hasPrefix("FMI"),
            parts.allSatisfy({ part in
                part.utf8.dropFirst(3).allSatisfy { (0x30...0x39).contains($0) }
            }),
            let spn = UInt32(parts[0].dropFirst(3)), spn < 1 << 19,
            let fmi = UInt8(parts[1].dropFirst(3)), fmi < 32
        else { return nil }
        self.init(spn: spn, fmi: fmi, occurrenceCount: 0x7F, conversionMethod: false)
    }

    /// `SPN609/FMI19`.
    public var text: String { "SPN\(spn)/FMI\(fmi)" }
}
