/// Fuel trims of both banks, while the fuel system corrects by its oxygen sensor.
struct TrimWatch: Sendable {
    private var first = PlaceSums()
    private var second = PlaceSums()
    /// The first bank, with the purge valve closed.
    private var closed = PlaceSums()
    private var lastCut: Int64?
    /// Since when the trim of each bank is exactly 0.
    private var zeroSince: [Int64?] = [nil, nil]

    mutating func takeFuelStatus(_ status: Double, _ now: DriveMoment) {
        if !Self.isClosed(status) { lastCut = now.t }
    }

    mutating func take(_ short: Double, bank: Int, _ now: DriveMoment) {
        guard isClosedLoop(short, bank: bank, now),
            let learnt = now.fresh(bank == 1 ? .longTrim1 : .longTrim2, within: 15)
        else { return }
        let total = ((1 + short / 100) * (1 + learnt / 100) - 1) * 100
        if bank == 2 { return second.add(total, now) }
        first.add(total, now)
        if let purge = now.fresh(.purge, within: 5), purge < 1 { closed.add(total, now) }
    }

    private static func isClosed(_ status: Double) -> Bool { status == 2 || status == 16 }

    /// PID 03 says so, or the trim has moved from 0.
    private mutating func isClosedLoop(_ short: Double, bank: Int, _ now: DriveMoment) -> Bool {
        if let status = now.fresh(.fuelStatus, within: 10) {
            return Self.isClosed(status) && (lastCut.map { now.t - $0 > 3_000_000 } ?? true)
        }
        guard now.isWarm(75) else { return false }
        let since = short == 0 ? zeroSince[bank - 1] ?? now.t : nil
        zeroSince[bank - 1] = since
        return since.map { now.t - $0 <= 3_000_000 } ?? true
    }

    /// A flexible fuel, gas or a trim that never moves cannot be compared with limits.
    func add(to found: inout [String: Measured], _ now: DriveMoment) {
        guard now.isPetrol, now.hasMoved(.shortTrim1) else { return }
        for place in DrivePlace.allCases {
            found["trim.\(place)"] = first[place].measured(tau: 2)
        }
        if now.hasMoved(.purge) { found["trim.closed"] = closed[.idle].measured(tau: 2) }
        if now.hasMoved(.shortTrim2), let one = first[.cruise].measured(tau: 2),
            let other = second[.cruise].measured(tau: 2)
        {
            found["trim.b1-b2"] = one - other
        }
    }
}
