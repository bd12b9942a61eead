import SystemIO

/// The space that stays free: `500MB`, `2GB`.
///
/// A number alone would mean bytes, and less than 1 MB would not hold what deleting itself writes.
public struct SpaceArgument: Hashable, Sendable {
    /// A million or more.
    public var bytes: Int64

    /// The space that a text means; nil for any other text, and for less than 1 MB.
    public init?(argument: String) {
        let units: [(name: String, bytes: Double)] = [("MB", 1e6), ("GB", 1e9), ("TB", 1e12)]
        guard let unit = units.first(where: { argument.hasSuffix($0.name) }),
            let number = Double(argument.dropLast(2)),
            (1e6...1e15).contains(number * unit.bytes)
        else { return nil }
        bytes = Int64(number * unit.bytes)
    }

    /// The space as an argument.
    public var text: String {
        bytes % 1_000_000_000 == 0 ? "\(bytes / 1_000_000_000)GB" : "\(bytes / 1_000_000)MB"
    }
}

extension TripStore {
    /// The trips and positions that were deleted for space.
    public struct Clearing: Hashable, Sendable {
        /// The number of trips that had been deleted before, and can no longer be restored.
        public var forgotten = 0
        /// The trips that were deleted.
        public var trips: [Int64] = []
        /// The space for records now; unit: bytes.
        public var room: Int64
    }

    /// The space for further records: on the disk, and of deleted rows in the file; nil if the disk does not
    /// say.
    ///
    /// SQLite reuses the pages of deleted rows, so they count although the disk does not get them back.
    ///
    /// - Parameter disk: the free space of the disk.
    /// - Returns: unit: bytes.
    public func room(disk: Int64?) throws(StoreError) -> Int64? {
        guard let disk else { return nil }
        let pages = try read { database in
            (try database.value(Int64.self, "PRAGMA freelist_count") ?? 0)
                * (try database.value(Int64.self, "PRAGMA page_size") ?? 0)
        }
        return disk + pages
    }

    /// Deletes trips permanently until there is so much room: first those that were deleted before, then the
    /// oldest drives.
    ///
    /// A drive cannot be restored afterwards, because a trip that can be restored needs as much space as
    /// before. The caller leaves out the trips that any sink still needs. Drives with a name, a tag or a note
    /// stay, open ones, and those whose clock was not set. Call this only if ``checkThatDrivesExpire(by:)``
    /// has no fault.
    ///
    /// - Parameters:
    ///   - wanted: unit: bytes.
    ///   - kept: these trips stay.
    ///   - mayDelete: whether drives may be deleted, too.
    ///   - disk: reads the free space of the disk; unit: bytes.
    /// - Returns: nil if there was enough room, or if the disk does not say.
    public func makeRoom(
        _ wanted: Int64, except kept: () throws(StoreError) -> Set<Int64>,
        mayDelete: Bool = true, disk: () -> Int64?
    ) throws(StoreError) -> Clearing? {
        if try room(disk: disk()).map({ $0 >= wanted }) ?? true { return nil }
        // Deleting itself needs space.
        commits.withLock { _ in shortenLog() }
        guard let room = try room(disk: disk()) else { return nil }
        var clearing = Clearing(room: room)
        while clearing.room < wanted, let trip = try oldestHidden() {
            try deleteInSteps(trip)
            clearing.forgotten += 1
            clearing.room = try self.room(disk: disk()) ?? wanted
        }
        if clearing.room >= wanted || !mayDelete { return clearing }
        let kept = try kept()
        for trip in try expendable() where !kept.contains(trip) {
            try deleteInSteps(trip)
            clearing.trips.append(trip)
            clearing.room = try self.room(disk: disk()) ?? wanted
            if clearing.room >= wanted { break }
        }
        return clearing
    }

    private func oldestHidden() throws(StoreError) -> Int64? {
        try read {
            try $0.value(
                Int64.self,
                "SELECT id FROM trip WHERE deleted IS NOT NULL ORDER BY deleted, id LIMIT 1")
        }
    }

    /// The drives that may be deleted without a question, the oldest first.
    private func expendable() throws(StoreError) -> [Int64] {
        try read {
            try $0.values(Int64.self, "SELECT id \(Self.expendable) ORDER BY start, id")
        }
    }

    /// The greatest number of readings that one transaction deletes: about half a megabyte of changes.
    private static let step = 20_000

    /// Deletes a trip permanently, in steps that need little space.
    ///
    /// Every page of a deleted row is written to the log of changes first, so a long trip at once would need as
    /// much space again as it has. If the steps are interrupted, the trip is hidden and no edit restores it;
    /// the next call continues.
    func deleteInSteps(_ trip: Int64) throws(StoreError) {
        try quietly { database in
            try database.execute(
                """
                UPDATE trip SET deleted = coalesce(deleted, start) WHERE id = :trip;
                DELETE FROM trip_edit WHERE trip = :trip OR other = :trip;
                """, ["trip": trip])
        }
        var isLeft = true
        while isLeft {
            try quietly { database in
                try database.execute(
                    """
                    DELETE FROM reading WHERE trip = ?1 AND t <= (SELECT max(t) FROM
                        (SELECT t FROM reading WHERE trip = ?1 ORDER BY t LIMIT \(Self.step)))
                    """, [trip])
                isLeft = database.changesCount > 0
            }
        }
        try quietly { try Self.purge([trip], in: $0) }
    }

    /// Deletes the positions of a trip so that neither free pages nor the log of changes keep them.
    func erasePositions(of trip: Int64) throws(StoreError) {
        // The pragma belongs to the connection; its default depends on how SQLite was built.
        let usual = try write { try $0.value(Int64.self, "PRAGMA secure_delete") ?? 0 }
        try write { try $0.execute("PRAGMA secure_delete = ON") }
        defer {
            let word = usual == 2 ? "FAST" : usual == 1 ? "ON" : "OFF"
            try? write { try $0.execute("PRAGMA secure_delete = \(word)") }
        }
        try quietly { try $0.execute("DELETE FROM position WHERE trip = ?", [trip]) }
    }

    /// Runs a transaction while no recording of this process writes, which would find the database locked, and
    /// gives the space of the log of changes back.
    private func quietly(_ body: (Database) throws -> Void) throws(StoreError) {
        try commits.withLock { _ throws(StoreError) in
            shortenLog()
            try transaction(body)
            shortenLog()
        }
    }

    /// Gives the space of the log of changes back to the disk, unless another program reads it.
    func shortenLog() {
        try? write { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    }
}
