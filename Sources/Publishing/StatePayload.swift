import Diagnostics
import Formats
import OBDCore

/// The payloads of state topics: the newest value, with its time.
package enum StatePayload {
    /// Whether a value is published; maps, and numbers that are not finite, are not.
    package static func isPublished(_ value: Reading.Value) -> Bool {
        switch value {
        case .number(let number): number.isFinite
        case .flag, .label, .text: true
        case .supportMap, .missing: false
        }
    }

    /// A value of a signal; null if it is not published.
    package static func value(_ value: Reading.Value, of signal: Signal) -> JSONValue {
        switch value {
        case .number(let number): .number(number)
        case .flag(let flag): .flag(flag)
        case .label(let code):
            // Home Assistant accepts only texts that are among the options of the entity.
            ReadingText.label(code, of: signal).map { .text(String($0.prefix(255))) } ?? .null
        case .text(let text): .text(String(text.prefix(255)))
        case .supportMap, .missing: .null
        }
    }

    /// `{"value":1726.25,"unit":"rpm","time":"…"}`.
    package static func signal(_ value: JSONValue, unit: String, time: UTC) -> [UInt8] {
        JSONValue.members([
            "value": value, "unit": unit.isEmpty ? .null : .text(unit), "time": .text(time.text),
        ]).bytes
    }

    /// Trouble codes, nil if they were never read; `light` is nil if no ECU reports it.
    package static func codes(_ codes: [String]?, light: Bool?, time: UTC) -> [UInt8] {
        JSONValue.members([
            "count": codes.map { .number(Double($0.count)) } ?? .null,
            "mil": light.map { .flag($0) } ?? .null,
            "codes": codes.map { .list($0.map { .text($0) }) } ?? .null, "time": .text(time.text),
        ]).bytes
    }

    /// The monitors and whether they have run since codes were cleared; each once, whichever ECU has it.
    package static func readiness(_ monitors: [MonitorStatus], time: UTC) -> [UInt8] {
        let supported = monitors.filter(\.supported)
        func names(_ list: [MonitorStatus]) -> [String] {
            Set(list.map(\.monitor.rawValue)).sorted()
        }
        let incomplete = names(supported.filter { $0.complete != true })
        return JSONValue.members([
            "count": .number(Double(incomplete.count)),
            "incomplete": .list(incomplete.map { .text($0) }),
            "supported": .list(names(supported).map { .text($0) }), "time": .text(time.text),
        ]).bytes
    }

    /// A position in the form of Home Assistant's trackers; accuracy in metres.
    package static func position(_ position: Position, time: UTC) -> [UInt8] {
        var value = JSONValue.members([
            "latitude": .number(position.latitude), "longitude": .number(position.longitude),
            "gps_accuracy": .number(position.accuracy ?? 10),
        ])
        if let altitude = position.altitude { value.add("altitude", .number(altitude)) }
        if let speed = position.speed { value.add("speed", .number(speed)) }
        if let course = position.course { value.add("course", .number(course)) }
        value.add("time", .text(time.text))
        return value.bytes
    }
}
