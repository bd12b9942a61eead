import TestSupport
import Testing

@testable import Settings

/// Numbers that no configuration has: a fault with its line, or the value itself.
@Suite struct `Extreme numbers in the configuration` {
    private static let checks = SettingsChecks(
        addressFault: { _ in nil }, isCondition: { _ in true })

    @Test func `extreme numbers crash nothing`() {
        let text = """
            device = "tcp:192.168.0.10:35000"
            protocol = 6
            list = [1, 0x10, 0o7, 0b1, 1_000, -2.5e3]
            unicode = "\\u0041\\U00000042"
            alarms = ["ECT>105", "RPM>5000"]
            [fuel]
            price = 1.759
            density = 0.745
            [publish]
            every = "10s"
            to = ["mqtt://broker:1883/a?qos=1", "influx://host:8086/bucket"]
            """
        Extremes.forEach(of: text) { changed in
            _ = try? SettingsText.read(Array(changed.utf8), Self.checks).faultless()
            guard var toml = try? TOMLText(Array(changed.utf8)) else { return }
            try? toml.set("fuel.price", to: ["2"], isList: false)
        }
    }

    @Test func `extreme numbers and keys with many parts are refused`() {
        let text = "a" + String(repeating: ".a", count: 200_000) + " = 1\n"
        #expect(throws: TOMLText.Fault(line: 1, reason: "too deep")) {
            try TOMLText(Array(text.utf8))
        }
    }
}
