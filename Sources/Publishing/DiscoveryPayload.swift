import Diagnostics
import Formats
import OBDCore

/// The discovery message for Home Assistant: one device with all entities of a vehicle.
///
/// See https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload. Home Assistant
/// rejects the whole device for one unknown key at the top level, so the whole message is created
/// here.
package struct DiscoveryPayload: Hashable, Sendable {
    package struct SignalEntity: Hashable, Sendable {
        /// The ECU and the signal, for the entity's topic.
        package var key: SignalKey
        /// The signal as its table describes it.
        package var signal: Signal

        package init(key: SignalKey, signal: Signal) {
            self.key = key
            self.signal = signal
        }
    }

    package var vehicle: String
    package var name: String
    /// The vehicle's VIN; nil if unknown.
    package var vin: String?
    package var version: String
    /// The client whose last will announces that publishing has ended.
    package var client: String
    /// The signals that the vehicle ever had.
    package var signals: [SignalEntity] = []
    /// Whether to add entities for trouble codes and check engine light.
    package var hasCodes = true
    /// Whether an ECU ever reported which monitors have run.
    package var hasReadiness = false
    /// Whether the vehicle ever reported data about fuel.
    package var hasFuel = false
    /// Whether there is a button that reads trouble codes.
    package var hasCommands = false
    /// Whether there is a tracker.
    package var hasPosition = false
    /// The quantities of signals of car makers that a driver looks at, by short name.
    package var measured: [String: SignalRole] = [:]
    /// Entities that disappeared: identifier and platform.
    package var removed: [String: String] = [:]

    /// A vehicle without signals.
    package init(vehicle: String, name: String, vin: String?, version: String, client: String) {
        self.vehicle = vehicle
        self.name = name
        self.vin = vin
        self.version = version
        self.client = client
    }

    /// How long a value stays valid if it is not sent again; unit: seconds.
    package static let expiry = 180.0

    /// Signals of interest for drivers; entities of other signals exist, but are disabled.
    package static let usualSignals: Set<String> = [
        "RPM", "VSS", "ECT", "FLI", "ODO", "VPWR", "AAT", "EOT", "ADAPTER_VOLTAGE", "MIL",
        "BAT_PWR", "FUEL_RATE",
    ]
    /// Signals that are worth showing while the vehicle is off.
    package static let lastingSignals: Set<String> = [
        "FLI", "ODO", "VPWR", "ADAPTER_VOLTAGE", "MIL", "BAT_PWR", "VIN",
    ]

    /// The identifiers of entities that are not signals.
    static let otherComponents: Set<String> = [
        "trip", "trip_distance", "trip_fuel", "trip_consumption", "codes", "check_engine",
        "readiness", "read_codes", "position",
    ]
    private static let otherNames: Set<String> = [
        "Trouble codes", "Check engine light", "Incomplete monitors", "Read trouble codes",
        "Trip duration", "Trip distance", "Trip fuel", "Trip consumption", "Position",
    ]
    package static let readCodes = "read-codes"

    /// Identifier and platform of each entity.
    package var platforms: [String: String] {
        var found: [String: String] = ["trip": "sensor", "trip_distance": "sensor"]
        for entity in signals {
            guard let platform = Self.platform(entity.signal) else { continue }
            found[entity.key.identifier] = platform
        }
        if hasFuel {
            found["trip_fuel"] = "sensor"
            found["trip_consumption"] = "sensor"
        }
        if hasCodes {
            found["codes"] = "sensor"
            found["check_engine"] = "binary_sensor"
        }
        if hasReadiness { found["readiness"] = "sensor" }
        if hasCommands { found["read_codes"] = "button" }
        if hasPosition { found["position"] = "device_tracker" }
        return found
    }

    private static func platform(_ signal: Signal) -> String? {
        switch signal.kind {
        case .flag: "binary_sensor"
        case .number, .enumeration, .text: "sensor"
        case .supportMap, .code, .bytes: nil
        }
    }

    package var bytes: [UInt8] {
        let topics = VehicleTopics(vehicle: vehicle)
        var components: [JSONValue.Member] = []
        for (id, platform) in removed.sorted(by: { $0.key < $1.key })
        where platforms[id] == nil {
            components.append(.init(key: id, value: .members(["platform": .text(platform)])))
        }
        let names = entityNames
        for entity in signals {
            let name = names[entity.key] ?? entity.signal.id
            guard let component = component(entity, name, topics) else { continue }
            components.append(.init(key: entity.key.identifier, value: component))
        }
        components += others(topics)
        var device = JSONValue.members([
            "identifiers": .list([.text("obdscan_\(vehicle)")]), "name": .text(name),
        ])
        if let vin { device.add("serial_number", .text(vin)) }
        return JSONValue.members([
            "device": device,
            "origin": .members(["name": .text("obdscan"), "sw_version": .text(version)]),
            "components": .object(components),
        ]).bytes
    }

    private func base(_ id: String, _ platform: String, _ name: String) -> JSONValue {
        .members([
            "platform": .text(platform), "unique_id": .text("obdscan_\(vehicle)_\(id)"),
            "name": .text(name),
        ])
    }

    /// The name of each signal's entity; with its ECU if another entity of the vehicle has the same name.
    private var entityNames: [SignalKey: String] {
        var entities: [String: [SignalKey]] = [:]
        for entity in signals where Self.platform(entity.signal) != nil {
            let name = entity.signal.name.isEmpty ? entity.signal.id : entity.signal.name
            entities[name, default: []].append(entity.key)
        }
        var names: [SignalKey: String] = [:]
        for (name, keys) in entities {
            let isShared = keys.count > 1 || Self.otherNames.contains(name)
            for key in keys {
                let ecu = key.ecu.uppercased()
                let isAlone = keys.count { $0.ecu == key.ecu } == 1
                names[key] =
                    !isShared
                    ? name : isAlone ? "\(name) (\(ecu))" : "\(name) (\(ecu) \(key.signal))"
            }
        }
        return names
    }

    private func component(
        _ entity: SignalEntity, _ name: String, _ topics: VehicleTopics
    ) -> JSONValue? {
        let signal = entity.signal
        guard let platform = Self.platform(signal) else { return nil }
        let topic = topics.signal(entity.key)
        var component = base(entity.key.identifier, platform, name)
        component.add("state_topic", .text(topic))
        component.add("json_attributes_topic", .text(topic))
        component.add(
            "value_template",
            .text(
                signal.kind == .flag
                    ? "{{ 'ON' if value_json.value else 'OFF' }}" : "{{ value_json.value }}"))
        switch signal.kind {
        case .number:
            let unit = HomeAssistantUnit(signal.unit)
            if let name = HomeAssistantUnit.name(signal.unit) {
                component.add("unit_of_measurement", .text(name))
            }
            let role = signal.id == "ODO" ? .odometer : measured[signal.id]
            let isCharge = role == .stateOfCharge || role == .starterCharge
            if let name = isCharge && signal.unit == "%" ? "battery" : unit.deviceClass {
                component.add("device_class", .text(name))
            }
            component.add(
                "state_class", .text(role == .odometer ? "total_increasing" : unit.stateClass))
            component.add("suggested_display_precision", .number(Double(unit.precision)))
        case .enumeration:
            var options: [String] = []
            for (_, label) in signal.labels where !options.contains(label) {
                options.append(String(label.prefix(255)))
            }
            if !options.isEmpty {
                component.add("device_class", .text("enum"))
                component.add("options", .list(options.map { .text($0) }))
            }
        case .flag:
            if signal.id == "MIL" { component.add("device_class", .text("problem")) }
            if measured[signal.id] == .charging {
                component.add("device_class", .text("battery_charging"))
            }
        case .text, .supportMap, .code, .bytes: break
        }
        if !Self.usualSignals.contains(signal.id), measured[signal.id] == nil {
            component.add("enabled_by_default", .flag(false))
        }
        if Self.lastingSignals.contains(signal.id) || measured[signal.id] != nil {
            return component
        }
        component.add(
            "availability",
            .list([
                .members(["topic": .text(VehicleTopics.bridge(client))]),
                .members(["topic": .text(topics.availability)]),
            ]))
        component.add("availability_mode", .text("all"))
        component.add("expire_after", .number(Self.expiry))
        return component
    }

    private func others(_ topics: VehicleTopics) -> [JSONValue.Member] {
        var found: [JSONValue.Member] = []
        if hasCodes {
            var codes = base("codes", "sensor", "Trouble codes")
            codes.add("state_topic", .text(topics.codes))
            codes.add("json_attributes_topic", .text(topics.codes))
            codes.add("value_template", .text("{{ value_json.count }}"))
            codes.add("state_class", .text("measurement"))
            found.append(.init(key: "codes", value: codes))
            var light = base("check_engine", "binary_sensor", "Check engine light")
            light.add("state_topic", .text(topics.codes))
            light.add(
                "value_template",
                .text(
                    "{{ 'ON' if value_json.mil else ('OFF' if value_json.mil == false else 'None') }}"
                ))
            light.add("device_class", .text("problem"))
            found.append(.init(key: "check_engine", value: light))
        }
        if hasReadiness {
            var readiness = base("readiness", "sensor", "Incomplete monitors")
            readiness.add("state_topic", .text(topics.readiness))
            readiness.add("json_attributes_topic", .text(topics.readiness))
            readiness.add("value_template", .text("{{ value_json.count }}"))
            readiness.add("state_class", .text("measurement"))
            found.append(.init(key: "readiness", value: readiness))
        }
        if hasCommands {
            var button = base("read_codes", "button", "Read trouble codes")
            button.add("command_topic", .text(topics.command))
            button.add("payload_press", .text(Self.readCodes))
            // A press has no effect while nothing is published.
            button.add(
                "availability",
                .list([.members(["topic": .text(VehicleTopics.bridge(client))])]))
            found.append(.init(key: "read_codes", value: button))
        }
        var trip = base("trip", "sensor", "Trip duration")
        trip.add("state_topic", .text(topics.trip))
        trip.add("json_attributes_topic", .text(topics.trip))
        trip.add("value_template", .text("{{ value_json.seconds }}"))
        trip.add("device_class", .text("duration"))
        trip.add("unit_of_measurement", .text("s"))
        trip.add("state_class", .text("measurement"))
        found.append(.init(key: "trip", value: trip))
        var distance = base("trip_distance", "sensor", "Trip distance")
        distance.add("state_topic", .text(topics.trip))
        distance.add("value_template", .text("{{ value_json.distanceKm }}"))
        distance.add("device_class", .text("distance"))
        distance.add("unit_of_measurement", .text("km"))
        distance.add("state_class", .text("measurement"))
        distance.add("suggested_display_precision", .number(1))
        found.append(.init(key: "trip_distance", value: distance))
        if hasFuel {
            found.append(fuel("trip_fuel", "Trip fuel", "fuel", "L", topics))
            found.append(
                fuel("trip_consumption", "Trip consumption", "per100Km", "L/100 km", topics))
        }
        if hasPosition {
            var position = base("position", "device_tracker", "Position")
            position.add("json_attributes_topic", .text(topics.position))
            position.add("source_type", .text("gps"))
            found.append(.init(key: "position", value: position))
        }
        return found
    }

    /// A sensor of the last trip's fuel; natural gas is counted in kilograms.
    private func fuel(
        _ id: String, _ name: String, _ key: String, _ unit: String, _ topics: VehicleTopics
    ) -> JSONValue.Member {
        var sensor = base(id, "sensor", name)
        sensor.add("state_topic", .text(topics.trip))
        sensor.add(
            "value_template",
            .text("{{ value_json.\(key) if value_json.fuelUnit == 'L' else None }}"))
        sensor.add("unit_of_measurement", .text(unit))
        sensor.add("state_class", .text("measurement"))
        sensor.add("suggested_display_precision", .number(2))
        return .init(key: id, value: sensor)
    }
}
