import ArgumentParser
import Diagnostics
import OBDCore
import PIDTables
import Reports
import ScanSession
import SystemIO
import VehicleScan

/// `obdscan bench`: how fast this adapter and vehicle answer; reads only.
struct BenchCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure how fast this adapter and vehicle answer.",
        discussion: """
            Measures the adapter alone (AT I), then requests for one signal and for several, each \
            with and without the count digit, which says how many answers to wait for. Then it \
            polls as 'live' and 'log' do. Without signals it uses some that the vehicle supports. \
            It only reads. The figures hold for this adapter, this vehicle and this line rate.

            EXAMPLES
              obdscan bench
              obdscan bench rpm speed tp --requests 100
              obdscan bench --format json -d sim:petrol?latency=25ms
            """)

    @Argument(
        help: ArgumentHelp(
            "Signals to ask for (default: some that the vehicle supports).", valueName: "signal"))
    var signals: [String] = []

    @Option(
        help: ArgumentHelp("Send this many of each kind, 2 to 10000.", valueName: "number")
    )
    var requests = 30

    @Option(help: ArgumentHelp("Poll for this time at the end.", valueName: "time"))
    var duration: DurationArgument?

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (2...10_000).contains(requests) else {
            throw ValidationError("--requests takes a number from 2 to 10000")
        }
    }

    func run() throws {
        let table = try loadTable(tables)
        let names = SignalNames(table)
        let selected = try signals.map { try names.find($0) }
        try withVehicle(vehicle, output, table) { connection in
            var bench = LinkBench(
                connection, wants: try wants(selected, connection), requests: requests)
            var writer = TextOutput.standard
            var printer = BenchPrinter(output.form)
            try writer.append { printer.begin(connection, to: &$0) }
            while let figures = try bench.next() {
                try writer.append { printer.append(figures, to: &$0) }
                try writer.flush()
            }
            let polling = try bench.poll(for: duration?.duration ?? .seconds(3))
            try writer.append {
                printer.append(polling, to: &$0)
                printer.end(bench.verdict(polling), to: &$0)
            }
            try writer.flush()
        }
    }

    /// The records to request: the named ones, or the first supported ones with one signal each.
    private func wants(
        _ selected: [SelectedSignal], _ connection: Vehicle
    ) throws -> [PollPlan.Want] {
        var records = selected.compactMap(\.record)
        if selected.isEmpty {
            let services = try connection.services()
            let supported = try connection.supportedIDs(in: services) { .supportedPIDs($0) }
            records = LinkBench.usual.filter { supported.all.contains($0) }.compactMap {
                connection.table.record(DataID(.currentData, UInt32($0)))
            }
            records = Array(records.filter { $0.signals.count == 1 }.prefix(6))
            if records.isEmpty {
                throw connection.failure(of: [services.first])
                    ?? Failure(
                        "\(connection.accessory): the vehicle announces none of the usual signals",
                        hint: "name some: \"obdscan bench rpm speed\"", status: .timedOut)
            }
        }
        guard !records.isEmpty else {
            throw Failure(
                "nothing to ask the vehicle: the voltage is the adapter's own",
                hint: "name signals of the vehicle: \"obdscan bench rpm speed\"", status: .usage)
        }
        return records.map { PollPlan.Want($0, as: $0.dataID, period: nil, ecu: connection.ecu) }
    }
}
