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

/// Whether terminals of the locale do not accept UTF-8.
func isASCIILocale() -> Bool {
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment($0) }
        .first { !$0.isEmpty }
    guard let name = name?.lowercased() else { return false }
    return !name.contains("utf-8") && !name.contains("utf8")
}
