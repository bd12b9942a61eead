import Diagnostics
import Foundation
import OBDCore
import PIDTables
import Publishing
import Testing

@Suite("One configuration for many machines")
struct NameMarkerTests {
    @Test(
        "Markers in a name are replaced, and without a VIN the name is empty",
        arguments: [
            ("golf", "pi", nil, "golf"), ("%H", "pi-3", nil, "pi-3"),
            ("car-%H-x", "pi", nil, "car-pi-x"), ("%VIN", "pi", "WVW1", "WVW1"),
            ("%H_%VIN", "pi", "WVW1", "pi_WVW1"), ("%VIN", "pi", nil, nil),
        ] as [(String, String, String?, String?)])
    func replaced(text: String, host: String, vin: String?, result: String?) {
        #expect(NameMarker.replaced(text, host: host, vin: vin) == result)
    }

    @Test(
        "A name with markers is valid if the name without the markers is valid",
        arguments: [
            ("golf", true), ("%VIN", true), ("fleet-%H", true), ("%h", false), ("a b%VIN", false),
            ("", false), ("%", false),
        ])
    func template(text: String, isValid: Bool) {
        #expect(PublishedName.isTemplate(text) == isValid)
    }
}

@Suite("Traccar")
struct TraccarTests {
    /// https://www.traccar.org/osmand/: speed in knots; a knot is 1.852 km/h.
    @Test("A position is a form with its time in seconds and its speed in knots")
    func line() throws {
        var position = try #require(Position(latitude: 48.25, longitude: -11.5))
        var bytes: [UInt8] = []
        let time = UTC(microseconds: 1_795_248_902_900_000)
        TraccarLine.append(position, of: "golf", time: time, to: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "id=golf&timestamp=1795248902&lat=48.25&lon=-11.5\n")
        position.speed = 92.6
        position.course = 90
        position.altitude = 515.5
        position.accuracy = 4
        bytes = []
        TraccarLine.append(position, of: "golf", time: time, to: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self).hasSuffix(
                "&lon=-11.5&speed=50.0&bearing=90.0&altitude=515.5&accuracy=4.0\n"))
    }

    @Test(
        "A Traccar address has the usual port and no path of a write",
        arguments: [
            ("traccar+http://gps.example", "http://gps.example:5055/"),
            ("traccar+https://gps.example", "https://gps.example:443/"),
            ("traccar+http://10.0.0.1:80/osmand", "http://10.0.0.1:80/osmand/"),
        ])
    func address(text: String, url: String) throws {
        let address = try SinkAddress(text)
        #expect(address.writeURL == url && address.kind.isTraccar && !address.kind.isMQTT)
    }
}

@Suite("Topics of a vehicle")
struct RetainedTopicTests {
    @Test("The identifier of a signal gives its topic")
    func identifiers() throws {
        for signal in try PIDTables.standard().signals {
            for ecu in [ECUAddress("7E8"), ECUAddress("18DAF110"), nil] {
                let key = SignalKey(ecu, signal: signal.id)
                #expect(SignalKey(identifier: key.identifier) == key)
            }
        }
    }

    @Test("All topics of a vehicle are known, and entities without a signal share one topic")
    func topics() {
        let topics = VehicleTopics(vehicle: "golf").retained([
            "7e8_rpm": "sensor", "trip": "sensor", "trip_distance": "sensor",
            "check_engine": "binary_sensor", "read_codes": "button",
            "adapter_adapter_voltage": "sensor",
        ])
        #expect(
            topics == [
                "obdscan/golf/availability", "obdscan/golf/codes", "obdscan/golf/readiness",
                "obdscan/golf/position", "obdscan/golf/trip", "obdscan/golf/7e8/rpm",
                "obdscan/golf/adapter/adapter_voltage",
            ])
    }

    @Test(
        "The topic of a command names its vehicle",
        arguments: [
            ("obdscan/golf/command", "golf"), ("obdscan/golf/codes", nil),
            ("other/golf/command", nil), ("obdscan/golf/command/x", nil),
        ] as [(String, String?)])
    func commands(topic: String, vehicle: String?) {
        #expect(VehicleTopics.commanded(topic) == vehicle)
    }

    @Test("A removed vehicle is not sent again")
    func board() {
        var board = StateBoard(every: .seconds(5))
        let time = UTC(microseconds: 1)
        board.put("obdscan/golf/7e8/rpm", .number(1), unit: "rpm", time: time)
        board.put("obdscan/golf2/7e8/rpm", .number(2), unit: "rpm", time: time)
        board.removeAll(under: VehicleTopics(vehicle: "golf").prefix)
        board.forgetSent()
        #expect(
            board.due(at: Instant(nanoseconds: 0)).map(\.topic) == ["obdscan/golf2/7e8/rpm"])
    }
}

@Suite("Readiness for a broker")
struct ReadinessPayloadTests {
    private func status(
        _ monitor: MonitorStatus.Monitor, _ supported: Bool, _ complete: Bool?, ecu: String = "7E8"
    ) -> MonitorStatus {
        MonitorStatus(
            ecu: ECUAddress(ecu), scope: .sinceClear, monitor: monitor, supported: supported,
            complete: complete, line: 0)
    }

    @Test("Monitors that have not run are counted once, unsupported ones never")
    func payload() {
        let bytes = StatePayload.readiness(
            [
                status(.catalyst, true, false), status(.catalyst, true, false, ecu: "7E9"),
                status(.misfire, true, true), status(.evaporative, false, nil),
                status(.oxygenSensor, true, nil),
            ], time: UTC(microseconds: 0))
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"count":2,"incomplete":["catalyst","oxygenSensor"],"#
                + #""supported":["catalyst","misfire","oxygenSensor"],"#
                + #""time":"1970-01-01T00:00:00.000000Z"}"#)
    }

    @Test(
        "The button and the monitors appear only if the user requests them",
        arguments: [false, true])
    func entities(isThere: Bool) throws {
        var payload = DiscoveryPayload(
            vehicle: "golf", name: "Golf", vin: nil, version: "1", client: "obdscan-pi-ha")
        payload.hasCommands = isThere
        payload.hasReadiness = isThere
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(payload.bytes)) as? [String: Any])
        let components = try #require(object["components"] as? [String: [String: Any]])
        #expect((components["readiness"] != nil) == isThere)
        #expect((payload.platforms["read_codes"] == "button") == isThere)
        guard isThere else { return }
        let button = try #require(components["read_codes"])
        #expect(button["command_topic"] as? String == "obdscan/golf/command")
        #expect(button["payload_press"] as? String == "read-codes")
        #expect(components.keys.sorted() == payload.platforms.keys.sorted())
    }
}
