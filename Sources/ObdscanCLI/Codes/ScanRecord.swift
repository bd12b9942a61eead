import Diagnostics
import OBDCore
import ScanSession
import TripRecorder
import TripStore
import VehicleScan

/// Stores the results of short scans, to build a history of codes and test results.
///
/// Simulated and replayed devices are stored only if the user names a database. An unusable
/// database does not make the command fail.
enum ScanRecord {
    /// Stores the answers; `lists` contains the lists of codes among them.
    static func keep(
        _ asked: [QueryResult], lists: [CodeScan.List] = [], of known: VIN? = nil,
        _ connection: Vehicle, _ services: VehicleServices, _ options: DatabaseOptions,
        _ output: OutputOptions
    ) {
        guard isWanted(connection, options) else { return }
        let vin = try? known ?? connection.names.vin ?? connection.vin(by: services.profiles)
        do {
            let store = try options.open(.readWrite)
            let start = asked.map(\.answer.answered).min() ?? connection.anchor.monotonic
            let anchor = TimeAnchor(monotonic: start, utc: connection.utc(start))
            let writer = try mapped { () throws(StoreError) in
                try store.startTrip(
                    TripStart(
                        purpose: .scan, anchor: anchor, vin: vin, accessory: connection.key),
                    table: connection.table)
            }
            writer.offer(asked, lists: lists)
            let last = asked.map(\.answer.answered).max() ?? start
            try mapped { () throws(StoreError) in try writer.end(.stopped, at: last) }
        } catch {
            if output.verbose { output.note("not kept in the database: \(error.message)") }
        }
    }

    /// Whether answers from `connection` are stored.
    static func isWanted(_ connection: Vehicle, _ options: DatabaseOptions) -> Bool {
        connection.key != nil || options.isNamed
    }
}
