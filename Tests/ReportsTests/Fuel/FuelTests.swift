import Testing

@testable import Reports

@Suite struct `Fuel` {
    /// A meter with values at every `step` of `seconds`.
    private func meter(
        with settings: FuelSettings = FuelSettings(), seconds: Int64 = 3600, every step: Int64 = 1,
        _ values: [(FuelQuantity, Double)]
    ) -> FuelMeter {
        var meter = FuelMeter(settings)
        for second in stride(from: 0, through: seconds, by: Int(step)) {
            for (quantity, value) in values { meter.take(value, quantity, t: second * 1_000_000) }
        }
        return meter
    }

    private func close(_ value: Double?, _ expected: Double, within share: Double = 1e-6) -> Bool {
        value.map { abs($0 - expected) <= abs(expected) * share } ?? false
    }

    // MARK: Methods

    /// 345.2 L/h is the value of 1A F8 in PID 5E (python-OBD 0.7.3).
    ///
    /// 7.2 L/h for an hour are 7.2 L.
    @Test func `the ECU's rate by volume is added up`() throws {
        let use = try #require(
            FuelUse(meter([(.fuelRate, 7.2), (.engineSpeed, 2000)]), distance: 90))
        #expect(close(use.amount, 7.2))
        #expect(close(use.per100km, 8))
        #expect(use.chosen?.method == .fuelRate)
        #expect(use.chosen?.coverage == 1)
        #expect(use.isAssumed && use.kind == .gasoline)
    }

    /// 1 g/s for an hour is 3.6 kg: 4.327 L of diesel with 832 g/L.
    @Test func `the ECU's rate by mass is divided by the density`() throws {
        let use = try #require(
            FuelUse(meter([(.fuelType, 4), (.fuelMassRate, 1)]), distance: nil))
        #expect(use.kind == .diesel)
        #expect(close(use.amount, 3600 / 832.0))
        #expect(use.per100km == nil)
    }

    @Test(
        arguments: [
            ([(.airFlow, 10)], "air flow, lambda assumed to be 1"),
            ([(.commandedLambda, 0.8), (.airFlow, 10)], "air flow, commanded lambda"),
            // An engine that is not lean ignores its sensor.
            ([(.measuredLambda, 0.8), (.airFlow, 10)], "air flow, lambda assumed to be 1"),
            (
                [(.fuelType, 4), (.measuredLambda, 1.3), (.airFlow, 10)],
                "air flow, measured lambda"
            ),
            ([(.fuelRate, 7)], "fuel rate of the ECU"),
            (
                [(.engineSpeed, 2000), (.intakeTemperature, 20), (.manifoldPressure, 50)],
                "manifold pressure and engine speed, lambda assumed to be 1"
            ),
        ] as [([(FuelQuantity, Double)], String)])
    func `the method of a fuel figure names the lambda value that was used`(
        values: [(FuelQuantity, Double)], title: String
    ) throws {
        var settings = FuelSettings()
        settings.displacement = 2
        let use = FuelUse(meter(with: settings, values), distance: 40)
        #expect(use?.chosen?.title == title)
    }

    @Test func `the method says if lambda is known for only a part of the trip`() throws {
        var meter = FuelMeter(FuelSettings())
        for second: Int64 in 0...60 {
            if second == 0 { meter.take(0.9, .commandedLambda, t: 0) }
            meter.take(10, .airFlow, t: second * 1_000_000)
        }
        let use = FuelUse(meter, distance: nil)
        #expect(use?.chosen?.title == "air flow, lambda partly assumed to be 1")
    }

    /// The usual rule for MAF: L/h = g/s × 3600 / (14.7 × density).
    ///
    /// With the usual 710 g/L this is 0.3449 L/h per g/s. With 745 g/L, the middle of EN 228, it is
    /// 0.32872.
    @Test func `air mass is divided by the ratio and by lambda`() throws {
        let use = try #require(FuelUse(meter([(.airFlow, 10)]), distance: 40))
        #expect(close(use.amount, 3.2872, within: 1e-4))
        let rich = try #require(
            FuelUse(meter([(.commandedLambda, 0.8), (.airFlow, 10)]), distance: 40))
        #expect(close(rich.amount, 3.2872 / 0.8, within: 1e-4))
        // E100: 9.0 and 794 g/L.
        let ethanol = try #require(FuelUse(meter([(.fuelType, 3), (.airFlow, 10)]), distance: 40))
        #expect(close(ethanol.amount, 36_000 / 9.0 / 794))
    }

    @Test func `without a lambda sensor a diesel's air gives no fuel figure`() throws {
        var settings = FuelSettings()
        settings.kind = .diesel
        #expect(
            FuelUse(meter(with: settings, [(.commandedLambda, 1), (.airFlow, 10)]), distance: 1)
                == nil)
        let use = try #require(
            FuelUse(meter(with: settings, [(.measuredLambda, 1.6), (.airFlow, 10)]), distance: 40))
        #expect(close(use.amount, 36_000 / 14.5 / 832 / 1.6))
        // A value at the end of the sensor's range is not a measurement.
        #expect(
            FuelUse(
                meter(with: settings, [(.measuredLambda, 1.9999), (.airFlow, 10)]), distance: 1)
                == nil)
    }

    /// The air is calculated as an ideal gas.
    ///
    /// 1 L at 100 kPa and 25 °C is 1.1684 g of dry air (ISO 2533: 1.225 g at 15 °C and 101.325
    /// kPa). 2 L at 3000 rpm have 25 fillings per second.
    @Test func `pressure, temperature and engine speed give the air mass`() throws {
        var settings = FuelSettings()
        settings.displacement = 2
        settings.efficiency = 1
        let values: [(FuelQuantity, Double)] = [
            (.intakeTemperature, 25), (.engineSpeed, 3000), (.manifoldPressure, 100),
        ]
        let use = try #require(FuelUse(meter(with: settings, values), distance: 40))
        #expect(use.chosen?.method == .speedDensity)
        #expect(close(use.amount, 1.1684 * 2 * 25 * 3600 / 14.7 / 745, within: 1e-3))
        let standard = try #require(
            FuelUse(
                meter(
                    with: settings,
                    [(.intakeTemperature, 15), (.engineSpeed, 120), (.manifoldPressure, 101.325)]),
                distance: nil))
        #expect(close(standard.amount, 1.225 * 2 * 3600 / 14.7 / 745, within: 1e-3))
        // The displacement is unknown.
        #expect(FuelUse(meter(values), distance: 40) == nil)
    }

    @Test func `no fuel is counted in gaps`() throws {
        #expect(FuelUse(meter(every: 11, [(.fuelRate, 7.2)]), distance: nil) == nil)
        var meter = FuelMeter()
        for second: Int64 in [0, 10, 100, 110] {
            meter.take(3.6, .fuelRate, t: second * 1_000_000)
        }
        #expect(close(try #require(FuelUse(meter, distance: nil)).amount, 0.02))
    }

    // MARK: Results

    /// 235.215 and 282.481 follow from the definitions of mile and gallons (the well-known
    /// constants).
    @Test func `consumption is given in all common units`() throws {
        let use = try #require(FuelUse(meter([(.fuelRate, 8)]), distance: 100))
        #expect(close(use.per100km, 8))
        #expect(close(use.milesPerUSGallon, 235.214583 / 8, within: 1e-8))
        #expect(close(use.milesPerImperialGallon, 282.480936 / 8, within: 1e-8))
        #expect(close(use.kilometresPerLitre, 12.5))
        #expect(close(use.cost(at: 1.759), 14.072))
        // EPA-420-F-11-041: 8,887 g per gallon.
        #expect(close(use.carbonDioxide, 8 / 3.785411784 * 8.887))
    }

    /// The mass of carbon becomes CO₂.
    ///
    /// EPA's factors differ from this formula by at most 2 %.
    @Test(arguments: [
        (FuelKind.methanol, 12.011, 32.042), (.ethanol, 24.022, 46.068), (.propane, 36.033, 44.097),
        (.cng, 12.011, 16.043), (.gasoline, 12.011, 12.011 + 1.85 * 1.008),
        (.diesel, 12.011, 12.011 + 1.86 * 1.008),
    ])
    func `carbon dioxide matches the carbon in the fuel`(
        kind: FuelKind, carbon: Double, mass: Double
    ) {
        let perUnit = kind.density / 1000 * carbon / mass * 44.009 / 12.011
        #expect(abs(kind.carbonDioxide / perUnit - 1) < 0.03)
    }

    /// The air follows from the formula of the fuel, C H O: (1 + H/4 − O/2) O₂ per carbon, 23.14 %
    /// of air by mass.
    @Test(arguments: [
        (FuelKind.methanol, 4.0, 1.0, 1.0), (.ethanol, 6.0, 1.0, 2.0), (.propane, 8.0, 0.0, 3.0),
        (.cng, 4.0, 0.0, 1.0), (.gasoline, 1.87, 0.0, 1.0), (.diesel, 1.8, 0.0, 1.0),
    ])
    func `the air ratio matches the formula`(
        kind: FuelKind, hydrogen: Double, oxygen: Double, carbon: Double
    ) {
        let mass = carbon * 12.011 + hydrogen * 1.008 + oxygen * 15.999
        let air = (carbon + hydrogen / 4 - oxygen / 2) * 31.998 / 0.2314 / mass
        #expect(abs(kind.airFuelRatio / air - 1) < 0.015)
    }

    @Test func `natural gas is given in kilograms, not in gallons`() throws {
        let use = try #require(FuelUse(meter([(.fuelType, 6), (.fuelMassRate, 1)]), distance: 100))
        #expect(use.unit == "kg" && close(use.amount, 3.6))
        #expect(use.milesPerUSGallon == nil && use.kilometresPerLitre == nil)
        #expect(close(use.carbonDioxide, 3.6 * 2.7438, within: 1e-3))
    }

    @Test func `two fuels on one trip are counted separately`() throws {
        var meter = FuelMeter()
        for second: Int64 in 0...7200 {
            // LPG first, then gasoline.
            meter.take(second < 3600 ? 0x0C : 0x09, .fuelType, t: second * 1_000_000)
            meter.take(10, .airFlow, t: second * 1_000_000)
        }
        let use = try #require(FuelUse(meter, distance: nil))
        #expect(use.kind == .lpg)
        #expect(
            close(use.amount, 36_000 / 15.6 / 540 + 36_000 / 14.7 / 745, within: 1e-3))
    }

    /// A car with two tanks: an hour on gas, then an hour on gasoline, at 1 g/s each.
    @Test func `kilograms and litres are not added`() throws {
        var meter = FuelMeter()
        for second: Int64 in 0...7200 {
            meter.take(second < 3600 ? 0x0D : 0x09, .fuelType, t: second * 1_000_000)
            meter.take(second < 3600 ? 1.1 : 1, .fuelMassRate, t: second * 1_000_000)
        }
        let use = try #require(FuelUse(meter, distance: 100))
        #expect(use.kind == .cng && use.isMixed)
        #expect(close(use.amount, 3.96, within: 1e-3))
        #expect(close(use.chosen?.amounts[.gasoline], 3600 / 745.0, within: 1e-3))
        #expect(use.per100km == nil && use.cost(at: 1) == nil)
        #expect(
            close(
                use.carbonDioxide, 3.96 * 2.7438 + 3600 / 745.0 * 8.887 / 3.785411784,
                within: 1e-3))
    }

    /// Codes of SAE J1979-DA: 08 electric, 13 hybrid diesel, 14 hybrid electric.
    @Test func `a hybrid's fuel stays counted while the hybrid drives by battery`() throws {
        var meter = FuelMeter()
        for second: Int64 in 0...3600 {
            let code = second < 1000 ? 0x14 : second < 1800 ? 0x13 : 0x14
            meter.take(Double(code), .fuelType, t: second * 1_000_000)
            meter.take(1, .fuelMassRate, t: second * 1_000_000)
        }
        let use = try #require(FuelUse(meter, distance: nil))
        #expect(use.kind == .diesel && !use.isAssumed)
        #expect(close(use.amount, 3600 / 832.0))
        let unnamed = try #require(
            FuelUse(self.meter([(.fuelType, 0x14), (.fuelRate, 6)]), distance: nil))
        #expect(unnamed.kind == .gasoline && unnamed.isAssumed)
    }

    /// 6 L/h at 60 km/h are 10 L per 100 km.
    ///
    /// The odometer may show more, because the car also drove while the link was lost.
    @Test func `consumption refers to the distance on which fuel was counted`() throws {
        let values: [(FuelQuantity, Double)] = [(.fuelRate, 6), (.speed, 60)]
        let lost = try #require(
            FuelUse(meter(values), distance: 120, driven: 60, seconds: 7200))
        #expect(close(lost.per100km, 10))
        // If the odometer agrees, it is more exact.
        let whole = try #require(
            FuelUse(meter(values), distance: 61, driven: 60, seconds: 3600))
        #expect(close(whole.per100km, 600 / 61.0))
        // There are too few readings of the speed, but enough of the fuel.
        let slow = try #require(
            FuelUse(
                meter([(.fuelRate, 6)]).speed(every: 60, until: 3600), distance: 60, driven: 0,
                seconds: 3600))
        #expect(close(slow.per100km, 10))
        // Neither covers the whole time.
        let neither = try #require(
            FuelUse(
                meter([(.fuelRate, 6)]).speed(every: 60, until: 3600), distance: 60, driven: 0,
                seconds: 7200))
        #expect(neither.per100km == nil && close(neither.amount, 6))
    }

    // MARK: Plausibility

    @Test func `a fuel rate that is always zero is ignored`() throws {
        let use = try #require(
            FuelUse(
                meter([(.fuelRate, 0), (.airFlow, 10), (.engineSpeed, 900)]), distance: 40))
        #expect(use.chosen?.method == .airFlow)
        #expect(use.estimates[0].problems == [.alwaysZero, .disagrees])
    }

    @Test func `an impossible fuel rate is ignored`() throws {
        // FFFF in PID 5E.
        let use = try #require(
            FuelUse(meter([(.fuelRate, 3276.75), (.airFlow, 10)]), distance: 40))
        #expect(use.chosen?.method == .airFlow)
        #expect(use.estimates[0].problems.contains(.tooMuch))
        let alone = try #require(FuelUse(meter([(.fuelRate, 0.01)]), distance: 100))
        #expect(alone.amount == nil && alone.per100km == nil && alone.carbonDioxide == nil)
        #expect(alone.estimates[0].problems == [.tooLittle])
    }

    @Test func `a fuel rate for half of a trip is reported as incomplete`() throws {
        var meter = FuelMeter()
        for second: Int64 in 0...1000 {
            meter.take(800, .engineSpeed, t: second * 1_000_000)
            if second <= 500 { meter.take(2, .fuelRate, t: second * 1_000_000) }
            meter.take(1, .fuelMassRate, t: second * 1_000_000)
        }
        let use = try #require(FuelUse(meter, distance: nil))
        #expect(use.estimates[0].problems.first == .sparse)
        #expect(use.chosen?.method == .fuelMassRate)
    }

    @Test func `fill-ups correct every method`() throws {
        var settings = FuelSettings()
        settings.calibration = 1.1
        let use = try #require(FuelUse(meter(with: settings, [(.fuelRate, 10)]), distance: nil))
        #expect(close(use.amount, 11))
    }

    @Test func `electricity is not a fuel`() {
        #expect(FuelUse(meter([(.fuelType, 8), (.fuelRate, 1)]), distance: 10) == nil)
        #expect(FuelUse(meter([(.engineSpeed, 900)]), distance: 10) == nil)
    }

    @Test(
        arguments: [
            (0, nil), (1, .gasoline), (4, .diesel), (8, nil), (0x0C, .lpg), (0x0D, .cng),
            (0x11, .gasoline), (0x13, .diesel), (0x1A, .cng), (0x1D, nil), (0xFF, nil),
        ] as [(UInt64, FuelKind?)])
    func `PID 51 gives the fuel`(code: UInt64, kind: FuelKind?) {
        #expect(FuelKind(code: code) == kind)
    }
}

extension FuelMeter {
    /// The same meter with a speed of 60 km/h every `step` seconds.
    fileprivate func speed(every step: Int64, until end: Int64) -> FuelMeter {
        var meter = self
        for second in stride(from: 0, through: end, by: Int(step)) {
            meter.take(60, .speed, t: second * 1_000_000)
        }
        return meter
    }
}
