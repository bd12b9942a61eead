import Foundation
import Testing

@testable import Engines

/// Loggers for a month: wrong clocks, networks, power cuts, kills, a full card and a broker that is away.
///
/// OBDSCAN_MONTHS=FIRST-LAST runs whole months of these seeds and prints what happened.
@Suite struct MonthTests {
    private static let variable = ProcessInfo.processInfo.environment["OBDSCAN_MONTHS"]
    private static var seeds: (range: ClosedRange<UInt64>, days: Int) {
        let numbers = (variable ?? "").split(separator: "-").compactMap { UInt64($0) }
        guard let first = numbers.first, let last = numbers.last, first <= last else {
            return (1...6, 10)
        }
        return (first...last, 30)
    }

    @Test func `each promised record arrives once, at its true time, and only then is deleted`()
        throws
    {
        let (seeds, days) = Self.seeds
        var sum = Pi.Counts()
        for seed in seeds {
            let folder = NSTemporaryDirectory() + "month-\(UUID().uuidString)"
            do {
                let logger = try Pi(seed: seed, folder: folder)
                try logger.run(days: days)
                sum += logger.counts
                if Self.variable != nil { print("seed \(seed): \(logger.counts.drives) drives") }
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
        #expect(sum.drives > 0 && sum.delivered > 0)
        guard Self.variable != nil else { return }
        for field in Pi.Counts.fields { print("\(sum[keyPath: field.path]) \(field.name)") }
    }
}
