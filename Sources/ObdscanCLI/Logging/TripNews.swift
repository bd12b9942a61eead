import Adapters
import Formats
import SystemIO
import TripRecorder
import TripStore

/// What a user should know of storing.
struct TripNews: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// It does not work, until it is fixed.
        case trouble
        case mended
        case other
    }

    var text: String
    var kind = Kind.other
    /// What the trip lacks by it.
    var losses = Losses()

    /// What could not be stored.
    struct Losses: Hashable, Sendable {
        /// Readings for which there was no room any more.
        var dropped = 0
        /// Entries that the database did not take.
        var rejected = 0
        /// Why it did not take the last of them.
        var reason = ""

        /// Adds what is lost besides.
        mutating func add(_ more: Losses) {
            dropped += more.dropped
            rejected += more.rejected
            if more.rejected > 0 { reason = more.reason }
        }

        /// What to say of it; nothing where nothing is lost.
        var lines: [String] {
            (dropped > 0 ? ["\(dropped) readings had to be dropped"] : [])
                + (rejected > 0 ? ["\(rejected) entries could not be stored: \(reason)"] : [])
        }
    }
}

extension TripNews {
    /// What to say of a notice; nil = nothing.
    init?(_ notice: TripWriter.Notice) {
        switch notice {
        case .space: return nil
        case .holding(let error, let items):
            text = "\(Failure(error).message); \(items) readings are held in memory"
            kind = .trouble
        case .dropped(let items):
            losses = .init(dropped: items)
            text = losses.lines.joined()
            kind = .trouble
        case .recovered:
            text = "storing works again"
            kind = .mended
        case .rejected(let items, let message):
            losses = .init(rejected: items, reason: message)
            text = losses.lines.joined()
        case .relocated(.folded):
            text = "the write-ahead log was removed; what it held was saved"
        case .relocated(.restored(let path)):
            text = "\(path) was removed; it was created again with all its data"
        case .relocated(.elsewhere(let path, let instead)):
            text = "\(instead) was replaced by another file; the recording continues in \(path)"
        }
    }
}

extension TripRecording.Mark {
    /// What to say of a mark; nil = it could not be set.
    static func words(_ mark: TripRecording.Mark?) -> String {
        guard let mark else { return "no mark was set: the disk cannot keep up; try again" }
        return
            "mark \(mark.number) is set, \(durationText(mark.time.seconds)) into trip \(mark.trip)"
    }
}

/// What a trip's row says of a set-up that failed.
@Sendable func setupFault(_ failure: InitialisationFailure) -> String {
    Failure(failure, accessory: "the adapter").message
}
