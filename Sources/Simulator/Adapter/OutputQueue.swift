import OBDCore

/// What the adapter has to say, each piece with the time at which its last character is out.
struct OutputQueue: Sendable {
    private struct Piece: Sendable {
        /// When the adapter had it ready.
        var ready: Instant
        /// When its last character is out.
        var due: Instant
        var bytes: [UInt8]
    }

    /// The most bytes that may wait for a reader.
    static let capacity = 1 << 18

    /// The time one character takes; zero = as fast as the link goes.
    var characterTime: Duration = .zero
    /// When the line is free again.
    private(set) var free: Instant = .zero
    private var pieces: [Piece] = []
    private var first = 0
    private(set) var pending = 0

    /// Whether nobody reads and nothing more can be taken.
    var isFull: Bool { pending >= Self.capacity }

    /// Appends `bytes`, ready to go at `ready`; they go when those before them are out.
    mutating func append(_ bytes: [UInt8], at ready: Instant) {
        guard !bytes.isEmpty else { return }
        let start = max(ready, free)
        free = start + characterTime * bytes.count
        pending += bytes.count
        if pieces.count > first, pieces[pieces.count - 1].ready == ready,
            pieces[pieces.count - 1].due == free
        {
            pieces[pieces.count - 1].bytes += bytes
            return
        }
        pieces.append(Piece(ready: ready, due: free, bytes: bytes))
    }

    /// Drops what was not ready at `instant`.
    mutating func cut(after instant: Instant) {
        while pieces.count > first, let last = pieces.last, last.ready > instant {
            pending -= last.bytes.count
            pieces.removeLast()
        }
        free = pieces.count > first ? max(instant, pieces.last?.due ?? instant) : instant
    }

    /// When the next piece is out; nil = nothing waits.
    var nextDue: Instant? { first < pieces.count ? pieces[first].due : nil }

    /// Takes what is out by `instant`.
    mutating func take(until instant: Instant, into output: inout [UInt8]) {
        while first < pieces.count, pieces[first].due <= instant {
            output += pieces[first].bytes
            pending -= pieces[first].bytes.count
            first += 1
        }
        if first == pieces.count {
            pieces.removeAll(keepingCapacity: true)
            first = 0
        } else if first > 256 {
            pieces.removeFirst(first)
            first = 0
        }
    }
}
