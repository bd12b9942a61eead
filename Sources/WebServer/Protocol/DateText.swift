import OBDCore

/// Times in the format of HTTP fields (RFC 9110, 5.6.7).
package enum DateText {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`; nil outside of the years 1970 to 9999.
    package static func text(_ time: UTC) -> String? {
        // 1994-11-06T08:49:37.000000Z
        let digits = Array(time.text.utf8)
        guard time.microseconds >= 0, digits.count == 27 else { return nil }
        func piece(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
        // 1970 began on a Thursday.
        let day = days[Int(time.microseconds / 86_400_000_000 % 7)]
        let month = months[Int(digits[5] - 0x30) * 10 + Int(digits[6] - 0x30) - 1]
        return "\(day), \(piece(8..<10)) \(month) \(piece(0..<4)) \(piece(11..<19)) GMT"
    }
}
