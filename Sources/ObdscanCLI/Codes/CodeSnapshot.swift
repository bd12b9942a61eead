import Diagnostics
import OBDCore
import ScanSession
import SystemIO
import TripRecorder
import TripStore
import VehicleScan

/// Stores everything that clearing codes destroys, before the codes are cleared.
///
/// Like ``ScanRecord``, a snapshot stores data of real devices, or any data if the user named a database. But
/// if storing fails, the codes are not cleared.
struct CodeSnapshot {
    /// Nil if nothing is stored.
    private let writer: TripWriter?

    /// Begins a record of the vehicle's state; `vin` is nil if the vehicle does not report it.
    init(_ options: DatabaseOptions, _ connection: Vehicle, _ vin: VIN?) throws(Failure) {
        guard ScanRecord.isWanted(connection, options) else {
            writer = nil
            return
        }
        let store = try options.open(.readWrite)
        writer = try mapped { () throws(StoreError) in
            try store.startTrip(
                TripStart(
                    purpose: .scan, anchor: connection.anchor, vin: vin, accessory: connection.key),
                table: connection.table)
        }
    }

    /// Stores the answers; returns when they are on the disk.
    func keep(_ scan: CodeScan, _ frozen: [QueryResult]) throws(Failure) {
        guard let writer else { return }
        writer.offer(scan.asked + frozen, lists: scan.lists)
        try mapped { () throws(StoreError) in try writer.flush() }
    }

    /// Stores the result of the request, nil if it is unknown, and ends the record.
    func finish(_ clearing: CodeClearing?) throws(Failure) {
        guard let writer else { return }
        writer.offer(clearing)
        try mapped { () throws(StoreError) in try writer.end(.stopped, at: SystemClock.now()) }
    }
}
