import OBDCore

extension CodeReport.Code {
    /// The code that is meant by a text with other signs in it, with the letter O or I for a digit, or
    /// without its first letter or digit; nil if the text is none of these.
    public static func meant(by text: String) -> String? {
        let typed = String(text.uppercased().filter { $0.isLetter || $0.isNumber })
        let numbers = typed.split { !$0.isNumber }
        if typed.hasPrefix("SPN"), numbers.count == 2 {
            let code = "SPN\(numbers[0])/FMI\(numbers[1])"
            return J1939Code(code) == nil ? nil : code
        }
        let first = String(typed.prefix(1))
        let digits = String(
            typed.dropFirst().map { $0 == "O" ? "0" : $0 == "I" ? "1" : $0 })
        return [first + digits, first + "0" + digits, "P" + typed].first {
            $0.utf8.count == 5 && DTC($0) != nil
        }
    }
}
