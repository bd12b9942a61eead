import OBDCore
import TestSupport
import Testing

@testable import TerminalView

/// One cell is two seconds.
@Suite struct `A trend` {
    @Test func `has the last number of each cell, the newest at its end`() {
        var trend = Trend()
        for (time, value) in [(0.0, 10.0), (0.5, 11), (1.9, 12), (2.1, 13), (3, 14), (4.5, 15)] {
            trend.take(value, at: at(time))
        }
        #expect(trend.values(5, at: at(5)) == [nil, nil, 12, 14, 15])
        #expect(trend.values(2, at: at(5)) == [14, 15])
        #expect(trend.values(0, at: at(5)).isEmpty)
        // Drawn for a moment before the last ones were read.
        #expect(trend.values(2, at: at(1)) == [nil, 12])
    }

    @Test func `holds a number that comes seldom until the next one`() {
        var trend = Trend()
        for step in 0..<4 { trend.take(Double(step), at: at(Double(step) * 5)) }
        #expect(trend.values(8, at: at(15)) == [0, 0, 1, 1, 1, 2, 2, 3])
        // Three times as long as usual is not too late yet.
        #expect(trend.values(3, at: at(29)) == [3, 3, 3])
    }

    @Test func `has a gap where nothing was read, at once and for good`() {
        var trend = Trend()
        for step in 0..<8 { trend.take(1, at: at(Double(step) / 2)) }
        #expect(trend.values(4, at: at(9)) == [1, nil, nil, nil])
        trend.take(2, at: at(14))
        trend.take(2, at: at(14.5))
        #expect(trend.values(8, at: at(14.6)) == [1, 1, nil, nil, nil, nil, nil, 2])
    }

    @Test func `takes no outage for the new pace`() {
        var trend = Trend()
        for step in 0..<8 { trend.take(1, at: at(Double(step) / 2)) }
        trend.take(2, at: at(60.5))
        #expect(trend.values(5, at: at(69)) == [2, nil, nil, nil, nil])
        // Two late ones are one.
        trend.take(3, at: at(120.5))
        #expect(trend.values(5, at: at(129)) == [3, 3, 3, 3, 3])
    }

    @Test func `keeps so many cells, and what holds on into them`() {
        var trend = Trend()
        for step in 0..<5000 { trend.take(Double(step), at: at(Double(step) / 10)) }
        let values = trend.values(Trend.length, at: at(499.9))
        #expect(values.allSatisfy { $0 != nil })
        #expect(values.last == 4999)
        #expect(
            trend.values(Trend.length + 5, at: at(499.9)).prefix(4).allSatisfy { $0 == nil })
        var slow = Trend()
        for step in 0..<9 { slow.take(Double(step), at: at(Double(step) * 200)) }
        #expect(slow.values(Trend.length, at: at(1600)).allSatisfy { $0 != nil })
        trend.convert { $0 / 10 }
        #expect(trend.values(1, at: at(499.9)) == [499.9])
    }
}
