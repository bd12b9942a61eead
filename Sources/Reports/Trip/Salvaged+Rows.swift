import Formats
import TripStore

extension Salvaged {
    /// The row of `db recover`, whose new database is at `path`.
    package func row(path: String) -> Row {
        Row(
            "recovery",
            [
                "path": .text(path), "trips": .integer(rows["trip"] ?? 0),
                "readings": .integer(rows["reading"] ?? 0), "pages": .integer(pages),
                "damagedPages": .integer(damagedPages), "missingPages": .integer(missingPages),
                "orphanPages": .integer(orphanPages), "rejected": .integer(rejected),
                "tripsWithoutTime": .numbers(tripsWithoutTime),
                "unknownChannels": .integer(unknownChannels),
                "rows": .object(
                    rows.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) }),
            ])
    }

    /// The saved records, for people.
    package func lines(path: String) -> [String] {
        var lines = [
            "\(printable(path)): \(rows["trip"] ?? 0) trips and scans, \(rows["reading"] ?? 0) readings from "
                + "\(pages) pages, \(damagedPages) of them damaged"
        ]
        if missingPages > 0 {
            lines.append(
                "the file is shorter than its header says: \(missingPages) pages, and the readings in "
                    + "them, are missing")
        }
        if orphanPages > 0 {
            lines.append("\(orphanPages) pages belonged to no table; their rows were saved, too")
        }
        if !tripsWithoutTime.isEmpty {
            let trips = tripsWithoutTime.map(String.init).joined(separator: ", ")
            lines.append("the date of these trips is lost: \(trips)")
        }
        return lines
    }
}
