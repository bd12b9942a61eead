import Diagnostics
import OBDCore
import SystemIO

/// The connection and row state of one trip; used only on the writer's thread.
struct TripTransactions: Sendable {
    /// The number of rejected items, and SQLite's message about the last of them.
    struct Rejected: Hashable, Sendable {
        var items = 0
        var message = ""
    }

    private(set) var connection: Connection
    /// The number of the database location that the connection belongs to.
    private(set) var place: Int
    private(set) var rows: RowWriter
    /// Where rows are copied before they are committed; nil = not at all.
    private let memory: String?
    /// Where rows go that cannot be stored at the end; nil = nowhere.
    private let lastMemory: String?
    private var copy: SafetyCopy?
    /// The state after the copied rows; nil = no row is copied.
    private var ahead: RowWriter?
    /// Reads the machine's clocks; nil = nothing is known about them.
    private let clock: (@Sendable () -> ClockReading)?

    /// A connection for a trip of `store`; `copies`: whether rows are copied to memory before they are committed.
    init(of store: TripStore, _ rows: RowWriter, copies: Bool) throws {
        let place = store.place.withLock { (path: $0.path, number: $0.number) }
        // A check for the trip in each transaction replaces SQLite's foreign key check of each row.
        connection = try TripStore.connect(
            place.path, access: .readWrite, limits: store.limits, checksForeignKeys: false)
        self.place = place.number
        clock = store.clock
        self.rows = rows
        memory = copies ? store.limits.memory : nil
        lastMemory = copies || store.canCopyToMemory ? store.limits.memory : nil
    }

    /// Continues in a copy of the database.
    mutating func move(to connection: Connection, _ place: Int) {
        DatabasePlace.abandonLog(of: self.connection)
        close(keeps: false)
        copy = nil
        ahead = nil
        self.connection = connection
        self.place = place
    }

    /// Closes the connection; an error here does not affect stored rows.
    ///
    /// - Parameter keeps: whether the copy in memory stays, because its rows could not be stored.
    func close(keeps: Bool) {
        copy?.close(keeps: keeps)
        try? connection.close()
    }

    /// Copies batches to memory, which come next; false if they have to be committed.
    mutating func copy(_ batches: [WriteQueue.Batch]) -> Bool {
        guard let memory else { return false }
        return copy(batches, to: memory)
    }

    /// Copies batches to memory that the end of the trip could not store; returns the number of items that it has then.
    mutating func keep(_ batches: ArraySlice<WriteQueue.Batch>) -> Int {
        guard let lastMemory, !batches.isEmpty else { return 0 }
        do {
            // Some of them may have a copy already, and a second one would store them twice.
            if ahead != nil { try copy?.clear() }
        } catch {
            return 0
        }
        ahead = nil
        if copy(Array(batches), to: lastMemory) { return batches.reduce(0) { $0 + $1.items } }
        if copy == nil { return 0 }
        // One of them cannot be copied, such as a note.
        return batches.reduce(0) { $0 + (copy([$1], to: lastMemory) ? $1.items : 0) }
    }

    private mutating func copy(_ batches: [WriteQueue.Batch], to memory: String) -> Bool {
        do {
            var next = ahead ?? rows
            if ahead == nil, copy?.isThere == false { copy = nil }
            let copy = try copy ?? SafetyCopy(of: rows.trip, for: connection, in: memory)
            self.copy = copy
            try copy.add(batches, by: &next)
            ahead = next
            return true
        } catch {
            return false
        }
    }

    /// Stores the work in one transaction; an error leaves the state unchanged.
    mutating func store(_ work: WriteQueue.Work) -> Result<Rejected, any Error> {
        do {
            let rejected = try store(work, rejecting: false)
            committed()
            return .success(rejected)
        } catch let error as DatabaseError where error.isConstraint {
            // One invalid entry must not prevent the others from being stored.
            return Result {
                let rejected = try store(work, rejecting: true)
                committed()
                return rejected
            }
        } catch {
            return .failure(error)
        }
    }

    /// Committed rows need no copy; a row that stays there is the same as the committed one.
    private mutating func committed() {
        if ahead != nil { try? copy?.clear() }
        ahead = nil
    }

    private mutating func store(
        _ work: WriteQueue.Work, rejecting: Bool
    ) throws -> Rejected {
        var next = rows
        var rejected = Rejected()
        try connection.access { database in
            try database.transaction {
                guard try next.tripExists(in: database) else {
                    throw StoreError.unknownTrip(next.trip, path: connection.path)
                }
                var row = try RowWriter.insertReading(in: database)
                if work.dropped.items > 0 {
                    let gap = TripEvent(
                        .gap, text: "\(work.dropped.items) entries could not be stored",
                        duration: work.dropped.last - work.dropped.first)
                    try next.store(.event(gap), at: work.dropped.first, &row, in: database)
                }
                for batch in work.batches {
                    guard rejecting else {
                        try next.store(batch.entry, at: batch.instant, &row, in: database)
                        continue
                    }
                    let before = next
                    do {
                        try database.savepoint {
                            try next.store(batch.entry, at: batch.instant, &row, in: database)
                        }
                    } catch let error as DatabaseError
                        where error.isConstraint
                    {
                        next = before
                        rejected.items += batch.items
                        rejected.message = error.message
                    }
                }
                if let clock { try next.follow(clock(), in: database) }
                try next.storeFigures(in: database)
                if let ending = work.ending {
                    try next.close(ending.reason, at: ending.instant, in: database)
                }
            }
        }
        rows = next
        return rejected
    }
}
