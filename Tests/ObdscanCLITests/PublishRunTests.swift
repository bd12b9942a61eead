import Engines
import Settings
import Testing

@testable import ObdscanCLI

@Suite struct `A delivery` {
    @Test func `a delivery of which everything was refused fails`() throws {
        func failure(_ counts: [(to: String, delivered: Int, refused: Int)]) throws -> Failure? {
            try PublishRun.refusal(
                by: counts.map { to, delivered, refused in
                    var report = SinkReport()
                    (report.delivered, report.refused) = (delivered, refused)
                    return (try ChosenSink(named: to, PublishSettings(), .ofProcess), report)
                })
        }
        let (engine, hook) = ("influx+http://host:1", "webhook+http://host:2/x")
        #expect(try failure([]) == nil)
        #expect(try failure([(engine, 0, 0), (hook, 5, 0)]) == nil)
        // The others are delivered; a note counts those that were refused.
        #expect(try failure([(engine, 1, 7)]) == nil)
        let all = try failure([(engine, 0, 7)])
        #expect(all?.message == "\(engine) refused all 7 lines")
        #expect(all?.status == .badConfiguration)
        #expect(
            try failure([(hook, 0, 1), (engine, 9, 0)])?.message == "\(hook) refused the only event"
        )
        #expect(
            try failure([(hook, 0, 3), (engine, 0, 2)])?.message
                == "\(hook) refused all 3 events; \(engine) refused all 2 lines")
    }

    /// The alias of a device names the vehicle of a trip without a VIN.
    @Test func `the devices of aliases have the addresses that trips have`() {
        var settings = UserSettings()
        settings.aliases = ["van": "/dev/ttyUSB0", "truck": "can:can0", "odd": "nothing:at all"]
        #expect(
            settings.rememberedDevices == [
                "van": "serial:/dev/ttyUSB0", "truck": "can:can0", "odd": "nothing:at all",
            ])
    }
}
