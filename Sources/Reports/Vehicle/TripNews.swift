import Formats
import OBDCore
import SystemIO
import TripRecorder
import TripStore

/// A message for the user about storing.
package struct TripNews: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Storing does not work, until the cause is fixed.
        case trouble
        /// Storing works again.
        case mended
        /// Anything else.
        case other
    }

    package var text: String
    package var kind = Kind.other
    package var losses = Losses()

    package init(text: String) { self.text = text }

    /// The data that could not be stored.
    package struct Losses: Hashable, Sendable {
        /// Readings for which there was no room any more.
        package var dropped = 0
        /// Entries that the database refused.
        package var rejected = 0
        /// Why the database refused the last record.
        package var reason = ""

        /// The data that could not be stored; by default none.
        package init(dropped: Int = 0, rejected: Int = 0, reason: String = "") {
            self.dropped = dropped
            self.rejected = rejected
            self.reason = reason
        }

        /// Adds further losses.
        package mutating func add(_ more: Losses) {
            dropped += more.dropped
            rejected += more.rejected
            if more.rejected > 0 { reason = more.reason }
        }

        /// The lines about the losses; empty without any.
        package var lines: [String] {
            (dropped > 0 ? ["\(counted(dropped, "reading")) had to be dropped"] : [])
                + (rejected > 0 ? ["\(rejected) entries could not be stored: \(reason)"] : [])
        }
    }
}

extension TripNews {
    /// The sentence about a notice; nil = none.
    package init?(_ notice: TripWriter.Notice) {
        switch notice {
        case .space: return nil
        case .holding(let error, let items):
            text =
                "\(error.explanation.message); \(counted(items, "reading is", "readings are")) held in memory"
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
    /// The message about a mark; nil = the mark could not be set.
    package static func words(_ mark: TripRecording.Mark?) -> String {
        guard let mark else { return "no mark was set: the disk cannot keep up; try again" }
        return
            "mark \(mark.number) is set, \(durationText(mark.time.seconds)) after the start of trip "
            + "\(mark.trip)"
    }
}
