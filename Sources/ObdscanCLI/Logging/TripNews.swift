import Adapters
import Formats
import SystemIO
import TripRecorder
import TripStore

/// A message to the user about storing.
struct TripNews: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// Storing fails until the user fixes the cause.
        case trouble
        case mended
        case other
    }

    var text: String
    var kind = Kind.other
    /// The data that the trip lost.
    var losses = Losses()

    /// Data that could not be stored.
    struct Losses: Hashable, Sendable {
        /// Readings that were dropped for lack of memory.
        var dropped = 0
        /// Entries that the database rejected.
        var rejected = 0
        /// The reason of the last rejection.
        var reason = ""

        /// Adds further losses.
        mutating func add(_ more: Losses) {
            dropped += more.dropped
            rejected += more.rejected
            if more.rejected > 0 { reason = more.reason }
        }

        /// The messages about losses; empty without any.
        var lines: [String] {
            (dropped > 0 ? ["\(dropped) readings had to be dropped"] : [])
                + (rejected > 0 ? ["\(rejected) entries could not be stored: \(reason)"] : [])
        }
    }
}

extension TripNews {
    /// The message for a notice; nil = none.
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
    /// The message for a mark; nil = it could not be set.
    static func words(_ mark: TripRecording.Mark?) -> String {
        guard let mark else { return "no mark was set: the disk cannot keep up; try again" }
        return "mark \(mark.number) is set, \(clockText(mark.time.seconds)) into trip \(mark.trip)"
    }
}

/// The text in a trip's row for a failed set-up.
@Sendable func setupFault(_ failure: InitialisationFailure) -> String {
    Failure(failure, accessory: "the adapter").message
}
