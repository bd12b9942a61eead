import Formats
import OBDCore
import SystemIO
import TripStore

/// The trips of vehicles as a logbook: odometer, distance and purpose of each trip, and the sums of each month.
package struct Logbook {
    /// The purpose of a trip, by its tag.
    package enum Purpose: String, CaseIterable, Sendable {
        case business, `private`, commute
    }

    /// A trip in the logbook.
    struct Entry: Sendable {
        var trip: TripSummary
        /// Nil if no tag says the purpose, or several do.
        var purpose: Purpose?
        /// The distance by odometer since the vehicle's previous trip that no trip contains; unit: km.
        var missing: Double?
        /// By how much the odometer is lower than after the vehicle's previous trip; unit: km.
        var fell: Double?

        /// `2026-11`, in local time.
        var month: String { String(localTime(trip.start).prefix(7)) }
    }

    /// The sums of a vehicle's month.
    struct Total: Sendable {
        var month: String
        var vin: String?
        var vehicle: String?
        var trips = 0
        var seconds = 0.0
        /// The known distances by purpose; nil is a trip without a purpose; unit: km.
        var distances: [Purpose?: Double] = [:]
        /// The number of trips whose distance is not known.
        var unknown = 0
        var missing = 0.0

        var distance: Double { distances.values.reduce(0, +) }
    }

    /// Most odometers count whole kilometres, so a smaller distance between two trips proves nothing; unit: km.
    private static let odometerStep = 1.0

    let entries: [Entry]
    let totals: [Total]
    private let units: UnitSystem

    /// Takes all trips of the vehicles, in any order, and lists those that `includes` accepts.
    ///
    /// The other trips show which distance was recorded.
    package init(
        _ trips: [TripSummary], _ units: UnitSystem,
        listing includes: (TripSummary) -> Bool = { _ in true }
    ) {
        self.units = units
        var entries: [Entry] = []
        var totals: [Total] = []
        var ends: [String: (odometer: Double, time: UTC)] = [:]
        for trip in trips.sorted(by: { ($0.start, $0.id) < ($1.start, $1.id) }) {
            let tags = trip.tags.map { $0.lowercased() }
            let purposes = Purpose.allCases.filter { tags.contains($0.rawValue) }
            var entry = Entry(trip: trip, purpose: purposes.count == 1 ? purposes[0] : nil)
            // Without the right time, the order of the trips is unknown.
            if let vin = trip.vin, let odometer = trip.odometer, trip.isClockSet != false {
                let end = ends[vin]
                let gap = end.map { odometer.lowerBound - $0.odometer } ?? 0
                if gap > Self.odometerStep { entry.missing = gap }
                // Two records of one drive overlap.
                if let end, gap < -Self.odometerStep, trip.start >= end.time { entry.fell = -gap }
                let isAhead =
                    entry.fell != nil || end.map { odometer.upperBound > $0.odometer } ?? true
                ends[vin] = (
                    isAhead ? odometer.upperBound : end?.odometer ?? odometer.upperBound,
                    max(end?.time ?? trip.end, trip.end)
                )
            }
            guard includes(trip) else { continue }
            entries.append(entry)
            let place =
                totals.firstIndex {
                    $0.month == entry.month && $0.vin == trip.vin && $0.vehicle == trip.vehicle
                } ?? totals.count
            if place == totals.count {
                totals.append(Total(month: entry.month, vin: trip.vin, vehicle: trip.vehicle))
            }
            totals[place].trips += 1
            totals[place].seconds += trip.seconds
            totals[place].missing += entry.missing ?? 0
            if let distance = trip.distance {
                totals[place].distances[entry.purpose, default: 0] += distance
            } else {
                totals[place].unknown += 1
            }
        }
        self.entries = entries
        self.totals = totals.sorted {
            ($0.month, $0.vehicle ?? "") < ($1.month, $1.vehicle ?? "")
        }
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// A distance in the shown units; an unknown distance is empty.
    private func text(_ distance: Double?) -> String {
        distance.map { shown($0, "km", 1, units) } ?? ""
    }

    private func text(_ purpose: Purpose?, of total: Total) -> String {
        text(total.distances[purpose])
    }

    // MARK: Programs

    private static let entryShape = RowShape<Entry>(
        "logbookTrip",
        [
            Field("trip") { .integer($0.trip.id) }, Field("vin") { .text($0.trip.vin) },
            Field("vehicle") { .text($0.trip.vehicle) },
            Field("start") { .time($0.trip.start) }, Field("end") { .time($0.trip.end) },
            Field("odometerStartKm") { .number($0.trip.odometer?.lowerBound, places: 1) },
            Field("odometerEndKm") { .number($0.trip.odometer?.upperBound, places: 1) },
            Field("distanceKm") { .number($0.trip.distance, places: 3) },
            Field("purpose") { .text($0.purpose?.rawValue) },
            Field("missingKm") { .number($0.missing, places: 1) },
            Field("fellKm") { .number($0.fell, places: 1) },
            Field("name") { .text($0.trip.name) },
            Field("clock") { .text($0.trip.isClockSet.map { $0 ? "set" : "unset" }) },
        ])

    private static let totalShape = RowShape<Total>(
        "logbookTotal",
        [
            Field("month") { .text($0.month) }, Field("vin") { .text($0.vin) },
            Field("vehicle") { .text($0.vehicle) }, Field("trips") { .integer($0.trips) },
            Field("seconds") { .number($0.seconds, places: 1) },
            Field("distanceKm") { .number($0.distance, places: 3) },
            Field("businessKm") { .number($0.distances[.business] ?? 0, places: 3) },
            Field("privateKm") { .number($0.distances[.private] ?? 0, places: 3) },
            Field("commuteKm") { .number($0.distances[.commute] ?? 0, places: 3) },
            Field("otherKm") { .number($0.distances[nil] ?? 0, places: 3) },
            Field("withoutDistance") { .integer($0.unknown) },
            Field("missingKm") { .number($0.missing, places: 1) },
        ])

    /// Prints the logbook.
    package func print(_ output: OutputForm, _ writer: inout TextOutput) throws(OutputError) {
        guard output.format == .text else {
            var rows = RowWriter(
                output.format, kinds: [Self.entryShape.keys, Self.totalShape.keys])
            for entry in entries { try writer.print(Self.entryShape.row(entry), &rows) }
            for total in totals { try writer.print(Self.totalShape.row(total), &rows) }
            return try writer.flush()
        }
        guard !isEmpty else { return }
        var table = TextTable(
            Self.entryHead.map { ($0.title, $0.alignment) }, flexible: [3, 8], spare: [[5]])
        for entry in entries { table.add(cells(of: entry).map { .init($0) }) }
        var sums = TextTable(
            Self.totalHead.map { ($0.title, $0.alignment) }, flexible: [1], spare: [[3]])
        for total in totals { sums.add(cells(of: total).map { .init($0) }) }
        try writer.write(table.text(output.palette, columns: output.columns) + "\n")
        try writer.write(sums.text(output.palette, columns: output.columns))
        try writer.flush()
    }

    // MARK: People

    private typealias Heading = (title: String, alignment: TextTable.Alignment)

    private static let entryHead: [Heading] = [
        ("TRIP", .right), ("START", .left), ("END", .left), ("VEHICLE", .left),
        ("ODOMETER", .right), ("TO", .right), ("DISTANCE", .right), ("PURPOSE", .left), ("", .left),
    ]

    private static let totalHead: [Heading] = [
        ("MONTH", .left), ("VEHICLE", .left), ("TRIPS", .right), ("DURATION", .right),
        ("DISTANCE", .right), ("BUSINESS", .right), ("PRIVATE", .right), ("COMMUTE", .right),
        ("NO PURPOSE", .right), ("", .left),
    ]

    private func cells(of entry: Entry) -> [String] {
        let trip = entry.trip
        let (start, end) = (localTime(trip.start), localTime(trip.end))
        let words = [
            trip.name, trip.isClockSet == false ? "clock not set" : nil,
            entry.missing.map { "\(text($0)) before this trip are not recorded" },
            entry.fell.map { "the odometer is \(text($0)) lower than after the trip before" },
        ]
        return [
            trip.number, String(start.prefix(16)),
            start.prefix(10) == end.prefix(10)
                ? String(end.dropFirst(11).prefix(5)) : String(end.prefix(16)),
            trip.vehicle ?? "—", text(trip.odometer?.lowerBound), text(trip.odometer?.upperBound),
            trip.distance == nil ? "—" : text(trip.distance), entry.purpose?.rawValue ?? "—",
            words.compactMap(\.self).joined(separator: "; "),
        ]
    }

    private func cells(of total: Total) -> [String] {
        let words = [
            total.unknown == 0 ? nil : "\(total.unknown) without a distance",
            total.missing == 0 ? nil : "\(text(total.missing)) not recorded",
        ]
        return [
            total.month, total.vehicle ?? "—", String(total.trips), durationText(total.seconds),
            text(total.distance), text(.business, of: total), text(.private, of: total),
            text(.commute, of: total), text(nil, of: total),
            words.compactMap(\.self).joined(separator: "; "),
        ]
    }

    /// The logbook as a page to print.
    package var page: HTMLPage {
        let months = totals.map(\.month)
        var page = HTMLPage(
            title: "Logbook",
            lead: months.first.map { first in
                months.last == first ? first : "\(first) to \(months.last ?? first)"
            } ?? "")
        let head = { (headings: [Heading]) in
            headings.map { heading in
                HTMLText.Cell(
                    heading.title.prefix(1) + heading.title.dropFirst().lowercased(),
                    heading.alignment == .right ? "n" : nil)
            }
        }
        let cells = { (texts: [String], headings: [Heading]) in
            zip(texts, headings).map { text, heading in
                HTMLText.Cell(text, heading.alignment == .right ? "n" : nil)
            }
        }
        page.section("Sums") {
            $0.table(head(Self.totalHead), totals.map { cells(self.cells(of: $0), Self.totalHead) })
        }
        page.section("Trips") {
            $0.table(
                head(Self.entryHead), entries.map { cells(self.cells(of: $0), Self.entryHead) })
        }
        return page
    }

    /// The columns of the sheet, in the order of ``entryShape``: a sheet has kilometres and local times.
    private static let sheetHead: [(name: String, width: Int)] = [
        ("Trip", 8), ("VIN", 20), ("Vehicle", 20), ("Start", 18), ("End", 18),
        ("Odometer at the start (km)", 26), ("Odometer at the end (km)", 26), ("Distance (km)", 16),
        ("Purpose", 16), ("Not recorded before (km)", 26), ("Odometer lower by (km)", 26),
        ("Name", 20), ("Clock", 10),
    ]

    /// The columns of the sheet of sums.
    private static let sumHead = [
        "Month", "Vehicle", "Trips", "Hours", "Distance (km)", "Business (km)", "Private (km)",
        "Commute (km)", "No purpose (km)", "Trips without a distance", "Not recorded (km)",
    ]

    /// The trips as a sheet, with local times, and the sums as a second one.
    package var sheet: Workbook {
        var book = Workbook(title: "logbook", columns: Self.sheetHead)
        for entry in entries {
            let row = Self.entryShape.row(entry)
            book.add(
                row.keys.map { key in
                    switch key {
                    case "start": Self.localCell(entry.trip.start)
                    case "end": Self.localCell(entry.trip.end)
                    default: Workbook.Cell(row[key])
                    }
                })
        }
        if !totals.isEmpty {
            book.summary = [Self.sumHead.map { .text($0) }] + totals.map(Self.sums)
        }
        return book
    }

    private static func sums(of total: Total) -> [Workbook.Cell] {
        func road(_ kilometres: Double?) -> Workbook.Cell { .rounded(kilometres ?? 0, decimals: 1) }
        return [
            .text(total.month), total.vehicle.map { .text($0) } ?? .empty,
            .number(Double(total.trips)), .rounded(total.seconds / 3600, decimals: 2),
            road(total.distance), road(total.distances[.business]),
            road(total.distances[.private]), road(total.distances[.commute]),
            road(total.distances[nil]), .number(Double(total.unknown)), road(total.missing),
        ]
    }

    /// A local time, because the format of sheets has no time zones.
    private static func localCell(_ time: UTC) -> Workbook.Cell {
        UTC(localTime(time) + "Z").map(Workbook.Cell.time) ?? .empty
    }

    /// The trips as CSV.
    package var csv: [UInt8] {
        var rows = RowWriter(.csv, columns: Self.entryShape.keys)
        var bytes: [UInt8] = []
        for entry in entries { rows.append(Self.entryShape.row(entry), to: &bytes) }
        rows.finish(&bytes)
        return bytes
    }

    /// The heading of ``csv``.
    package static let columns = entryShape.keys
}
