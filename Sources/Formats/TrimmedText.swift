extension String {
    /// The text without blanks, tabs and line ends at both ends.
    public var trimmed: String {
        let isBlank = { (character: Character) in character.isWhitespace }
        return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}
