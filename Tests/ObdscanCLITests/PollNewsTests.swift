import Adapters
import OBDCore
import Reports
import ScanSession
import Testing

@testable import ScanSession

@Suite struct `News of a session` {
    private let silent = ScanEvent.toolDidFailToInitialize(.noVehicle(.unableToConnect))
    private let lost = ScanEvent.toolDidDisconnect(.lost(address: "adapter", errno: 5))
    private let back = ScanEvent.toolDidInitialize(
        LinkInformation(identity: AdapterIdentity(), dialect: "", capabilities: .init()))

    /// A logger that waits for a vehicle tries once a minute.
    @Test func `a fault is told once until the adapter is set up again`() {
        var news = PollNews(accessory: "adapter")
        let told = (0..<100).compactMap { _ in news.note(silent) }
        #expect(told.count == 1)
        #expect(told.first?.contains("the adapter works") == true, "\(told)")
        // A link that comes and goes does not repeat it either.
        let more = (0..<10).flatMap { _ in [news.note(lost), news.note(silent)] }.compactMap(\.self)
        #expect(more.count == 1 && more.first?.hasPrefix("the link was lost") == true, "\(more)")
        // Another fault is news.
        #expect(news.note(.toolDidFailToInitialize(.silent)) != nil)
        #expect(news.note(back) == "the link is back")
        #expect(news.note(silent) == told.first)
    }
}
