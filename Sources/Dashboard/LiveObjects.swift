import Diagnostics
import Formats
import OBDCore
import PIDTables
import VehicleScan

/// The JSON objects of the vehicle's current state; readings are those of `live --format json`.
package struct LiveObjects {
    private let table: PIDTable
    private let units: UnitSystem
    private let levels: SignalLevels
    private var json: JSONLines

    /// Objects of readings of `table`, in `units`; `levels` have the limits of unusual values.
    package init(table: PIDTable, units: UnitSystem, levels: SignalLevels = SignalLevels()) {
        self.table = table
        self.units = units
        self.levels = levels
        json = JSONLines(table: table, units: units)
    }

    /// The object of a reading, with its line end.
    package mutating func reading(_ channel: VehicleBoard.Channel) -> [UInt8] {
        var bytes: [UInt8] = []
        json.append(channel.reading, time: channel.time, to: &bytes)
        return bytes
    }

    /// The object that describes a signal: its range, digits, position and recent values.
    ///
    /// The times of these values are seconds before `now`.
    package func signal(_ channel: VehicleBoard.Channel, at now: Instant) -> [UInt8] {
        let signal = table[channel.reading.signal]
        let conversion = signal.kind == .number ? units.conversion(from: signal.unit) : nil
        let shown = { (value: Double) in conversion.map { $0(value) } ?? value }
        let unit = conversion?.unit ?? signal.unit
        let range = signal.valueRange.map { [shown($0.lowerBound), shown($0.upperBound)].sorted() }
        let rules = levels.rules(of: signal).map {
            rule -> KeyValuePairs<String, FieldValue> in
            [
                "above": .flag(rule.isAbove), "limit": .number(shown(rule.limit)),
                "end": .number(rule.end.map(shown)), "level": .text(rule.level.rawValue),
                "word": .text(rule.word), "reason": .text(rule.reason),
                "basis": .text(rule.source),
            ]
        }
        let row = Row(
            "signal",
            [
                "ecu": .text(channel.reading.ecu?.printed),
                "service": .text(channel.reading.dataID?.service.description),
                "pid": .text(channel.reading.dataID?.idText), "signal": .text(signal.id),
                "aliases": .words(signal.aliases), "name": .text(signal.name),
                "unit": .filled(unit),
                "low": .number(range?.first), "high": .number(range?.last),
                "decimals": .integer(
                    decimals(forStep: signal.shownStep * (conversion?.factor ?? 1))),
                "rank": .integer(channel.rank), "driver": .integer(channel.driverPlace),
                "constant": .flag(channel.isConstant), "shown": .flag(channel.isShown),
                "levels": .objects(rules),
                "history": .points(
                    channel.history.map { point in
                        [(((now - point.time).seconds * 10).rounded() / 10), shown(point.value)]
                    }),
            ])
        var bytes: [UInt8] = []
        row.appendJSON(to: &bytes)
        return bytes
    }

    package static func status(
        _ status: VehicleBoard.Status, _ units: UnitSystem, at time: UTC
    ) -> [UInt8] {
        let statistics = status.statistics
        let scale = { (metric: String) -> FieldValue in
            let conversion = units.conversion(from: metric)
            return .object([
                "unit": .text(conversion?.unit ?? metric),
                "factor": .number(conversion?.factor ?? 1),
            ])
        }
        let row = Row(
            "status",
            [
                "time": .time(time), "link": .text(status.link.rawValue),
                "state": .text(status.state.rawValue),
                "device": .text(status.accessory.map(printable)),
                "adapter": .text(status.adapter.map(printable)),
                "protocol": .text(status.vehicleProtocol), "vin": .text(status.vin.map(printable)),
                "voltage": .number(status.voltage), "missingSince": .time(status.missingSince),
                "note": .text(status.note.map(printable)),
                "hint": .text(status.hint.map(printable)),
                "recording": status.recording.map { recording in
                    .object([
                        "trip": .integer(recording.trip), "since": .time(recording.since),
                        "readings": .integer(recording.readings),
                    ])
                } ?? .null,
                "storing": .text(status.storing.map(printable)),
                "readings": .integer(statistics.readings),
                "requests": .integer(statistics.requests),
                "readingsPerSecond": .number(statistics.readingsPerSecond, places: 1),
                "timeouts": .integer(statistics.timeouts), "errors": .integer(statistics.errors),
                "reconnects": .integer(statistics.reconnects),
                "units": .object([
                    "system": .text(units.rawValue), "distance": scale("km"),
                    "speed": scale("km/h"),
                ]),
                "version": .text(status.version),
                "ecus": .object(
                    status.ecus.compactMap { ecu in
                        status.names.name(of: ecu).map { (ecu.printed, .text(printable($0))) }
                    }),
            ])
        var bytes: [UInt8] = []
        row.appendJSON(to: &bytes)
        return bytes
    }
}
