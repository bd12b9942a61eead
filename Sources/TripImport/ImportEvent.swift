import Diagnostics
import Formats
import OBDCore

/// The content of a file, item by item.
package enum ImportEvent: Sendable {
    /// A trip begins, with its known properties.
    case trip(name: String?, tags: [String], vin: VIN?, start: UTC?)
    case entry(TripEntry, at: UTC)
}

/// A line of a file that cannot be read.
package struct ImportFault: Error, Hashable, Sendable {
    /// The line, counted from 1.
    package var line: Int
    /// The reason, as a part of a sentence.
    package var reason: String

    /// Whether the file can be read once the user has said the day of its beginning.
    package var needsDay = false
    /// The days that a time of the file may mean: `2024-03-02`.
    package var days: [String] = []
    /// The time zones that a time of the file may mean: `America/Chicago`.
    package var zones: [String] = []

    /// Whether the user has to say which gallons the file has.
    package var needsGallons = false

    /// Whether the user can answer a question about the file, so that no line of it is left out.
    package var isQuestion: Bool { needsDay || needsGallons || !days.isEmpty || !zones.isEmpty }

    /// The times have no day, and the file name has none, either.
    static func noDay(line: Int) -> ImportFault {
        var fault = ImportFault(line: line, reason: "the file does not say on which day it begins")
        fault.needsDay = true
        return fault
    }
}

/// Unreadable lines in logs of other programs, which are skipped.
package struct SkippedLines: Hashable, Sendable {
    package private(set) var count = 0
    package private(set) var first: ImportFault?
    /// The number of cells that should be numbers and are not, in lines that were read.
    package private(set) var cells = 0
    package private(set) var firstCell: ImportFault?
    /// The number of such cells by the names of their columns.
    package private(set) var columns: [String: Int] = [:]
    /// A file of random data may have as many columns as rows.
    private static let mostColumns = 1000

    package init() {}

    mutating func add(_ fault: ImportFault) {
        count += 1
        if first == nil { first = fault }
    }

    /// The position of two cells; nil if it is not on earth, or is 0, 0, which programs write without a fix.
    mutating func position(_ latitude: Double, _ longitude: Double, line: Int) -> Position? {
        if latitude == 0, longitude == 0 { return nil }
        let place = Position(latitude: latitude, longitude: longitude)
        if place == nil {
            count(cellOf: "position")
            firstCell =
                firstCell
                ?? ImportFault(
                    line: line, reason: "\(latitude), \(longitude) is not a place on earth")
        }
        return place
    }

    private mutating func count(cellOf column: String) {
        cells += 1
        if columns.count < Self.mostColumns || columns[column] != nil {
            columns[column, default: 0] += 1
        }
    }

    /// Counts a cell; without a `reason`, it is not a number.
    mutating func add(cell: String, of column: String, line: Int, reason: String? = nil) {
        count(cellOf: column)
        guard firstCell == nil else { return }
        if let reason {
            firstCell = ImportFault(line: line, reason: "\"\(cell)\" \(reason)")
            return
        }
        let number = CSVNumber.decimal(cell)
        // Only a number that may have two values is left out.
        let isUnclear = number != nil && !CSVNumber.signs(cell).unclear.isEmpty
        let whole = cell.filter { $0 != "," && $0 != "." }
        firstCell = ImportFault(
            line: line,
            reason: isUnclear
                ? "\"\(cell)\" may be \(number.map { "\($0)" } ?? "") or \(whole)"
                : number != nil
                    ? "\"\(cell)\" exceeds all numbers" : "\"\(cell)\" is not a number")
    }
}

/// Findings that only the whole file shows, and that the reading of its first lines needs.
package struct ImportFindings: Hashable, Sendable {
    /// How its numbers read; nil before the first reading.
    var numbers: NumberGrammar?
    /// Names of the log with the name of a PID and values that the PID cannot have.
    package internal(set) var misnamed: Set<String> = []
    /// Whether the month is first in dates that may be two days.
    var isMonthFirst: Bool?
    /// The time by which the log's clock is ahead of UTC, if another clock shows it only after the first rows;
    /// unit: µs.
    var zone: Int64?
    /// The lines in which the clock starts again; nil before the first reading.
    package internal(set) var restarts: Set<Int>?
    /// Whether the log begins in the second pass of the hour that autumn repeats.
    var beginsInSecondPass = false

    /// Nothing was found yet.
    package init() {}
}

/// The file formats that can be read.
package enum ImportFormat: Hashable, Sendable {
    case jsonLines
    /// Our own CSV with one line per reading.
    case csvLong
    /// CSV with one column per signal, optionally after some lines of text.
    ///
    /// Torque, scripts with python-OBD, our own exports and many apps use this format.
    case csvWide
    /// Car Scanner's CSV with one line per reading.
    case carScanner
    /// Freematics' lines with time, key and value.
    case freematics
    case frames(FrameLogForm)

    /// The format of a file that begins with `bytes`, at least its first line; nil for an unknown
    /// format.
    package init?(_ bytes: [UInt8]) {
        let bytes = TextPieces.decoded(bytes)
        let first = bytes.first { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) }
        if first == 0x7B {
            self = .jsonLines
            return
        }
        if let form = FrameLogForm(beginning: bytes) {
            self = .frames(form)
            return
        }
        if FreematicsImport.begins(bytes) {
            self = .freematics
            return
        }
        var csv = CSVReader(bytes)
        var lines: [String] = []
        for row in 0..<WideImport.longestPreamble {
            guard let header = csv.next() else { return nil }
            defer { lines.append(header.joined(separator: ",")) }
            guard header.count > 1 else { continue }
            if CarScannerImport.isHeading(header) {
                self = .carScanner
                return
            }
            if header.contains("signal") && header.contains("value") && header.contains("time") {
                guard row == 0 else { return nil }
                self = .csvLong
                return
            }
            if header.contains("failureType") || header.contains("failure_type") {
                // A list of trouble codes is not a trip.
                return nil
            }
            if WideColumns(header, after: lines) != nil {
                self = .csvWide
                return
            }
        }
        return nil
    }
}
