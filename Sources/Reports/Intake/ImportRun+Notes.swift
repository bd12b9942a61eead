import Formats
import OBDCore
import TripImport

extension ImportRun {
    /// Notes for the user about the file, as parts of sentences.
    package var notes: [String] {
        var notes: [String] = []
        if let day = assumedDay, day.source == .fileName {
            notes.append("its times are on \(day.day), the day in its name")
        }
        if isInRepeatedHour {
            notes.append(
                "its times are in the hour that the end of daylight saving time repeats: they count as those of "
                    + "the first pass, and may be an hour later")
        }
        if let first = restarts.first {
            let others =
                restarts.count > 1 ? " and \(counted(restarts.count - 1, "other line"))" : ""
            notes.append(
                "its clock starts again in line \(first)\(others): each part is a trip, 1 s after the one "
                    + "before, because the file does not say when it began")
        }
        let lines = skipped.first.map { first in
            counted(skipped.count, "line") + " "
                + "(first: line \(first.line), \(first.reason))"
        }
        let cells = skipped.firstCell.map { first in
            counted(skipped.cells, "cell") + columnText
                + " (first: line \(first.line), \(first.reason))"
        }
        let leftOut = [lines, cells].compactMap(\.self)
        if !leftOut.isEmpty { notes.append("left out " + leftOut.joined(separator: " and ")) }
        if let first = misnamed.first {
            let others = misnamed.count > 1 ? " and \(misnamed.count - 1) others keep" : " keeps"
            notes.append(
                "\"\(first)\"\(others) the name of the file, because no PID has such values")
        }
        if let stranger = strangers.first(where: { Self.signals[$0.unit] != nil })
            ?? strangers.first
        {
            let meaning = Self.signals[stranger.unit]
            notes.append(
                "\(counted(strangers.count, "name is", "names are")) not known as a PID's: the line "
                    + "\"\(stranger.id) = \(meaning ?? "SIGNAL")\" in a file for --map says what one means"
                    + (meaning == nil ? "; \"obdscan pids list\" has the signals" : ""))
        }
        if let frames {
            notes.append(frames.text)
        }
        return notes
    }

    /// The signals for which a unit is an example.
    private static let signals = ["rpm": "RPM", "km/h": "VSS"]

    /// The columns of cells that were left out, most cells first.
    private var columnText: String {
        let columns = skipped.columns.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        guard columns.count > 1 else {
            return columns.first.map { " of \"\($0.key)\"" } ?? ""
        }
        let others = columns.count > 3 ? ["\(columns.count - 3) other columns"] : []
        let counts = columns.prefix(3).map { "\($0.value) of \"\($0.key)\"" } + others
        return ": " + counts.joined(separator: ", ")
    }
}

extension ImportRun.Result {
    package func row(path: String) -> Row {
        Row(
            "import",
            [
                "path": .text(path), "trips": .numbers(trips), "known": .integer(known),
                "deleted": .numbers(deleted), "replaced": .numbers(replaced),
                "readings": .integer(readings),
            ])
    }

    package func line(path: String) -> String {
        let numbers = trips.map(String.init).joined(separator: ", ")
        var what =
            trips.isEmpty ? "nothing new" : "trip \(numbers), \(counted(readings, "reading"))"
        if !codes.isEmpty { what += ", \(counted(codes.count, "code"))" }
        if !replaced.isEmpty {
            what += ", in place of trip \(replaced.map(String.init).joined(separator: ", "))"
        }
        return "\(printable(path)): \(what)" + (known > 0 ? ", \(known) known already" : "")
    }
}
