import Accessory
import Testing

@testable import LocalLinks

@Suite struct `Links that this program serves itself` {
    private let registry = TransportRegistry.all

    @Test(arguments: [
        "sim:", "sim:city?latency=20ms&ecus=2", "replay:drive.txt", "replay:/a:b",
    ])
    func `a printed address can be read again`(_ text: String) throws {
        let address = try registry.address(text)
        #expect(address.description == text)
        #expect(try registry.address("\(address)") == address)
        #expect(try registry.address("sim:other") != address)
        #expect(address.transport.isServedHere && !address.transport.isExclusive)
        #expect(address.transport.memoryKey == nil)
    }

    @Test func `an error names the fault in an address`() {
        #expect(throws: AddressError(.missing("file"), in: "replay:")) {
            try registry.address("replay:")
        }
    }

    @Test(arguments: [
        ("sim:petrol?personality=golink", ["com.goPoint.p1"]), ("sim:petrol", []),
        ("sim:lorry", []), ("replay:golink", []), ("tcp:golink:1", []),
    ])
    func `an address accepts the protocols that its transport knows`(
        _ text: String, _ protocols: [String]
    ) throws {
        #expect(try registry.address(text).transport.protocols == protocols)
    }

    @Test(arguments: [
        ("sim:petrol", true), ("sim:lorry-with-wings", false), ("sim:?latency=soon", false),
        // A file is checked only when it is read.
        ("sim:./own.vehicle", true), ("replay:nowhere.txt", true), ("/dev/nowhere", true),
    ])
    func `a fault in the text of an address is shown before opening`(_ text: String, _ isFine: Bool)
        throws
    {
        #expect((try registry.address(text).transport.visibleFault == nil) == isFine)
    }
}
