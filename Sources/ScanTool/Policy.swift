/// How long a scan tool waits and how often it tries.
public struct Policy: Hashable, Sendable {
    /// A whole exchange at most, whatever the dialect thinks: longer than any protocol search.
    public var replyLimit: Duration = .seconds(60)
    /// More time for each "response pending" (NRC 78): ISO 15765-4 allows the ECU 5 s.
    public var pendingLimit: Duration = .milliseconds(5_500)
    /// "Response pending" answers that are waited out in one exchange.
    public var pendingCount = 24
    /// Repeats of a request that an ECU was too busy for (NRC 21), or whose result was not ready yet
    /// (NRC 23), where it may be repeated.
    public var busyRepeats = 5
    /// Before a request that was answered "pending" only, or was disturbed or damaged, is repeated.
    public var repeatPause: Duration = .milliseconds(100)
    /// Repeats of a request that was answered "pending" only, where it may be repeated.
    public var pendingRepeats = 5
    /// Repeats of a request whose answer came damaged, where it may be repeated.
    public var damageRepeats = 2
    /// The prompt after an interrupt.
    public var interruptLimit: Duration = .seconds(3)
    /// The adapter's setting up at most, whatever the dialect thinks.
    public var initialisationLimit: Duration = .seconds(150)
    /// Failures in a row after which the session is not used any more.
    public var initialisationTries = 3
    /// Failures in a row after which no new session is awaited; 0 = never awaited, nil = no limit.
    public var sessionTries: Int? = 0
    /// Before the first new try.
    public var firstPause: Duration = .milliseconds(250)
    /// Pauses double up to this one.
    public var longestPause: Duration = .seconds(15)
    /// Pauses double up to this one where the adapter works and the vehicle does not answer.
    public var longestVehiclePause: Duration = .seconds(15)

    /// The limits that suit adapters on a wire.
    public init() {}

    /// The pause after this many failures in a row, from 1: doubled each time, bounded.
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
