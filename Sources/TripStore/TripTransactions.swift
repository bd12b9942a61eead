import Diagnostics
import GRDB
import OBDCore

/// One trip's connection and the state of its rows; lives on the writer's thread.
struct TripTransactions: Sendable {
    /// Items that were left out and SQLite's words about the last of them.
    struct Rejected: Hashable, Sendable {
        var items = 0
        var message = ""
    }

    private(set) var connection: DatabaseQueue
    /// Which of the database's places the connection leads to.
    private(set) var place: Int
    private(set) var rows: RowWriter

    init(connection: DatabaseQueue, place: Int, rows: RowWriter) {
        self.connection = connection
        self.place = place
        self.rows = rows
    }

    /// Goes on in a copy of the database.
    mutating func move(to connection: DatabaseQueue, _ place: Int) {
        DatabasePlace.abandonLog(of: self.connection)
        close()
        self.connection = connection
        self.place = place
    }

    /// Closes the connection; a failure to do so has no consequence for what is stored.
    func close() { try? connection.close() }

    /// Stores the work in one transaction; on failure everything is as it was.
    mutating func store(_ work: WriteQueue.Work) -> Result<Rejected, any Error> {
        do {
            return .success(try store(work, rejecting: false))
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            // One impossible entry must not keep all others from being stored.
            return Result { try store(work, rejecting: true) }
        } catch {
            return .failure(error)
        }
    }

    private mutating func store(
        _ work: WriteQueue.Work, rejecting: Bool
    ) throws -> Rejected {
        var next = rows
        var rejected = Rejected()
        try connection.writeWithoutTransaction { database in
            try database.inTransaction(.immediate) {
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
                        try database.inSavepoint {
                            try next.store(batch.entry, at: batch.instant, &row, in: database)
                            return .commit
                        }
                    } catch let error as DatabaseError
                        where error.resultCode == .SQLITE_CONSTRAINT
                    {
                        next = before
                        rejected.items += batch.items
                        rejected.message = error.message ?? "constraint"
                    }
                }
                try next.storeFigures(in: database)
                if let ending = work.ending {
                    try next.close(ending.reason, at: ending.instant, in: database)
                }
                return .commit
            }
        }
        rows = next
        return rejected
    }
}
