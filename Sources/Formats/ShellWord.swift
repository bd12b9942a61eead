/// A word for a shell, in quotes if it needs them.
public func shellWord(_ text: String) -> String {
    let isPlain =
        !text.isEmpty
        && text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || "_-./:=@%+,".unicodeScalars.contains(scalar)
        }
    if isPlain { return text }
    return "'"
        + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        + "'"
}
