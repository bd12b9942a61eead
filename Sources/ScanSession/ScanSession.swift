public import Adapters
public import Diagnostics
public import OBDCore
public import ScanTool

/// A scan tool at work on one accessory, on a thread of its own.
///
/// All members may be called from any thread. What happens is told by ``nextEvents(_:)``, whose
/// descriptor can stand in a `poll` beside others, and by observers.
public final class ScanSession: Sendable {
    /// Opens the accessory, sets the adapter up and returns when it is ready.
    ///
    /// - Parameters:
    ///   - sinks: take what replies to polls bring.
    ///   - observers: are told what happens, on the session's thread.
    ///   - interrupt: a descriptor (signalfd) that ends the waiting when it becomes readable.
    /// - Throws: ``ScanError``; ``ScanError/interrupted`` when `interrupt` became readable.
    public static func start(
        _ configuration: SessionConfiguration, decoder: ResponseDecoder,
        sinks: [any ReadingSink] = [], observers: [any ScanObserver] = [],
        interruptedBy interrupt: Int32? = nil
    ) throws(ScanError) -> ScanSession { throw .stopped }

    /// Sends one request and waits for its answer; goes before whatever a poll has in mind.
    ///
    /// The request's own identifier is replaced by one of the session's.
    public func ask(
        _ request: AdapterRequest, interruptedBy interrupt: Int32? = nil
    ) throws(ScanError) -> Answer { throw .stopped }

    /// Polls by `plan` until it is done, cancelled or the session stops; replaces an earlier poll.
    ///
    /// Returns at once; the end is told by ``ScanEvent/pollDidFinish`` or ``ScanEvent/scanDidCancel``.
    public func poll(_ plan: PollPlan) {}
    /// Holds a poll after the request under way, until ``resumePoll()``.
    public func pausePoll() {}
    /// Goes on with a paused poll.
    public func resumePoll() {}
    /// Ends a poll after the request under way.
    public func cancelPoll() {}

    /// Ends the session in order: the request under way is interrupted, the adapter's prompt awaited,
    /// everything closed. Returns when it is done, or at once when it was.
    public func stop() {}

    /// Readable while events wait; for `poll` beside other descriptors. Belongs to the session.
    public var eventDescriptor: Int32 { -1 }
    /// Appends the events that wait, oldest first, each with its time.
    public func nextEvents(_ events: inout [(time: Instant, event: ScanEvent)]) {}

    /// What is known of the link; nil before the adapter is set up.
    public var link: LinkInformation? { nil }
    /// What the session did so far.
    public var statistics: SessionStatistics { SessionStatistics() }
    /// What to remember of the adapter.
    public var memory: AdapterMemory { AdapterMemory() }
    /// One moment on both clocks.
    public let anchor = TimeAnchor(monotonic: .zero, utcNanoseconds: 0)
    /// The state of the scan tool.
    public var state: StateKind { .initializing }
}
