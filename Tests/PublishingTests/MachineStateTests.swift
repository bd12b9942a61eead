import Foundation
import OBDCore
import Publishing
import Testing

@Suite struct `The state of a computer` {
    private func state() -> MachineState {
        MachineState(
            name: "pi 1,a", version: "1.2", isClockSet: true, uptime: 3600.4,
            time: UTC(microseconds: 1_795_248_902_000_000))
    }

    private func object(_ bytes: [UInt8]) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    @Test func `the payload has the known values, and null for unknown values`() throws {
        var state = state()
        let empty = try object(state.payload)
        #expect(
            Set(empty.keys) == [
                "version", "diskFree", "waiting", "clockSet", "recording", "uptime", "lastRecord",
                "error", "errorTime", "time",
            ])
        for key in ["diskFree", "waiting", "lastRecord", "error", "errorTime"] {
            #expect(empty[key] is NSNull, "\(key)")
        }
        #expect(
            empty["time"] as? String == state.time.text
                && empty["uptime"] as? Int == 3600)
        state.freeSpace = 5_000_000_000
        state.waiting = 7
        state.isRecording = true
        state.error = .init(.linkLost, at: state.time)
        // A time by a clock that is not set would be a wrong one.
        state.isClockSet = false
        let full = try object(state.payload)
        #expect(full["diskFree"] as? Int == 5_000_000_000 && full["waiting"] as? Int == 7)
        #expect(full["recording"] as? Bool == true && full["time"] is NSNull)
        #expect(full["error"] as? String == "the link to the adapter was lost")
        #expect(full["errorTime"] as? String == state.time.text)
        state.error = .init(.linkError, at: nil)
        #expect(try object(state.payload)["errorTime"] is NSNull)
    }

    @Test func `a line about the computer has only numbers, and the time of the server`() {
        var state = state()
        state.freeSpace = 5_000_000_000
        state.lastRecord = state.time
        #expect(
            String(decoding: state.line(tags: [("fleet", "north")]), as: UTF8.self)
                == "obd_machine,machine=pi\\ 1\\,a,version=1.2,fleet=north clock_set=1,recording=0,"
                + "uptime=3600,disk_free=5000000000,last_record=1795248902\n")
    }

    @Test func `each entity is diagnostic, and keeps its last value when the computer is dead`()
        throws
    {
        let payload = try object(
            MachineTopics.discovery("obdscan-pi-ha", name: "obdscan pi", version: "1.2"))
        #expect(Set(payload.keys) == ["device", "origin", "components"])
        let components = try #require(payload["components"] as? [String: [String: Any]])
        #expect(components.count == 7)
        for (id, entity) in components {
            #expect(entity["entity_category"] as? String == "diagnostic")
            #expect(entity["unique_id"] as? String == "obdscan_machine_obdscan-pi-ha_\(id)")
            #expect(entity["availability"] == nil && entity["expire_after"] == nil)
        }
        // The last will is what tells a dead computer from a parked vehicle.
        #expect(
            components["connected"]?["state_topic"] as? String == "obdscan/bridge/obdscan-pi-ha")
        #expect(components["connected"]?["payload_off"] as? String == "offline")
        #expect(
            MachineTopics.discovery("homeassistant", "obdscan-pi-ha")
                == "homeassistant/device/obdscan_machine_obdscan-pi-ha/config")
    }
}
