import OBDCore

/// A sentence of NMEA 0183: `$GPRMC,…*6A`.
///
/// ```
/// $  GP      RMC   ,123519,A,…   *6A
///    talker  kind   fields       XOR of everything between $ and *
/// ```
public struct NMEASentence: Hashable, Sendable {
    /// The fault of a line.
    public enum Fault: Error, Hashable, Sendable {
        /// The line does not begin with a dollar sign, has no address or no checksum, or is too long.
        case form
        /// The checksum does not match.
        case checksum(expected: UInt8, received: UInt8)
    }

    /// Longer lines are not sentences; the standard allows 82 characters, some receivers send more.
    public static let longest = 160

    /// The source: `GP` GPS, `GL` GLONASS, `GA` Galileo, `GN` several.
    public var talker: String
    /// The kind of sentence: `RMC`, `GGA`, `VTG`.
    public var kind: String
    /// The fields between the commas after the address.
    public var fields: [String]

    /// Parses a line without its end.
    public init(_ line: some Collection<UInt8>) throws(Fault) {
        let bytes = Array(line)
        guard bytes.count <= Self.longest, bytes.first == 0x24,
            let star = bytes.lastIndex(of: 0x2A), star == bytes.count - 3,
            let high = Self.digit(bytes[star + 1]), let low = Self.digit(bytes[star + 2])
        else { throw .form }
        let body = bytes[1..<star]
        // Accept only printable ASCII, so that no field needs cleaning later.
        guard body.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x24 }) else { throw .form }
        let expected = body.reduce(0, ^)
        let received = high << 4 | low
        guard expected == received else {
            throw .checksum(expected: expected, received: received)
        }
        var parts = body.split(separator: 0x2C, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        let address = parts.removeFirst()
        guard address.utf8.count >= 4 else { throw .form }
        // Proprietary addresses ($PUBX) have a talker of one letter.
        let length = address.hasPrefix("P") ? 1 : 2
        talker = String(address.prefix(length))
        kind = String(address.dropFirst(length))
        fields = parts
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case 0x30...0x39: character - 0x30
        case 0x41...0x46: character - 0x37
        case 0x61...0x66: character - 0x57
        default: nil
        }
    }

    /// Whether the talker is a satellite receiver.
    var isReceiver: Bool { talker.hasPrefix("G") || talker == "BD" || talker == "QZ" }

    /// A field; nil if it does not exist or is empty.
    func field(_ index: Int) -> String? {
        guard fields.indices.contains(index), !fields[index].isEmpty else { return nil }
        return fields[index]
    }

    /// A number; nil if the field is empty or not a number.
    func number(_ index: Int) -> Double? { field(index).flatMap { Fix.decimal($0) } }

    /// A coordinate of two fields, `4807.038,N`: degrees and minutes, and the hemisphere.
    ///
    /// Unit: degrees; nil if not valid.
    func coordinate(_ index: Int, positive: String, negative: String) -> Double? {
        guard let value = number(index), value >= 0, let half = field(index + 1),
            half == positive || half == negative
        else { return nil }
        let degrees = (value / 100).rounded(.down)
        let minutes = value - degrees * 100
        guard minutes < 60 else { return nil }
        return (half == positive ? 1 : -1) * (degrees + minutes / 60)
    }

    /// A time of day, `123519.25`; unit: microseconds since midnight.
    func timeOfDay(_ index: Int) -> Int64? {
        guard let text = field(index) else { return nil }
        let digits = Array(text.utf8.prefix(6))
        guard digits.count == 6, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        func pair(_ place: Int) -> Int64 {
            Int64(digits[place] - 0x30) * 10 + Int64(digits[place + 1] - 0x30)
        }
        let (hour, minute, second) = (pair(0), pair(2), pair(4))
        // The second is 60 in a leap second.
        guard hour < 24, minute < 60, second <= 60 else { return nil }
        var fraction = 0.0
        if text.utf8.count > 6 {
            let rest = text.dropFirst(6)
            guard rest.hasPrefix("."), rest == "." || Fix.decimal(rest) != nil else { return nil }
            fraction = rest == "." ? 0 : Fix.decimal(rest) ?? 0
        }
        return (hour * 3600 + minute * 60 + second) * 1_000_000
            + Int64((fraction * 1e6).rounded())
    }

    /// A date, `230394`; years from 80 on belong to the 20th century.
    func date(_ index: Int) -> UTC? {
        guard let text = field(index), text.utf8.count == 6,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        let (day, month, year) = (text.prefix(2), text.dropFirst(2).prefix(2), text.suffix(2))
        return UTC("\(year >= "80" ? 19 : 20)\(year)-\(month)-\(day)")
    }
}
