public import Adapters
import OBDCore

/// Requests from outside in the order of their coming; each is sent twice at most.
public struct RequestQueue<Promise> {
    /// A request and who waits for its answer.
    public struct Entry {
        /// The request; from its first sending on with an identifier of its own.
        public internal(set) var request: AdapterRequest
        /// What its answer goes to.
        public let promise: Promise
        /// How often it was sent.
        public internal(set) var sendings = 0
    }

    @usableFromInline var entries: [Entry] = []
    private var lastID: UInt32 = 0

    /// Nothing is asked.
    @inlinable public init() {}

    /// Whether nothing is asked.
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
            // Plans count from 1.
            entry.request = entry.request.with(id: RequestID(rawValue: 0x8000_0000 | lastID))
        }
        entry.sendings += 1
        return entry
    }

    /// Puts a request that failed first again; false = it is not to be sent once more.
    ///
    /// - Parameter reconnects: whether a lost link is awaited.
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

    /// Those who still wait; nothing is asked any more.
    public mutating func removeAll() -> [Promise] {
        let promises = entries.map(\.promise)
        entries = []
        return promises
    }
}

extension AdapterRequest {
    /// The same request under another identifier.
    func with(id: RequestID) -> AdapterRequest {
        switch self {
        case .vehicle(var request):
            request.id = id
            return .vehicle(request)
        case .action(_, let action): return .action(id: id, action)
        case .command(_, let text, let mayRepeat, let consent):
            return .command(id: id, text: text, mayRepeat: mayRepeat, consent: consent)
        case .monitor(_, let text, let atMost):
            return .monitor(id: id, text: text, atMost: atMost)
        }
    }
}

extension RequestQueue: Sendable where Promise: Sendable {}
extension RequestQueue.Entry: Sendable where Promise: Sendable {}
