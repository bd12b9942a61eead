import Accessory
import LocalLinks
import Testing

@testable import ObdscanCLI

@Suite struct `Links that this program serves itself` {
    private let registry = TransportRegistry.all

    @Test(arguments: [
        ("sim:lorry-with-wings", 64), ("replay:/nowhere/a.txt", 66),
        ("replay:/dev/null", 65),
    ])
    func `a fault ends with its exit code`(_ text: String, _ status: Int32) throws {
        let address = try registry.address(text)
        do throws(Failure) {
            _ = try connector(for: address)
            Issue.record("\(text) was opened")
        } catch {
            #expect(error.status.rawValue == status)
            #expect(error.hint != nil && !error.message.isEmpty)
        }
    }
}
