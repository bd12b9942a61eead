import Engines
import Formats
import OBDCore
import PIDTables
import Publishing
import Settings
import SystemIO
import TripRecorder

extension ChosenSink.Surroundings {
    /// This computer, its user and the environment of this process.
    static var ofProcess: Self {
        Self(
            host: hostName(), machine: machineDigest(), home: environment("HOME"), variable: setting
        )
    }
}

extension UserSettings {
    /// The address of each alias, in the form in which trips have the addresses of their adapters.
    var rememberedDevices: [String: String] {
        aliases.mapValues { (try? resolved($0))?.transport.memoryKey ?? $0 }
    }
}

extension ChosenSink {
    /// The data to send to the sink.
    func selection(trips: Set<Int64>? = nil) throws -> SinkSelection {
        let settings = UserSettings.current
        var selection = try selection(
            trips: trips, tables: try TableFile.own(),
            aliases: settings.rememberedDevices)
        selection.vehicles = settings.vehicles
        selection.fuelProfile = { settings.fuelProfile(of: $0) }
        return selection
    }

    /// The broker with the data for it.
    func broker(
        _ selection: SinkSelection, database: String, drains: Bool
    ) throws(SinkFault) -> MQTTSink {
        try broker(
            selection, database: database, drains: drains,
            version: ObdscanCommand.configuration.version
        ) { Self.readCodes(adapter: $0, into: database) }
    }

    /// Reads the trouble codes at an adapter into the database, as the user would.
    private static func readCodes(adapter: String, into database: String) -> String {
        guard UsedAdapters().contains(adapter) else {
            return "no codes were read: this machine has not used \(printable(adapter))"
        }
        let end = try? ChildProcess.run(
            "/proc/self/exe", ["dtc", "-d", adapter, "--db", database, "--quiet"],
            until: SystemClock.now() + .seconds(60), cancelledBy: nil)
        // 1: there are codes.
        switch end {
        case .exited(0), .exited(1): return "codes were read"
        case .exited(let status): return "no codes were read: obdscan dtc ends with \(status)"
        case .killed: return "no codes were read within a minute"
        case .signalled, nil: return "no codes were read"
        }
    }
}
