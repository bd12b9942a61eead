import Diagnostics
import OBDCore
import PIDTables
import TripExport

/// The objects of what is known of the vehicle now; readings are those of `live --format json`.
public struct LiveObjects {
    private let table: PIDTable
    private let units: UnitSystem
    private var json: JSONLines

    /// Objects of readings of `table`, in `units`.
    public init(table: PIDTable, units: UnitSystem) {
        self.table = table
        self.units = units
        json = JSONLines(table: table, units: units)
    }

    /// The object of a reading, with its line end.
    public mutating func reading(_ channel: LiveBoard.Channel) -> [UInt8] {
        var bytes: [UInt8] = []
        json.append(channel.reading, time: channel.time, to: &bytes)
        return bytes
    }

    /// The object that says what a signal is: its range, its digits, its place and its recent
    /// course in seconds before `now` and values.
    public func signal(_ channel: LiveBoard.Channel, at now: Instant) -> [UInt8] {
        let signal = table[channel.reading.signal]
        let conversion = signal.kind == .number ? units.conversion(from: signal.unit) : nil
        let shown = { (value: Double) in conversion.map { $0(value) } ?? value }
        let unit = conversion?.unit ?? signal.unit
        let range = signal.valueRange.map { [shown($0.lowerBound), shown($0.upperBound)].sorted() }
        var object = JSONObject()
        object.add("kind", "signal")
        object.add("ecu", channel.reading.ecu?.description)
        object.add("service", channel.reading.dataID?.service.description)
        object.add("pid", channel.reading.dataID?.idText)
        object.add("signal", signal.id)
        object.add("name", signal.name)
        object.add("unit", unit.isEmpty ? nil : unit)
        object.add("low", range?.first)
        object.add("high", range?.last)
        object.add("decimals", decimals(forStep: signal.shownStep * (conversion?.factor ?? 1)))
        object.add("rank", channel.rank)
        object.add("shown", channel.isShown)
        object.add(
            "history",
            channel.history.map { point in
                [(((now - point.time).seconds * 10).rounded() / 10), shown(point.value)]
            })
        var bytes: [UInt8] = []
        object.append(to: &bytes)
        return bytes
    }

    /// The object of the link.
    public static func status(
        _ status: LiveBoard.Status, _ units: UnitSystem, at time: UTC
    ) -> [UInt8] {
        let statistics = status.statistics
        var object = JSONObject()
        object.add("kind", "status")
        object.add("time", time)
        object.add("link", status.link.rawValue)
        object.add("state", status.state.rawValue)
        object.add("device", status.accessory.map(printable))
        object.add("adapter", status.adapter.map(printable))
        object.add("protocol", status.vehicleProtocol)
        object.add("vin", status.vin.map(printable))
        object.add("voltage", status.voltage)
        object.add("note", status.note.map(printable))
        object.add("hint", status.hint.map(printable))
        object.add("readings", statistics.readings)
        object.add("requests", statistics.requests)
        object.add("readingsPerSecond", (statistics.readingsPerSecond * 10).rounded() / 10)
        object.add("timeouts", statistics.timeouts)
        object.add("errors", statistics.errors)
        object.add("reconnects", statistics.reconnects)
        var shown = JSONObject()
        shown.add("system", units.rawValue)
        for (name, metric) in [("distance", "km"), ("speed", "km/h")] {
            let conversion = units.conversion(from: metric)
            var one = JSONObject()
            one.add("unit", conversion?.unit ?? metric)
            one.add("factor", conversion?.factor ?? 1)
            shown.add(named: name, one)
        }
        object.add("units", shown)
        object.add("version", status.version)
        var bytes: [UInt8] = []
        object.append(to: &bytes)
        return bytes
    }
}
