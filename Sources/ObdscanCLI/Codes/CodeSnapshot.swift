import Diagnostics
import OBDCore
import ScanSession
import TripStore

/// Keeps what clearing codes destroys, in the database, before it is destroyed.
struct CodeSnapshot {
    private let writer: TripWriter

    /// Begins a record of the vehicle's state.
    init(_ options: DatabaseOptions, _ connection: Connection) throws(Failure) {
        let store = try options.open(.readWrite)
        do {
            writer = try store.startTrip(
                TripStart(
                    purpose: .scan, anchor: connection.anchor, accessory: connection.key),
                table: connection.table)
        } catch {
            throw Failure(error)
        }
    }

    /// Keeps what was read; returns when it is on the disk.
    func keep(_ asked: [Asked]) throws(Failure) {
        for one in asked where !one.answer.items.isEmpty {
            _ = writer.offer(one.answer.items, at: one.answer.answered)
        }
        do {
            try writer.flush()
        } catch {
            throw Failure(error)
        }
    }

    /// Notes what became of the request and ends the record.
    func finish(_ cleared: [Asked]) throws(Failure) {
        for asked in cleared {
            for message in asked.answer.reply.messages where message.confirmsClearing {
                let event = TripEvent(
                    .codesCleared, text: "codes cleared", ecu: message.ecu,
                    service: message.payload.first.map { Service($0 & ~0x40) })
                _ = writer.offer(.event(event), at: asked.answer.answered)
            }
        }
        do {
            try writer.end(.stopped, at: Clock.now)
        } catch {
            throw Failure(error)
        }
    }
}
