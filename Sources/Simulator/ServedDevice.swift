public import OBDCore

/// A device at the other end of a link, which receives bytes and has timed output.
///
/// The server passes every byte of the host to ``receive(_:at:)``, writes the bytes of ``due(at:)``, and
/// calls that again at ``nextDeadline`` at the latest.
public protocol ServedDevice: Sendable {
    /// Reports that a host has connected, after another one or as the first.
    mutating func connect(at now: Instant)
    /// Takes bytes from the host that all arrive at `now`.
    mutating func receive(_ bytes: some Sequence<UInt8>, at now: Instant)
    /// The output that is due at `now`.
    mutating func due(at now: Instant) -> [UInt8]
    /// The next time to call ``due(at:)`` if no byte arrives before; nil for never.
    var nextDeadline: Instant? { get }
    /// How the device ended the connection since the last call; nil if it did not.
    mutating func takeEnd() -> LinkEnd?
}

extension ServedDevice {
    /// Default: ignored.
    public mutating func connect(at now: Instant) {}

    /// Default: the device never ends a connection.
    public mutating func takeEnd() -> LinkEnd? { nil }
}

extension SimulatedAdapter: ServedDevice {}
