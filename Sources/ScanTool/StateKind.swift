/// The five states of a scan tool; the raw value is what is printed.
public enum StateKind: String, Hashable, Sendable, CaseIterable {
    /// No session, or the adapter is being set up; both the start and the orderly end.
    case initializing = "init"
    /// Ready for a request.
    case idle
    /// A request was written, its reply is not complete.
    case waiting
    /// The reply is complete and is being decoded and handed on.
    case processing
    /// Something failed; the state says what comes next.
    case error
}
