/// When a transaction has to begin so that entries are on the disk in time, learnt from how long the
/// last ones took.
struct CommitPace: Hashable, Sendable {
    /// How long after it came an entry is to be on the disk.
    let limit: Duration
    /// The longest of the last transactions, fading; a slow disk is reckoned with before it was seen, for
    /// the first transaction begins a trip as well.
    private(set) var took = Duration.milliseconds(250)
    private var isGuess = true

    init(limit: Duration) { self.limit = limit }

    /// A transaction took this long, with its flush.
    mutating func committed(in time: Duration) {
        took = isGuess ? time : max(time, took - took / 8)
        isGuess = false
    }

    /// How long the oldest entry may wait for its transaction: half of the limit at least, so that
    /// a disk slower than that is not kept busy forever.
    var wait: Duration { limit - min(took * 2, limit / 2) }
}
