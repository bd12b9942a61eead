public import Adapters
public import OBDCore

/// How a poll spends its time: exchanges, the gaps between them, and the rate of the line.
public struct PollTimes: Hashable, Sendable {
    /// The sums so far.
    public private(set) var account = TimeAccount()
    /// The time since the last exchange.
    public var gap = ExchangeGap()
    /// The rate of the line, if it limits the transfer; unit: bit/s.
    public var lineRate: Int?
    /// The transfer times of the current request.
    private var timing = ExchangeTiming(at: .zero)

    /// Creates an empty account.
    public init() {}

    /// Restarts the account.
    public mutating func resetAccount() { account = TimeAccount() }

    /// Begins an exchange whose request is about to be written.
    public mutating func submit(at time: Instant) {
        gap.close(at: time, into: &account)
        timing = ExchangeTiming(at: time)
    }

    /// Records written bytes.
    public mutating func wrote(_ bytes: [UInt8], at time: Instant) { timing.wrote(bytes, at: time) }

    /// Records received bytes.
    public mutating func received(_ bytes: [UInt8], at time: Instant) {
        timing.received(bytes, at: time)
    }

    /// Ends an exchange; `isFree` means that no request is due after it.
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
        // A reply that was interrupted by a stop is not a failure.
        case .failed(.stopped, _): break
        case .failed: account.takeFailure(time - asked)
        }
    }

    /// Ends the account without another request.
    public mutating func finish(at time: Instant) { gap.finish(at: time, into: &account) }
}
