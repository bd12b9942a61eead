import Formats
import Testing

@Suite struct `Text of an adapter cannot steer the terminal` {
    @Test(arguments: [
        ("NO DATA", "NO DATA"),
        ("\u{1B}[2J", "\\x1B[2J"),
        ("a\u{07}\r\nb", "a\\x07\\x0D\\x0Ab"),
        ("\u{9B}31m", "\\x9B31m"),
        ("\u{7F}", "\\x7F"),
        ("P\u{202E}1030", "P\\u{202E}1030"),
        ("12 °C", "12 °C"),
        ("", ""),
    ])
    func `control characters are printed as their numbers`(_ text: String, _ expected: String) {
        #expect(printable(text) == expected)
    }

    @Test func `no byte value reaches the terminal as a control character`() {
        for byte in UInt8.min...UInt8.max {
            let text = printable(String(decoding: [byte], as: UTF8.self))
            #expect(
                text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F ~= $0.value) })
            #expect(!text.isEmpty)
        }
    }
}
