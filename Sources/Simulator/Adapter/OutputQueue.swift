import OBDCore

/// The adapter's output, in pieces with the time at which their last character has been sent.
struct OutputQueue: Sendable {
    private struct Piece: Sendable {
        /// The time at which the adapter had it ready.
        var ready: Instant
        /// The time at which the chunk's last character has been sent.
        var due: Instant
        var bytes: [UInt8]
    }

    /// The most bytes that wait for the host to read.
    static let capacity = 1 << 18

    /// The transfer time of one character; zero for the speed of the link.
    var characterTime: Duration = .zero
    /// The time at which the line is free again.
    private(set) var free: Instant = .zero
    private var pieces: [Piece] = []
    private var first = 0
    private(set) var pending = 0

    /// Whether the queue is full because the host does not read.
    var isFull: Bool { pending >= Self.capacity }

    /// Appends `bytes` that are ready at `ready`; they are sent after those before them.
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

    /// Removes the output that was not ready at `instant`.
    mutating func cut(after instant: Instant) {
        while pieces.count > first, let last = pieces.last, last.ready > instant {
            pending -= last.bytes.count
            pieces.removeLast()
        }
        free = pieces.count > first ? max(instant, pieces.last?.due ?? instant) : instant
    }

    /// The time at which the next piece has been sent; nil if the queue is empty.
    var nextDue: Instant? { first < pieces.count ? pieces[first].due : nil }

    /// Removes and returns the output sent until `instant`.
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
