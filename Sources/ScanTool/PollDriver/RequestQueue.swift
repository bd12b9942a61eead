public import Adapters
import OBDCore

/// Requests from callers in the order of their arrival; each is sent at most twice.
public struct RequestQueue<Promise> {
    /// A request and the promise of its answer.
    public struct Entry {
        /// The request; it gets its own identifier when it is first sent.
        public internal(set) var request: AdapterRequest
        /// The promise of the request's answer.
        public let promise: Promise
        /// How often the request was sent.
        public internal(set) var sendings = 0
    }

    @usableFromInline var entries: [Entry] = []
    private var lastID: UInt32 = 0

    /// An empty queue.
    @inlinable public init() {}

    /// Whether the queue is empty.
    @inlinable public var isEmpty: Bool { entries.isEmpty }

    /// Appends a request.
    public mutating func append(_ request: AdapterRequest, for promise: Promise) {
        entries.append(Entry(request: request, promise: promise))
    }

    /// The next request to send.
    public mutating func next() -> Entry? {
        guard !entries.isEmpty else { return nil }
        var entry = entries.removeFirst()
        if entry.sendings == 0 {
            lastID &+= 1
            // The identifiers of plans count from 1, so these have the highest bit set.
            entry.request = entry.request.with(id: RequestID(rawValue: 0x8000_0000 | lastID))
        }
        entry.sendings += 1
        return entry
    }

    /// Puts a failed request back to the front; false if it must not be sent again.
    ///
    /// - Parameter reconnects: whether the session restores a lost link.
    public mutating func takeBack(
        _ entry: Entry, after failure: Failure, reconnects: Bool
    ) -> Bool {
        guard entry.request.mayRepeat, entry.sendings < 2 else { return false }
        switch failure {
        case .adapterRestarted, .restartedBeforeSending: break
        case .linkLost: if !reconnects { return false }
        case .timedOut, .stopped, .flooded, .outOfStep, .notSent: return false
        }
        entries.insert(entry, at: 0)
        return true
    }

    /// Empties the queue and returns the promises of waiting callers.
    public mutating func removeAll() -> [Promise] {
        let promises = entries.map(\.promise)
        entries = []
        return promises
    }
}

extension AdapterRequest {
    /// The same request with another identifier.
    func with(id: RequestID) -> AdapterRequest {
        switch self {
        case .vehicle(var request):
            request.id = id
            return .vehicle(request)
        case .action(_, let action): return .action(id: id, action)
        case .command(_, let text, let mayRepeat, let consent):
            return .command(id: id, text: text, mayRepeat: mayRepeat, consent: consent)
        case .monitor(_, let text, let atMost, let filters):
            return .monitor(id: id, text: text, atMost: atMost, filters: filters)
        }
    }
}

extension RequestQueue: Sendable where Promise: Sendable {}
extension RequestQueue.Entry: Sendable where Promise: Sendable {}
