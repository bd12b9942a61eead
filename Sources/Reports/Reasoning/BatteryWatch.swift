/// Judges the 12 V side of a vehicle by a recorded or live course of its voltage: at rest, while the starter turns,
/// and while something charges.
///
/// What a voltage cannot show is said instead: the charge of a battery that has not slept, a start with too few
/// samples, a smart regulator that holds the voltage low on purpose. The ripple of a bad diode is far too fast.
package struct BatteryWatch: Sendable {
    private var moment = VoltageMoment()
    private var rest: BatteryRest
    private var start = BatteryStart()
    private var charge = BatteryCharge()
    private var converter = BatteryConverter()

    /// `isPolled` says whether the ECUs are asked again and again: one that is not asked may be silent and awake.
    package init(isPolled: Bool = true) { rest = BatteryRest(isPolled: isPolled) }

    // MARK: Inputs

    /// Takes a reading of the ECU; `t` is in microseconds since the start of the trip.
    package mutating func take(_ value: Double, _ quantity: DriveQuantity, t: Int64) {
        guard value.isFinite else { return }
        moment.take(value, quantity, t: t)
        rest.takeAnswer()
        switch quantity {
        case .engineSpeed: start.takeEngine(value, moment)
        case .speed: charge.takeSpeed(value, moment)
        case .load: charge.takeLoad(value, moment)
        case .voltage: takeVoltage(value, isAdapter: false)
        default: break
        }
    }

    /// An ECU has answered, whatever it said: the vehicle does not sleep.
    package mutating func takeAnswer(t: Int64) {
        moment.advance(to: t)
        rest.takeAnswer()
    }

    /// Takes the voltage at the adapter.
    package mutating func take(adapterVoltage value: Double, t: Int64) {
        guard value.isFinite, value > 1 else { return }
        moment.advance(to: t)
        rest.takeSleep(value, moment)
        takeVoltage(value, isAdapter: true)
    }

    /// The driver was asked to switch consumers on.
    package mutating func takeLoads(t: Int64) {
        moment.advance(to: t)
        charge.takeLoads(moment)
    }

    private mutating func takeVoltage(_ volts: Double, isAdapter: Bool) {
        moment.take(volts, isAdapter: isAdapter)
        start.take(volts, isAdapter: isAdapter, moment)
        if moment.isOff, !start.isDipping(isAdapter: isAdapter) {
            rest.take(volts, isAdapter: isAdapter, moment)
        }
        charge.take(volts, isAdapter: isAdapter, moment)
        converter.take(volts, isAdapter: isAdapter, moment)
    }

    // MARK: Findings

    /// Whether a voltage and an engine speed were read at all.
    package var hasBoth: Bool { moment.drive.latest(.engineSpeed) != nil && hasVoltage }

    private var hasVoltage: Bool {
        moment.sources.ecu.latest != nil || moment.sources.adapter.latest != nil
    }

    /// What the course shows, and what it cannot show.
    package var findings: [BatteryFinding] {
        guard hasVoltage else { return [] }
        let volts = [false, true].compactMap {
            charge.mean(isAdapter: $0) ?? rest.median(isAdapter: $0)
        }
        if let first = volts.first, first > 18 {
            return [
                BatteryFinding(
                    part: .charge, grade: .unknown, volts: first,
                    text: "A supply of 24 V is not judged.")
            ]
        }
        if moment.isDeclared { return [converter.finding(moment)].compactMap(\.self) }
        let before = rest.finding(moment)
        return [before, start.finding(moment), charge.finding(moment, rest: before?.volts)]
            .compactMap(\.self)
    }
}
