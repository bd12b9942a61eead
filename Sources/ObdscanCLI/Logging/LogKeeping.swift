import OBDCore
import SystemIO
import TripStore

/// Deletes drives that are old, or whose space is needed, before and while `log` records.
struct LogKeeping: Sendable {
    let store: TripStore
    /// The age from which drives are deleted; nil = drives of any age stay.
    let age: AgeArgument?
    /// The space for which the oldest delivered drives are deleted; nil = none is.
    let space: SpaceArgument?
    /// The age from which the positions of drives are deleted; nil = they stay.
    let positions: AgeArgument?
    let output: OutputOptions

    /// Between two looks at the disk; the fastest adapter fills 1 MB in about a minute.
    private static let pause = Duration.seconds(60)
    /// Between two looks at the ages.
    private static let longPause = Duration.seconds(3600)

    /// Deletes now, and then on a thread of its own until the returned flag is set; nil = there is nothing to
    /// do.
    func start() throws -> EventDescriptor? {
        guard age != nil || space != nil || positions != nil else { return nil }
        var told = Told()
        attempt { try clearOld(isFirst: true) }
        attempt { try clearPositions(isFirst: true) }
        attempt { try clearForSpace(&told) }
        let stop = try EventDescriptor()
        let first = told
        try SystemThread(named: "trip keeper") { run(until: stop, first) }.detach()
        return stop
    }

    private func run(until stop: EventDescriptor, _ first: Told) {
        var told = first
        var looked = SystemClock.now()
        while true {
            var list = WaitList()
            let ended = list.add(stop.descriptor)
            list.add(deadline: SystemClock.now() + (space == nil ? Self.longPause : Self.pause))
            list.wait()
            if list.isReady(ended) { return }
            if SystemClock.now() - looked >= Self.longPause {
                looked = SystemClock.now()
                attempt { try clearOld(isFirst: false) }
                attempt { try clearPositions(isFirst: false) }
            }
            attempt { try clearForSpace(&told) }
        }
    }

    /// A fault here must not keep a trip from being recorded, and the next look may succeed.
    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch {
            output.note(
                "old trips cannot be deleted now: \(Failure(known: error)?.message ?? "\(error)")")
        }
    }

    // MARK: Age

    private func clearOld(isFirst: Bool) throws {
        guard let age else { return }
        let reading = SystemClock.reading()
        if let fault = try store.checkThatDrivesExpire(by: reading) {
            if isFirst { output.note("--keep deletes nothing: \(fault.text).") }
            return
        }
        let expiry = try store.deleteTrips(
            endedBefore: age.limit(reading.utc), except: Set(try store.undeliveredTrips().keys),
            now: reading.utc)
        if isFirst, let text = expiry.keptText { output.note(text) }
        let gone = expiry.deleted.count
        if gone > 0 {
            output.note(
                "\(counted(gone, "old trip was", "old trips were")) deleted (--keep); "
                    + "\"obdscan trips undo\" can restore them for a week.")
        }
    }

    // MARK: Positions

    private func clearPositions(isFirst: Bool) throws {
        guard let positions else { return }
        let reading = SystemClock.reading()
        if let fault = try store.checkThatDrivesExpire(by: reading) {
            if isFirst { output.note("keep-positions deletes nothing: \(fault.text).") }
            return
        }
        let drives = try store.deletePositions(
            endedBefore: positions.limit(reading.utc),
            except: Set(try store.undeliveredTrips().keys))
        if drives > 0 {
            output.note(
                "the positions of \(counted(drives, "old drive")) were deleted for good (keep-positions)."
            )
        }
    }

    // MARK: Space

    /// The text of the last note, so that it is not repeated each minute.
    private struct Told {
        var fault: String?
    }

    private func clearForSpace(_ told: inout Told) throws {
        guard let space else { return }
        let disk = { Files.freeSpace(at: store.currentPath) }
        guard let room = try store.room(disk: disk()), room < space.bytes else {
            told.fault = nil
            return
        }
        if let fault = try store.checkThatDrivesExpire(by: SystemClock.reading()) {
            return tell("--keep-free deletes nothing: \(fault.text).", &told)
        }
        let clearing = try store.makeRoom(
            space.bytes,
            except: { () throws(StoreError) in Set(try store.undeliveredTrips().keys) },
            mayDelete: store.hasSinks, disk: disk)
        guard let clearing else { return }
        if clearing.forgotten > 0 {
            output.note(
                "\(counted(clearing.forgotten, "deleted trip", "deleted trips")) can no longer be "
                    + "restored, because the disk has less than \(space.text) (--keep-free).")
        }
        if !clearing.trips.isEmpty {
            output.note(
                "\(counted(clearing.trips.count, "delivered trip was", "delivered trips were")) deleted for "
                    + "good, because the disk has less than \(space.text) (--keep-free).")
        }
        guard clearing.room < space.bytes else { return }
        let why =
            store.hasSinks
            ? "no other trip may be deleted: the others are not delivered, or have a name, a tag or a note"
            : "no sink gets whole trips, so no trip is delivered"
        tell("the disk has \(byteText(Int(clearing.room))) for trips; \(why) (--keep-free).", &told)
    }

    private func tell(_ text: String, _ told: inout Told) {
        if told.fault != text { output.note(text) }
        told.fault = text
    }
}

extension TripStore.Expiry {
    /// Which old trips stay for a sink, in words; nil = none does.
    var keptText: String? {
        switch kept.count {
        case 0: nil
        case 1: "1 old trip is kept until obdscan publish has delivered it."
        case let count: "\(count) old trips are kept until obdscan publish has delivered them."
        }
    }
}

extension AgeArgument {
    /// Trips that ended before this time are old.
    func limit(_ now: UTC) -> UTC {
        UTC(microseconds: now.microseconds &- duration.nanoseconds / 1000)
    }
}

extension TripStore.ExpiryFault {
    /// Why nothing is deleted.
    var text: String {
        switch self {
        case .clockIsNotSet: "the clock of this machine is not set"
        case .clockIsAhead(let newest):
            "by the clock, the newest drive ended at \(localTime(newest)), so the clock may be wrong"
        }
    }
}
