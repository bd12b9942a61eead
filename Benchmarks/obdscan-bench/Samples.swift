import Diagnostics
import Dispatch
import OBDCore
import TripStore

/// The values of five sensors of an engine, ten times per second.
enum Samples {
    static var table: PIDTable {
        var table = PIDTable()
        let rows: [(UInt32, String, String, String)] = [
            (0x0C, "RPM", "Engine speed", "rpm"), (0x0D, "VSS", "Vehicle speed", "km/h"),
            (0x05, "ECT", "Engine coolant temperature", "°C"),
            (0x11, "TP", "Absolute throttle position", "%"),
            (0x0B, "MAP", "Intake manifold absolute pressure", "kPa"),
        ]
        for (pid, id, name, unit) in rows {
            table.add(
                DataID(.currentData, pid), name: name, length: 2...2,
                signals: [
                    Signal(
                        id: id, name: name, bitOffset: 0, bitLength: 16, kind: .number,
                        divisor: 4, unit: unit)
                ])
        }
        return table
    }

    /// The readings of one request for all five; `number` counts requests.
    static func batch(_ number: Int, _ table: PIDTable, into items: inout [DiagnosticItem]) {
        items.removeAll(keepingCapacity: true)
        let ecu = ECUAddress(0x7E8, .can11)
        for index in 0..<5 {
            let raw = UInt16(
                truncatingIfNeeded: UInt32(truncatingIfNeeded: number * 5 + index) &* 2_654_435_761)
            let record = table.records[index]
            items.append(
                .reading(
                    Reading(
                        ecu: ecu, dataID: record.dataID,
                        signal: SignalIndex(rawValue: Int32(index)),
                        value: .number(Double(raw) / 4),
                        raw: [UInt8(raw >> 8), UInt8(truncatingIfNeeded: raw)], line: 0)))
        }
    }

    static let anchor = TimeAnchor(
        monotonic: .zero, utc: UTC(microseconds: 1_790_000_000_000_000))

    /// Writes a trip of `rows` readings and returns the seconds from the first to its end.
    static func write(rows: Int, to store: TripStore, clock: () -> Double) throws -> Double {
        let table = table
        let space = DispatchSemaphore(value: 0)
        let writer = try store.startTrip(TripStart(anchor: anchor), table: table) {
            if $0 == .space { space.signal() }
        }
        var items: [DiagnosticItem] = []
        let start = clock()
        let requests = rows / 5
        for number in 0..<requests {
            batch(number, table, into: &items)
            let instant = Instant(nanoseconds: Int64(number) * 100_000_000)
            while !writer.offer(items, at: instant) { space.wait() }
        }
        try writer.end(.stopped, at: Instant(nanoseconds: Int64(requests) * 100_000_000))
        return clock() - start
    }
}
