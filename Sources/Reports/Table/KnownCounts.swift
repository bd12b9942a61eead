import Diagnostics
import Formats
import OBDCore
import PIDTables
import Simulator

/// Counts of what this build supports, taken from the tables themselves.
package struct KnownCounts {
    /// One figure.
    package struct Line: Sendable {
        /// The name of the count in JSON.
        package var key: String
        /// The name of the count for people.
        package var title: String
        package var count: Int
    }

    /// The figures in the order of the output.
    package let lines: [Line]

    package init() throws {
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
        func proven(_ records: [TableRecord]) -> Int {
            records.reduce(0) { sum, record in
                sum + Set(record.examples.flatMap { $0.values.map(\.signal) }).count
            }
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
            Line(
                key: "automaticPacks", title: "packs that a vehicle's VIN chooses",
                count: PIDTables.automaticPacks().count),
            Line(
                key: "proven", title: "signals that a worked example shows", count: proven(records)),
            Line(
                key: "packProven", title: "signals of packs that a worked example shows",
                count: proven(packs)),
            Line(key: "roles", title: "roles of signals", count: SignalRole.allCases.count),
            Line(
                key: "roleSignals", title: "signals that have a role",
                count: (records + packs).reduce(0) { sum, record in
                    sum + record.signals.count { SignalRole(aliases: $0.aliases) != nil }
                }),
        ]
    }

    package static let shape = RowShape<Line>(
        "count",
        [
            Field("key") { .text($0.key) },
            Field("what", "WHAT") { .text($0.title) },
            Field("count", "COUNT", .right) { .integer($0.count) },
        ])
}
