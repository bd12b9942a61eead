/// Additional information about a trouble code.
public struct CodeFacts: Sendable {
    /// The code's meaning.
    public var text: String?
    /// Whether driving on is safe.
    public var driveOn: DriveAdvice?

    /// Facts of a code.
    public init(text: String? = nil, driveOn: DriveAdvice? = nil) {
        self.text = text
        self.driveOn = driveOn
    }
}
