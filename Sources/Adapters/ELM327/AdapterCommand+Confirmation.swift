extension AdapterCommand {
    /// Whether the lines that an adapter answered confirm the command `text`.
    public static func isConfirmed(_ text: String, by lines: [String]) -> Bool {
        if case .reset? = AdapterCommand(text), !lines.contains("?") { return !lines.isEmpty }
        return lines.contains("OK")
    }
}
