import Formats
import OBDCore

/// The state of the computer that publishes, which it sends as a heartbeat.
///
/// A vehicle that is parked is silent, and so is a computer that is dead; only the heartbeat tells them apart.
package struct MachineState: Sendable {
    /// An error, and when it happened.
    ///
    /// Only fixed words leave this computer: the text of an event may contain a path, an address or a message
    /// of the vehicle.
    package struct Fault: Hashable, Sendable {
        /// The part that failed; the raw value is the text that is sent.
        package enum Kind: String, Hashable, Sendable, CaseIterable {
            case linkLost = "the link to the adapter was lost"
            case linkError = "the link to the vehicle had a fault"
            case sink = "a sink does not work: obdscan publish status"
            case disk = "the disk is full"
        }

        package var kind: Kind
        /// Nil if the clock was not set.
        package var time: UTC?

        package init(_ kind: Kind, at time: UTC?) {
            self.kind = kind
            self.time = time
        }
    }

    /// The name of the computer: that of the client at a broker.
    package var name: String
    package var version: String
    /// The free space of the disk with the database; unit: bytes, nil if it is unknown.
    package var freeSpace: Int64?
    /// Readings that the sink has not received; nil if the sink gets no history.
    package var waiting: Int?
    /// Whether the clock is known to be right.
    package var isClockSet: Bool
    /// Whether a trip is being recorded.
    package var isRecording: Bool
    /// The time since the computer started; unit: s.
    package var uptime: Double
    /// When the newest trip had its last record.
    package var lastRecord: UTC?
    /// The last error of the link, of the disk or of another sink.
    package var error: Fault?
    /// The time by the computer's clock.
    package var time: UTC

    package init(name: String, version: String, isClockSet: Bool, uptime: Double, time: UTC) {
        self.name = name
        self.version = version
        self.isClockSet = isClockSet
        self.uptime = uptime
        self.time = time
        isRecording = false
    }

    /// The payload of the topic; a time by a clock that is not set is null.
    package var payload: [UInt8] {
        JSONValue.members([
            "version": .text(version), "diskFree": freeSpace.map { .number(Double($0)) } ?? .null,
            "waiting": waiting.map { .number(Double($0)) } ?? .null, "clockSet": .flag(isClockSet),
            "recording": .flag(isRecording), "uptime": .number(uptime.rounded()),
            "lastRecord": lastRecord.map { .text($0.text) } ?? .null,
            "error": error.map { .text($0.kind.rawValue) } ?? .null,
            "errorTime": (error?.time).map { .text($0.text) } ?? .null,
            "time": isClockSet ? .text(time.text) : .null,
        ]).bytes
    }

    /// The line for an engine, without a time: the clock of the engine says when the computer was there, even
    /// if that of the computer is wrong.
    package func line(tags: [(name: String, value: String)]) -> [UInt8] {
        var fields: [(name: String, value: Double)] = [
            ("clock_set", isClockSet ? 1 : 0), ("recording", isRecording ? 1 : 0),
            ("uptime", uptime.rounded()),
        ]
        if let freeSpace { fields.append(("disk_free", Double(freeSpace))) }
        if let waiting { fields.append(("waiting", Double(waiting))) }
        if let lastRecord {
            fields.append(("last_record", (Double(lastRecord.microseconds) / 1e6).rounded()))
        }
        return LineProtocol.line(
            "obd_machine", tags: [("machine", name), ("version", version)] + tags, fields: fields,
            time: nil)
    }
}

/// The topics of a computer, and its device in Home Assistant.
package enum MachineTopics {
    /// The name in the list of announced devices; no vehicle has it.
    package static let announced = "/machine"

    /// The topic of the heartbeat.
    package static func state(_ client: String) -> String {
        VehicleTopics.bridge(client) + "/machine"
    }

    /// The topic of the discovery message for Home Assistant.
    package static func discovery(_ prefix: String, _ client: String) -> String {
        "\(prefix)/device/\(identifier(client))/config"
    }

    private static func identifier(_ client: String) -> String {
        "obdscan_machine_\(PublishedName.slug(client) ?? "machine")"
    }

    /// The discovery message: a device of diagnostic entities.
    ///
    /// The entities keep their last values when the computer is dead; its connectivity and the time of its
    /// last heartbeat say so.
    package static func discovery(
        _ client: String, name: String, version: String
    ) -> [UInt8] {
        let topic = state(client)
        let id = identifier(client)
        func entity(
            _ key: String, _ platform: String, _ name: String,
            _ further: KeyValuePairs<String, JSONValue>
        ) -> JSONValue.Member {
            var value = JSONValue.members([
                "platform": .text(platform), "unique_id": .text("\(id)_\(key)"),
                "name": .text(name),
                "entity_category": .text("diagnostic"),
            ])
            for (key, more) in further { value.add(key, more) }
            return .init(key: key, value: value)
        }
        func sensor(
            _ key: String, _ name: String, _ value: String,
            _ further: KeyValuePairs<String, JSONValue>
        ) -> JSONValue.Member {
            var member = entity(
                key, "sensor", name,
                ["state_topic": .text(topic), "value_template": .text("{{ value_json.\(value) }}")])
            for (key, more) in further { member.value.add(key, more) }
            return member
        }
        let components = [
            entity(
                "connected", "binary_sensor", "Connected",
                [
                    "state_topic": .text(VehicleTopics.bridge(client)),
                    "payload_on": .text("online"), "payload_off": .text("offline"),
                    "device_class": .text("connectivity"),
                ]),
            sensor("last_seen", "Last seen", "time", ["device_class": .text("timestamp")]),
            sensor(
                "disk_free", "Free disk",
                "diskFree / 1e9 if value_json.diskFree is not none else None",
                [
                    "device_class": .text("data_size"), "unit_of_measurement": .text("GB"),
                    "suggested_display_precision": .number(2), "state_class": .text("measurement"),
                ]),
            sensor(
                "waiting", "Waiting readings", "waiting", ["state_class": .text("measurement")]),
            entity(
                "clock", "binary_sensor", "Clock",
                [
                    "state_topic": .text(topic),
                    "value_template": .text("{{ 'OFF' if value_json.clockSet else 'ON' }}"),
                    "device_class": .text("problem"),
                ]),
            entity(
                "recording", "binary_sensor", "Recording",
                [
                    "state_topic": .text(topic),
                    "value_template": .text("{{ 'ON' if value_json.recording else 'OFF' }}"),
                    "device_class": .text("running"),
                ]),
            sensor(
                "error", "Last error", "error", ["json_attributes_topic": .text(topic)]),
        ]
        return JSONValue.members([
            "device": .members([
                "identifiers": .list([.text(id)]), "name": .text(name),
                "sw_version": .text(version),
            ]),
            "origin": .members(["name": .text("obdscan"), "sw_version": .text(version)]),
            "components": .object(components),
        ]).bytes
    }
}
