/// The time limits of a scan tool and the numbers of its attempts.
public struct Policy: Hashable, Sendable {
    /// The limit of a whole exchange regardless of the dialect, longer than any protocol search.
    public var replyLimit: Duration = .seconds(60)
    /// More time for each "response pending" (NRC 78): ISO 15765-4 allows the ECU 5 s.
    public var pendingLimit: Duration = .milliseconds(5_500)
    /// The most "response pending" answers in one exchange.
    public var pendingCount = 24
    /// The most repetitions of a request that an ECU was too busy for (NRC 21) or whose result was not ready
    /// (NRC 23), if it may be repeated.
    public var busyRepeats = 5
    /// The pause before a repetition, after a "pending" answer only or a disturbed or damaged answer.
    public var repeatPause: Duration = .milliseconds(100)
    /// The most repetitions of a request that only got "pending" answers, if it may be repeated.
    public var pendingRepeats = 5
    /// The most repetitions of a request whose answer was damaged, if it may be repeated.
    public var damageRepeats = 2
    /// The time to wait for the prompt after an interrupt.
    public var interruptLimit: Duration = .seconds(3)
    /// The limit of the adapter's set-up regardless of the dialect.
    public var initialisationLimit: Duration = .seconds(150)
    /// The number of failures in a row after which the session is closed.
    public var initialisationTries = 3
    /// The number of failures in a row after which no new session is opened; 0 means none is, nil means no
    /// limit.
    public var sessionTries: Int? = 0
    /// The pause before the first new attempt.
    public var firstPause: Duration = .milliseconds(250)
    /// The limit up to which pauses double.
    public var longestPause: Duration = .seconds(15)
    /// The limit up to which pauses double if the adapter works but the vehicle does not answer.
    public var longestVehiclePause: Duration = .seconds(15)

    /// Limits for adapters on a cable.
    public init() {}

    /// The pause after this many failures in a row, from 1; it doubles each time up to a limit.
    func pause(afterFailure failures: Int, ofVehicle isVehicle: Bool = false) -> Duration {
        let longest = isVehicle ? longestVehiclePause : longestPause
        var pause = firstPause
        var count = failures
        while count > 1 && pause < longest {
            pause *= 2
            count -= 1
        }
        return min(pause, longest)
    }
}
