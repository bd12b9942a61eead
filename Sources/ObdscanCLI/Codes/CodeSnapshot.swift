import Diagnostics
import OBDCore
import ScanSession
import SystemIO
import TripRecorder
import TripStore
import VehicleScan

/// Keeps what clearing codes destroys, in the database, before it is destroyed.
///
/// As ``ScanRecord``, of real accessories or in a database that was named; but what cannot be kept
/// is not cleared.
struct CodeSnapshot {
    /// Nil where nothing is kept.
    private let writer: TripWriter?

    /// Begins a record of the vehicle's state; `vin` is the vehicle's, where it shows one.
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

    /// Keeps what was read; returns when it is on the disk.
    func keep(_ scan: CodeScan, _ frozen: [QueryResult]) throws(Failure) {
        guard let writer else { return }
        writer.offer(scan.asked + frozen, lists: scan.lists)
        try mapped { () throws(StoreError) in try writer.flush() }
    }

    /// Notes what became of the request, nil when that is not known, and ends the record.
    func finish(_ clearing: CodeClearing?) throws(Failure) {
        guard let writer else { return }
        writer.offer(clearing)
        try mapped { () throws(StoreError) in try writer.end(.stopped, at: SystemClock.now()) }
    }
}
