import Diagnostics
import OBDCore
import ScanSession
import SystemIO
import TripStore
import VehicleScan

/// Stores everything that clearing codes destroys, before the codes are cleared.
///
/// Like ``ScanRecord``, it stores data of real devices, or any data if the user named a database.
/// But if storing fails, the codes are not cleared.
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
        ScanRecord.offer(scan.asked + frozen, lists: scan.lists, to: writer)
        try mapped { () throws(StoreError) in try writer.flush() }
    }

    /// Stores the result of the request, nil if it is unknown, and ends the record.
    func finish(_ clearing: CodeClearing?) throws(Failure) {
        guard let writer else { return }
        for asked in clearing?.sent ?? [] {
            for message in asked.answers where message.confirmsClearing {
                let event = TripEvent(
                    .codesCleared, text: "codes cleared", ecu: message.ecu,
                    service: message.payload.first.map { Service($0 & ~0x40) })
                _ = writer.offer(.event(event), at: asked.answer.answered)
            }
        }
        if let after = clearing?.after {
            ScanRecord.offer(after.asked, lists: after.lists, to: writer)
        }
        try mapped { () throws(StoreError) in try writer.end(.stopped, at: SystemClock.now()) }
    }
}
