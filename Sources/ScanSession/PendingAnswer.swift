/// A future answer that a caller can wait for together with other events.
public struct PendingAnswer: Sendable {
    let ticket: Promise<Answer>

    /// Becomes readable once the answer has arrived or can no longer arrive; valid as long as this value.
    public var descriptor: Int32 { ticket.descriptor }

    /// The answer; nil until it arrives.
    ///
    /// - Throws: the reason why no answer will arrive.
    public func take() throws(ScanError) -> Answer? { try ticket.value() }
}
