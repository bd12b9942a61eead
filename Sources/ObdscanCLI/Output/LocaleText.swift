import Formats

/// What the locale's terminals show: all of Unicode, or ASCII alone.
enum LocaleText {
    /// Whether it is ASCII alone; asked once.
    static let isASCII = isASCIILocale()

    /// `text` as this locale shows it; to be done before a layout, since some signs become words.
    static func shown(_ text: String) -> String { isASCII ? asciiWords(text) : text }
}

/// Whether the locale is one whose terminals do not take UTF-8.
func isASCIILocale() -> Bool {
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment($0) }
        .first { !$0.isEmpty }
    guard let name = name?.lowercased() else { return false }
    return !name.contains("utf-8") && !name.contains("utf8")
}
