import OBDCore
import Testing

@testable import TerminalView

@Suite struct `Counting a rate` {
    @Test func `a rate is a count divided by its time`() {
        var meter = RateMeter()
        for step in 0..<100 {
            meter.count(at: Instant(nanoseconds: Int64(step) * 50_000_000))
        }
        // Twenty events per second.
        #expect(meter.perSecond(at: Instant(nanoseconds: 5_000_000_000)) == 20)
        // Long after the last event the window is empty.
        #expect(meter.perSecond(at: Instant(nanoseconds: 20_000_000_000)) == 0)
    }
}
