import OBDCore
import Testing

@Suite struct `Capabilities of a link` {
    /// ISO 14229-1: a request for data has two bytes for each identifier after its service.
    ///
    /// ISO 15765-2: a frame holds seven bytes of a request, or six after an address byte. Where ECUs read a
    /// frame in two ways, a second frame of a request could be a request of its own.
    @Test(
        arguments: [
            (ECUAddress(0x7E0, .can11), 4_095, 6), (ECUAddress(0x7E0, .can11), 7, 3),
            (ECUAddress(0x750, .can11), 4_095, 3), (ECUAddress(0x6F1, .can11), 4_095, 3),
            (ECUAddress(0x6F1, .can11, extended: 0x12), 4_095, 6),
            (ECUAddress(0x7E0, .can11, extended: 0x2A), 4_095, 2), (nil, 4_095, 3),
        ] as [(ECUAddress?, Int, Int)])
    func `the capabilities of a link limit the number of identifiers in a request`(
        target: ECUAddress?, longest: Int, most: Int
    ) throws {
        var link = LinkCapabilities(itemsPerRequest: 6)
        link.longestRequest = longest
        let shape = try #require(ServiceShape.of(0x22))
        #expect(link.selectors(of: shape, to: target) == most)
        link.itemsPerRequest = 1
        #expect(link.selectors(of: shape, to: target) == 1)
    }
}
