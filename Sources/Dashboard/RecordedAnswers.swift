import Diagnostics
import Formats
import OBDCore
import PIDTables
import Reports
import SystemIO
import TripStore
import VehicleScan
import WebServer

/// Answers from the database: trips with plots, tracks and exports, history of codes, test results.
struct RecordedAnswers {
    let sources: WebSources
    let units: UnitSystem

    private var form: OutputForm { OutputForm(format: .json, units: units) }

    /// The greatest number of plots on the page.
    private static let mostPlots = 8

    /// Whether a path belongs to recorded data.
    static func isRecorded(_ path: [String]) -> Bool {
        path == ["api", "codes", "history"] || path == ["api", "monitors", "trend"]
            || path.starts(with: ["api", "trips"]) && path.count <= 4
    }

    /// Answers a request for recorded data.
    func answer(_ head: RequestHead, _ response: WebResponse) throws {
        let store = try sources.database()
        let path = Array(head.path.dropFirst())
        switch path {
        case ["codes", "history"]:
            try StreamedAnswer.print(response) { try codes(head, store, &$0) }
        case ["monitors", "trend"]:
            try StreamedAnswer.print(response) { writer in
                let points = try store.monitorTrend(vehicle: head.queryValue("vehicle"))
                try MonitorTrendReport(
                    points: points, names: store.names(ofVehicles: points.map(\.vin)), output: form
                ).print(&writer)
            }
        case ["trips"]: try StreamedAnswer.print(response) { try trips(head, store, &$0) }
        default:
            let id = try trip(path[1], store)
            switch path.count > 2 ? path[2] : "" {
            case "" where path.count == 2:
                try StreamedAnswer.print(response) {
                    try TripDetails.print(id, store, form, sources.fuelProfile, &$0)
                }
            case "plots": try StreamedAnswer.print(response) { try plots(id, head, store, &$0) }
            case "track": try StreamedAnswer.print(response) { try track(id, store, &$0) }
            case "diagnosis": try StreamedAnswer.print(response) { try diagnosis(id, store, &$0) }
            case "export": try export(id, head, store, response)
            case "report":
                let readings = try store.readings(ofTrip: id)
                let page = try TripReport(
                    readings, store, units, sources.fuelProfile(readings.trip)
                ).page
                try PrintedAnswer(head, sources.printer, name: "trip-\(id)").send(response) {
                    $0.map { page.bytes(on: $0) } ?? page.bytes
                }
            default: throw WebProblem(.notFound, "there is nothing at this address")
            }
        }
    }

    /// A trip by its number or name.
    private func trip(_ text: String, _ store: TripStore) throws -> Int64 {
        let id = try sources.trip(text, store)
        _ = try store.trip(id)
        return id
    }

    private func trips(
        _ head: RequestHead, _ store: TripStore, _ writer: inout TextOutput
    ) throws {
        var filter = TripStore.TripFilter(withScans: head.queryValue("all") == "true")
        filter.vehicle = head.queryValue("vehicle")
        filter.tag = head.queryValue("tag")
        filter.name = head.queryValue("name")
        if let text = head.queryValue("latest") {
            guard let latest = Int(text), latest > 0 else {
                throw WebProblem(.badRequest, "\"\(text)\" is not a number of trips")
            }
            filter.latest = latest
        }
        var printer = TripPrinter(form)
        for trip in try store.trips(filter) { try printer.print(trip, &writer) }
        try printer.finish(&writer)
    }

    private func codes(
        _ head: RequestHead, _ store: TripStore, _ writer: inout TextOutput
    ) throws {
        let texts = PIDTables.codeTexts()
        let entries = try store.codeHistory(vehicle: head.queryValue("vehicle"))
        try CodeHistoryReport(
            lives: try CodeLife.all(entries, in: store), texts: texts, output: form
        )
        .print(&writer)
    }

    // MARK: One trip

    private func diagnosis(
        _ id: Int64, _ store: TripStore, _ writer: inout TextOutput
    ) throws {
        let knowledge = try DriveKnowledge(causes: sources.causes())
        let found = try TripDiagnosis(of: store.readings(ofTrip: id), in: store, knowledge)
        for row in found.rows { try writer.print(row, .json) }
    }

    private func plots(
        _ id: Int64, _ head: RequestHead, _ store: TripStore, _ writer: inout TextOutput
    ) throws {
        let readings = try store.readings(ofTrip: id)
        let names = head.query.filter { $0.name == "signal" }.map(\.value)
        var places = try TripReport.places(names, readings, SignalNames.standardSignal)
        if names.isEmpty {
            // Without any of the usual signals, plot all others.
            if places.isEmpty {
                places = readings.signals.indices.filter {
                    readings.signals[$0].frame == nil && readings.signals[$0].mean != nil
                }
            }
            places = Array(places.prefix(Self.mostPlots))
        }
        let known = try store.names(ofVehicle: readings.trip.vin)
        for plot in try TripReport.plots(places, readings, units, known) {
            let row = Row(
                "plot",
                [
                    "trip": .integer(id), "signal": .text(plot.signal), "name": .text(plot.name),
                    "unit": .filled(plot.unit), "decimals": .integer(plot.places),
                    "seconds": .number(plot.seconds),
                    "points": .points(
                        plot.curve.map { point in point.map { ($0 * 1000).rounded() / 1000 } }),
                ])
            try writer.print(row, .json)
        }
    }

    private func track(_ id: Int64, _ store: TripStore, _ writer: inout TextOutput) throws {
        let readings = try store.readings(ofTrip: id)
        var points: [TrackPoint] = []
        try readings.forEachOtherRecord { time, record in
            if case .position(let position) = record {
                points.append(TrackPoint(position, time: time))
            }
        }
        let start = readings.trip.start
        let course = TrackMap(points).points.map { point in
            [Double(point.time.microseconds(since: start)) / 1e6, point.latitude, point.longitude]
        }
        try writer.print(Row("track", ["trip": .integer(id), "points": .points(course)]), .json)
    }

    private func export(
        _ id: Int64, _ head: RequestHead, _ store: TripStore, _ response: WebResponse
    ) throws {
        let forms: [String: (ending: String, type: String)] = [
            "csv": ("csv", "text/csv; charset=utf-8"), "json": ("jsonl", StreamedAnswer.jsonLines),
            "gpx": ("gpx", "application/gpx+xml"),
            "kml": ("kml", "application/vnd.google-earth.kml+xml"),
            "influx": ("lp", "text/plain; charset=utf-8"),
            "xlsx": (
                "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
            ),
        ]
        let name = head.queryValue("format") ?? "csv"
        guard let form = forms[name] else {
            throw WebProblem(
                .badRequest, "there is no format \"\(name)\"",
                hint: "format=csv, xlsx, json, gpx, kml or influx")
        }
        let layout = head.queryValue("layout") ?? "wide"
        var table = name == "xlsx" ? TripTableForm.ofSheet : TripTableForm()
        table.layout = TripTableForm.Layout(rawValue: layout)
        guard table.layout != nil else {
            throw WebProblem(
                .badRequest, "there is no layout \"\(layout)\"", hint: "layout=wide or long")
        }
        var selection = TripReadings.Selection()
        selection.signals = head.query.filter { $0.name == "signal" }.map(\.value)
        let part = try store.readings(ofTrip: id, selection)
        if selection.signals.isEmpty == false, part.signals.isEmpty {
            throw WebProblem(
                .badRequest,
                "the trip has no signal \(selection.signals.joined(separator: ", "))",
                hint: "/api/trips/\(id) lists its signals")
        }
        var writer = TripFileWriter(
            parts: [part], units: units, progress: { _ in },
            isNarrowed: !selection.signals.isEmpty, ecu: nil)
        var answer = ResponseHead(.ok, form.type)
        // The file name contains only the number, because names of trips and vehicles are not safe
        // file names.
        let long = ["csv", "xlsx"].contains(name) && layout == "long" ? "-long" : ""
        answer.fields = [
            ("Content-Disposition", "attachment; filename=\"trip-\(id)\(long).\(form.ending)\"")
        ]
        try StreamedAnswer(answer, response).write { file in
            switch name {
            case "csv": try writer.writeCSV(table, &file)
            case "xlsx": try writer.writeSheet(table, &file)
            case "json": try writer.writeJSON(&file)
            case "gpx": try writer.writeGPX(&file)
            case "kml": try writer.writeKML(&file)
            default: try writer.writeLineProtocol(&file)
            }
        }
    }
}
