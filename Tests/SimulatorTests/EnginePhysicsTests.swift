import Testing

@testable import Simulator

/// The engine model against physics: balances, worked values, and what a fault does to flows and pressures.
///
/// No test asks whether a fault is recognized.
@Suite struct `The engine model` {
    typealias Leg = DriveCycle.Leg

    /// A 1.6 L car.
    private static func model(
        _ legs: [Leg], seed: UInt64 = 1,
        _ change: (inout EngineSpec, inout Powertrain) -> Void = { _, _ in }
    ) -> EngineModel {
        var spec = EngineSpec()
        var powertrain = Powertrain()
        powertrain.idle = 780
        powertrain.mass = 1350
        powertrain.gears = [118, 66, 44, 33, 27]
        powertrain.shifts = [20, 38, 56, 76]
        change(&spec, &powertrain)
        return EngineModel(spec, powertrain, DriveCycle(legs: legs), Noise(seed: seed))
    }

    private static func model(_ legs: [Leg], fault kind: EngineFault.Kind, _ amount: Double)
        -> EngineModel
    {
        model(legs) { spec, _ in
            spec.egrArea = kind == .egrStuck ? 8 : 0
            spec.faults = [
                EngineFault(kind: kind, amount: amount, cylinder: kind.hasCylinder ? 2 : 0)
            ]
        }
    }

    /// Runs for `seconds`, and returns the mean of a value over the last `window` seconds.
    private static func mean(
        _ model: EngineModel, seconds: Double, window: Double, _ value: (EngineRun) -> Double
    ) -> Double {
        var run = EngineRun(model)
        var sum = 0.0
        var count = 0.0
        while run.time < seconds {
            run.advance(model)
            if run.time > seconds - window {
                sum += value(run)
                count += 1
            }
        }
        return sum / max(1, count)
    }

    private static let idling = [Leg(seconds: 1000, speed: 0)]
    private static let cruising = [Leg(seconds: 30, speed: 90), Leg(seconds: 1000, speed: 90)]
    private static let pulling = [
        Leg(seconds: 10, speed: 60), Leg(seconds: 12, speed: 0, action: .pull),
    ]

    private static func trim(_ run: EngineRun) -> Double {
        100 * ((1 + run.control.shortTrim) * (1 + run.control.longTrim) - 1)
    }

    // MARK: Flow

    /// The isentropic flow function with 1.4, over its greatest value, and its critical ratio 0.5283.
    @Test(arguments: [
        (0.2, 1), (0.5283, 1), (0.6, 0.98867), (0.7, 0.93132), (0.8, 0.81585), (0.9, 0.61276),
        (0.95, 0.44494), (0.98, 0.28627),
    ])
    func `the orifice formula is that of an ideal gas`(ratio: Double, share: Double) {
        #expect(abs(Orifice.share(ratio) - share) < 0.012)
    }

    /// 0.24 g/s per mm² at 101 kPa and 20 °C; a hole of 5 mm with a coefficient of 0.8 passes 3.8 g/s.
    @Test func `a choked hole passes as much as in textbooks`() {
        let each = Orifice.chokedFlow(pressure: 101, temperature: 293.15)
        #expect(abs(each - 0.2385) < 0.001)
        let port = Orifice.Port(area: 0.8 * 19.635, upstream: 101, temperature: 293.15)
        #expect(abs(port.flow(to: 40) - 3.75) < 0.05)
        #expect(port.flow(to: 50) == port.flow(to: 20))
        #expect(port.flow(to: 101) == 0)
        #expect(port.flow(to: 102) < 0)
    }

    // MARK: Balances

    /// The manifold's content changes by what flows in and out, with every opening in use.
    @Test func `no gas appears or disappears in the manifold`() {
        let model = Self.model(
            [Leg(seconds: 20, speed: 0), Leg(seconds: 10, speed: 60), Leg(seconds: 30, speed: 60)]
        ) { spec, _ in
            spec.egrArea = 8
            spec.faults = [
                EngineFault(kind: .vacuumLeak, amount: 0.8),
                EngineFault(kind: .purgeStuck, amount: 20),
                EngineFault(kind: .egrStuck, amount: 40),
            ]
        }
        var run = EngineRun(model)
        let begin = run.plant.air + run.plant.burnt + run.plant.vapour
        var into = 0.0
        var out = 0.0
        while run.time < 60 {
            run.advance(model)
            let plant = run.plant
            into += plant.throttleFlow + plant.leakFlow + plant.purgeFlow + plant.recirculated
            out += plant.cylinderFlow
        }
        let change = run.plant.air + run.plant.burnt + run.plant.vapour - begin
        #expect(into * EngineModel.step > 200)
        #expect(abs((into - out) * EngineModel.step - change) < 0.001 * into * EngineModel.step)
    }

    /// What the engine delivers in a locked gear becomes motion, road load and the loss of the gears.
    @Test func `the work of the engine becomes motion and road load`() {
        let model = Self.model(Self.cruising)
        var run = EngineRun(model)
        while run.time < 35 { run.advance(model) }
        let speed = run.plant.speed
        var work = 0.0
        var road = 0.0
        while run.time < 75 {
            run.advance(model)
            let omega = run.plant.rpm * 0.10472
            work += run.plant.brakeTorque * omega * 0.92 * EngineModel.step
            road += model.roadLoad(speed: run.plant.speed) * run.plant.speed * EngineModel.step
        }
        let gearing = model.gears[4] * 0.37699
        let mass = model.mass + model.inertia * gearing * gearing
        let motion = 0.5 * mass * (run.plant.speed * run.plant.speed - speed * speed)
        #expect(work > 300_000)
        #expect(abs(work - road - motion) < 0.01 * work)
    }

    /// Fuel energy: a quarter to 36 % becomes work in the cylinders at cruise, and the exhaust is as hot as
    /// exhaust is.
    @Test func `the energy of the fuel is divided as in engines`() {
        let model = Self.model(Self.cruising)
        let brake = Self.mean(model, seconds: 60, window: 20) {
            $0.plant.brakeTorque * $0.plant.rpm * 0.10472e-3 / $0.plant.heatReleased
        }
        #expect(0.20...0.33 ~= brake)
        let shares = Self.mean(model, seconds: 60, window: 20) {
            ($0.plant.wallHeat + $0.plant.exhaustHeat + $0.plant.indicated * $0.plant.rpm
                * 0.10472e-3)
                / $0.plant.heatReleased
        }
        #expect(abs(shares - 1) < 0.001)
        let gas = Self.mean(model, seconds: 60, window: 20) { $0.plant.exhaustTemperature }
        #expect(600...950 ~= gas)
    }

    /// Warm cruise: the coolant gets as much as radiator and block give away.
    @Test func `the coolant's heat goes to the air`() {
        let model = Self.model(Self.cruising)
        var run = EngineRun(model)
        while run.time < 240 { run.advance(model) }
        let begin = (run.heat.block, run.heat.radiator, run.heat.oil)
        var into = 0.0
        var out = 0.0
        while run.time < 300 {
            run.advance(model)
            let friction = run.plant.friction * run.plant.rpm * 0.10472e-3
            into += (run.plant.wallHeat + friction) * EngineModel.step
            out += run.heat.lost * EngineModel.step
        }
        let stored =
            (run.heat.block - begin.0) * model.blockHeat + (run.heat.radiator - begin.1) * 9
            + (run.heat.oil - begin.2) * model.oilHeat
        #expect(into > 500)
        #expect(abs(into - out - stored) < 0.01 * into)
        #expect(84...96 ~= run.heat.block)
    }

    /// Lambda at the sensor is the air of the cylinders over the fuel that they got: 14.7 for E0, 14.1 for
    /// E10, 9.8 for E85.
    @Test(arguments: [(0.0, 14.7), (5, 14.4), (10, 14.1), (85, 9.85)])
    func `lambda is air over fuel`(ethanol: Double, stoichiometry: Double) {
        let model = Self.model(Self.idling) { spec, _ in spec.ethanol = ethanol }
        var air = 0.0
        var fuel = 0.0
        let lambda = Self.mean(model, seconds: 60, window: 20) {
            if $0.time > 40 {
                air += $0.plant.cylinderAir
                fuel += $0.plant.fuel
            }
            return $0.plant.sensed
        }
        #expect(abs(air / fuel / stoichiometry - lambda) < 0.01)
        // The trims of the ECU, which reckons with E5, can level out petrol but not E85.
        if ethanol < 20 { #expect(abs(lambda - 1) < 0.01) }
    }

    // MARK: Healthy engines

    @Test(arguments: [1.0, 1.6, 2.4, 3.5], [EngineSpec.AirSensor.meter, .pressure])
    func `a warm engine idles with 1 to 2 g/s per litre`(
        displacement: Double, air: EngineSpec.AirSensor
    ) {
        let model = Self.model(Self.idling) { spec, powertrain in
            powertrain.displacement = displacement
            spec.airSensor = air
        }
        var pressure = 0.0
        var speed = 0.0
        let flow = Self.mean(model, seconds: 50, window: 15) {
            pressure += $0.plant.manifold / 1500
            speed += $0.plant.rpm / 1500
            return $0.plant.throttleFlow
        }
        #expect(1...2 ~= flow / displacement)
        #expect(24...40 ~= pressure)
        #expect(abs(speed - 780) < 25)
    }

    /// Tolerances of sensors, injectors and breathing, and fuel from E0 to E10.
    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `trims of healthy engines stay within 5 %`(seed: UInt64) {
        let legs = [
            Leg(seconds: 42, speed: 0), Leg(seconds: 12, speed: 60), Leg(seconds: 60, speed: 60),
        ]
        let model = Self.model(legs, seed: seed) { spec, powertrain in
            spec.spread = seed
            spec.airSensor = seed.isMultiple(of: 2) ? .meter : .pressure
            spec.mixtureSensor = seed % 4 < 2 ? .wide : .narrow
            powertrain.displacement = 1 + Double(seed % 5) * 0.5
        }
        var sums = (idle: 0.0, cruise: 0.0)
        var run = EngineRun(model)
        while run.time < 84 {
            run.advance(model)
            if 32..<42 ~= run.time { sums.idle += Self.trim(run) / 1000 }
            if 66..<84 ~= run.time { sums.cruise += Self.trim(run) / 1800 }
        }
        #expect(abs(sums.idle) < 5, "seed \(seed)")
        #expect(abs(sums.cruise) < 5, "seed \(seed)")
    }

    /// 375 to 530 s of idling from 25 °C to 80 °C on a real car of 1.5 L, 220 to 450 s of driving.
    @Test func `a cold engine warms up like a real one`() {
        func seconds(_ legs: [Leg]) -> Double {
            let model = Self.model(legs) { spec, powertrain in
                powertrain.displacement = 1.5
                powertrain.ambient = 25
                spec.soak = 12
            }
            var run = EngineRun(model)
            while run.heat.block < 80, run.time < 900 { run.advance(model) }
            return run.time
        }
        #expect(340...560 ~= seconds(Self.idling))
        #expect(
            150...450
                ~= seconds([
                    Leg(seconds: 10, speed: 45), Leg(seconds: 40, speed: 50),
                    Leg(seconds: 10, speed: 0),
                    Leg(seconds: 15, speed: 0),
                ]))
    }

    // MARK: Faults

    /// Behind a meter, the trim is 100 times the leak over the air, while the flow is choked: large at idle,
    /// and less and less as the engine takes more air.
    @Test func `a leak has more effect at idle than at cruise, and hardly any at full load`() {
        func trim(_ legs: [Leg], _ seconds: Double) -> Double {
            let healthy = Self.mean(Self.model(legs), seconds: seconds, window: 15, Self.trim)
            let model = Self.model(legs, fault: .vacuumLeak, 0.4)
            return Self.mean(model, seconds: seconds, window: 15, Self.trim) - healthy
        }
        let air = Self.mean(Self.model(Self.idling), seconds: 55, window: 15) {
            $0.plant.cylinderAir
        }
        let idle = trim(Self.idling, 55)
        // The meter sees the air less the leak.
        let expected = 100 * 0.4 / (air - 0.4)
        #expect(abs(idle - expected) < 0.15 * expected)
        let cruise = trim(Self.cruising, 55)
        #expect(idle > 4 * cruise)
        #expect(cruise > 1)
        let leak = Self.model(Self.pulling, fault: .vacuumLeak, 0.4)
        let through = Self.mean(leak, seconds: 17, window: 2) { $0.plant.throttleFlow }
        #expect(Self.mean(leak, seconds: 17, window: 2) { $0.plant.leakFlow } < 0.005 * through)
    }

    /// The same leak on an engine without a meter: the pressure shows the air, so the mixture stays right,
    /// and the throttle closes.
    @Test func `with a pressure sensor a leak makes the controller close the throttle`() {
        func run(_ leak: Double) -> (trim: Double, opening: Double) {
            let model = Self.model(Self.idling) { spec, _ in
                spec.airSensor = .pressure
                spec.faults = [EngineFault(kind: .vacuumLeak, amount: leak)]
            }
            var opening = 0.0
            let trim = Self.mean(model, seconds: 55, window: 15) {
                opening += $0.plant.opening / 1500
                return Self.trim($0)
            }
            return (trim, opening)
        }
        let healthy = run(0)
        let leaking = run(0.6)
        #expect(abs(leaking.trim - healthy.trim) < 2)
        #expect(leaking.opening < healthy.opening - 0.005)
    }

    /// A fault, the drive that shows it, its quantity, and the least change from the healthy engine: the sign
    /// is the direction.
    struct Effect: Sendable {
        var kind: EngineFault.Kind
        var amount: Double
        var legs: [Leg]
        var seconds: Double
        var least: Double
        var value: @Sendable (EngineRun) -> Double
    }

    private static let effects: [Effect] = [
        Effect(kind: .exhaustLeak, amount: 15, legs: idling, seconds: 55, least: 5, value: trim),
        Effect(
            kind: .injectorLeak, amount: 0.02, legs: idling, seconds: 55, least: -8, value: trim),
        Effect(kind: .injectorFlow, amount: 80, legs: idling, seconds: 55, least: 3, value: trim),
        Effect(kind: .fuelPressure, amount: 80, legs: cruising, seconds: 55, least: 9, value: trim),
        Effect(kind: .fuelPump, amount: 1.5, legs: pulling, seconds: 18, least: 0.1) {
            $0.plant.sensed
        },
        Effect(kind: .egrStuck, amount: 40, legs: idling, seconds: 55, least: 3) {
            $0.plant.manifold
        },
        Effect(kind: .purgeStuck, amount: 15, legs: idling, seconds: 55, least: 0.2) {
            $0.plant.purgeFlow
        },
        Effect(kind: .throttleDirt, amount: 50, legs: idling, seconds: 55, least: 0.01) {
            $0.plant.opening
        },
        Effect(kind: .intakeRestriction, amount: 92, legs: pulling, seconds: 18, least: -10) {
            $0.plant.manifold
        },
        Effect(kind: .exhaustRestriction, amount: 90, legs: pulling, seconds: 18, least: 50) {
            $0.plant.exhaust
        },
        Effect(kind: .exhaustRestriction, amount: 90, legs: pulling, seconds: 18, least: -5) {
            $0.plant.throttleFlow
        },
        Effect(kind: .camShift, amount: 20, legs: idling, seconds: 55, least: 5) {
            $0.plant.manifold
        },
        Effect(kind: .misfire, amount: 100, legs: idling, seconds: 55, least: 0.02) {
            $0.plant.fuel - $0.plant.fuelBurnt
        },
        Effect(kind: .thermostatOpen, amount: 100, legs: cruising, seconds: 240, least: -15) {
            $0.heat.block
        },
        Effect(kind: .thermostatClosed, amount: 95, legs: cruising, seconds: 240, least: 10) {
            $0.heat.block
        },
        Effect(kind: .catalystAge, amount: 95, legs: cruising, seconds: 60, least: 0.0005) {
            ($0.plant.cleaned - 1) * ($0.plant.cleaned - 1) * 1000
        },
        Effect(kind: .alternator, amount: 5, legs: idling, seconds: 55, least: -1) {
            $0.supply.voltage
        },
    ]

    @Test(arguments: effects)
    func `each fault changes the quantities that physics predicts`(effect: Effect) {
        func value(_ model: EngineModel) -> Double {
            Self.mean(model, seconds: effect.seconds, window: 10, effect.value)
        }
        let healthy = value(Self.model(effect.legs) { spec, _ in spec.egrArea = 0 })
        let faulty = value(Self.model(effect.legs, fault: effect.kind, effect.amount))
        let change = faulty - healthy
        #expect(
            change * effect.least > 0 && abs(change) >= abs(effect.least),
            "\(effect.kind.rawValue): \(healthy) → \(faulty)")
    }

    /// A fan keeps an idling engine below 100 °C in hot air.
    @Test func `without its fan an engine overheats at idle`() {
        func hottest(_ fan: Double) -> Double {
            let model = Self.model(Self.idling) { spec, powertrain in
                powertrain.ambient = 38
                spec.loads = [.init(torque: 10)]
                spec.faults = [EngineFault(kind: .fanOff, amount: fan)]
            }
            var run = EngineRun(model)
            while run.time < 600 { run.advance(model) }
            return run.heat.block
        }
        #expect(hottest(0) < 101)
        #expect(hottest(100) > 108)
    }

    /// 12.6 V less 150 to 250 A times the resistance: 10 to 11.5 V on healthy cars.
    @Test func `a starter pulls the voltage down by current times resistance`() {
        let legs = [
            Leg(seconds: 2, speed: 0, action: .key), Leg(seconds: 3, speed: 0, action: .crank),
            Leg(seconds: 100, speed: 0),
        ]
        func lowest(_ kind: EngineFault.Kind?, _ amount: Double) -> Double {
            let model = kind.map { Self.model(legs, fault: $0, amount) } ?? Self.model(legs)
            var run = EngineRun(model)
            var plateau: [Double] = []
            while !run.control.runs, run.time < 8 {
                run.advance(model)
                if run.plant.rpm > 120 { plateau.append(run.supply.voltage) }
            }
            #expect(run.control.runs)
            return plateau.first ?? 0
        }
        let healthy = lowest(nil, 0)
        #expect(9.8...11.5 ~= healthy)
        #expect(lowest(.batteryResistance, 10) < healthy - 0.8)
        #expect(lowest(.batteryCapacity, 15) < healthy - 0.3)
    }

    // MARK: Sensors

    @Test func `a sensor's fault is its gain, offset, lag or last value`() {
        var fault = SensorFault(sensor: .coolant, gain: 2, offset: 3)
        #expect(fault.reading(10, after: 0, at: 5, noise: 0) == 23)
        fault.noise = 4
        #expect(fault.reading(10, after: 0, at: 5, noise: -0.5) == 21)
        fault.begin = 6
        #expect(fault.reading(10, after: 0, at: 5, noise: 1) == 10)
        fault.stuck = 7
        #expect(fault.reading(10, after: 99, at: 7, noise: 1) == 99)
        let slow = SensorFault(sensor: .coolant, lag: 0.99)
        #expect(abs(slow.reading(100, after: 0, at: 0, noise: 0) - 1) < 1e-9)
    }

    /// A meter that reads 15 % too little makes the ECU inject 1/0.85 of what it computes.
    @Test func `the ECU sees only its sensors`() {
        let model = Self.model(Self.cruising) { spec, _ in
            spec.sensorFaults = [SensorFault(sensor: .airFlow, gain: 0.85)]
        }
        let trim = Self.mean(model, seconds: 55, window: 15, Self.trim)
        #expect(abs(trim - 100 * (1 / 0.85 - 1)) < 2)
        let lambda = Self.mean(model, seconds: 55, window: 15) { $0.plant.sensed }
        #expect(abs(lambda - 1) < 0.01)
    }

    // MARK: Time

    /// The states do not depend on what was asked before.
    @Test func `the simulated drive depends only on time`() {
        let model = Self.model([
            Leg(seconds: 3, speed: 0, action: .key), Leg(seconds: 3, speed: 0, action: .crank),
            Leg(seconds: 10, speed: 0), Leg(seconds: 8, speed: 40), Leg(seconds: 8, speed: 0),
        ])
        let still = EngineTrack(model)
        var advanced = still
        advanced.advance(to: 47)
        for time in [0, 4.5, 9.99, 10, 10.01, 33, 46.999, 47, 52] {
            #expect(still.state(at: time) == advanced.state(at: time))
            var stepwise = still
            stepwise.advance(to: time / 2)
            stepwise.advance(to: time)
            #expect(stepwise.state(at: time) == advanced.state(at: time))
        }
        #expect(still.state(at: 2).rpm == 0)
        #expect(still.state(at: 2).engineRuns == false)
        #expect(still.state(at: 12).engineRuns)
        #expect(still.state(at: -1) == still.state(at: 0))
    }

    /// A step of ten seconds before the fault and after it.
    @Test func `a simulated fault begins at a given time and grows over a given time`() {
        let fault = EngineFault(kind: .fuelPressure, amount: 60, begin: 100, rise: 20)
        #expect(fault.amount(at: 99) == 100)
        #expect(fault.amount(at: 110) == 80)
        #expect(fault.amount(at: 200) == 60)
        #expect(EngineFault(kind: .vacuumLeak, amount: 2).amount(at: 0) == 2)
    }
}
