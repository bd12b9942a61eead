import Diagnostics
import OBDCore
import ScanSession
import TripRecorder
import TripStore
import VehicleScan

/// Keeps what a short look at a vehicle brought, so that there is a history of its codes and test
/// results.
///
/// Of real accessories only: simulated and replayed ones leave no trace unless a database is named.
/// A database that cannot be used is no reason to fail.
enum ScanRecord {
    /// Keeps what was asked; `lists` says which of it are lists of codes.
    static func keep(
        _ asked: [QueryResult], lists: [CodeScan.List] = [], _ connection: Vehicle,
        _ services: VehicleServices, _ options: DatabaseOptions, _ output: OutputOptions
    ) {
        guard isWanted(connection, options) else { return }
        let vin = try? connection.vin(by: services.profiles)
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

    /// Whether what `connection` brings is kept at all.
    static func isWanted(_ connection: Vehicle, _ options: DatabaseOptions) -> Bool {
        connection.key != nil || options.isNamed
    }
}
