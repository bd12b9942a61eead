import Diagnostics
import Formats
import OBDCore
import TripStore

/// The positions of a trip as columns of a wide table, beside its signals.
struct PositionColumns {
    /// The trip's table with the signals of positions after its own.
    let table: PIDTable
    let columns: [CSVWide.Column]
    private let first: Int32

    /// The quantities, with the names under which import reads them.
    private static let quantities: [(name: String, unit: String, step: Double)] = [
        ("latitude", "°", 1e-7), ("longitude", "°", 1e-7), ("altitude", "m", 0.1),
        ("GPS speed", "km/h", 0.1), ("bearing", "°", 0.1),
    ]

    /// The columns of a trip's positions.
    init(after table: PIDTable) {
        var table = table
        let start = Int32(table.signals.count)
        first = start
        table.add(
            DataID(Service(0), 1), name: "position", length: 0...0,
            signals: Self.quantities.map { quantity in
                Signal(
                    id: quantity.name, name: quantity.name, bitOffset: 0, bitLength: 32,
                    kind: .number, multiplier: quantity.step, unit: quantity.unit)
            })
        self.table = table
        columns = Self.quantities.indices.map {
            CSVWide.Column(SignalIndex(rawValue: start + Int32($0)))
        }
    }

    /// The values of a position as readings.
    func readings(_ position: Position) -> [Reading] {
        let values = [
            position.latitude, position.longitude, position.altitude, position.speed,
            position.course,
        ]
        return values.enumerated().compactMap { place, value in
            value.map {
                Reading(
                    ecu: nil, dataID: nil, signal: SignalIndex(rawValue: first + Int32(place)),
                    value: .number($0), raw: [], line: 0)
            }
        }
    }
}
