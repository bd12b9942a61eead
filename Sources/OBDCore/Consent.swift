/// The user's consent to a request that may change something.
///
/// A request that is not known to be read-only is refused before it is sent to the vehicle, unless it has
/// this value. Only the code that asks the user creates one. A request with consent is sent once.
public struct Consent: Hashable, Sendable {
    /// Creates consent that the user has just given.
    public init() {}
}
