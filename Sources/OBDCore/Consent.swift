/// A person's consent to a request that may change something.
///
/// What is not known to only read is refused where requests leave for the vehicle, unless it carries
/// this value. Only the one place that asks the person makes it. A request with it is sent once.
public struct Consent: Hashable, Sendable {
    /// Consent that a person has just given.
    public init() {}
}
