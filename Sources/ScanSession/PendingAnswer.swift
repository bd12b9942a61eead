/// An answer that is awaited beside other things.
public struct PendingAnswer: Sendable {
    let ticket: Promise<Answer>

    /// Becomes readable once there is an answer, or none can come any more; lives as long as this value.
    public var descriptor: Int32 { ticket.descriptor }

    /// The answer; nil while it is awaited.
    ///
    /// - Throws: why there is none.
    public func take() throws(ScanError) -> Answer? { try ticket.value() }
}
