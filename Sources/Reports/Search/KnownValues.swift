import Formats
import OBDCore
import SystemIO
import TripImport
import TripStore

/// The known values of a signal with their times, before they are set to the clock of a log.
package struct KnownValues {
    /// Why there are no values.
    package enum Fault: Error {
        /// The table has no column with this name.
        case noColumn(String, known: [String])
        /// No row has a time and a number.
        case noRows
        /// A row before any row that can be read has a cell that is not a time.
        case notATime(line: Int, text: String)
        case noSignal(String, trip: Int64, known: [String])
        /// The times have a date or a day, but the log does not say when it began.
        case logWithoutDate
    }

    /// The values in metric units.
    package private(set) var samples: [(time: RecordedTime, value: Double)] = []
    /// The unit of the values; empty if it is not known.
    package private(set) var unit: String
    /// Rows that are not a time and a number.
    package private(set) var leftOut = 0

    // MARK: Tables

    /// Reads a CSV: the first column is the time, and `column` or else the next one has the values.
    package init(csv bytes: [UInt8], column: String?, unit: String?) throws(Fault) {
        var reader = CSVReader(bytes)
        var place: Int?
        var heading = ""
        var scale = 1e6
        self.unit = ""
        while let cells = reader.next() {
            if place == nil {
                let isHeading = SampleText.time(cells[0]) == nil
                if let column {
                    let wanted = column.lowercased()
                    let found =
                        cells.firstIndex { $0.trimmed.lowercased() == wanted }
                        ?? cells.firstIndex { $0.lowercased().hasPrefix(wanted) }
                    guard let found else {
                        throw .noColumn(column, known: Array(cells.dropFirst()))
                    }
                    place = found
                } else {
                    guard cells.count > 1 else { throw .noRows }
                    place = 1
                }
                if isHeading {
                    heading = place.map { cells[$0] } ?? ""
                    let words = cells[0].lowercased()
                    if words.contains("ms") || words.contains("milli") { scale = 1e3 }
                    if words.contains("us") || words.contains("µs") { scale = 1 }
                    continue
                }
            }
            guard let place, place < cells.count, !cells[place].trimmed.isEmpty else {
                leftOut += 1
                continue
            }
            guard let time = SampleText.time(cells[0].trimmed, unit: scale) else {
                if samples.isEmpty { throw .notATime(line: reader.line, text: cells[0]) }
                leftOut += 1
                continue
            }
            guard let value = SampleText.number(cells[place].trimmed) else {
                leftOut += 1
                continue
            }
            samples.append((time, value))
        }
        guard !samples.isEmpty else { throw .noRows }
        convert(from: unit ?? Self.unit(in: heading))
    }

    /// The unit in brackets of a heading: `Speed (mph)`.
    private static func unit(in heading: String) -> String {
        guard let last = heading.trimmed.last, last == ")" || last == "]",
            let open = heading.lastIndex(of: last == ")" ? "(" : "[")
        else { return "" }
        return String(heading[open...].dropFirst()).trimmed.dropLast().description
    }

    /// Changes values into metric ones, because tables are metric.
    private mutating func convert(from unit: String) {
        let convert: (Double) -> Double
        switch unit.lowercased() {
        case "mph": (self.unit, convert) = ("km/h", { $0 * 1.609344 })
        case "mi", "miles": (self.unit, convert) = ("km", { $0 * 1.609344 })
        case "°f", "f": (self.unit, convert) = ("°C", { ($0 - 32) / 1.8 })
        case "psi": (self.unit, convert) = ("kPa", { $0 * 6.894757 })
        default:
            self.unit = unit
            return
        }
        for place in samples.indices { samples[place].value = convert(samples[place].value) }
    }

    // MARK: Trips

    /// Reads the values of a signal of a recorded trip.
    ///
    /// - Parameter names: the names of the signal.
    package init(of readings: TripReadings, names: [String]) throws {
        let wanted = Set(names.map { $0.lowercased() })
        var best: Int?
        for (place, signal) in readings.signals.enumerated()
        where signal.frame == nil && signal.minimum != nil {
            let known = readings.table[signal.signal]
            guard wanted.contains(known.id.lowercased()) || wanted.contains(known.name.lowercased())
            else { continue }
            if signal.readings > best.map({ readings.signals[$0].readings }) ?? 0 { best = place }
        }
        guard let best else {
            let known = Set(readings.signals.map { readings.table[$0.signal].id })
            throw Fault.noSignal(names.first ?? "", trip: readings.trip.id, known: known.sorted())
        }
        unit = readings.table[readings.signals[best].signal].unit
        let start = readings.trip.start
        try readings.forEachNumber(of: [best]) { t, _, value in
            samples.append((.utc(start.later(by: t)), value))
        }
        guard !samples.isEmpty else { throw Fault.noRows }
    }

    // MARK: Clocks

    /// How the times were set to the clock of the log.
    package enum Clock: String, Sendable {
        /// Both have dates.
        case dates
        /// The times count from the first frame.
        case fromStart
        /// The log counts too, and the times are those of its lines.
        case ofLog
    }

    /// The values in the clock of a log.
    package func course(
        in log: BusLog
    ) throws(Fault) -> (course: KnownCourse, clock: Clock) {
        var clock = Clock.dates
        var found: [KnownCourse.Sample] = []
        for sample in samples {
            let time: Int64
            switch sample.time {
            case .utc(let utc): time = try log.time(of: utc)
            case .local(let wall):
                if let began = log.began {
                    time = wall.microseconds - began.microseconds
                } else {
                    time = try log.time(of: utc(onTheWall: wall))
                }
            case .timeOfDay(let passed): time = try log.time(ofDay: passed)
            case .elapsed(let passed):
                clock = log.isRelative ? .ofLog : .fromStart
                time = log.isRelative ? passed : log.recording.start + passed
            }
            found.append(KnownCourse.Sample(time: time, value: sample.value))
        }
        return (KnownCourse(found), clock)
    }
}
