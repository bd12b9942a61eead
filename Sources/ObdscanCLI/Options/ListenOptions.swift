import ArgumentParser
import Diagnostics
import OBDCore
import Reports
import VehicleScan

/// Options for what ECUs send by themselves.
struct ListenOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Listen to the bus and send nothing.",
            discussion: """
                The values come from the frames that ECUs send by themselves, by the table of --table or \
                by SAE J1939. A signal is named Message.Signal, or Signal for that of each message.
                """))
    var listen = false

    @Option(
        help: ArgumentHelp(
            "Add a PID table or a DBC file; may be repeated.", valueName: "file"),
        completion: .file())
    var table: [String] = []
}

extension ListenOptions {
    /// What a session that listens passes on, and the named signals.
    func heard(
        _ names: [String], _ table: PIDTable, _ vehicleProtocol: VehicleProtocol?
    ) throws -> (named: [SignalIndex], listener: BusReadings) {
        let named = try BusSignals.find(names, in: table)
        let listener = BusReadings(
            table, try loadMonitorTables(), signals: named.map { Set($0) },
            isJ1939: vehicleProtocol == .j1939 ? true : nil)
        return (named ?? [], listener)
    }
}
