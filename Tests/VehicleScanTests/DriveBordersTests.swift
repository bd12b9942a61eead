import Accessory
import Adapters
import Diagnostics
import OBDCore
import Testing

@testable import ScanSession
@testable import VehicleScan

/// What happened, at these seconds; the link is lost at second 100 in most cases.
private enum Happening {
    case lost(Int)
    /// The adapter is back, and no ECU answers it.
    case silent(Int)
    /// The adapter is back, and its set-up fails for another reason.
    case failed(Int)
    /// Adapter and vehicle are back.
    case back(Int)

    var event: (at: Int, ScanEvent) {
        switch self {
        case .lost(let at): (at, .toolDidDisconnect(.lost(address: "adapter", errno: 5)))
        case .silent(let at): (at, .toolDidFailToInitialize(.noVehicle(.unableToConnect)))
        case .failed(let at): (at, .toolDidFailToInitialize(.timedOut(command: "0100")))
        case .back(let at):
            (
                at,
                .toolDidInitialize(
                    LinkInformation(
                        identity: AdapterIdentity(), dialect: "", capabilities: .init()))
            )
        }
    }
}

private func at(_ seconds: Double) -> Instant {
    Instant(nanoseconds: Int64(seconds * 1e9))
}

@Suite struct `Borders between the drives of a session` {
    /// The borders, each with its second, for drives that end as those of `log --each-drive` do.
    private func borders(_ happenings: [Happening]) -> [String] {
        var borders = DriveBorders()
        borders.border = .end(lost: .seconds(600), silent: .seconds(60))
        var found: [String] = []
        func note(_ end: PollLoop.End, _ second: Int) {
            switch end {
            case .linkStaysLost(let since): found.append("\(second) lost \(seconds(since))")
            case .vehicleStaysSilent(let since): found.append("\(second) silent \(seconds(since))")
            case .vehicleIsOn(let time, let afterLoss):
                found.append("\(second) on \(seconds(time))\(afterLoss ? ", unknown" : "")")
            default: found.append("\(second) \(end)")
            }
            borders.border =
                borders.border == .beginning
                ? .end(lost: .seconds(600), silent: .seconds(60)) : .beginning
        }
        for (second, event) in happenings.map(\.event) {
            let now = at(Double(second))
            // The loop wakes up at its deadline.
            if let due = borders.deadline, due < now, let end = borders.end(by: due) {
                note(end, seconds(due))
            }
            if let end = borders.end(before: event, at: now) { note(end, second) }
            if let end = borders.take(event, at: now, isNameless: false) { note(end, second) }
        }
        return found
    }

    private func seconds(_ instant: Instant) -> Int { Int((instant - .zero).seconds) }

    @Test(
        arguments: [
            // A vehicle that answers as soon as the link is back is on the same drive.
            ([.lost(100), .back(400)], []),
            ([.lost(100), .failed(130), .back(400)], []),
            // A vehicle that does not answer then is off since the link was lost.
            ([.lost(100), .silent(400), .back(420)], ["400 silent 100", "420 on 420, unknown"]),
            ([.lost(100), .silent(110), .back(140)], []),
            ([.lost(100), .silent(110), .silent(159), .back(159)], []),
            ([.lost(100), .silent(110), .silent(160)], ["160 silent 100"]),
            // Between two attempts, the vehicle was switched on.
            (
                [.lost(100), .silent(155), .back(215)],
                ["215 silent 100", "215 on 215, unknown"]
            ),
            // The link is not lost, but the adapter restarted and finds no vehicle.
            (
                [.silent(100), .silent(150), .silent(170), .back(300)],
                ["170 silent 100", "300 on 300, unknown"]
            ),
            // After an answer, the silence begins anew.
            ([.lost(100), .silent(130), .back(140), .lost(150), .silent(180), .back(190)], []),
            ([.lost(100), .back(700)], ["700 lost 100", "700 on 700, unknown"]),
            ([.lost(100), .failed(699), .back(5000)], ["700 lost 100", "5000 on 5000, unknown"]),
            ([.failed(100), .failed(690), .back(900)], ["700 lost 100", "900 on 900"]),
        ] as [([Happening], [String])])
    fileprivate func `the time without a link counts as silence`(
        happenings: [Happening], expected: [String]
    ) {
        #expect(borders(happenings) == expected)
    }

    /// A machine that was asleep, or a program that was stopped, learns of the loss and of the return at once.
    @Test func `a loss that is noticed late is as long as it was`() {
        var borders = DriveBorders()
        borders.border = .end(lost: .seconds(600), silent: .seconds(60))
        let (lost, back) = (Happening.lost(100).event.1, Happening.back(1000).event.1)
        #expect(borders.take(lost, at: at(100), isNameless: false) == nil)
        #expect(borders.end(before: back, at: at(1000)) == .linkStaysLost(since: at(100)))
        // The event is the beginning of the next drive, and not lost.
        borders.border = .beginning
        #expect(borders.end(before: back, at: at(1000)) == nil)
        #expect(
            borders.take(back, at: at(1000), isNameless: false)
                == .vehicleIsOn(at(1000), afterLoss: true))
    }

    @Test func `without borders nothing ends`() {
        var borders = DriveBorders()
        for event in [Happening.lost(1), .silent(100), .silent(2000), .back(3000)] {
            let (second, event) = event.event
            #expect(borders.end(before: event, at: at(Double(second))) == nil)
            #expect(borders.take(event, at: at(Double(second)), isNameless: false) == nil)
            #expect(borders.end(by: at(Double(second))) == nil && borders.deadline == nil)
        }
    }
}
