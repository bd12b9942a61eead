import Formats
import SystemIO

/// The characters that the locale's terminals can show: all of Unicode, or only ASCII.
enum LocaleText {
    /// Whether only ASCII; determined once.
    static let isASCII = isASCIILocale()

    /// `text` in characters of this locale; use it before a layout, because some signs become
    /// words.
    static func shown(_ text: String) -> String { isASCII ? asciiWords(text) : text }
}
