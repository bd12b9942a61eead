import ArgumentParser
import Diagnostics
import OBDCore
import PIDTables
import Simulator
import SystemIO
import TripExport

/// `obdscan pids count`.
struct PIDsCountCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Count what this build knows.",
        discussion: """
            Services, PIDs, signals, monitors, codes with a text and more, counted in the embedded \
            tables and in the program itself. Users' own tables do not count.

            EXAMPLES
              obdscan pids count
              obdscan pids count --format json
            """)

    @OptionGroup var output: OutputOptions

    func run() throws {
        let counts: KnownCounts
        do {
            counts = try KnownCounts()
        } catch let error as TableError {
            throw Failure(error)
        }
        var writer = TextOutput.standard
        switch output.format {
        case .text:
            var rows = TextTable([("WHAT", .left), ("COUNT", .right)])
            for line in counts.lines { rows.add([.init(line.title), .init(String(line.count))]) }
            try writer.write(rows.text(output.palette()))
        case .json:
            var object = JSONObject()
            object.add("kind", "counts")
            for line in counts.lines { object.add(line.key, line.count) }
            try writer.append { object.append(to: &$0) }
        case .csv:
            try writer.append { bytes in
                CSVRow.append(["what", "count"], to: &bytes)
                for line in counts.lines {
                    CSVRow.append([line.title, String(line.count)], to: &bytes)
                }
            }
        }
        try writer.flush()
    }
}

/// What a build knows, counted where it is kept.
struct KnownCounts {
    /// One figure.
    struct Line {
        /// Its name in JSON.
        var key: StaticString
        /// Its name for people.
        var title: String
        var count: Int
    }

    /// The figures, in the order in which they are shown.
    let lines: [Line]

    /// Counts.
    init() throws {
        let records = try PIDTables.records()
        let packs = try PIDTables.packs().flatMap { try PIDTables.records(of: $0) }
        let monitors = try PIDTables.monitorTables()
        let texts = PIDTables.codeTexts()
        func data(_ service: Service) -> [TableRecord] {
            records.filter { record in
                record.dataID.service == service
                    && !record.signals.allSatisfy { $0.kind == .supportMap }
            }
        }
        func signals(_ records: [TableRecord]) -> Int {
            records.reduce(0) { $0 + $1.signals.count }
        }
        lines = [
            Line(key: "services", title: "services", count: ResponseDecoder.services.count),
            Line(key: "protocols", title: "protocols", count: VehicleProtocol.allCases.count),
            Line(key: "pids", title: "PIDs", count: data(.currentData).count),
            Line(
                key: "pidSignals", title: "signals of PIDs", count: signals(data(.currentData))),
            Line(
                key: "infoTypes", title: "info types", count: data(.vehicleInformation).count),
            Line(
                key: "infoItems", title: "signals of info types",
                count: signals(data(.vehicleInformation))),
            Line(
                key: "parameterGroups", title: "J1939 parameter groups",
                count: data(DataID.parameterGroups).count),
            Line(
                key: "parameters", title: "J1939 parameters",
                count: signals(data(DataID.parameterGroups))),
            Line(key: "signals", title: "signals in all", count: signals(records)),
            Line(
                key: "unverified", title: "of them unverified",
                count: records.reduce(0) { $0 + $1.unverified.count }),
            Line(key: "monitors", title: "monitors", count: monitors.monitorCount),
            Line(key: "tests", title: "tests", count: monitors.tests.count),
            Line(key: "scalings", title: "scalings", count: monitors.scalings.count),
            Line(key: "codes", title: "codes with a text", count: texts.codeCount),
            Line(
                key: "failureTypes", title: "failure types with a text",
                count: texts.failureTypeCount),
            Line(
                key: "spns", title: "J1939 parameters of codes", count: texts.parameterCount),
            Line(
                key: "fmis", title: "J1939 failure modes", count: texts.failureModeCount),
            Line(key: "refusals", title: "refusals with a name", count: NRC.named.count),
            Line(
                key: "vehicles", title: "simulated vehicles",
                count: SimulatorCatalogue.scenarios.count),
            Line(key: "packs", title: "packs", count: PIDTables.packs().count),
            Line(key: "packSignals", title: "signals of packs", count: signals(packs)),
        ]
    }
}
