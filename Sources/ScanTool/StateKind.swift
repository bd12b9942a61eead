/// The five states of a scan tool; the raw value is the printed name.
public enum StateKind: String, Hashable, Sendable, CaseIterable {
    /// There is no session, or the adapter is being set up; both at the start and at the orderly end.
    case initializing = "init"
    /// Ready for a request.
    case idle
    /// A request was written, and its reply is not complete.
    case waiting
    /// The reply is complete and is being decoded and delivered.
    case processing
    /// A failure occurred; the state has the next step.
    case error
}
