/// Calculates when a transaction has to begin so that entries reach the disk in time.
///
/// It learns from how long the last transactions took.
struct CommitPace: Hashable, Sendable {
    /// The time within which an entry must be on the disk.
    let limit: Duration
    /// The longest of the last transactions, with older ones counting less.
    ///
    /// The initial value assumes a slow disk, because the first transaction also creates the trip.
    private(set) var took = Duration.milliseconds(250)
    private var isGuess = true

    init(limit: Duration) { self.limit = limit }

    /// Records how long a transaction took, including its flush.
    mutating func committed(in time: Duration) {
        took = isGuess ? time : max(time, took - took / 8)
        isGuess = false
    }

    /// How long the oldest entry may wait for its transaction.
    ///
    /// It is at least half of the limit, so that a very slow disk is not busy all the time.
    var wait: Duration { limit - min(took * 2, limit / 2) }
}
