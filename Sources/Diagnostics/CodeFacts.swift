/// Additional information about a trouble code.
public struct CodeFacts: Sendable {
    /// Its meaning.
    public var text: String?
    /// Whether it is safe to drive on.
    public var driveOn: DriveAdvice?

    /// Facts of a code.
    public init(text: String? = nil, driveOn: DriveAdvice? = nil) {
        self.text = text
        self.driveOn = driveOn
    }
}
