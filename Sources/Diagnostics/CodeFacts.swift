/// What is known of a trouble code besides the code.
public struct CodeFacts: Sendable {
    /// What it means.
    public var text: String?
    /// Whether one may drive on.
    public var driveOn: DriveAdvice?

    /// Facts of a code.
    public init(text: String? = nil, driveOn: DriveAdvice? = nil) {
        self.text = text
        self.driveOn = driveOn
    }
}
