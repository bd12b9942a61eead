/// Counts the points in an export of VictoriaMetrics.
///
/// The lines of an export may be larger than the memory:
/// `{"metric":{…},"values":[1,2],"timestamps":[1000,2000]}`.
package struct TimestampCounter: Sendable {
    private static let key = Array("\"timestamps\":[".utf8)
    /// The number of matched bytes of the key.
    private var matched = 0
    private var isInside = false
    private var isInNumber = false
    package private(set) var count = 0

    /// A counter without data.
    package init() {}

    package mutating func take(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            if isInside {
                switch byte {
                case 0x30...0x39, 0x2D:
                    if !isInNumber { count += 1 }
                    isInNumber = true
                case 0x5D: (isInside, isInNumber) = (false, false)
                default: isInNumber = false
                }
            } else if byte == Self.key[matched] {
                matched += 1
                if matched == Self.key.count { (matched, isInside) = (0, true) }
            } else {
                matched = byte == Self.key[0] ? 1 : 0
            }
        }
    }
}
