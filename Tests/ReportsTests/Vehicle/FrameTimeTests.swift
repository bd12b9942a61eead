import Formats
import OBDCore
import Testing

@testable import Reports

@Suite struct `Times of frames` {
    /// The forms of candump -t.
    @Test(
        arguments: [
            (nil, ["", "", ""]),
            (
                .absolute,
                ["(1436509052.249713)  ", "(1436509052.250713)  ", "(1436509052.249713)  "]
            ),
            (.difference, ["(000.000000)  ", "(000.001000)  ", "(-000.001000)  "]),
            (.fromZero, ["(000.000000)  ", "(000.001000)  ", "(000.000000)  "]),
        ] as [(FrameTime?, [String])])
    func `a frame has its time in the form of candump`(times: FrameTime?, texts: [String]) {
        var watch = BusWatch(
            filters: [], form: OutputForm(format: .text), rates: false, times: times,
            interface: "can0", log: nil)
        let first: Int64 = 1_436_509_052_249_713
        let found = [first, first + 1000, first].map { watch.shown(UTC(microseconds: $0)) }
        #expect(found == texts)
    }
}
