/// The converter that charges the 12 V battery of an electric or hybrid vehicle.
struct BatteryConverter: Sendable {
    private var lowSince: Int64?
    private var low: BatteryFinding?

    mutating func take(_ volts: Double, isAdapter: Bool, _ moment: VoltageMoment) {
        guard moment.isBest(isAdapter: isAdapter) else { return }
        guard moment.isDeclared, moment.fresh(.speed) ?? 0 > 5,
            volts + moment.error(isAdapter: isAdapter) < 12.8
        else {
            lowSince = nil
            return
        }
        let since = lowSince ?? moment.t
        lowSince = since
        guard moment.t - since >= 60_000_000 else { return }
        low = BatteryFinding(
            part: .converter, grade: .low, volts: volts, low: 12.8,
            seconds: Double(moment.t - since) / 1e6, isFromAdapter: isAdapter, from: since,
            to: moment.t,
            text: "The vehicle drives, but its converter does not charge the 12 V battery.")
    }

    func finding(_ moment: VoltageMoment) -> BatteryFinding? {
        if let low { return low }
        let isAdapter = moment.sources.ecu.latest == nil
        let source = moment.sources[isAdapter]
        guard let latest = source.latest else { return nil }
        let held = source.held.highest
        var found = BatteryFinding(
            part: .converter, grade: .unknown,
            volts: moment.corrected(held?.value ?? latest.value, isAdapter: isAdapter),
            isFromAdapter: isAdapter, to: moment.t, text: "")
        if let held, held.value - moment.error(isAdapter: isAdapter) >= 12.9 {
            found.grade = .good
            found.low = 12.8
            found.seconds = held.seconds
            (found.from, found.to) = (held.from, held.to)
            found.text = "The converter charges the 12 V battery."
        } else {
            found.text =
                "Not judged: the vehicle may not have been ready to drive, where its converter charges."
        }
        return found
    }
}
