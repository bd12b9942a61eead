import Formats
import OBDCore
import SystemIO
import TripStore

/// The formats of files with trips.
package enum TripFileFormat: String, CaseIterable, Sendable {
    case csv, xlsx, json, gpx, kml, influx, kuksa, sqlite

    /// Whether the format is a table, whose layout the user may choose.
    package var isTable: Bool { self == .csv || self == .xlsx }

    /// The format of a file name extension; nil for an unknown one.
    package init?(ending: String) {
        switch ending {
        case "csv", "tsv": self = .csv
        case "xlsx": self = .xlsx
        case "jsonl", "ndjson", "json": self = .json
        case "gpx": self = .gpx
        case "kml": self = .kml
        case "influx", "lp", "line": self = .influx
        case "db", "sqlite", "sqlite3": self = .sqlite
        default: return nil
        }
    }
}

/// How trips are laid out as CSV.
package struct TripTableForm: Sendable {
    package enum Layout: String, CaseIterable, Sendable {
        /// A column per signal, a line per point in time.
        case wide
        /// A line per reading, with the keys of the JSON object as columns.
        case long
    }

    /// The content of a line; nil = several trips are long, and one is wide.
    package var layout: Layout?
    /// The interval of the lines of a wide table; nil = a line for each point in time.
    package var every: Duration?
    /// The values of lines at regular intervals.
    package var fill = CSVGrid.Fill.last
    /// Whether times are seconds since the trip's start.
    package var isRelative = false
    /// Whether times are local ones; else they are in UTC.
    package var isLocal = false
    /// The separator of cells.
    package var delimiter = Delimiter.comma

    /// A table with a line for each point in time, in UTC.
    package init() {}

    /// People read the sheet of a trip: the last values of each second, not a row for each answer.
    package static var ofSheet: TripTableForm {
        var form = TripTableForm()
        (form.every, form.fill) = (.seconds(1), .none)
        return form
    }

    /// The form of the times of a trip with this start.
    func times(since start: UTC) -> TimeStyle {
        isRelative ? .seconds(since: start) : isLocal ? .local(shift: localShift) : .utc
    }

    /// The zone of a trip's times if they do not have it: local ones, and all in a sheet; nil if it changes.
    func zone(of trip: TripSummary, isSheet: Bool) -> String? {
        if isRelative { return nil }
        guard isLocal else { return isSheet ? "UTC" : nil }
        let shift = localShift(trip.start)
        guard shift == localShift(trip.end) else { return "local" }
        let minutes = abs(shift) / 60
        let two = { (number: Int64) in (number < 10 ? "0" : "") + String(number) }
        return "UTC" + (shift < 0 ? "-" : "+") + two(minutes / 60) + ":" + two(minutes % 60)
    }

    /// Whether a table of so many trips has a column per signal.
    func isWide(_ trips: Int) -> Bool {
        (layout ?? (trips > 1 && every == nil ? .long : .wide)) == .wide
    }
}
