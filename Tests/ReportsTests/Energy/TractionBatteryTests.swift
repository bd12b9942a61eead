import Testing

@testable import Reports

/// Energy, charging sessions and capacity against simulated batteries whose truth is known, and against arithmetic by
/// hand.
@Suite struct `Energy of a traction battery` {
    private typealias Value = (t: Int64, quantity: BatteryQuantity, value: Double)

    /// Draws a sensor: offset up to 0.5 A, gain with a standard deviation of 0.7 %, either sign.
    private func battery(_ seed: Int) -> SimulatedBattery {
        var battery = SimulatedBattery(seed: UInt64(seed))
        battery.offset = battery.random.unit() - 0.5
        battery.gain = 1 + 0.007 * battery.random.normal()
        battery.sign = battery.random.unit() < 0.5 ? 1 : -1
        return battery
    }

    private func holds(_ figure: Estimated?, _ truth: Double) -> Bool {
        guard let figure else { return false }
        return abs(figure.value - truth) <= figure.error
    }

    // MARK: Simulated

    @Test(arguments: [(1.0, true, 0.03), (1.0, false, 0.04), (2.0, true, 0.04), (5.0, true, 0.07)])
    func `the error of a drive holds in at least 90 of 100 seeds`(
        _ interval: Double, _ rests: Bool, _ widest: Double
    ) throws {
        var (used, shares, width) = (0, 0, 0.0)
        for seed in 1...100 {
            var battery = battery(seed)
            battery.interval = interval
            let drive = SimulatedBattery.Phase.drive(seconds: 1800)
            let readings = battery.run(rests ? [.stand(seconds: 90), drive] : [drive])
            let use = batteryUse(readings)
            #expect(use.direction == (battery.sign > 0 ? .discharge : .charge))
            if holds(use.used, readings.out - readings.into) { used += 1 }
            if holds(use.regeneratedShare, readings.into / readings.out) { shares += 1 }
            let figure = try #require(use.used)
            width += figure.error / figure.value / 100
        }
        #expect(used >= 90 && shares >= 85, "\(used) \(shares)")
        // An error that holds because it is huge says nothing.
        #expect(width <= widest, "\(width)")
    }

    @Test(arguments: [0, 1, 2])
    func `a capacity from 20 to 80 % is right within 2 %, and its error holds`(
        _ kind: Int
    ) throws {
        var held = 0
        for seed in 1...100 {
            var battery = battery(seed)
            battery.charge = 19
            battery.capacity = [40, 100, 150][kind]
            battery.counters = kind == 2
            battery.interval = kind == 0 ? 5 : 1
            let charging =
                kind == 0
                ? SimulatedBattery.Phase.alternating(kilowatts: 7.4, until: 81)
                : .direct(until: 81)
            let readings = battery.run([.stand(seconds: 90), charging, .stand(seconds: 400)])
            let use = batteryUse(readings)
            let capacity = try #require(use.capacity, "\(use.missing)")
            #expect(abs(capacity.charge.value / battery.capacity - 1) <= 0.02)
            if holds(capacity.charge, battery.capacity) { held += 1 }
            #expect(
                use.sessions.count == 1
                    && use.sessions[0].current == (kind == 0 ? .alternating : .direct))
            #expect(holds(use.charged, readings.charged[0]))
        }
        #expect(held >= 90, "\(held)")
    }

    /// A battery computer that is wrong by a point at each end, drawn for each session.
    @Test func `more sessions make the capacity more exact, as its error says`() throws {
        var (held, one, five) = (0, 0.0, 0.0)
        for seed in 1...100 {
            var random = SimulatedBattery.Random(UInt64(seed))
            let shares = (0..<5).map { _ in
                let points = 45 + 30 * random.unit()
                return ChargingSession.Share(
                    charge: Estimated(0.6 * points + 0.05 * random.normal(), 0.05),
                    points: Estimated(
                        points + random.normal() - random.normal(), 2.0.squareRoot()))
            }
            let fitted = try #require(BatteryCapacity(shares))
            if holds(fitted.charge, 60) { held += 1 }
            five += fitted.charge.error
            one += try #require(BatteryCapacity([shares[0]])).charge.error
        }
        #expect(held >= 90 && five < 0.6 * one, "\(held) \(five / one)")
    }

    @Test func `without a speed, charging is known by its steady current`() {
        var found = 0
        for seed in 1...20 {
            var battery = battery(seed)
            battery.charge = 19
            battery.hasSpeed = false
            let readings = battery.run([
                .drive(seconds: 600), .direct(until: 81), .drive(seconds: 600),
            ])
            let use = batteryUse(readings)
            if use.sessions.count == 1, holds(use.charged, readings.charged[0]),
                holds(use.used, readings.out - readings.into)
            {
                found += 1
            }
        }
        #expect(found >= 18, "\(found)")
    }

    @Test func `without a state of charge there is energy and no capacity`() {
        var battery = battery(3)
        battery.charge = 19
        battery.hasCharge = false
        let readings = battery.run([.stand(seconds: 90), .direct(until: 81), .drive(seconds: 600)])
        let use = batteryUse(readings)
        #expect(use.capacity == nil && use.missing[.capacity] == "no state of charge was read")
        #expect(holds(use.charged, readings.charged[0]))
        #expect(holds(use.used, readings.out - readings.into))
        #expect(use.sessions.first?.curve.isEmpty == true)
    }

    /// 50 A at 400 V are 20 kW.
    ///
    /// 72 km/h are 20 m/s, so each 100 km take 27.8 kWh.
    /// Two rounded odometer values differ by the road with a deviation of 1/√6 = 0.408 km, a speed by 1 %.
    @Test(arguments: [
        (60, 1.0, 1.2, 0.012), (600, 12, 12, 0.12), (3000, 60, 60, 0.408),
        // The speed has a gap of its own: only the odometer knows the road.
        (60, 30, 30, 0.408),
    ])
    func `a distance is by odometer or speed, whichever is more exact`(
        _ seconds: Int, _ odometer: Double, _ distance: Double, _ deviation: Double
    ) throws {
        var values: [(t: Int64, quantity: BatteryQuantity, value: Double)] = []
        for second in 0...seconds {
            let t = Int64(second) * 1_000_000
            values += [(t, .speed, 72), (t, .voltage, 400), (t, .current, 50)]
        }
        let use = batteryUse(values, named: .discharge, distance: odometer, isOdometer: true)
        let way = try #require(use.distance)
        #expect(abs(way.value - distance) < 1e-6 && abs(way.deviation - deviation) < 1e-3)
        let energy = 20.0 * Double(seconds) / 3600
        let consumption = try #require(use.per100km)
        #expect(abs(consumption.value - energy / distance * 100) < 0.01)
    }

    /// The truth of the simulation counts only the time with readings.
    @Test func `a gap is not bridged and is reported`() throws {
        for seed in 1...20 {
            var battery = battery(seed)
            let readings = battery.run([
                .stand(seconds: 90), .drive(seconds: 600), .silence(seconds: 120),
                .drive(seconds: 600),
            ])
            let use = batteryUse(readings)
            #expect(use.gapCount == 1 && (119...123).contains(use.gaps), "\(use.gaps)")
            #expect(holds(use.used, readings.out - readings.into))
            let consumption = try #require(use.per100km)
            let truth = (readings.out - readings.into) / readings.kilometres * 100
            #expect(holds(consumption, truth), "\(consumption) \(truth)")
        }
    }

    @Test func `counters see what happens in a gap of the current`() {
        var battery = SimulatedBattery(seed: 5)
        battery.counters = true
        var readings = battery.run([.stand(seconds: 90), .drive(seconds: 1800)])
        readings.values.removeAll {
            [.current, .voltage].contains($0.quantity) && (600_000_000...700_000_000).contains($0.t)
        }
        let use = batteryUse(readings)
        #expect(use.method == .counters && use.gapCount == 1)
        #expect(holds(use.used, readings.out - readings.into))
        #expect(holds(use.discharged, readings.out))
    }

    @Test func `a counter that falls is not used`() {
        var battery = SimulatedBattery(seed: 5)
        battery.counters = true
        var readings = battery.run([.stand(seconds: 90), .drive(seconds: 1800)])
        let place = readings.values.lastIndex { $0.quantity == .energyOut }
        if let place { readings.values[place].value = 1 }
        let use = batteryUse(readings)
        #expect(use.method == .integration && holds(use.used, readings.out - readings.into))
    }

    private static let counterQuantities: [BatteryQuantity] = [
        .energyIn, .energyOut, .chargeIn, .chargeOut,
    ]

    /// The counters hold what the battery has taken in its life: 1,234 kWh in the simulation.
    @Test func `a trip that starts while charging does not count the battery's life`() throws {
        for seed in 1...5 {
            var battery = battery(seed)
            battery.charge = 30
            battery.counters = true
            let readings = battery.run([
                .alternating(kilowatts: 7.5, until: 60), .drive(seconds: 600),
            ])
            let voltage = try #require(readings.values.firstIndex { $0.quantity == .voltage })
            let counter = try #require(readings.values.firstIndex { $0.quantity == .energyIn })
            #expect(voltage < counter)
            let use = batteryUse(readings)
            let session = try #require(use.sessions.first)
            #expect(use.sessions.count == 1 && session.method == .counters)
            #expect(holds(session.energy, readings.charged[0]), "\(session)")
            #expect(session.meanPower.map { (7...8).contains($0) } == true)
            #expect(session.current == .alternating && session.reason == .lowPower)
            #expect(holds(use.used, readings.out - readings.into))
            #expect((use.discharged?.value ?? -1) >= 0 && (use.recharged?.value ?? -1) >= 0)
        }
    }

    /// Counters that first arrive ten minutes after charging began, and ones that arrive when it has ended.
    @Test(arguments: [false, true])
    func `counters that come late do not measure a session, but the drive after it`(
        _ isAfter: Bool
    ) throws {
        var battery = battery(7)
        battery.charge = 30
        battery.counters = true
        var readings = battery.run([
            .alternating(kilowatts: 7.5, until: 60), .stand(seconds: 400), .drive(seconds: 1800),
        ])
        let end = try #require(readings.values.last { $0.quantity == .speed && $0.value == 0 }).t
        let start = isAfter ? end - 200_000_000 : 600_000_000
        readings.values.removeAll {
            Self.counterQuantities.contains($0.quantity) && $0.t < start
        }
        let use = batteryUse(readings)
        let session = try #require(use.sessions.first)
        #expect(use.sessions.count == 1 && session.method == .integration)
        #expect(holds(session.energy, readings.charged[0]))
        #expect(session.topPower.map { $0 < 8 } == true)
        #expect(holds(use.used, readings.out - readings.into), "\(String(describing: use.used))")
        #expect(holds(use.discharged, readings.out))
        // Without a distance only the time says what the counters have seen.
        readings.values.removeAll { $0.quantity == .speed }
        let timed = batteryUse(readings.values, distance: nil)
        #expect(timed.method == .integration && (timed.discharged?.value ?? -1) >= 0)
    }

    @Test func `an unknown counter has no difference`() {
        let known = BatteryCounters.Change(energyIn: 5, energyOut: 2, chargeIn: nil, chargeOut: 1)
        #expect(known.energy == 3 && known.charge == nil)
        #expect((known - BatteryCounters.Change()) == BatteryCounters.Change())
        #expect((known - known).energyIn == 0 && (known - known).chargeIn == nil)
        #expect((BatteryCounters.Change() - known).energyIn == nil)
        let sum = BatteryCounters.Change.nothing.adding(known)
        #expect(sum.energyIn == 5 && sum.chargeIn == 0)
        #expect(BatteryCounters.Change().filled(with: known) == known)
    }

    @Test func `a hybrid that charges while it drives has no session and no share of braking`() {
        var held = 0
        for seed in 1...20 {
            var battery = battery(seed)
            battery.capacity = 5
            battery.charge = 50
            var readings = battery.run([
                .stand(seconds: 90), .engine(seconds: 900, amperes: 40), .stand(seconds: 90),
            ])
            let times = Set(readings.values.map { $0.t / 1_000_000 }).sorted()
            readings.values += times.map { ($0 * 1_000_000, .engineSpeed, 1400) }
            readings.values.sort { $0.t < $1.t }
            let use = batteryUse(readings)
            #expect(use.sessions.isEmpty && use.regeneratedShare == nil && use.per100km == nil)
            #expect(use.missing[.regenerated] == "the engine may have charged the battery, too")
            #expect(holds(use.used, readings.out - readings.into))
            if holds(use.recharged, readings.into) { held += 1 }
        }
        #expect(held >= 18, "\(held)")
    }

    @Test func `a vehicle that reports only power has energy, with its sign by the charge`() {
        for seed in 1...20 {
            var battery = battery(seed)
            battery.powerOnly = true
            let readings = battery.run([.stand(seconds: 90), .drive(seconds: 1800)])
            let use = batteryUse(readings, hasCurrent: false)
            #expect(use.evidence == .charge && holds(use.used, readings.out - readings.into))
        }
    }

    // MARK: By hand

    /// A reading of current and voltage per second.
    private func steady(
        _ amperes: Double, _ volts: Double, _ seconds: ClosedRange<Int64>, speed: Double? = 0
    ) -> [Value] {
        seconds.flatMap { second -> [Value] in
            let t = second * 1_000_000
            let pair: [Value] = [(t, .current, amperes), (t, .voltage, volts)]
            return speed.map { [(t, .speed, $0)] + pair } ?? pair
        }
    }

    /// −100 A at 400 V are 40 kW for an hour: 40 kWh and 100 Ah.
    ///
    /// The state of charge rises by a point every 60 s.
    private func hour(amperes: Double = -100) -> [Value] {
        let charges: [Value] = (0...60).map {
            (Int64($0) * 60_000_000, .charge, Double(20 + $0))
        }
        let values = charges + steady(amperes, 400, 0...3600)
        return values.sorted { $0.t < $1.t }
    }

    @Test func `an hour of 100 A at 400 V`() throws {
        let use = batteryUse(hour())
        let session = try #require(use.sessions.first)
        #expect(use.sessions.count == 1 && use.evidence == .charge)
        #expect(session.from == 0 && session.to == 3_600_000_000)
        #expect(abs((session.energy?.value ?? 0) - 40) < 1e-6)
        #expect(session.meanPower.map { abs($0 - 40) < 1e-6 } == true)
        #expect(session.topPower == 40 && session.current == .direct)
        #expect(session.reason == .highPower)
        #expect(session.chargeFrom == 20 && session.chargeTo == 80)
        #expect(session.curve.map(\.charge) == Array(stride(from: 20, through: 80, by: 5)))
        #expect(session.curve.dropLast().allSatisfy { abs($0.power - 40) < 1e-6 })
        // 59 points between the first and the last change are 5,900/60 Ah.
        let share = try #require(session.share)
        #expect(abs(share.points.value - 59) < 1e-9)
        #expect(abs(share.charge.value - 98.333) < 0.06, "\(share.charge)")
        let capacity = try #require(use.capacity)
        #expect(abs(capacity.charge.value - 166.67) < 0.2)
        #expect(abs((capacity.energy?.value ?? 0) - 66.667) < 0.1)
        // One standard deviation: a point at both ends of 59, and 0.7 % of the sensor.
        #expect(abs(capacity.charge.deviation / capacity.charge.value - 0.0252) < 0.001)
    }

    @Test func `the same hour with the other sign is the same`() {
        let (one, other) = (batteryUse(hour()), batteryUse(hour(amperes: 100)))
        #expect(one.direction == .discharge && other.direction == .charge)
        #expect(one.sessions == other.sessions)
    }

    /// 100 A at 400 V for 90 s: too short.
    @Test(arguments: [(90, 0), (119, 0), (121, 1)])
    func `charging for less than two minutes is no session`(_ seconds: Int64, _ count: Int) {
        var values = steady(0, 400, 0...60) + steady(-100, 410, 61...60 + seconds + 1)
        values += steady(0, 400, (62 + seconds)...(500 + seconds))
        #expect(batteryUse(values, named: .discharge).sessions.count == count)
    }

    /// A pause of less than five minutes belongs to a session; a longer one ends it.
    @Test(arguments: [(200, 1), (290, 1), (320, 2)])
    func `a pause of five minutes ends a session`(_ pause: Int64, _ count: Int) {
        let second = 600 + pause
        let values =
            steady(0, 400, 0...60) + steady(-20, 405, 61...600) + steady(0, 400, 601...second - 1)
            + steady(-20, 405, second...second + 600)
        let use = batteryUse(values, named: .discharge)
        #expect(use.sessions.count == count)
        // 20 A at 405 V are 8.1 kW; the current rises and falls within a second.
        let energy = 8.1 * Double(539 + 600 + 2) / 3600
        #expect(abs((use.charged?.value ?? 0) - energy) < 0.005)
        #expect(use.sessions.allSatisfy { $0.current == .alternating && $0.reason == .lowPower })
    }

    /// From 20 kW out to 10 kW in within 3 s: the line crosses zero after 2 s, so 20 kJ out and 5 kJ in.
    @Test func `a change of sign is split where the power is zero`() {
        var sums = EnergySums()
        sums.add(power: 20, -10, current: 12.5, voltage: 400, seconds: 3)
        #expect(abs(sums.out * 3600 - 20) < 1e-9 && abs(sums.into * 3600 - 5) < 1e-9)
        #expect(abs(sums.charge * 3600 + 37.5) < 1e-9)
    }

    @Test func `a sign that nothing shows gives no energy`() {
        let values = steady(10, 400, 0...600, speed: 50)
        let use = batteryUse(values)
        #expect(use.used == nil && use.direction == nil && use.sessions.isEmpty)
        #expect(
            use.missing[.used]
                == "nothing shows whether a positive current drives or charges: neither the voltage (ev-voltage) "
                + "nor a change of the charge (ev-soc) by 3 points or more fits the current"
        )
        let named = batteryUse(values, named: .discharge)
        #expect(named.evidence == .name)
        // 4 kW for 600 s.
        #expect(abs((named.used?.value ?? 0) - 4 * 600.0 / 3600) < 1e-6)
    }

    @Test func `two measurements that disagree about the sign give no energy`() {
        var values: [Value] = []
        for second in 0..<1200 {
            let t = Int64(second) * 1_000_000
            let amperes = second % 8 < 4 ? 60.0 : 20
            // The voltage falls when the number rises, and the charge rises although the number is positive.
            values.append((t, .current, amperes))
            values.append((t, .voltage, 400 - amperes / 10))
            values.append((t, .charge, 50 + Double(second / 60)))
        }
        let use = batteryUse(values, named: .discharge)
        #expect(use.used == nil && use.missing[.used]?.contains("different signs") == true)
    }

    /// 20 A at 400 V are 8 kW; a counter that jumps by 1,000 kWh within the hour counts something else.
    @Test(arguments: [(1000.0, false), (0, true)])
    func `counters that need more power than the session ever had are not used`(
        _ jump: Double, _ isUsed: Bool
    ) throws {
        var values = steady(-20, 400, 0...3600)
        for second in 0...3600 {
            let t = Int64(second) * 1_000_000
            let counted = (8 * Double(second) / 360).rounded(.down) / 10
            values.append((t, .energyIn, 11_702.8 + counted + (second > 1800 ? jump : 0)))
            values.append((t, .energyOut, 9232))
        }
        // A stable order of time: current, voltage, counters.
        let order = values.enumerated().sorted {
            ($0.element.t, $0.offset) < ($1.element.t, $1.offset)
        }
        let use = batteryUse(order.map(\.element), named: .discharge)
        let session = try #require(use.sessions.first)
        #expect(session.method == (isUsed ? .counters : .integration))
        #expect(abs((session.energy?.value ?? 0) - 8) < 0.2)
        #expect(
            session.meanPower.map { abs($0 - 8) < 0.2 } == true && session.current == .alternating)
        #expect((use.discharged?.value ?? 0) >= 0 && (use.recharged?.value ?? 0) >= 0)
    }

    /// The plug gives 2 A and the heater takes 25 for most of the time: energy leaves the battery.
    @Test func `a plug that gives less than a load takes has no charging session`() {
        var values: [Value] = []
        for second in 0...1200 {
            let t = Int64(second) * 1_000_000
            values.append((t, .charging, 1))
            values.append((t, .current, second % 100 < 10 ? -2 : 25))
            values.append((t, .voltage, 400))
        }
        let use = batteryUse(values, named: .discharge)
        #expect(use.sessions.isEmpty && use.charged == nil)
        #expect((use.used?.value ?? 0) > 2)
    }

    /// A load of 0.8 A is no offset; 0.3 A that never changes is taken for one.
    @Test(arguments: [(0.3, 0.3), (-0.4, -0.4), (0.8, nil)])
    func `a small current at rest is the offset`(_ amperes: Double, _ offset: Double?) {
        let use = batteryUse(steady(amperes, 400, 0...120), named: .discharge)
        #expect(use.offset.map { ($0 * 100).rounded() / 100 } == offset)
    }

    @Test func `values too far apart give no energy`() {
        let values = steady(100, 400, 0...600, speed: 50).filter { $0.t % 30_000_000 == 0 }
        let use = batteryUse(values, named: .discharge)
        #expect(use.used == nil && use.missing[.used] == "the values are more than 10 s apart")
        #expect(use.gapCount == 20 && use.gaps == 600)
    }

    // MARK: Capacity

    /// With equal errors the fit is Deming's regression through the origin, which has a closed form.
    @Test func `the fit of sessions is that of Deming`() throws {
        let (charges, points) = ([27.0, 33.5, 24.4, 41.0], [44.0, 57.0, 40.5, 66.0])
        let (own, other) = (0.4, 1.4)
        let shares = zip(charges, points).map {
            ChargingSession.Share(charge: Estimated($0, own), points: Estimated($1, other))
        }
        let xx = points.reduce(0) { $0 + $1 * $1 }
        let yy = charges.reduce(0) { $0 + $1 * $1 }
        let xy = zip(charges, points).reduce(0) { $0 + $1.0 * $1.1 }
        let ratio = own * own / (other * other)
        let difference = yy - ratio * xx
        let slope =
            (difference + (difference * difference + 4 * ratio * xy * xy).squareRoot()) / (2 * xy)
        let fitted = try #require(BatteryCapacity(shares))
        #expect(abs(fitted.charge.value - 100 * slope) < 1e-4 && fitted.sessions == 4)
    }

    @Test func `sessions below 40 points do not count`() {
        let share = { (points: Double) in
            ChargingSession.Share(
                charge: Estimated(points * 0.6, 0.1), points: Estimated(points, 1.4))
        }
        #expect(BatteryCapacity([]) == nil && BatteryCapacity([share(39.9)]) == nil)
        #expect(BatteryCapacity([share(39.9), share(50)])?.sessions == 1)
    }

    // MARK: Cells and isolation

    /// Cells with a spread of 8 mV without current and 0.2 mΩ between the worst and the best: 108 mV at 500 A.
    private func cells(
        charge: Double = 50, temperature: Double = 20, step: Double = 0.001, weak: Int = 17
    ) -> [Value] {
        var values: [Value] = [(0, .charge, charge), (0, .temperature, temperature)]
        for second in 0..<2000 {
            let t = Int64(second) * 1_000_000
            let amperes = second < 300 ? 0 : Double(second % 10) * 50
            let spread = 0.008 + 0.0002 * amperes
            let high = 3.8
            values.append((t, .current, amperes))
            values.append((t, .voltage, 380 - amperes * 0.05))
            values.append((t, .cellHighest, high))
            values.append((t, .cellLowest, ((high - spread) / step).rounded() * step))
            values.append((t, .lowestCell, Double(second % 25 == 0 ? 3 : weak)))
        }
        return values
    }

    @Test func `imbalance and resistance of cells come from a straight line`() throws {
        let cells = try #require(batteryUse(cells()).cells)
        // The spread grows in steps of 10 mV, so nine of ten readings count; cell 3 is one of 45.
        #expect(cells.rest == 8 && cells.grade == .good)
        #expect(abs((cells.intercept?.value ?? 0) - 8) < 0.5)
        #expect(abs((cells.slope?.value ?? 0) - 0.2) < 0.005)
        #expect(cells.weakest == 17 && abs((cells.lowestShare ?? 0) - 44.0 / 45) < 0.001)
    }

    @Test(arguments: [(19.0, 20.0), (81.0, 20.0), (50.0, 4.0)])
    func `full, empty and cold cells are not judged`(_ charge: Double, _ temperature: Double) {
        let use = batteryUse(cells(charge: charge, temperature: temperature))
        #expect(use.cells == nil && use.missing[.cells] != nil)
    }

    /// Among cells that are equal within a step, the number is that of any cell.
    @Test func `no cell is named where the spread is one step`() throws {
        let values = cells(step: 0.02).filter { $0.quantity != .current }
        let calm = values.flatMap { value -> [Value] in
            value.quantity == .cellLowest
                ? [
                    (value.t, .current, 0),
                    (value.t, .cellLowest, value.t % 3_000_000 == 0 ? 3.8 : 3.78),
                ]
                : [value]
        }
        let cells = try #require(batteryUse(calm).cells)
        #expect(cells.weakest == nil && cells.lowestCount == 0)
        #expect(cells.rest == 20 && cells.step == 20 && cells.grade == .good)
    }

    @Test(arguments: [
        (70.0, 1.0, BatteryUse.Cells.Grade.odd), (120, 20, .odd), (40, 20, .good), (50, 1, .fair),
        (150, 20, .strong),
    ])
    func `a spread is judged beyond its step`(
        _ spread: Double, _ step: Double, _ grade: BatteryUse.Cells.Grade
    ) {
        var cells = BatteryUse.Cells(step: step)
        cells.rest = spread
        // 120 mV in steps of 20 may be 100.1.
        #expect(cells.grade == grade)
    }

    @Test(arguments: [
        ([900.0], 400.0, BatteryUse.Isolation.Grade.good), ([450], 400, .odd), ([150], 400, .stop),
        // 500 Ω/V at 800 V are 400 kΩ.
        ([390], 800, .stop), ([410], 800, .odd), ([1000, 1000, 5], 400, .good),
        ([1000, 90, 80], 400, .stop),
    ])
    func `the middle of the isolation readings is judged`(
        _ readings: [Double], _ volts: Double, _ grade: BatteryUse.Isolation.Grade
    ) {
        var values = steady(0, volts, 0...2)
        values += readings.map { (3_000_000, .isolation, $0) }
        let use = batteryUse(values)
        #expect(use.isolation?.grade == grade && use.isolation?.lowest == readings.min())
    }

    // MARK: Bad input

    @Test func `no values give no energy, with the reason`() {
        let use = batteryUse([Value]())
        #expect(use.used == nil && use.sessions.isEmpty && use.cells == nil)
        #expect(use.missing[.used] == "no current has a voltage near it in time")
        #expect(
            batteryUse([Value](), hasCurrent: false).missing[.used]
                == "no power of the battery was read")
    }

    @Test func `no input is too wild`() {
        var random = SimulatedBattery.Random(99)
        let wild: [Double] = [
            0, -1, 1, 255, 65535, -32768, 1e300, -1e300, .infinity, .nan, 1e-300, 3.9,
        ]
        for _ in 0..<300 {
            var values: [Value] = []
            var t: Int64 = -1_000_000
            for _ in 0..<200 {
                t += Int64(random.unit() * 4_000_000) - 500_000
                if random.unit() < 0.02 { t += Int64(random.unit() * 1e12) }
                let quantity = BatteryQuantity.allCases[
                    min(Int(random.unit() * 20), BatteryQuantity.allCases.count - 1)]
                let isWild = random.unit() < 0.3
                values.append(
                    (
                        t, quantity,
                        isWild ? wild[min(Int(random.unit() * 12), 11)] : 500 * random.unit() - 100
                    ))
            }
            let use = batteryUse(values, named: .discharge)
            #expect(use.gaps >= 0 && use.sessions.allSatisfy { $0.to > $0.from })
        }
    }
}
