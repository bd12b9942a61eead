public import OBDCore

/// Something that can be at the other end of a link: takes bytes, has bytes to say in time.
///
/// Whoever serves one passes every byte of the host to ``receive(_:at:)``, writes what
/// ``due(at:)`` gives, and calls it again at ``nextDeadline`` at the latest.
public protocol ServedDevice: Sendable {
    /// A host has connected, after another one or as the first.
    mutating func connect(at now: Instant)
    /// Takes bytes from the host, all of which arrive at `now`.
    mutating func receive(_ bytes: some Sequence<UInt8>, at now: Instant)
    /// What is to be written at `now`.
    mutating func due(at now: Instant) -> [UInt8]
    /// When ``due(at:)`` has to be called again if no byte arrives before; nil = never.
    var nextDeadline: Instant? { get }
    /// How the device left its host since the last call; nil = it did not.
    mutating func takeEnd() -> LinkEnd?
}

extension ServedDevice {
    /// It does not notice.
    public mutating func connect(at now: Instant) {}

    /// It never leaves by itself.
    public mutating func takeEnd() -> LinkEnd? { nil }
}

extension SimulatedAdapter: ServedDevice {}
