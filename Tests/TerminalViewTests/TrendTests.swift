import OBDCore
import TestSupport
import Testing

@testable import TerminalView

/// One cell is two seconds.
@Suite struct `A trend` {
    @Test func `a cell has its last number, and the newest is at the end`() {
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

    @Test func `a rare number fills the cells until the next number`() {
        var trend = Trend()
        for step in 0..<4 { trend.take(Double(step), at: at(Double(step) * 5)) }
        #expect(trend.values(8, at: at(15)) == [0, 0, 1, 1, 1, 2, 2, 3])
        // Three times as long as usual is not too late yet.
        #expect(trend.values(3, at: at(29)) == [3, 3, 3])
    }

    @Test func `an outage leaves a permanent gap in a trend at once`() {
        var trend = Trend()
        for step in 0..<8 { trend.take(1, at: at(Double(step) / 2)) }
        #expect(trend.values(4, at: at(9)) == [1, nil, nil, nil])
        trend.take(2, at: at(14))
        trend.take(2, at: at(14.5))
        #expect(trend.values(8, at: at(14.6)) == [1, 1, nil, nil, nil, nil, nil, 2])
    }

    @Test func `an outage does not count as a new interval`() {
        var trend = Trend()
        for step in 0..<8 { trend.take(1, at: at(Double(step) / 2)) }
        trend.take(2, at: at(60.5))
        #expect(trend.values(5, at: at(69)) == [2, nil, nil, nil, nil])
        // Two late ones are one.
        trend.take(3, at: at(120.5))
        #expect(trend.values(5, at: at(129)) == [3, 3, 3, 3, 3])
    }

    @Test func `a trend has a limited number of cells, and an older value continues in them`() {
        var trend = Trend()
        let cells = Trend.length / 2
        for step in 0..<9000 { trend.take(Double(step), at: at(Double(step) / 10)) }
        let values = trend.values(cells, at: at(899.9))
        #expect(values.allSatisfy { $0 != nil })
        #expect(values.last == 8999)
        #expect(trend.values(cells + 5, at: at(899.9)).prefix(4).allSatisfy { $0 == nil })
        // A cell may have any length in time.
        #expect(trend.values(3, per: .seconds(1), at: at(899.9)) == [8979, 8989, 8999])
        var slow = Trend()
        for step in 0..<9 { slow.take(Double(step), at: at(Double(step) * 200)) }
        #expect(slow.values(cells, at: at(1600)).allSatisfy { $0 != nil })
        trend.convert { $0 * 2 }
        #expect(trend.values(1, at: at(899.9)) == [17998])
    }

    @Test func `a graph gets numbers with their ages, and the last value before its begin`() {
        var trend = Trend()
        for step in 0..<9 { trend.take(Double(step), at: at(Double(step) * 10)) }
        let samples = trend.samples(.seconds(25), at: at(83))
        #expect(samples.map(\.age) == [33, 23, 13, 3, 0])
        #expect(samples.map(\.value) == [5, 6, 7, 8, 8])
        #expect(samples.allSatisfy { !$0.isBehindGap })
        // Overdue: the line ends with its last number.
        trend.take(9, at: at(200))
        #expect(trend.samples(.seconds(25), at: at(201)).map(\.isBehindGap) == [true, false])
        #expect(trend.samples(.seconds(25), at: at(260)).map(\.age) == [60])
    }
}
