import Diagnostics
import Foundation
import OBDCore
import PIDTables
import Publishing
import Testing

@Suite("Home Assistant")
struct HomeAssistantTests {
    /// `DEVICE_CLASS_UNITS` of Home Assistant 2025.4.4's sensor/const.py, limited to our units.
    ///
    /// An unknown pair gives a warning there, and an error from 2026 on.
    private static let legal: [String: Set<String>] = [
        "speed": ["km/h", "mph", "m/s", "ft/s", "kn"], "temperature": ["°C", "°F", "K"],
        "pressure": ["Pa", "hPa", "kPa", "bar", "cbar", "mbar", "mmHg", "inHg", "psi"],
        "voltage": ["V", "mV", "µV", "kV", "MV"], "current": ["A", "mA"],
        "power": ["W", "kW", "mW", "MW", "GW", "TW"],
        "energy_storage": ["kWh", "Wh", "MWh", "J", "kJ", "MJ", "GJ", "GWh", "TWh", "mWh"],
        "distance": ["km", "m", "cm", "mm", "mi", "ft", "yd", "in", "nmi"],
        "duration": ["d", "h", "min", "s", "ms"],
        "volume_storage": ["L", "mL", "gal", "m³", "ft³", "fl. oz.", "CCF"],
    ]

    @Test("Every unit of the tables has a row, and Home Assistant's class allows the unit")
    func units() throws {
        let signals = try PIDTables.standard().signals.filter { $0.kind == .number }
        #expect(signals.count > 200)
        for signal in signals {
            let unit = HomeAssistantUnit(signal.unit)
            if let name = unit.deviceClass {
                let shown = try #require(HomeAssistantUnit.name(signal.unit))
                #expect(
                    Self.legal[name]?.contains(shown) == true, "\(signal.id): \(name), \(shown)")
            }
            // The row for an unknown unit. Only a signal without a unit may get it.
            #expect(
                unit != HomeAssistantUnit("?") || signal.unit.isEmpty, "\(signal.unit) has no row")
        }
    }

    private func payload(_ body: (inout DiscoveryPayload) -> Void = { _ in }) throws -> [String:
        Any]
    {
        var payload = DiscoveryPayload(
            vehicle: "golf", name: "Golf", vin: "WVWZZZ1KZAW000001", version: "1",
            client: "obdscan-pi-ha")
        let table = try PIDTables.standard()
        for id in ["RPM", "FLI", "MIL", "FUEL_TYP", "SPARKADV", "PIDSUP_00"] {
            let signal = try #require(table.signals.first { $0.id == id })
            payload.signals.append(
                .init(key: SignalKey(ECUAddress("7E8"), signal: id), signal: signal))
        }
        body(&payload)
        return try #require(
            try JSONSerialization.jsonObject(with: Data(payload.bytes)) as? [String: Any])
    }

    @Test("The top level of a device has all required keys and no others")
    func top() throws {
        let payload = try payload()
        #expect(Set(payload.keys) == ["device", "origin", "components"])
        let device = try #require(payload["device"] as? [String: Any])
        #expect(device["identifiers"] as? [String] == ["obdscan_golf"])
        #expect(device["serial_number"] as? String == "WVWZZZ1KZAW000001")
    }

    @Test("A vehicle with data about fuel has its consumption, in litres only")
    func fuel() throws {
        func component(_ name: String, _ payload: [String: Any]) throws -> [String: Any]? {
            try #require(payload["components"] as? [String: [String: Any]])[name]
        }
        let names = ["trip_fuel", "trip_consumption"]
        for name in names { #expect(try component(name, try payload()) == nil) }
        let payload = try payload { $0.hasFuel = true }
        #expect(
            try names.map { try component($0, payload)?["unit_of_measurement"] as? String }
                == ["L", "L/100 km"])
        let fuel = try #require(try component("trip_fuel", payload))
        #expect(fuel["state_topic"] as? String == "obdscan/golf/trip")
        #expect(
            fuel["value_template"] as? String
                == "{{ value_json.fuel if value_json.fuelUnit == 'L' else None }}")
        // A class of its own would forbid a sum that begins again with each trip.
        #expect(fuel["device_class"] == nil && fuel["state_class"] as? String == "measurement")
    }

    @Test("Live values become unavailable, other values stay")
    func components() throws {
        let components = try #require(try payload()["components"] as? [String: [String: Any]])
        #expect(components["7e8_pidsup_00"] == nil)
        let rpm = try #require(components["7e8_rpm"])
        #expect(rpm["state_topic"] as? String == "obdscan/golf/7e8/rpm")
        #expect(rpm["unique_id"] as? String == "obdscan_golf_7e8_rpm")
        #expect(rpm["availability_mode"] as? String == "all" && rpm["expire_after"] as? Int == 180)
        #expect(rpm["enabled_by_default"] == nil)
        let fuel = try #require(components["7e8_fli"])
        #expect(fuel["availability"] == nil && fuel["expire_after"] == nil)
        #expect(fuel["unit_of_measurement"] as? String == "%")
        let light = try #require(components["7e8_mil"])
        #expect(light["platform"] as? String == "binary_sensor")
        #expect(light["device_class"] as? String == "problem")
        let kind = try #require(components["7e8_fuel_typ"])
        #expect(kind["device_class"] as? String == "enum" && kind["unit_of_measurement"] == nil)
        #expect(
            kind["state_class"] == nil && (kind["options"] as? [String])?.contains("diesel") == true
        )
        #expect(components["7e8_sparkadv"]?["enabled_by_default"] as? Bool == false)
        #expect(components["position"] == nil)
        for (id, component) in components {
            #expect(component["unique_id"] as? String == "obdscan_golf_\(id)")
        }
    }

    @Test func `Two entities of a vehicle never have the same name`() throws {
        let table = try PIDTables.standard()
        let speed = try #require(table.signals.first { $0.id == "RPM" })
        let payload = try payload { payload in
            payload.hasCodes = true
            payload.signals.append(
                .init(key: SignalKey(ECUAddress("7E9"), signal: "RPM"), signal: speed))
        }
        let components = try #require(payload["components"] as? [String: [String: Any]])
        let names = components.values.compactMap { $0["name"] as? String }
        #expect(names.count == Set(names).count, "\(names)")
        #expect(components["7e8_rpm"]?["name"] as? String == "Engine speed (7E8)")
        #expect(components["7e9_rpm"]?["name"] as? String == "Engine speed (7E9)")
        #expect(components["7e8_mil"]?["name"] as? String == "Check engine light (7E8)")
        #expect(components["7e8_fli"]?["name"] as? String == "Fuel tank level")
    }

    /// The classes are those of Home Assistant: `battery` for per cent, `battery_charging` for yes and no.
    @Test(
        "Signals of car makers have the class of their quantity",
        arguments: [
            (SignalRole.stateOfCharge, Signal.Kind.number, "%", "battery", "measurement", 1),
            (.starterCharge, .number, "%", "battery", "measurement", 1),
            (.stateOfHealth, .number, "%", nil, "measurement", 1),
            (.packVoltage, .number, "V", "voltage", "measurement", 2),
            (.packTemperature, .number, "°C", "temperature", "measurement", 0),
            (.tyreFrontLeft, .number, "kPa", "pressure", "measurement", 0),
            (.range, .number, "km", "distance", "measurement", 0),
            (.odometer, .number, "km", "distance", "total_increasing", 0),
            (.charging, .flag, "", "battery_charging", nil, nil),
        ] as [(SignalRole, Signal.Kind, String, String?, String?, Int?)])
    func roles(
        role: SignalRole, kind: Signal.Kind, unit: String, deviceClass: String?,
        stateClass: String?, precision: Int?
    ) throws {
        let signal = Signal(
            id: "X", name: role.title, bitOffset: 0, bitLength: 8, kind: kind, unit: unit,
            labels: [])
        let components = try #require(
            try payload {
                $0.signals = [.init(key: SignalKey(nil, signal: "X"), signal: signal)]
                $0.measured = ["X": role]
            }["components"] as? [String: [String: Any]])
        let id = SignalKey(nil, signal: "X").identifier
        let component = try #require(components[id])
        #expect(component["device_class"] as? String == deviceClass)
        #expect(component["state_class"] as? String == stateClass)
        #expect(component["suggested_display_precision"] as? Int == precision)
        #expect(component["unit_of_measurement"] as? String == (unit.isEmpty ? nil : unit))
        #expect(component["enabled_by_default"] == nil && component["availability"] == nil)
    }

    @Test("A missing entity is removed, and an entity that returned stays")
    func removal() throws {
        let components = try #require(
            try payload { $0.removed = ["7e8_old": "sensor", "7e8_rpm": "sensor"] }["components"]
                as? [String: [String: Any]])
        #expect(components["7e8_old"]?.keys.sorted() == ["platform"])
        #expect((components["7e8_rpm"]?.count ?? 0) > 3)
    }

    @Test("Positions are published only on request")
    func position() throws {
        let components = try #require(
            try payload { $0.hasPosition = true }["components"] as? [String: [String: Any]])
        #expect(components["position"]?["platform"] as? String == "device_tracker")
        var place = try #require(Position(latitude: 48.5, longitude: -11.25))
        place.accuracy = 4
        let text = String(
            decoding: StatePayload.position(place, time: UTC(microseconds: 0)), as: UTF8.self)
        #expect(
            text
                == #"{"latitude":48.5,"longitude":-11.25,"gps_accuracy":4,"time":"1970-01-01T00:00:00.000000Z"}"#
        )
    }

    @Test("A published state is a value with its unit and its time")
    func state() {
        #expect(
            String(
                decoding: StatePayload.signal(
                    .number(1726.25), unit: "rpm", time: UTC(microseconds: 1)), as: UTF8.self)
                == #"{"value":1726.25,"unit":"rpm","time":"1970-01-01T00:00:00.000001Z"}"#)
        #expect(
            String(
                decoding: StatePayload.codes(["P0301"], light: nil, time: UTC(microseconds: 0)),
                as: UTF8.self)
                == #"{"count":1,"mil":null,"codes":["P0301"],"time":"1970-01-01T00:00:00.000000Z"}"#
        )
        // Codes that were never read are not none.
        #expect(
            String(
                decoding: StatePayload.codes(nil, light: true, time: UTC(microseconds: 0)),
                as: UTF8.self)
                == #"{"count":null,"mil":true,"codes":null,"time":"1970-01-01T00:00:00.000000Z"}"#
        )
    }

    @Test("Topics have only lower-case letters, digits, - and _")
    func topics() {
        let key = SignalKey(ECUAddress("18DAF110"), signal: "HTR/PM_SUP")
        #expect(VehicleTopics(vehicle: "golf").signal(key) == "obdscan/golf/18daf110/htr-pm_sup")
        #expect(SignalKey(nil, signal: "ADAPTER_VOLTAGE").identifier == "adapter_adapter_voltage")
    }
}

@Suite("Newest values")
struct StateBoardTests {
    private func topics(_ board: inout StateBoard, at seconds: Int64) -> [String] {
        board.due(at: Instant(nanoseconds: seconds * 1_000_000_000)).map(\.topic)
    }

    @Test("A value is sent on change, at most once per interval, and again after a minute")
    func pace() {
        var board = StateBoard(every: .seconds(5))
        func put(_ value: Double, _ time: Int64) {
            board.put("a", .number(value), unit: "", time: UTC(microseconds: time))
        }
        put(1, 1)
        #expect(topics(&board, at: 0) == ["a"])
        #expect(topics(&board, at: 100) == [])
        put(2, 2)
        #expect(topics(&board, at: 3) == [])
        put(3, 3)
        #expect(topics(&board, at: 5) == ["a"])
        put(3, 4)
        #expect(topics(&board, at: 64) == [])
        #expect(topics(&board, at: 65) == ["a"])
        put(9, 1)
        #expect(topics(&board, at: 200) == [])
        board.forgetSent()
        #expect(topics(&board, at: 200) == ["a"])
    }
}

@Suite("Names of the Vehicle Signal Specification")
struct VSSNamesTests {
    @Test("Each row names a signal of our tables, and each path occurs once")
    func rows() throws {
        let names = VSSNames(PIDTables.vehicleSignalNames)
        let known = Set(try PIDTables.standard().signals.map(\.id))
        #expect(names.signals.count > 25 && names.signals.allSatisfy(known.contains))
        for isCore in [false, true] {
            let paths = names.signals.compactMap { names.name($0, isCore: isCore)?.path }
            #expect(Set(paths).count == names.signals.count)
        }
    }

    /// COVESA/vehicle_signal_specification 6.0: spec/Powertrain and overlays/extensions/OBD.vspec.
    @Test(
        "A signal has its name from the catalogue",
        arguments: [
            ("RPM", "Vehicle.OBD.EngineSpeed", "Vehicle.Powertrain.CombustionEngine.Speed"),
            ("VSS", "Vehicle.OBD.Speed", "Vehicle.Speed"),
            ("LOAD_PCT", "Vehicle.OBD.EngineLoad", "Vehicle.OBD.EngineLoad"),
            ("MIL", "Vehicle.OBD.Status.IsMILOn", "Vehicle.OBD.Status.IsMILOn"),
        ])
    func name(signal: String, overlay: String, core: String) {
        let names = VSSNames(PIDTables.vehicleSignalNames)
        #expect(names.name(signal, isCore: false)?.path == overlay)
        #expect(names.name(signal, isCore: true)?.path == core)
        #expect(names.name("PIDSUP_00", isCore: true) == nil)
    }
}
