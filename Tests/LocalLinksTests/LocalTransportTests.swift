import Accessory
import Testing

@testable import LocalLinks

@Suite struct `What this program serves itself` {
    private let registry = TransportRegistry.all

    @Test(arguments: [
        "sim:", "sim:city?latency=20ms&ecus=2", "replay:drive.txt", "replay:/a:b",
    ])
    func `is read as it is printed`(_ text: String) throws {
        let address = try registry.address(text)
        #expect(address.description == text)
        #expect(try registry.address("\(address)") == address)
        #expect(try registry.address("sim:other") != address)
        #expect(address.transport.isServedHere && !address.transport.isExclusive)
        #expect(address.transport.memoryKey == nil)
    }

    @Test func `says what is wrong with it`() {
        #expect(throws: AddressError(.missing("file"), in: "replay:")) {
            try registry.address("replay:")
        }
    }

    @Test(arguments: [
        ("sim:petrol?personality=golink", ["com.goPoint.p1"]), ("sim:petrol", []),
        ("sim:lorry", []), ("replay:golink", []), ("tcp:golink:1", []),
    ])
    func `tells what it speaks where it knows`(_ text: String, _ protocols: [String]) throws {
        #expect(try registry.address(text).transport.protocols == protocols)
    }

    @Test(arguments: [
        ("sim:petrol", true), ("sim:lorry-with-wings", false), ("sim:?latency=soon", false),
        // A file is checked only when it is read.
        ("sim:./own.vehicle", true), ("replay:nowhere.txt", true), ("/dev/nowhere", true),
    ])
    func `shows a fault of its text before it is opened`(_ text: String, _ isFine: Bool) throws {
        #expect((try registry.address(text).transport.visibleFault == nil) == isFine)
    }
}
