public import Adapters
public import OBDCore

/// Where the time of a poll goes: exchanges, the gaps between them, and the rate of the line.
public struct PollTimes: Hashable, Sendable {
    /// The sums so far.
    public private(set) var account = TimeAccount()
    /// The time since the latest exchange.
    public var gap = ExchangeGap()
    /// The rate of a line whose bytes take time; unit: bit/s.
    public var lineRate: Int?
    /// When the bytes of the request under way travelled.
    private var timing = ExchangeTiming(at: .zero)

    /// Nothing spent yet.
    public init() {}

    /// Counts from here.
    public mutating func resetAccount() { account = TimeAccount() }

    /// A request is about to be written.
    public mutating func submit(at time: Instant) {
        gap.close(at: time, into: &account)
        timing = ExchangeTiming(at: time)
    }

    /// Takes note of bytes that were written.
    public mutating func wrote(_ bytes: [UInt8], at time: Instant) { timing.wrote(bytes, at: time) }

    /// Takes note of bytes that came.
    public mutating func received(_ bytes: [UInt8], at time: Instant) {
        timing.received(bytes, at: time)
    }

    /// An exchange is over; `isFree` = nothing is asked after it.
    public mutating func end(
        _ request: AdapterRequest, asked: Instant, _ outcome: Outcome, at time: Instant,
        isFree: Bool
    ) {
        gap.begin(at: time, isFree: isFree)
        switch outcome {
        case .answered(let reply):
            account.take(
                timing, at: time, rate: lineRate,
                isSilent: request.isForVehicle && reply.messages.isEmpty && reply.errors.isEmpty)
        // What a stop cut short is not a failure.
        case .failed(.stopped, _): break
        case .failed: account.takeFailure(time - asked)
        }
    }

    /// Nothing follows.
    public mutating func finish(at time: Instant) { gap.finish(at: time, into: &account) }
}
