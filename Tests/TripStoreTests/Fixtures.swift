import Diagnostics
import Foundation
import OBDCore
import Synchronization
import TestSupport

@testable import TripStore

/// A directory that is deleted after the test.
final class Scratch: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "obdscan-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String = "obdscan.db") -> String { url.appending(path: name).path }

    /// Accesses a database like another program.
    func sql<Value>(
        _ name: String = "obdscan.db", _ body: (Database) throws -> Value
    ) throws -> Value {
        // A store that is closing may still hold the file.
        try Connection(path(name), .init(patience: .seconds(10))).access(body)
    }
}

extension Row {
    /// The value of a column as text, - for null.
    func text(_ column: String) throws -> String {
        switch try self[column] as SQLValue {
        case .null: "-"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text
        case .blob(let bytes): "\(bytes)"
        }
    }
}

/// The notices of a writer.
final class Notices: Sendable {
    private let list = Mutex<[TripWriter.Notice]>([])

    var all: [TripWriter.Notice] { list.withLock { $0 } }

    func append(_ notice: TripWriter.Notice) { list.withLock { $0.append(notice) } }
}

/// A small table with readings.
enum Fixtures {
    static let rpm = SignalIndex(rawValue: 0)
    static let speed = SignalIndex(rawValue: 1)
    static let lamp = SignalIndex(rawValue: 2)
    static let count = SignalIndex(rawValue: 3)
    static let fuel = SignalIndex(rawValue: 4)
    static let map = SignalIndex(rawValue: 5)
    static let vin = SignalIndex(rawValue: 6)
    static let odometer = SignalIndex(rawValue: 7)

    static var table: PIDTable {
        var table = PIDTable()
        func add(_ id: DataID, _ signals: Signal...) {
            table.add(id, name: signals[0].name, length: 1...20, signals: signals)
        }
        func number(_ id: String, _ name: String, _ unit: String) -> Signal {
            Signal(
                id: id, name: name, bitOffset: 0, bitLength: 16, kind: .number, unit: unit)
        }
        add(DataID(.currentData, 0x0C), number("RPM", "Engine speed", "rpm"))
        add(DataID(.currentData, 0x0D), number("VSS", "Vehicle speed", "km/h"))
        add(
            DataID(.currentData, 0x01),
            Signal(id: "MIL", name: "Lamp", bitOffset: 0, bitLength: 1, kind: .flag),
            number("DTC_CNT", "Number of codes", ""))
        add(
            DataID(.currentData, 0x51),
            Signal(
                id: "FUEL_TYP", name: "Fuel type", bitOffset: 0, bitLength: 8, kind: .enumeration,
                labels: [(1, "gasoline"), (4, "diesel")]))
        add(
            DataID(.currentData, 0x00),
            Signal(
                id: "PIDSUP_00", name: "Supported PIDs", bitOffset: 0, bitLength: 32,
                kind: .supportMap))
        add(
            DataID(.vehicleInformation, 0x02),
            Signal(id: "VIN", name: "VIN", bitOffset: 0, bitLength: 136, kind: .text))
        add(DataID(.currentData, 0xA6), number("ODO", "Odometer", "km"))
        return table
    }

    static let ecu = ECUAddress(0x7E8, .can11)
    static let vinText = "1HGCM82633A004352"
    /// 2026-11-21T08:15:02Z.
    static let start = UTC(microseconds: 1_795_248_902_000_000)
    static let anchor = TimeAnchor(monotonic: at(100), utc: start)

    /// The monotonic clock, a number of seconds after the trip's start at 100.
    static func after(_ seconds: Double) -> Instant { at(100 + seconds) }

    static func reading(
        _ signal: SignalIndex, _ pid: UInt32, _ value: Reading.Value, _ raw: InlineBytes,
        ecu: ECUAddress? = ecu
    ) -> Reading {
        TestSupport.reading(
            value, DataID(.currentData, pid), signal: Int(signal.rawValue), ecu: ecu, raw: raw)
    }

    static func rpm(_ value: Double, ecu: ECUAddress? = ecu) -> DiagnosticItem {
        let raw = UInt16(value * 4)
        return .reading(
            reading(
                rpm, 0x0C, .number(value), [UInt8(raw >> 8), UInt8(truncatingIfNeeded: raw)],
                ecu: ecu))
    }

    /// Begins a trip whose writer writes only on a flush, a full queue or the end, never after a
    /// time.
    static func begin(
        _ store: TripStore, purpose: TripStart.Purpose = .log, anchor: TimeAnchor = anchor,
        waiting: Int = 1000, held: Int = 1000, notices: Notices = Notices()
    ) throws -> TripWriter {
        try store.startTrip(
            TripStart(purpose: purpose, anchor: anchor), table: table,
            limits: .init(commitEvery: .seconds(3600), waiting: waiting, held: held),
            notify: { notices.append($0) })
    }
}
