public import OBDCore

/// The moment this many seconds after the zero of a test's clock.
public func at(_ seconds: Double) -> Instant {
    Instant(nanoseconds: Int64((seconds * 1e9).rounded()))
}
