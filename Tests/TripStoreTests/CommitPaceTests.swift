import Testing

@testable import TripStore

@Suite struct CommitPaceTests {
    /// The duration of a transaction, and the latest time on the disk for an entry that came at 0.
    @Test(arguments: [
        (Duration.milliseconds(1), Duration.milliseconds(1000)), (.milliseconds(60), .seconds(1)),
        (.milliseconds(250), .seconds(1)), (.milliseconds(500), .seconds(1)),
    ])
    func `entries are on the disk within the limit`(_ took: Duration, _ latest: Duration) {
        var pace = CommitPace(limit: .seconds(1))
        for _ in 0..<20 {
            pace.committed(in: took)
            #expect(pace.wait + took <= latest)
        }
    }

    @Test func `a disk counts as slow before its first transaction`() {
        #expect(CommitPace(limit: .seconds(1)).wait == .milliseconds(500))
    }

    @Test func `a disk that is slower than half of the limit rests for half of the limit`() {
        var pace = CommitPace(limit: .seconds(1))
        pace.committed(in: .seconds(9))
        #expect(pace.wait == .milliseconds(500))
    }

    @Test func `a slow transaction is forgotten with time`() {
        var pace = CommitPace(limit: .seconds(1))
        pace.committed(in: .milliseconds(200))
        #expect(pace.wait == .milliseconds(600))
        pace.committed(in: .milliseconds(4))
        #expect(pace.wait == .milliseconds(650))
        for _ in 0..<40 { pace.committed(in: .milliseconds(4)) }
        #expect(pace.wait > .milliseconds(980))
    }
}
