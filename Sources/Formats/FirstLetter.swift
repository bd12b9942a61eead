extension String {
    /// The text with a small first letter, unless it starts with an abbreviation.
    package var startingSmall: String {
        guard let second = dropFirst().first, !second.isUppercase else { return self }
        return prefix(1).lowercased() + dropFirst()
    }
}
