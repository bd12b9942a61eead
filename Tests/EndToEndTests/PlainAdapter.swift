/// The answers of a well-behaved ELM327 v1.5 in a car with one ECU on CAN, 11 bit, 500 kbit/s.
///
/// Engine speed is 1726 rpm (1A F8 quarters) and vehicle speed 10 km/h; there are no other values.
enum PlainAdapter {
    /// Engine speed by SAE J1979: (256 A + B) / 4 rpm, A = 1A, B = F8.
    static let engineSpeed = 1726.0

    /// The answer to a line, including the prompt.
    static func answer(_ line: String) -> String {
        switch line {
        case "ATI", "ATZ": said("ELM327 v1.5")
        case "ATDPN": said("A6")
        case "ATRV": said("12.6V")
        case let command where command.hasPrefix("AT"): said("OK")
        case "", "\u{7F}\u{7F}": said("?")
        case let request where request.allSatisfy(\.isHexDigit): said(vehicle(request))
        default: said("?")
        }
    }

    /// A text in the form of the adapter's output.
    static func said(_ text: String) -> String { "\(text)\r\r>" }

    /// Whether a line requests the engine speed.
    static func asksEngineSpeed(_ line: String) -> Bool { line.hasPrefix("010C") }

    private static func vehicle(_ request: String) -> String {
        // An odd last digit is the expected number of answers.
        switch request.count.isMultiple(of: 2) ? request : String(request.dropLast()) {
        case "0100": "7E806410000180000"
        case "010C": "7E804410C1AF8"
        case "010D": "7E803410D0A"
        case "010C0D": "7E806410C1AF80D0A"
        case "010D0C": "7E806410D0A0C1AF8"
        default: "NO DATA"
        }
    }
}
