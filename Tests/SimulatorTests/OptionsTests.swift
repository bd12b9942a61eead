import OBDCore
import Testing

@testable import Simulator

@Suite struct `Addresses of the simulator` {
    @Test func `an address can have all options`() throws {
        let options = try SimulatorOptions(
            "diesel?latency=20ms&jitter=500us&wait=0&at=1.5ms&search=2s&baud=38400&protocol=7&ecus=3"
                + "&seed=9&start=90s&frozen=12.5s&engine=off&ignition=off&personality=stn&slow=1s"
                + "&vin=1D4GP00R55B123456&codes=P0301,U0100&pending=none&permanent=P0420")
        #expect(options.scenario == "diesel")
        #expect(options.latency == .milliseconds(20))
        #expect(options.jitter == .microseconds(500))
        #expect(options.wait == .zero)
        #expect(options.commandLatency == .microseconds(1500))
        #expect(options.search == .seconds(2))
        #expect(options.baud == 38400)
        #expect(options.vehicleProtocol == .can29At500)
        #expect(options.ecus == 3)
        #expect(options.seed == 9)
        #expect(options.start == .seconds(90))
        #expect(options.frozen == .milliseconds(12_500))
        #expect(options.engine == .off)
        #expect(!options.ignition)
        #expect(options.personality == "stn")
        #expect(options.slow == .seconds(1))
        #expect(options.vin?.text == "1D4GP00R55B123456")
        #expect(options.codes == [DTC(0x0301), DTC(0xC100)])
        #expect(options.pending == [])
        #expect(options.permanent == [DTC(0x0420)])
        #expect(try SimulatorOptions("") == SimulatorOptions())
        #expect(try SimulatorOptions("petrol?") == SimulatorOptions())
        #expect(try SimulatorOptions("?protocol=iso9141-2").vehicleProtocol == .iso9141)
    }

    @Test(arguments: [
        (
            "lorry",
            "no scenario \"lorry\"; there are petrol, diesel, electric, hybrid, motorcycle, onuds, truck"
        ),
        ("?personality=x", "no personality \"x\"; there are elm327"),
        ("?speed=1", "no option \"speed\"; there are personality"),
        ("?latency=20", "latency=20: a time such as 20ms or 1.5s expected"),
        ("?latency=-1ms", "latency=-1ms: a time"), ("?latency=nan", "latency=nan: a time"),
        ("?latency=infs", "latency=infs: a time"),
        ("?latency=99999999999s", "latency=99999999999s: a time"),
        ("?ecus=0", "ecus=0: 1 to 8 expected"), ("?ecus=9", "ecus=9: 1 to 8 expected"),
        ("?protocol=B", "protocol=B: 1 to A expected"), ("?baud=1", "baud=1: 300 to 4000000"),
        ("?vin=ABC", "vin=ABC: 17 letters"), ("?codes=P03", "codes=P03: codes such as P0301"),
        ("?codes=P0000", "codes=P0000: codes such as"), ("?engine=on", "engine=on: running or off"),
        ("?ignition=maybe", "ignition=maybe: on or off"), ("?seed=-1", "seed=-1: a whole number"),
    ])
    func `an error names the fault and the allowed values`(text: String, reason: String) {
        do {
            let options = try SimulatorOptions(text)
            Issue.record("taken: \(options)")
        } catch {
            #expect(error.reason.hasPrefix(reason), "\(error.reason)")
        }
    }

    @Test func `every name in the catalogue can be simulated`() throws {
        for scenario in SimulatorCatalogue.scenarios {
            for personality in SimulatorCatalogue.personalities
            where personality.name != SimulatorOptions.goLink
                && SimulatedCANDevice.Kind(rawValue: personality.name) == nil
            {
                var bench = try Bench("\(scenario.name)?latency=0&personality=\(personality.name)")
                #expect(bench.lines("ATI").last?.contains("ELM327 v") == true)
                #expect(!scenario.title.isEmpty && !personality.title.isEmpty)
            }
        }
        let listed = SimulatorCatalogue.options.map { $0.name.prefix { $0 != "=" } }
        #expect(listed.map(String.init) == SimulatorOptions.names)
        for name in SimulatorOptions.names {
            do {
                var options = SimulatorOptions()
                try options.set(name, to: "?")
                Issue.record("\(name) takes ?")
            } catch .unknownOption {
                Issue.record("\(name) is not known")
            } catch {}
        }
    }
}
